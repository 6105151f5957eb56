// The plan: in which order to make the changes, as a strip of steps. Each is a button that tells what it leads to.

import { post } from "./api.js";
import { byId, h, setText } from "./dom.js";
import { outcome, percentDown } from "./format.js";
import { t } from "./text.js";

/** The strip below an answer; `look` asks for the plan of the question that was answered. */
export function planStrip() {
  let latest = 0; // number of the latest question: plans of earlier ones are dropped

  function hide() {
    latest += 1;
    byId("plan").hidden = true;
    byId("plan-steps").replaceChildren();
    setText(byId("plan-stage"), "");
  }

  function stage(step, place, count) {
    const said = [t("app.after step", { step: place + 1, n: count, label: outcome(step.prediction) })];
    if (step.probability !== null) said.push(t("stage.probability", { share: percentDown(step.probability) }));
    if (step.share !== null) said.push(t("stage.typical", { share: percentDown(step.share) }));
    return `${said.join("; ")}.`;
  }

  function show(plan) {
    const count = plan.steps.length;
    const buttons = plan.steps.map((step, place) => {
      const button = h(
        "button",
        { type: "button", class: step.is_as_wanted ? "step wanted" : "step", "aria-pressed": "false" },
        h("span", { class: "step-number" }, `${place + 1}`),
        ` ${step.sentence}`,
      );
      button.addEventListener("click", () => {
        for (const other of buttons) other.setAttribute("aria-pressed", String(other === button));
        setText(byId("plan-stage"), stage(step, place, count));
      });
      return button;
    });
    byId("plan-steps").replaceChildren(...buttons.map((button) => h("li", null, button)));
    setText(byId("plan-stage"), count ? plan.remark : plan.sentence);
    byId("plan").hidden = false;
  }

  async function look(answer, body) {
    hide();
    if (answer.counterfactual === null || answer.changes.length < 2) return;
    const question = latest;
    try {
      const plan = await post("/api/plan", body);
      if (question === latest && plan.status !== "timeout") show(plan);
    } catch {
      // the answer stands without a plan
    }
  }

  return { hide, look };
}
