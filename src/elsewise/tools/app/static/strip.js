// A column's distribution in the wanted class, with marks for now and then.

import { s } from "./dom.js";
import { percent, valueIn } from "./format.js";
import { columnName, t } from "./text.js";

const WIDTH = 180;
const HEIGHT = 34;
const BASE = 25;
const PAD = 5;

/** Draw the strip of a column; the marks are moved by `mark`. */
export function strip(column, profile) {
  const most = Math.max(...profile.counts, 1);
  const bars = s("g", { class: "bars" });
  const before = s("circle", { class: "before", r: 3.6, cy: BASE + 4.5 });
  const after = s("path", { class: "after", d: "M0,-4.6 L4.6,0 L0,4.6 L-4.6,0 Z" });
  const way = s("line", { class: "way", y1: BASE + 4.5, y2: BASE + 4.5 });
  const svg = s(
    "svg",
    { class: "strip", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", preserveAspectRatio: "none" },
    bars,
    s("line", { class: "base", x1: PAD, x2: WIDTH - PAD, y1: BASE, y2: BASE }),
    way,
    before,
    after,
  );
  svg.setAttribute("preserveAspectRatio", "xMidYMid meet");
  const isLevels = column.levels.length > 0;
  const inner = WIDTH - 2 * PAD;
  const step = inner / Math.max(column.levels.length, 1);
  const { scale } = profile;
  const at = scale ? (x) => Math.asinh((x - scale.middle) / scale.unit) : (x) => x;
  const back = scale ? (t) => scale.middle + scale.unit * Math.sinh(t) : (t) => t;
  let [low, high] = [Math.min(column.low, profile.low), Math.max(column.high, profile.high)].map(at);
  if (!(high > low)) [low, high] = [low - 1, high + 1];
  if (scale) svg.classList.add("stretched");
  const xOf = (x) => {
    if (isLevels) {
      const place = column.levels.indexOf(x);
      return place < 0 ? WIDTH - 2 : PAD + (place + 0.5) * step;
    }
    return Math.min(WIDTH - 2, Math.max(2, PAD + ((at(x) - low) / (high - low)) * inner));
  };
  const n = profile.counts.length;
  profile.counts.forEach((count, place) => {
    if (count === 0) return;
    const size = Math.max(1, (count / most) * (BASE - 3));
    let [x, width] = [PAD + place * step + 1, Math.max(1, step - 2)];
    if (!isLevels) {
      // bins are equally wide on the column's scale
      const wide = (at(profile.high) - at(profile.low)) / n;
      x = xOf(back(at(profile.low) + place * wide));
      width = Math.max(0.8, xOf(back(at(profile.low) + (place + 1) * wide)) - x - 0.4);
    }
    bars.append(s("rect", { x, width, y: BASE - size, height: size }));
  });
  if (scale) {
    svg.append(s("title", null, t("app.skewed")));
  }
  return {
    element: svg,
    mark(old, next, position) {
      const changed = next !== null && next !== undefined && next !== old;
      const missing = old === null && !isLevels;
      before.setAttribute("visibility", missing ? "hidden" : "visible");
      if (!missing) before.setAttribute("cx", xOf(old));
      after.setAttribute("visibility", changed ? "visible" : "hidden");
      way.setAttribute("visibility", changed && !missing ? "visible" : "hidden");
      if (changed) {
        after.setAttribute("transform", `translate(${xOf(next)} ${BASE + 4.5})`);
        if (!missing) {
          way.setAttribute("x1", xOf(old));
          way.setAttribute("x2", xOf(next));
        }
      }
      svg.setAttribute("aria-label", told(column, old, changed ? next : null, position, isLevels));
    },
  };
}

function told(column, old, next, position, isLevels) {
  const where = (share) => {
    if (share === null || share === undefined) return "";
    return `, ${t(isLevels ? "app.level share" : "app.above share", { share: percent(share) })}`;
  };
  const now = `${columnName(column.name)}: ${t("head.now")} ${valueIn(column.name, old)}${where(position?.before)}`;
  return next === null ? now : `${now}; ${t("head.then")} ${valueIn(column.name, next)}${where(position?.after)}`;
}
