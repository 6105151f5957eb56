// A plane of two columns: what the model says there, which rows are realistic, all smaller changes, and the row to drag.

import { get, post } from "./api.js";
import { byId, h, s, setText } from "./dom.js";
import { number, outcome } from "./format.js";
import { columnName, plural, t } from "./text.js";

const SIZE = 420;
const [RIGHT, TOP] = [12, 10];
const LINE = 15; // height of a line of an axis' name
const LONGEST_LINE = 46; // characters of such a line
let [LEFT, BOTTOM] = [64, 36]; // more for names of several lines
const MOST_ROWS = 200; // more cover the plane
const STEPS = 40; // of an arrow key, from end to end
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowDown: [0, -1], ArrowUp: [0, 1] };

/** Lines of a long name: it is broken between words where it can be. */
function wrapped(name) {
  const lines = [""];
  for (const word of name.split(" ").flatMap((each) => each.match(new RegExp(`.{1,${LONGEST_LINE}}`, "gsu")) ?? [])) {
    if (lines.at(-1) && lines.at(-1).length + word.length >= LONGEST_LINE) lines.push("");
    lines.push(`${lines.pop()} ${word}`.trim());
  }
  return lines;
}

/** The map; `look` draws the plane of the question that was answered, `moved` is called after the row was moved. */
export function columnMap(about, state, moved) {
  const numeric = about.columns.filter((column) => column.kind === "number" || column.kind === "integer");
  const isShown = about.image === null && numeric.length > 1;
  const selects = [byId("map-across"), byId("map-up")];
  let latest = 0; // number of the latest question: planes of earlier ones are dropped
  let chosen = null; // columns that were chosen; null for the two most costly changes
  let plane = null;
  let asked = null;
  let rows = null;
  let handle = null;
  let isDragged = false;

  for (const select of selects) {
    select.append(...numeric.map((column) => h("option", { value: column.name }, columnName(column.name))));
    select.addEventListener("change", () => {
      chosen = selects.map((each) => each.value);
      if (chosen[0] === chosen[1]) selects.find((each) => each !== select).value = numeric.find((column) => column.name !== select.value).name;
      chosen = selects.map((each) => each.value);
      look(asked);
    });
  }

  async function look(body) {
    asked = body;
    if (!isShown || body === null || isDragged) return; // it is drawn anew when the row is let go
    const question = (latest += 1);
    let drawn;
    try {
      rows ??= (await get(`/api/rows?limit=${MOST_ROWS}`)).rows;
      drawn = await post("/api/map", { ...body, columns: chosen });
    } catch {
      return; // the answer stands without a map
    }
    if (question !== latest || drawn.columns.length === 0) return; // the old plane stays, to drag the row back
    plane = drawn;
    draw();
  }

  const x = (value) => LEFT + ((value - plane.across[0]) / (plane.across[1] - plane.across[0])) * (SIZE - LEFT - RIGHT);
  const y = (value) => SIZE - BOTTOM - ((value - plane.up[0]) / (plane.up[1] - plane.up[0])) * (SIZE - TOP - BOTTOM);
  const place = ([across, up]) => `translate(${x(across)} ${y(up)})`;

  /** Regions and the edge of all smaller changes: paths in steps of the grid, put where the map has them. */
  function regions() {
    const [wide, high] = [SIZE - LEFT - RIGHT, SIZE - TOP - BOTTOM].map((size, n) => size / ((n ? plane.lines.length : plane.lines[0].length) - 1));
    const transform = `translate(${LEFT} ${SIZE - BOTTOM}) scale(${wide} ${-high})`;
    return [
      s("clipPath", { id: "map-realistic" }, s("path", { d: plane.realistic, transform })),
      s("path", { class: "accepted", d: plane.accepted, transform }),
      s("path", { class: "realistic", d: plane.realistic, transform }),
      s("g", { "clip-path": "url(#map-realistic)" }, s("path", { class: "both", d: plane.accepted, transform })),
      s("path", { class: "smaller", d: plane.smaller, transform }),
    ];
  }

  function draw() {
    const [across, up] = plane.columns;
    const axes = [across, up].map((name) => wrapped(columnName(name)));
    LEFT = 64 + LINE * (axes[1].length - 1);
    BOTTOM = 36 + LINE * (axes[0].length - 1);
    selects.forEach((select, n) => (select.value = plane.columns[n]));
    const real = (rows ?? []).filter(({ row }) => [row[across], row[up]].every((each) => typeof each === "number") && inside([row[across], row[up]]));
    const isWanted = (prediction) =>
      Array.isArray(asked.target) || asked.target === null || typeof asked.target !== "object"
        ? prediction === asked.target
        : prediction >= (asked.target.low ?? -Infinity) && prediction <= (asked.target.high ?? Infinity);
    const ticks = plane.across.map((value, n) => s("text", { class: "tick", x: x(value), y: SIZE - BOTTOM + 16, "text-anchor": n ? "end" : "start" }, number(value, 3)));
    ticks.push(...plane.up.map((value) => s("text", { class: "tick", x: LEFT - 6, y: y(value) + (value === plane.up[0] ? 0 : 10), "text-anchor": "end" }, number(value, 3))));
    const isThere = plane.now.every((each) => each !== null);
    handle = s("g", { class: "handle", tabindex: 0, role: "img", transform: isThere ? place(plane.now) : null }, s("circle", { r: 15, fill: "transparent" }), s("circle", { class: "now", r: 7 }));
    const svg = s(
      "svg",
      { class: "chart map", viewBox: `0 0 ${SIZE} ${SIZE}`, role: "group", "aria-label": t("app.map in words", { across: columnName(across), up: columnName(up), now: said(plane.now), then: said(plane.then) }) },
      ...regions(),
      s("rect", { x: LEFT, y: TOP, width: SIZE - LEFT - RIGHT, height: SIZE - TOP - BOTTOM, fill: "none", stroke: "var(--line)" }),
      ...real.map(({ row, prediction }) => s("circle", { class: isWanted(prediction) ? "real wanted" : "real", r: 2.6, cx: x(row[across]), cy: y(row[up]) })),
      ...ticks,
      ...axes[0].map((line, n) => s("text", { class: "axis", x: (LEFT + SIZE - RIGHT) / 2, y: SIZE - BOTTOM + 32 + LINE * n, "text-anchor": "middle" }, line)),
      ...axes[1].map((line, n) => s("text", { class: "axis", x: 0, y: 0, "text-anchor": "middle", transform: `translate(${13 + LINE * n} ${(TOP + SIZE - BOTTOM) / 2}) rotate(-90)` }, line)),
      isThere ? s("line", { class: "arrow", x1: x(plane.now[0]), y1: y(plane.now[1]), x2: x(plane.then[0]), y2: y(plane.then[1]) }) : null,
      s("path", { class: "then", d: "M0 -8L8 0L0 8L-8 0Z", transform: place(plane.then) }),
      isThere ? handle : null,
    );
    listen(svg);
    const hadFocus = byId("map").contains(document.activeElement);
    byId("map").replaceChildren(svg);
    name(plane.now);
    if (hadFocus && isThere) handle.focus();
    const label = outcome(asked.target?.low === undefined ? asked.target : [asked.target.low, asked.target.high]);
    byId("map-legend").replaceChildren(
      ...[["before", "now"], ["after", "then"]].map(([kind, text]) => h("span", null, h("span", { class: `mark ${kind}` }), " ", t(`head.${text}`))),
      ...[["accepted", t("app.map accepted", { label })], ["realistic", t("app.map realistic")], ["both", t("app.map both")], ["smaller", t("app.map smaller")]]
        .map(([kind, text]) => h("span", null, h("span", { class: `key ${kind}` }), text)),
      h("span", null, t("app.map rows", { label })),
    );
    const others = plane.n_other_changes;
    const isSpot = about.has_density && plane.realistic === ""; // no point of the grid is realistic
    setText(byId("map-note"), [t("app.map keys"), others ? plural("app.map others", others) : t("app.map plane"), isSpot ? t("app.map spot") : ""].join(" "));
    byId("map-figure").hidden = false;
  }

  const inside = ([across, up]) => across >= plane.across[0] && across <= plane.across[1] && up >= plane.up[0] && up <= plane.up[1];
  const said = (point) => point.map((each) => number(each)).join(", ");

  function name(point) {
    const [across, up] = plane.columns.map(columnName);
    handle.setAttribute("aria-label", t("app.map row", { across, up, x: number(point[0]), y: number(point[1]) }));
  }

  /** Put the row at a place of the map: as the columns hold it, and inside of what is drawn. */
  function move(point) {
    const ends = [plane.across, plane.up];
    const fit = point.map((each, n) => {
      const within = Math.min(Math.max(each, ends[n][0]), ends[n][1]);
      const isWhole = about.columns.find((column) => column.name === plane.columns[n]).kind === "integer";
      return isWhole ? Math.round(within) : Number(within.toPrecision(4));
    });
    handle.setAttribute("transform", place(fit));
    name(fit);
    plane.columns.forEach((column, n) => (state.row[column] = fit[n]));
    moved();
  }

  function listen(svg) {
    const at = (event) => {
      const box = svg.getBoundingClientRect();
      const [across, up] = [((event.clientX - box.left) / box.width) * SIZE, ((event.clientY - box.top) / box.height) * SIZE];
      return [
        plane.across[0] + ((across - LEFT) / (SIZE - LEFT - RIGHT)) * (plane.across[1] - plane.across[0]),
        plane.up[0] + ((SIZE - BOTTOM - up) / (SIZE - TOP - BOTTOM)) * (plane.up[1] - plane.up[0]),
      ];
    };
    handle.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      handle.setPointerCapture(event.pointerId);
      isDragged = true;
      handle.focus();
    });
    handle.addEventListener("pointermove", (event) => {
      if (handle.hasPointerCapture(event.pointerId)) move(at(event));
    });
    handle.addEventListener("pointerup", (event) => {
      if (!isDragged) return;
      isDragged = false;
      move(at(event));
    });
    handle.addEventListener("keydown", (event) => {
      const arrow = ARROWS[event.key];
      if (arrow === undefined) return;
      event.preventDefault();
      const ends = [plane.across, plane.up];
      const step = (n) => {
        const wide = (ends[n][1] - ends[n][0]) / STEPS;
        return about.columns.find((column) => column.name === plane.columns[n]).kind === "integer" ? Math.max(1, Math.round(wide)) : wide;
      };
      move(plane.columns.map((column, n) => state.row[column] + arrow[n] * step(n)));
    });
  }

  return { look };
}
