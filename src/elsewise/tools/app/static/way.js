// The way among real cases: its steps, how typical it is and what the model says along it. Asked for by a button.

import { post } from "./api.js";
import { byId, h, s, setText } from "./dom.js";
import { picture as image } from "./picture.js";
import { t } from "./text.js";

const WIDTH = 420;
const HEIGHT = 150;
const [LEFT, RIGHT, TOP, BOTTOM] = [54, 14, 12, 30];
const FRAMES = 7; // of a film, about
const x = (position) => LEFT + position * (WIDTH - LEFT - RIGHT);
const y = (share) => HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM);

/** The part below the plan; `offer` shows its button for the question that was answered. */
export function wayPart(about) {
  let latest = 0; // number of the latest question: ways of earlier ones are dropped
  let asked = null;

  function hide() {
    latest += 1;
    byId("way").hidden = true;
    byId("way-button").hidden = false;
    byId("way-steps").replaceChildren();
    byId("way-picture").replaceChildren();
    setText(byId("way-sentence"), "");
  }

  function offer(answer, body) {
    hide();
    asked = body;
    byId("way").hidden = !about.has_ways || answer.counterfactual === null || answer.changes.length === 0;
  }

  byId("way-button").addEventListener("click", async () => {
    const question = (latest += 1);
    byId("way-button").hidden = true;
    setText(byId("way-sentence"), t("app.looking for way"));
    try {
      const way = await post("/api/path", asked);
      if (question === latest) show(way);
    } catch (error) {
      if (question === latest) setText(byId("way-sentence"), error.message);
    }
  });

  function show(way) {
    setText(byId("way-sentence"), way.sentence);
    byId("way-steps").replaceChildren(...(about.image ? [] : way.steps.map((step) => h("li", null, step)))); // nobody reads pixels
    const film = about.image ? [h("div", { class: "film" }, ...frames(way.rows).map((row, place) => image(about.image, about.columns, row, t("app.stage", { n: place }))))] : [];
    byId("way-picture").replaceChildren(...film, ...(way.positions.length ? [picture(way), legend(way)] : []));
  }

  /** Images along the path: its corners, and some between them, where it runs straight. */
  function frames(rows) {
    const between = Math.max(1, Math.ceil((FRAMES - 1) / (rows.length - 1)));
    return rows.flatMap((row, place) => {
      if (place === 0) return [row];
      const last = rows[place - 1];
      return Array.from({ length: between }, (_, n) =>
        Object.fromEntries(Object.keys(row).map((name) => [name, last[name] + ((row[name] - last[name]) * (n + 1)) / between])),
      );
    });
  }

  function picture(way) {
    const line = (shares, kind) =>
      s("path", { class: kind, d: shares.map((share, place) => `${place ? "L" : "M"}${x(way.positions[place])},${y(share)}`).join("") });
    const ticks = [0, 0.5, 1].flatMap((tick) => [
      s("line", { class: "grid", x1: LEFT, x2: WIDTH - RIGHT, y1: y(tick), y2: y(tick) }),
      s("text", { class: "tick", x: LEFT - 6, y: y(tick) + 4, "text-anchor": "end" }, t("percent", { number: tick * 100 })),
    ]);
    return s(
      "svg",
      { class: "chart way-chart", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": way.sentence },
      ...ticks,
      s("text", { class: "tick", x: x(0), y: HEIGHT - 8 }, t("app.the row")),
      s("text", { class: "tick", x: x(1), y: HEIGHT - 8, "text-anchor": "end" }, t("app.an answer")),
      way.level === null ? null : s("line", { class: "cursor", x1: LEFT, x2: WIDTH - RIGHT, y1: y(way.level), y2: y(way.level) }),
      line(way.shares, "line"),
      way.probabilities === null ? null : line(way.probabilities, "chance"),
    );
  }

  const legend = (way) =>
    h(
      "p",
      { class: "hint way-legend" },
      h("span", { class: "key dense" }),
      t("app.way typical"),
      way.probabilities === null ? null : h("span", { class: "key likely" }),
      way.probabilities === null ? null : t("app.way probability"),
      h("span", { class: "key least" }),
      t("app.way level"),
    );

  return { hide, offer };
}
