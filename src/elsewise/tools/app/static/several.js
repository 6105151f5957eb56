// Several answers side by side: each changes a set of columns that contains no earlier one.

import { post } from "./api.js";
import { byId, h, setText } from "./dom.js";
import { number, pair, percentDown, percentWay, value } from "./format.js";

const MOST = 5;

/** The table of answers below the first; `chosen` is called with one to look at, and whether it is the nearest. */
export function severalAnswers(chosen) {
  let latest = 0; // number of the latest question: answers to earlier ones are dropped
  let asked = null; // the question that is on the page, and its first answer
  let taken = { n_counterfactuals: 1, answer: 1 }; // the answer that is looked at, as the server is asked for it

  const select = byId("several-count");
  select.append(
    ...Array.from({ length: MOST }, (_, place) => h("option", { value: place + 1 }, place ? `${place + 1} answers` : "only the nearest")),
  );
  select.addEventListener("change", () => {
    taken = { n_counterfactuals: 1, answer: 1 };
    if (asked !== null) chosen(asked.answer, true);
    fetchAll();
  });

  function clear(note = "") {
    byId("several-answers").replaceChildren();
    setText(byId("several-note"), note);
  }

  function hide() {
    latest += 1;
    asked = null;
    taken = { n_counterfactuals: 1, answer: 1 };
    byId("several").hidden = true;
    clear();
  }

  function look(answer, body) {
    latest += 1;
    asked = { answer, body };
    taken = { n_counterfactuals: 1, answer: 1 };
    byId("several").hidden = answer.counterfactual === null || answer.changes.length === 0;
    if (Number(select.value) > 1) byId("several-answers").classList.add("stale");
    fetchAll();
  }

  async function fetchAll() {
    const count = Number(select.value);
    const question = (latest += 1);
    if (count < 2 || byId("several").hidden) return clear();
    try {
      const { answers } = await post("/api/answers", { ...asked.body, n_counterfactuals: count });
      if (question === latest) show(answers.filter((answer) => answer.counterfactual !== null), count);
    } catch (error) {
      if (question === latest) clear(error.message);
    }
  }

  function show(answers, count) {
    const names = [...new Set(answers.flatMap((answer) => answer.changes.map((change) => change.column)))];
    const buttons = answers.map((answer, place) => {
      const button = h("button", { type: "button", "aria-pressed": String(place === 0) }, place ? `Answer ${place + 1}` : "Nearest");
      button.addEventListener("click", () => {
        for (const other of buttons) other.setAttribute("aria-pressed", String(other === button));
        taken = { n_counterfactuals: count, answer: place + 1 };
        chosen(answer, place === 0);
      });
      return button;
    });
    const line = (name, cells) => h("tr", null, h("th", { scope: "row" }, name), ...cells.map((cell) => h("td", null, ...[cell].flat())));
    const facts = [line("Distance", answers.map((answer) => number(answer.distance)))];
    facts.push(line("Proof", answers.map((answer) => (answer.status === "optimal" ? "proven" : "not proven"))));
    if (answers.some((answer) => answer.probability_after !== null)) {
      facts.push(line("Probability", answers.map((answer) => percentWay(answer.probability_before, answer.probability_after))));
    }
    if (answers.some((answer) => answer.plausibility !== null)) {
      facts.push(line("As typical as", answers.map((answer) => (answer.plausibility === null ? "–" : percentDown(answer.plausibility)))));
    }
    const changes = names.map((name) => line(name, answers.map((answer) => cell(answer.changes.find((change) => change.column === name)))));
    byId("several-answers").replaceChildren(
      h(
        "table",
        null,
        h("caption", { class: "unseen" }, "Several answers, nearest first"),
        h("thead", null, h("tr", null, h("td"), ...buttons.map((button) => h("th", { scope: "col" }, button)))),
        h("tbody", null, ...changes, ...facts),
      ),
    );
    byId("several-answers").classList.remove("stale");
    const none = answers.length < count;
    setText(byId("several-note"), none ? "No further answer was found that changes other columns; others may exist." : "");
  }

  function cell(change) {
    if (change === undefined) return h("span", { class: "same" }, "as it is");
    const isNumber = typeof change.before === "number" && typeof change.after === "number";
    return h("strong", null, isNumber ? pair(change.before, change.after)[1] : value(change.after));
  }

  /** Forget which answer was chosen: another one is on the page. */
  function reset() {
    taken = { n_counterfactuals: 1, answer: 1 };
  }

  return { hide, look, reset, taken: () => taken };
}
