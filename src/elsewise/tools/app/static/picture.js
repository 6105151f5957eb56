// Rows that are images, as images: now, what would change, then.

import { h, s } from "./dom.js";
import { t } from "./text.js";

/** Draw pixels as squares; `shade` gives the opacity of each, `kind` its class. */
function pixels(image, label, paint) {
  const svg = s("svg", {
    class: "picture",
    viewBox: `0 0 ${image.width} ${image.height}`,
    role: "img",
    "aria-label": label,
    "shape-rendering": "crispEdges",
  });
  for (let place = 0; place < image.width * image.height; place += 1) {
    const { kind, shade } = paint(place);
    if (shade <= 0.004) continue;
    const [left, top] = [place % image.width, Math.floor(place / image.width)];
    svg.append(s("rect", { class: kind, x: left, y: top, width: 1, height: 1, "fill-opacity": shade.toFixed(3) }));
  }
  return svg;
}

/** One row as an image. */
export function picture(image, columns, row, label) {
  const span = image.high - image.low || 1;
  return pixels(image, label, (place) => ({
    kind: "ink",
    shade: Math.min(1, Math.max(0, (row[columns[place].name] - image.low) / span)),
  }));
}

function change(image, columns, row, after, label) {
  const span = image.high - image.low || 1;
  return pixels(image, label, (place) => {
    const by = (after[columns[place].name] - row[columns[place].name]) / span;
    return { kind: by > 0 ? "more" : "less", shade: Math.min(1, Math.abs(by)) };
  });
}

const figure = (drawn, caption) => h("figure", null, drawn, h("figcaption", null, caption));

/** Row, difference and counterfactual side by side. */
export function triptych(image, columns, row, after, before, wanted) {
  const parts = [figure(picture(image, columns, row, t("app.picture row", { label: before })), t("app.picture now", { label: before }))];
  if (after !== null) {
    parts.push(figure(change(image, columns, row, after, t("head.what changes")), t("app.picture change")));
    parts.push(figure(picture(image, columns, after, t("app.picture answer", { label: wanted })), t("app.picture then", { label: wanted })));
  }
  return parts;
}
