// What would help where there is no answer.

import { post } from "./api.js";
import { byId, h, setText } from "./dom.js";
import { number, percent } from "./format.js";
import { hasRules, noRules } from "./state.js";
import { t } from "./text.js";

/** Buttons that change the question so that there is an answer; `changed` is called after one was pressed. */
export function reliefs(state, changed) {
  let latest = 0; // number of the latest question: what helps earlier ones is dropped

  function hide() {
    latest += 1;
    byId("reliefs").hidden = true;
    byId("reliefs").replaceChildren();
  }

  function button(text, detail, apply) {
    const made = h("button", { type: "button", class: "relief" }, h("strong", null, text), detail ? ` ${detail}` : null);
    made.addEventListener("click", () => {
      apply();
      changed();
      byId("answer").focus({ preventScroll: true });
    });
    return made;
  }

  function buttonsFor(why, body) {
    const buttons = why.reliefs.map((relief) => {
      return button(t("app.without", { rule: relief.rule }), t("app.distance", { distance: number(relief.distance) }), () => {
        state.rules = { ...noRules(), ...relief.rules };
      });
    });
    if (why.highest_quantile !== null && why.highest_quantile >= 0.01) {
      const quantile = Math.floor(why.highest_quantile * 100) / 100;
      buttons.push(
        button(t("stage.typical", { share: percent(quantile) }), t("app.rules kept"), () => {
          state.quantile = quantile;
        }),
      );
    }
    if (buttons.length === 0 && hasRules(body.rules) && why.reason !== "model") {
      buttons.push(
        button(t("app.without rules"), "", () => {
          state.rules = noRules();
        }),
      );
    }
    return buttons;
  }

  async function look(answer, body) {
    const question = (latest += 1);
    const place = byId("reliefs");
    place.hidden = false;
    place.replaceChildren(h("p", { class: "hint" }, t("app.looking for help")));
    let why;
    try {
      why = await post("/api/why-not", body);
    } catch (error) {
      why = { sentence: error.message, reliefs: [], highest_quantile: null, reason: "timeout" };
    }
    if (question !== latest) return;
    if (why.reason === "none") return hide();
    setText(byId("sentence"), why.reason === "timeout" ? answer.sentence : why.sentence);
    const buttons = buttonsFor(why, body);
    const text = why.reason === "timeout" ? why.sentence : buttons.length ? t("app.would help") : "";
    place.replaceChildren(...(text ? [h("p", { class: "hint" }, text)] : []), ...buttons);
    place.hidden = place.childElementCount === 0;
  }

  return { hide, look };
}
