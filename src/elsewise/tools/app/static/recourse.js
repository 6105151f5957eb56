// Which few columns are enough by themselves, and what better bands of outcomes take. Each is asked for by a button.

import { post } from "./api.js";
import { byId, h, s, setText } from "./dom.js";
import { number, outcome, pair, percentDown, valueIn } from "./format.js";
import { columnName, t } from "./text.js";

const WIDTH = 420;

/** A part of the page that asks one question when its button is pressed, and draws a bar for each thing found. */
function part(name, looking, ask, { lines, sentence }) {
  const button = byId(`${name}-button`);
  let latest = 0; // number of the latest question: answers to earlier ones are dropped
  let asked = null;

  function hide() {
    latest += 1;
    byId(name).hidden = true;
    button.hidden = false;
    clear();
  }

  function clear() {
    byId(`${name}-steps`).replaceChildren();
    setText(byId(`${name}-sentence`), "");
  }

  button.addEventListener("click", async () => {
    const question = (latest += 1);
    clear();
    setText(byId(`${name}-sentence`), t(looking));
    try {
      const found = await ask(asked);
      if (question !== latest) return;
      setText(byId(`${name}-sentence`), sentence(found));
      byId(`${name}-steps`).replaceChildren(...bars(lines(found)));
    } catch (error) {
      if (question === latest) setText(byId(`${name}-sentence`), error.message);
    }
  });

  return {
    hide,
    offer(body) {
      hide();
      asked = body;
      byId(name).hidden = false;
    },
  };
}

/** Bars whose lengths are distances; what has none says why. */
function bars(lines) {
  const longest = Math.max(...lines.map(({ step }) => step.distance ?? 0)) || 1;
  return lines.map(({ head, step }) =>
    h(
      "li",
      null,
      h("strong", null, head),
      step.distance === null
        ? null
        : s(
            "svg",
            { class: "chart", viewBox: `0 0 ${WIDTH} 10`, preserveAspectRatio: "none", role: "img", "aria-label": t("app.distance", { distance: number(step.distance) }) },
            s("rect", { class: "length", x: 0, y: 2, width: Math.max((step.distance / longest) * WIDTH, 1), height: 6, rx: 2 }),
          ),
      step.changes.length ? h("span", null, step.changes.map(inWords).join(", ")) : null,
      h("div", { class: "hint" }, facts(step)),
    ),
  );
}

function inWords(change) {
  const isNumber = typeof change.before === "number" && typeof change.after === "number";
  const [now, then] = isNumber ? pair(change.before, change.after) : [undefined, undefined];
  return `${columnName(change.column)} ${valueIn(change.column, change.before, now)} → ${valueIn(change.column, change.after, then)}`;
}

function facts(step) {
  if (step.distance === null) return t(step.status === "infeasible" ? "app.none proven" : "app.none found");
  const said = [`${t("app.distance", { distance: number(step.distance) })}, ${t(step.status === "optimal" ? "app.proven" : "app.not proven")}`];
  if (step.plausibility !== null) said.push(t("stage.typical", { share: percentDown(step.plausibility) }));
  return said.join("; ");
}

/** Columns, and pairs of them, that are enough by themselves. */
export function leversPart(about) {
  const { hide, offer } = part("levers", "app.looking for levers", (body) => post("/api/levers", body), {
    sentence: (found) => found.sentence,
    lines: (found) => found.levers.map((lever) => ({ head: lever.columns.map(columnName).join(" + "), step: lever })),
  });
  return {
    hide,
    offer(answer, body) {
      if (about.image || (answer.counterfactual !== null && answer.changes.length === 0)) hide();
      else offer(body);
    },
  };
}

/** What each better band takes. */
export function ladderPart(about) {
  const isShare = about.classes !== null;
  const field = byId("ladder-bands");
  const shown = (start) => (isShare ? t("percent", { number: number(start * 100) }) : number(start));
  const named = (band) => (isShare ? shown(Number(band)) : band);
  field.value = about.bands.map(shown).join("; ");

  /** The numbers in the field, of which a comma may be the decimal mark. */
  function read() {
    const marks = new RegExp(t("thousands") === "." ? "\\." : ",", "g");
    const found = field.value
      .split(";")
      .map((text) => text.replace("%", "").trim())
      .filter((text) => text !== "")
      .map((text) => Number(text.replace(marks, "").replace(t("decimal"), ".")));
    if (found.length === 0 || !found.every(Number.isFinite)) throw new Error(t("app.bands wrong"));
    return isShare ? found.map((share) => share / 100) : found;
  }

  const { hide, offer } = part("ladder", "app.looking for bands", async (body) => post("/api/ladder", { ...body, bands: read() }), {
    sentence: (found) => (found.steps.length ? t("app.now in", { band: found.current === null ? t("app.no band") : named(found.current) }) : found.sentence),
    lines: (found) => found.steps.map((step) => ({ head: named(step.band), step })),
  });
  return {
    hide,
    offer(answer, body) {
      if (about.image || about.bands.length === 0) return hide();
      setText(byId("ladder-label"), isShare ? t("app.bands of probability", { label: outcome(answer.target) }) : t("app.bands of numbers"));
      offer(body);
    },
  };
}
