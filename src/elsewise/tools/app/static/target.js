// What is wanted: a class, or a range.

import { get } from "./api.js";
import { byId, h, setText } from "./dom.js";
import { outcome } from "./format.js";
import { t } from "./text.js";
import { TYPING } from "./timing.js";

/**
 * The field for the wanted outcome. `list` draws the columns, `ask` asks after a change.
 * Its `profiles` draws the distributions of the wanted class, `fits` tells whether a target is one of this model,
 * `start` gives one to begin with, `show` writes the state's.
 */
export const targetField = (about, state, list, ask) =>
  about.classes ? classTarget(about, state, list, ask) : rangeTarget(about, state, list, ask);

function classTarget(about, state, list, ask) {
  const select = h(
    "select",
    { id: "target" },
    ...about.classes.map((label, place) => h("option", { value: place }, outcome(label))),
  );
  byId("target-field").replaceChildren(h("label", { for: "target" }, t("app.target")), select);
  let latest = 0; // number of the latest request: answers to earlier ones are dropped
  async function profiles() {
    const place = about.classes.indexOf(state.target);
    const number = (latest += 1);
    const { profiles: drawn } = await get(`/api/profiles?target=${Math.max(place, 0)}`);
    if (number !== latest) return;
    list.profiles(drawn);
    setText(byId("legend-class"), t("app.of label", { label: outcome(state.target) }));
  }
  select.addEventListener("change", () => {
    state.target = about.classes[Number(select.value)];
    ask(performance.now());
    profiles();
  });
  return {
    profiles,
    start: () => about.target,
    fits: (wanted) => about.classes.includes(wanted),
    show() {
      select.value = String(about.classes.indexOf(state.target));
    },
  };
}

function rangeTarget(about, state, list, ask) {
  const ends = ["low", "high"].map((name) => h("input", { id: `target-${name}`, type: "number", step: "any", placeholder: t("app.any") }));
  byId("target-field").replaceChildren(
    h("label", { for: "target-low" }, t("app.target from")),
    h("div", { class: "range" }, ends[0], h("label", { for: "target-high" }, t("app.to")), ends[1]),
  );
  for (const end of ends) {
    end.addEventListener("input", () => {
      const [low, high] = ends.map((each) => (each.value === "" ? null : each.valueAsNumber));
      state.target = { low, high };
      ask(performance.now(), TYPING);
    });
  }
  return {
    async profiles() {
      list.profiles((await get("/api/profiles")).profiles);
    },
    start: () => ({ low: about.outcomes ? Number(about.outcomes[1].toPrecision(3)) : 0, high: null }),
    fits: (wanted) => wanted !== null && typeof wanted === "object" && "low" in wanted,
    show() {
      ends[0].value = state.target.low ?? "";
      ends[1].value = state.target.high ?? "";
    },
  };
}
