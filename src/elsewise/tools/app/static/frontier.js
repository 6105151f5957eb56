// How far one has to go for how plausible an answer.

import { s } from "./dom.js";
import { number, percent } from "./format.js";
import { t } from "./text.js";

const WIDTH = 420;
const HEIGHT = 220;
const [LEFT, RIGHT, TOP, BOTTOM] = [46, 14, 14, 34];

const x = (quantile) => LEFT + quantile * (WIDTH - LEFT - RIGHT);

/** A chart of the frontier; `draw` shows points, `mark` the present answer. */
export function frontierChart(onPick) {
  const plot = s("g");
  const cursor = s("line", { class: "cursor", y1: TOP, y2: HEIGHT - BOTTOM, visibility: "hidden" });
  const dot = s("circle", { class: "here", r: 6, visibility: "hidden" });
  const svg = s(
    "svg",
    { class: "chart", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": t("app.no frontier") },
    plot,
    cursor,
    dot,
  );
  svg.addEventListener("click", (event) => {
    const box = svg.getBoundingClientRect();
    const share = (((event.clientX - box.left) / box.width) * WIDTH - LEFT) / (WIDTH - LEFT - RIGHT);
    if (share > -0.05 && share < 1.05) onPick(Math.min(0.99, Math.max(0.01, Math.round(share * 100) / 100)));
  });
  let points = [];
  let present = { quantile: null, distance: null };
  let top = 1;
  const y = (distance) => HEIGHT - BOTTOM - (distance / top) * (HEIGHT - TOP - BOTTOM);

  function scale() {
    const largest = Math.max(...points.map((point) => point.distance ?? 0), present.distance ?? 0) || 1;
    const step = 10 ** Math.floor(Math.log10(largest));
    const unit = [0.25, 0.5, 1, 2, 2.5].map((each) => each * step).find((each) => largest / each <= 5) ?? step * 5;
    top = Math.ceil((largest * 1.05) / unit) * unit;
    return unit;
  }

  function redraw() {
    const unit = scale();
    const nothing = present.distance === null && points.every((point) => point.distance === null);
    plot.replaceChildren();
    for (let tick = 0; tick <= top * 1.001; tick += unit) {
      plot.append(s("line", { class: "grid", x1: LEFT, x2: WIDTH - RIGHT, y1: y(tick), y2: y(tick) }));
      if (!nothing) plot.append(s("text", { class: "tick", x: LEFT - 7, y: y(tick) + 4, "text-anchor": "end" }, number(tick, 3)));
    }
    for (const tick of [0, 0.25, 0.5, 0.75, 1]) {
      plot.append(
        s("text", { class: "tick", x: x(tick), y: HEIGHT - BOTTOM + 16, "text-anchor": "middle" }, `${tick * 100}`),
      );
    }
    plot.append(
      s(
        "text",
        { class: "axis", x: (LEFT + WIDTH - RIGHT) / 2, y: HEIGHT - 3, "text-anchor": "middle" },
        t("app.frontier axis"),
      ),
    );
    const found = points.filter((point) => point.distance !== null);
    const none = points.find((point) => point.status === "infeasible");
    if (none) {
      const before = found.filter((point) => point.quantile < none.quantile).at(-1);
      const from = before ? (x(before.quantile) + x(none.quantile)) / 2 : LEFT;
      plot.append(
        s("rect", { class: "none", x: from, width: WIDTH - RIGHT - from, y: TOP, height: HEIGHT - TOP - BOTTOM }),
      );
      if (WIDTH - RIGHT - from > 60) {
        plot.append(
          s("text", { class: "tick", x: from + 8, y: TOP + 17 }, t("app.no answer")),
        );
      }
    }
    if (found.length) {
      const path = found.map((point, place) => `${place ? "L" : "M"}${x(point.quantile)},${y(point.distance)}`).join("");
      plot.append(s("path", { class: "line", d: path }));
      for (const point of found) {
        plot.append(
          s(
            "circle",
            { class: "point", r: 3, cx: x(point.quantile), cy: y(point.distance) },
            s("title", null, `${percent(point.quantile)}: ${t("app.distance", { distance: number(point.distance) })}`),
          ),
        );
      }
    }
    place();
    const said = found.map((point) => `${percent(point.quantile)}: ${number(point.distance, 3)}`).join(", ");
    svg.setAttribute(
      "aria-label",
      found.length ? t("app.frontier in words", { said }) : t("app.frontier none"),
    );
  }

  function place() {
    const known = present.quantile !== null;
    cursor.setAttribute("visibility", known ? "visible" : "hidden");
    dot.setAttribute("visibility", known && present.distance !== null ? "visible" : "hidden");
    if (!known) return;
    cursor.setAttribute("x1", x(present.quantile));
    cursor.setAttribute("x2", x(present.quantile));
    if (present.distance === null) return;
    dot.setAttribute("cx", x(present.quantile));
    dot.setAttribute("cy", y(present.distance));
  }

  return {
    element: svg,
    draw(next) {
      points = next;
      redraw();
    },
    mark(quantile, distance) {
      present = { quantile, distance };
      if ((distance ?? 0) > top || points.length === 0) redraw();
      else place();
    },
  };
}
