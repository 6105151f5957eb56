// The page: one state, questions to the server as it changes, and answers shown in place.

import { download, get, post } from "./api.js";
import { columnList } from "./columns.js";
import { byId, h, setText } from "./dom.js";
import { answerCards } from "./cards.js";
import { number, outcome, pair, percent, percentDown, percentWay, valueIn } from "./format.js";
import { frontierChart } from "./frontier.js";
import { columnMap } from "./map.js";
import { picker } from "./picker.js";
import { triptych } from "./picture.js";
import { planStrip } from "./plan.js";
import { ladderPart, leversPart } from "./recourse.js";
import { reliefs } from "./reliefs.js";
import { fromFragment, hasRules, noRules, question, toFragment } from "./state.js";
import { targetField } from "./target.js";
import { columnName, plural, speak, t } from "./text.js";
import { wayPart } from "./way.js";
import { FRONTIER, MESSAGE, PLAN, TYPING } from "./timing.js";

const about = await get("/api/about");
speak(about);
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
const levers = leversPart(about);
const ladder = ladderPart(about);
const map = columnMap(about, state, () => {
  list.show();
  showRowNote();
  ask(performance.now());
});
const cards = answerCards(about, (answer, isNearest) => {
  shown = answer;
  list.answer(answer);
  setText(byId("sentence"), answer.sentence);
  summary(answer, isNearest);
  facts(answer, true);
  byId("plan").hidden = !isNearest || byId("plan-steps").childElementCount === 0; // the plan is that of the nearest
  byId("way").hidden = !isNearest || !about.has_ways;
  byId("no-changes").hidden = !byId("only-changes").checked || answer.changes.length > 0;
});

function ask(since, wait = 0) {
  stale = { since };
  helpers.hide(); // they are offered for the question before
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
  setText(byId("badge"), t("app.badge outdated"));
  byId("badge").dataset.status = "unknown";
}

function problem(text) {
  const place = byId("problem");
  place.hidden = text === "";
  setText(place, text);
}

// The answer

/** The bar that stays on screen: what is proven of an answer, its distance and its changes. */
function summary(answer, isNearest) {
  const isThere = answer.counterfactual !== null && answer.changes.length === 0;
  const key = isThere ? "there" : !isNearest && answer.status === "optimal" ? "fewer" : answer.status;
  const place = byId("badge");
  setText(place, t(`app.badge ${key}`, { n: answer.changes.length }));
  place.dataset.status = answer.status;
  setText(byId("bar-distance"), answer.changes.length ? t("app.distance", { distance: number(answer.distance) }) : "");
  const n = answer.changes.length;
  setText(byId("bar-changes"), about.image && n ? plural("answer.pixels", n, { total: columns.length }) : answer.changes.map(inShort).join(", "));
}

function inShort(change) {
  const isNumber = typeof change.before === "number" && typeof change.after === "number";
  const [now, then] = isNumber ? pair(change.before, change.after) : [undefined, undefined];
  return `${columnName(change.column)} ${valueIn(change.column, change.before, now)} → ${valueIn(change.column, change.after, then)}`;
}

function show(answer, body) {
  shown = answer;
  cards.reset();
  const found = answer.counterfactual !== null;
  if (answer.prediction !== null) setText(byId("prediction"), outcome(answer.prediction));
  setText(byId("sentence"), answer.sentence);
  summary(answer, true);
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
  levers.offer(answer, body);
  ladder.offer(answer, body);
  planTimer = setTimeout(() => {
    if (!about.image) plan.look(answer, body); // nobody changes pixels one by one
    map.look(body);
    cards.look(answer, body);
  }, PLAN);
  if (!found) cards.hide();
  if (found) helpers.hide();
  else if (stale === null) helpers.look(answer, body);
}

function facts(answer, found) {
  const entries = [];
  if (found) {
    entries.push([t("app.columns that change"), t("reasons.count", { n: answer.changes.length, total: columns.length })]);
    entries.push([t("app.head distance"), number(answer.distance)]);
    if (answer.status !== "optimal") {
      const most = Math.min(100, Math.ceil(1000 * (1 - answer.lower_bound / answer.distance)) / 10);
      entries.push([t("app.could save"), t("at most", { number: t("percent", { number: number(most) }) })]);
    }
    if (answer.probability_after !== null) {
      entries.push([t("app.probability of", { label: outcome(answer.target) }), percentWay(answer.probability_before, answer.probability_after)]);
    }
    if (answer.plausibility !== null) {
      entries.push([t("app.typical"), t("app.of class", { share: percentDown(answer.plausibility) })]);
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
        none === 0 ? "" : t(found.length === 0 ? "app.frontier none" : points.some((point) => point.distance === null && point.status !== "infeasible") ? "app.frontier unknown" : "app.frontier end"),
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
  slider.setAttribute("aria-valuetext", t("app.typical in words", { share: percent(state.quantile) }));
}

function showRules() {
  byId("clear-rules").hidden = !hasRules(state.rules);
  byId("most").value = state.rules.max_changes === null ? "" : String(state.rules.max_changes);
}

function showRowNote() {
  const known = state.number !== null;
  const edited = original !== null && columns.some((column) => original[column.name] !== state.row[column.name]);
  setText(byId("row-note"), edited ? t(known ? "app.edited" : "app.your own") : known ? t("app.of rows", { n: number(about.n_rows) }) : t("app.typical row"));
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
  h("option", { value: "" }, t("app.any")),
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
    toast(t("app.link copied"));
  } catch {
    toast(t("app.link is address"));
  }
});
const take = (path, name) => () => download(path, { ...question(state), ...cards.taken() }, name).catch((error) => problem(error.message));
byId("take-csv").addEventListener("click", take("/api/answer.csv", "answer.csv"));
byId("take-report").addEventListener("click", take("/api/report", "report.html"));
byId("take-report").hidden = !about.has_report;
byId("take-proof").addEventListener("click", async () => {
  setText(byId("proof-said"), "");
  try {
    await download("/api/proof", { ...question(state), ...cards.taken() }, "proof.jsonl.gz");
    setText(byId("proof-said"), t("app.proof checked"));
  } catch (error) {
    setText(byId("proof-said"), error.message);
  }
});

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
setText(byId("exactness"), about.exactness_in_words);
byId("frontier").append(chart.element);
byId("quantile-field").hidden = byId("frontier-figure").hidden = !about.has_density;
document.querySelector(".result").classList.toggle("alone", !about.has_density);
if (about.n_rows === 0) document.querySelector(".row-field .stepper").hidden = true;
byId("row-number").max = String(about.n_rows);
byId("kept-rules").hidden = about.rules.length === 0;
byId("kept-rules-list").append(...about.rules.map((rule) => h("li", {}, rule)));
byId("never-together").hidden = about.never_together.length === 0;
byId("never-together-pairs").append(...about.never_together.map((pair) => h("li", {}, pair)));
setText(byId("table-summary"), t(about.image ? "app.all pixels" : "app.all columns", { n: number(columns.length) }));
if (about.image) {
  byId("table-details").open = false;
  setText(byId("table-title"), t("app.pixels"));
} else {
  document.body.classList.add("always-open");
}
picker(about, use);

const linked = fromFragment(location.hash, columns);
if (linked !== null) {
  if (linked.number !== null && linked.number >= 0 && linked.number < about.n_rows) {
    original = { ...(await get(`/api/rows?offset=${linked.number}&limit=1`)).rows[0].row };
  }
  start(linked);
} else if (about.n_rows > 0) {
  // somebody whom the model refuses what is asked for
  const { rows } = await get(about.classes ? `/api/rows?limit=1&other_than=${about.classes.indexOf(about.target)}` : "/api/rows?limit=1");
  state.target = target.start();
  if (state.quantile === null && about.has_density) state.quantile = 0.5;
  target.profiles();
  use(rows[0] ?? (await get("/api/rows?limit=1")).rows[0]);
} else {
  start({});
}
