// The page: one state, questions to the server as it changes, and answers shown in place.

import { download, get, post } from "./api.js";
import { columnList } from "./columns.js";
import { byId, h, setText } from "./dom.js";
import { number, outcome, percent, percentDown, percentWay } from "./format.js";
import { frontierChart } from "./frontier.js";
import { picker } from "./picker.js";
import { triptych } from "./picture.js";
import { planStrip } from "./plan.js";
import { reliefs } from "./reliefs.js";
import { severalAnswers } from "./several.js";
import { fromFragment, hasRules, noRules, question, toFragment } from "./state.js";
import { targetField } from "./target.js";
import { wayPart } from "./way.js";
import { FRONTIER, MESSAGE, PLAN, TYPING } from "./timing.js";

const about = await get("/api/about");
const columns = about.columns;
const state = { number: null, row: { ...about.typical }, target: null, quantile: about.quantile, rules: noRules() };
let original = null; // the row as it was picked
let shown = null; // the answer on the page

// Asking. One question is on its way at a time; when its answer is there, the latest state is asked, if it has changed.
let asking = null;
let stale = null;
let timer = 0;
let nFrontier = 0;
let frontierTimer = 0;
let frontierKey = "";
let planTimer = 0;
const plan = planStrip();
const way = wayPart(about);
const several = severalAnswers((answer, isNearest) => {
  shown = answer;
  list.answer(answer);
  setText(byId("sentence"), answer.sentence);
  badge(answer, isNearest);
  facts(answer, true);
  byId("plan").hidden = !isNearest || byId("plan-steps").childElementCount === 0; // the plan is that of the nearest
  byId("way").hidden = !isNearest || !about.has_ways;
  byId("no-changes").hidden = !byId("only-changes").checked || answer.changes.length > 0;
});

function ask(since, wait = 0) {
  stale = { since };
  clearTimeout(timer);
  if (wait > 0) timer = setTimeout(send, wait);
  else send();
}

async function send() {
  if (asking !== null || stale === null) return;
  const { since } = stale;
  stale = null;
  const body = question(state);
  asking = body;
  document.body.classList.add("busy");
  try {
    const answer = await post("/api/explain", body);
    problem("");
    outdated(false);
    show(answer, body);
    document.dispatchEvent(
      new CustomEvent("answered", { detail: { since, now: performance.now(), quantile: body.quantile } }),
    );
  } catch (error) {
    problem(error.message);
    outdated(true);
  } finally {
    asking = null;
    if (stale === null) document.body.classList.remove("busy");
  }
  if (stale !== null) send();
  else {
    history.replaceState(null, "", toFragment(state, columns));
    askFrontier();
  }
}

/** Dim the answer on the page if it is not that of the present question. */
function outdated(is) {
  document.body.classList.toggle("outdated", is);
  if (!is) return;
  setText(byId("badge"), "Not the answer to this question");
  byId("badge").dataset.status = "unknown";
}

function problem(text) {
  const place = byId("problem");
  place.hidden = text === "";
  setText(place, text);
}

// The answer

const BADGES = {
  optimal: "Proven smallest",
  feasible: "Not proven smallest",
  densest: "Less typical than requested",
  infeasible: "No answer",
  unknown: "None found",
  timeout: "Out of time",
};

/** What is proven of an answer; of one that is not the nearest, that no other but the nearer ones is smaller. */
function badge(answer, isNearest) {
  const place = byId("badge");
  const isThere = answer.counterfactual !== null && answer.changes.length === 0;
  setText(place, isThere ? "Already so" : !isNearest && answer.status === "optimal" ? "Proven next smallest" : BADGES[answer.status]);
  place.dataset.status = answer.status;
}

function show(answer, body) {
  shown = answer;
  several.reset();
  const found = answer.counterfactual !== null;
  if (answer.prediction !== null) setText(byId("prediction"), outcome(answer.prediction));
  setText(byId("sentence"), answer.sentence);
  badge(answer, true);
  facts(answer, found);
  list.answer(answer);
  byId("no-changes").hidden = !byId("only-changes").checked || answer.changes.length > 0;
  if (about.image) {
    byId("pictures").hidden = false;
    byId("pictures").replaceChildren(
      ...triptych(about.image, columns, body.row, answer.counterfactual, outcome(answer.prediction), outcome(answer.target)),
    );
  }
  chart.mark(body.quantile, answer.distance);
  clearTimeout(planTimer);
  plan.hide();
  way.offer(answer, body);
  planTimer = setTimeout(() => {
    plan.look(answer, body);
    several.look(answer, body);
  }, PLAN);
  if (!found) several.hide();
  if (found) helpers.hide();
  else helpers.look(answer, body);
}

function facts(answer, found) {
  const entries = [];
  if (found) {
    entries.push(["Columns that change", `${answer.changes.length} of ${columns.length}`]);
    entries.push(["Distance", number(answer.distance)]);
    if (answer.status !== "optimal") {
      const most = Math.min(100, Math.ceil(1000 * (1 - answer.lower_bound / answer.distance)) / 10);
      entries.push(["A smaller change could save", `at most ${most} %`]);
    }
    if (answer.probability_after !== null) {
      entries.push([`Probability of ${outcome(answer.target)}`, percentWay(answer.probability_before, answer.probability_after)]);
    }
    if (answer.plausibility !== null) {
      entries.push(["As typical as", `${percentDown(answer.plausibility)} of the class`]);
    }
  }
  const place = byId("facts");
  place.hidden = entries.length === 0;
  const texts = [...place.children].map((each) => each.textContent);
  if (texts.join() === entries.flat().join()) return;
  place.replaceChildren(...entries.map(([name, text]) => h("div", null, h("dt", null, name), h("dd", null, text))));
}

// The frontier: about row, target and rules, not about the present quantile

const chart = frontierChart((quantile) => {
  state.quantile = quantile;
  showQuantile();
  ask(performance.now());
});

function askFrontier() {
  if (!about.has_density) return;
  const { quantile: _, ...body } = question(state);
  const key = JSON.stringify(body);
  if (key === frontierKey) return;
  clearTimeout(frontierTimer);
  frontierTimer = setTimeout(async () => {
    const number = (nFrontier += 1);
    frontierKey = key;
    byId("frontier-figure").classList.add("stale");
    try {
      const { points } = await post("/api/frontier", body);
      if (number !== nFrontier) return;
      chart.draw(points);
      const found = points.filter((point) => point.distance !== null);
      const none = points.length - found.length;
      setText(
        byId("frontier-note"),
        none === 0 ? "" : found.length === 0 ? "There is no answer at any of these." : "More typical answers do not exist under these rules.",
      );
    } catch (error) {
      if (number !== nFrontier) return;
      frontierKey = "";
      chart.draw([]);
      setText(byId("frontier-note"), error.status === 422 ? "" : error.message);
    }
    byId("frontier-figure").classList.remove("stale");
  }, FRONTIER);
}

// The question

const list = columnList(byId("columns"), columns, state, (kind, immediate) => {
  if (kind === "row") showRowNote();
  showRules();
  ask(performance.now(), immediate ? 0 : TYPING);
});

function showQuantile() {
  const slider = byId("quantile");
  if (Number(slider.value) !== state.quantile) slider.value = String(state.quantile);
  setText(byId("quantile-out"), percent(state.quantile));
  slider.setAttribute("aria-valuetext", `at least as plausible as ${percent(state.quantile)} of the class`);
}

function showRules() {
  byId("clear-rules").hidden = !hasRules(state.rules);
  byId("most").value = state.rules.max_changes === null ? "" : String(state.rules.max_changes);
}

function showRowNote() {
  const known = state.number !== null;
  const edited = original !== null && columns.some((column) => original[column.name] !== state.row[column.name]);
  setText(byId("row-note"), edited ? (known ? "edited" : "your own") : known ? `of ${about.n_rows}` : "a typical row");
  byId("reset-row").hidden = !edited;
  if (about.n_rows) byId("row-number").value = known ? String(state.number + 1) : "";
}

function showState() {
  list.show();
  showRules();
  showRowNote();
  if (state.quantile !== null) showQuantile();
  target.show();
}

async function pick(place) {
  if (!(place >= 0 && place < about.n_rows)) return;
  const { rows } = await get(`/api/rows?offset=${place}&limit=1`);
  if (rows.length === 0) return;
  use(rows[0]);
}

function use(known) {
  state.number = known.number;
  state.row = { ...known.row };
  original = { ...known.row };
  if (about.classes && state.target === known.prediction) {
    state.target = about.classes.find((label) => label !== known.prediction) ?? state.target;
    target.profiles();
  }
  setText(byId("prediction"), outcome(known.prediction));
  showState();
  ask(performance.now());
}

const target = targetField(about, state, list, ask);
const helpers = reliefs(state, () => {
  showState();
  ask(performance.now());
});

// Controls

byId("quantile").addEventListener("input", (event) => {
  state.quantile = Number(event.target.value);
  showQuantile();
  ask(event.timeStamp);
});
byId("most").append(
  h("option", { value: "" }, "any"),
  ...[1, 2, 3, 4, 5, 6, 8, 10].filter((most) => most < columns.length).map((most) =>
    h("option", { value: most }, String(most)),
  ),
);
byId("most").addEventListener("change", (event) => {
  state.rules.max_changes = event.target.value === "" ? null : Number(event.target.value);
  showRules();
  ask(performance.now());
});
byId("clear-rules").addEventListener("click", () => {
  state.rules = noRules();
  showState();
  ask(performance.now());
});
byId("only-changes").addEventListener("change", (event) => {
  byId("columns").classList.toggle("only-changes", event.target.checked);
  byId("no-changes").hidden = !event.target.checked || (shown?.changes.length ?? 0) > 0;
});
byId("previous").addEventListener("click", () => pick((state.number ?? 0) - 1));
byId("next").addEventListener("click", () => pick((state.number ?? -1) + 1));
byId("row-number").addEventListener("change", (event) => pick(event.target.valueAsNumber - 1));
byId("reset-row").addEventListener("click", () => {
  state.row = { ...original };
  showState();
  ask(performance.now());
});

let toasting = 0;
function toast(text) {
  const place = byId("toast");
  setText(place, text);
  place.classList.add("on");
  clearTimeout(toasting);
  toasting = setTimeout(() => place.classList.remove("on"), MESSAGE);
}
byId("share").addEventListener("click", async () => {
  history.replaceState(null, "", toFragment(state, columns));
  try {
    await navigator.clipboard.writeText(location.href);
    toast("Link copied: it holds the row, the question and the rules.");
  } catch {
    toast("The address of this page is the link.");
  }
});
const take = (path, name) => () => download(path, { ...question(state), ...several.taken() }, name).catch((error) => problem(error.message));
byId("take-csv").addEventListener("click", take("/api/answer.csv", "answer.csv"));
byId("take-report").addEventListener("click", take("/api/report", "report.html"));
byId("take-report").hidden = !about.has_report;

addEventListener("hashchange", () => {
  const linked = fromFragment(location.hash, columns);
  if (linked !== null) start(linked);
});

function start(linked) {
  Object.assign(state, linked);
  if (!target.fits(state.target)) state.target = target.start();
  if (state.quantile === null && about.has_density) state.quantile = about.quantile ?? 0.5;
  if (!about.has_density) state.quantile = null;
  original ??= { ...state.row };
  target.profiles();
  showState();
  ask(performance.now());
}

// Begin

document.title = about.title === "elsewise" ? "elsewise" : `${about.title} · elsewise`;
setText(byId("title"), about.title);
byId("exactness").hidden = about.exactness === "exact";
setText(byId("exactness"), about.exactness === "bounded"
  ? "The model is bounded: answers come with a proven gap, which may stay open."
  : "The model is a black box, only asked: an answer is proven the nearest where the model does not matter.");
byId("frontier").append(chart.element);
byId("quantile-field").hidden = byId("frontier-figure").hidden = !about.has_density;
document.querySelector(".result").classList.toggle("alone", !about.has_density);
if (about.n_rows === 0) document.querySelector(".row-field .stepper").hidden = true;
byId("row-number").max = String(about.n_rows);
byId("kept-rules").hidden = about.rules.length === 0;
byId("kept-rules-list").append(...about.rules.map((rule) => h("li", {}, rule)));
byId("never-together").hidden = about.never_together.length === 0;
byId("never-together-pairs").append(...about.never_together.map((pair) => h("li", {}, pair)));
setText(byId("table-summary"), about.image ? `All ${columns.length} pixels` : `All ${columns.length} columns`);
if (about.image) {
  byId("table-details").open = false;
  setText(byId("table-title"), "Pixels");
} else {
  document.body.classList.add("always-open");
}
picker(about, use);

/** The class that most rows have is what most people would want. */
function mostPredicted(rows) {
  const count = (label) => rows.filter((known) => known.prediction === label).length;
  return about.classes.reduce((best, label) => (count(label) > count(best) ? label : best));
}

const linked = fromFragment(location.hash, columns);
if (linked !== null) {
  if (linked.number !== null && linked.number >= 0 && linked.number < about.n_rows) {
    original = { ...(await get(`/api/rows?offset=${linked.number}&limit=1`)).rows[0].row };
  }
  start(linked);
} else if (about.n_rows > 0) {
  const { rows } = await get("/api/rows?limit=100");
  state.target = about.classes ? mostPredicted(rows) : target.start();
  if (state.quantile === null && about.has_density) state.quantile = 0.5;
  target.profiles();
  use((about.classes && rows.find((known) => known.prediction !== state.target)) || rows[0]);
} else {
  start({});
}
