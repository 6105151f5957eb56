// Answers with one, two and three changes, as cards; the nearest of all is the answer above them.

import { post } from "./api.js";
import { byId, h } from "./dom.js";
import { number, pair, percentDown, valueIn } from "./format.js";
import { columnName, plural, t } from "./text.js";

const COUNTS = [1, 2, 3];
const MOST_CHANGES = 4; // of a card; the answer above names all

/** The cards; `chosen` is called with an answer to look at and the rules it was found under, null for the nearest. */
export function answerCards(about, chosen) {
  let latest = 0; // number of the latest question: answers to earlier ones are dropped
  let rules = null; // of the answer that is looked at

  function hide() {
    latest += 1;
    rules = null;
    byId("cards").hidden = true;
    byId("cards-list").replaceChildren();
  }

  async function look(answer, body) {
    hide();
    const most = Math.min(answer.changes.length, body.rules.max_changes ?? Infinity);
    if (about.image || answer.counterfactual === null || most < 2) return; // nobody counts pixels
    const question = latest;
    const found = [];
    for (const count of COUNTS.filter((each) => each < most)) {
      const own = { ...body.rules, max_changes: count };
      let other;
      try {
        other = await post("/api/explain", { ...body, rules: own });
      } catch {
        return; // the answer stands without cards
      }
      if (question !== latest) return;
      if (!found.some((each) => other.counterfactual !== null && each.answer.changes.length === other.changes.length)) {
        found.push({ answer: other, rules: own, count });
      }
    }
    while (found.length > 1 && [0, 1].every((n) => found[n].answer.counterfactual === null && found[n].answer.status === found[0].answer.status)) {
      found.shift(); // fewer changes than the next card's: there is no answer either
      found[0].isUpTo = true;
    }
    show([...found, { answer, rules: null, count: answer.changes.length }]);
  }

  function show(found) {
    const buttons = found.map((each) => {
      const isNearest = each.rules === null;
      if (each.answer.counterfactual === null) return none(each);
      const button = h("button", { type: "button", class: "card", "aria-pressed": String(isNearest) }, ...content(each.answer, isNearest));
      button.addEventListener("click", () => {
        for (const other of byId("cards-list").querySelectorAll("button")) other.setAttribute("aria-pressed", String(other === button));
        rules = each.rules;
        chosen(each.answer, isNearest);
      });
      return button;
    });
    byId("cards-list").replaceChildren(...buttons);
    byId("cards").hidden = false;
  }

  /** Say that there is no answer with so few changes, and whether that is proven. */
  function none({ answer, count, isUpTo }) {
    const said = t(answer.status === "infeasible" ? "app.none proven" : "app.none found");
    return h("div", { class: "card none" }, h("strong", null, isUpTo ? t("app.up to changes", { n: count }) : plural("app.changes", count)), h("span", { class: "hint" }, said));
  }

  function content(answer, isNearest) {
    const head = plural("app.changes", answer.changes.length);
    const named = answer.changes.slice(0, answer.changes.length > MOST_CHANGES + 1 ? MOST_CHANGES : undefined);
    const left = answer.changes.length - named.length;
    return [
      h("strong", null, isNearest ? t("app.smallest of all", { changes: head }) : head),
      ...named.map((change) => h("span", { class: "card-change" }, `${columnName(change.column)} `, ...values(change))),
      left ? h("span", { class: "card-change" }, t("and more", { n: left })) : null,
      h("span", { class: "hint" }, facts(answer)),
    ];
  }

  function values(change) {
    const isNumber = typeof change.before === "number" && typeof change.after === "number";
    const [now, then] = isNumber ? pair(change.before, change.after) : [undefined, undefined];
    return [valueIn(change.column, change.before, now), " → ", h("b", null, valueIn(change.column, change.after, then))];
  }

  function facts(answer) {
    const said = [`${t("app.distance", { distance: number(answer.distance) })}, ${t(answer.status === "optimal" ? "app.proven" : "app.not proven")}`];
    if (answer.plausibility !== null) said.push(t("stage.typical", { share: percentDown(answer.plausibility) }));
    return said.join("; ");
  }

  /** Forget which answer was chosen: another one is on the page. */
  function reset() {
    rules = null;
  }

  return { hide, look, reset, taken: () => (rules === null ? {} : { rules }) };
}
