// The list of columns: what is, what would be, and what may change.

import { h, s, setText } from "./dom.js";
import { difference, number, pair, value, valueIn } from "./format.js";
import { columnName, t } from "./text.js";
import { strip } from "./strip.js";

const LOCK = "M5 8V6a4 4 0 0 1 8 0v2h.5a1.5 1.5 0 0 1 1.5 1.5v5A1.5 1.5 0 0 1 13.5 16h-9A1.5 1.5 0 0 1 3 14.5v-5A1.5 1.5 0 0 1 4.5 8Z";

/** The lines of all columns. `changed(kind, immediate)` is called after the user has changed the state. */
export function columnList(list, columns, state, changed) {
  const lines = columns.map((column, place) => line(column, place, state, changed));
  list.replaceChildren(...lines.map((each) => each.element));
  return {
    /** Show the state: inputs and rules. */
    show() {
      for (const each of lines) each.show();
    },
    /** Show an answer; null takes it away. */
    answer(answer) {
      const changes = new Map((answer?.changes ?? []).map((change) => [change.column, change]));
      for (const each of lines) each.answer(changes.get(each.name), answer);
    },
    /** Show the distributions of a class. */
    profiles(profiles) {
      profiles.forEach((profile, place) => lines[place].profile(profile));
    },
  };
}

/** A name that may be broken after underscores and the like. */
const breakable = (name) => name.split(/(?<=[_./-])/).flatMap((part, place) => (place ? [h("wbr"), part] : [part]));

function line(column, place, state, changed) {
  const id = `column-${place}`;
  const isNumber = column.kind === "number" || column.kind === "integer";
  const input = isNumber ? numberInput(column, id) : levelInput(column, id);
  const after = h("span", { class: "after-value" });
  const by = h("span", { class: "by" });
  const lock = h(
    "button",
    { type: "button", class: "lock", "aria-pressed": "false", "aria-label": t("app.lock", { column: columnName(column.name) }), title: column.fixed ?? t("app.lock hint"), disabled: column.fixed !== null },
    s(
      "svg",
      { viewBox: "0 0 18 18", "aria-hidden": "true" },
      s("path", { class: "shape", d: LOCK }),
      s("path", { class: "hole", d: "M6.6 8V6a2.4 2.4 0 0 1 4.8 0v2Z" }),
    ),
  );
  const limits = h("div", { class: "limits", id: `${id}-limits`, hidden: true });
  const more = h(
    "button",
    { type: "button", class: "more", "aria-expanded": "false", "aria-controls": `${id}-limits`, "aria-label": t("app.limits of", { column: columnName(column.name) }) },
    t("app.limits"),
  );
  const drawing = h("div", { class: "drawing" });
  const outside = h("p", { class: "outside", hidden: true });
  const element = h(
    "li",
    { class: "column" },
    h("label", { for: id, title: column.name }, ...breakable(columnName(column.name)), column.unit ? h("span", { class: "unit" }, ` ${column.unit}`) : null),
    h("div", { class: "before-cell" }, input.element, outside),
    h("div", { class: "after-cell" }, after, by),
    drawing,
    h("div", { class: "tools" }, lock, column.fixed === null ? more : h("span", { class: "hint" }, column.fixed)),
    limits,
  );
  let drawn = null;
  let last = { change: undefined, answer: null };

  input.onchange((next) => {
    state.row[column.name] = next;
    showOutside();
    changed("row", false);
  });
  lock.addEventListener("click", () => {
    const rules = state.rules;
    const locked = rules.locked.includes(column.name);
    rules.locked = locked ? rules.locked.filter((name) => name !== column.name) : [...rules.locked, column.name];
    showRules();
    changed("rules", true);
  });
  const editor = limitsEditor(column, id, state, () => {
    showRules();
    changed("rules", false);
  });
  more.addEventListener("click", () => {
    if (limits.hidden && limits.childElementCount === 0) limits.append(...editor.build());
    limits.hidden = !limits.hidden;
    more.setAttribute("aria-expanded", String(!limits.hidden));
    if (!limits.hidden) editor.show();
  });

  function showRules() {
    const locked = column.fixed !== null || state.rules.locked.includes(column.name);
    lock.setAttribute("aria-pressed", String(locked));
    element.classList.toggle("locked", locked);
    const text = editor.inWords();
    setText(more, text || t("app.limits"));
    more.classList.toggle("set", text !== "");
  }
  /** Say so where a value lies beyond all training rows: the model has never seen the like. */
  function showOutside() {
    const cell = state.row[column.name];
    const beyond = isNumber && cell !== null && column.low !== null && (cell < column.low || cell > column.high);
    outside.hidden = !beyond;
    if (beyond) setText(outside, t("app.outside", { low: number(column.low), high: number(column.high) }));
  }
  function mark() {
    if (drawn === null) return;
    const next = last.answer?.counterfactual?.[column.name];
    drawn.mark(state.row[column.name], next, last.answer?.positions?.[column.name]);
  }

  return {
    name: column.name,
    element,
    show() {
      input.show(state.row[column.name]);
      showOutside();
      showRules();
      if (limits.childElementCount > 0) editor.show();
      mark();
    },
    answer(change, answer) {
      last = { change, answer };
      element.classList.toggle("changes", change !== undefined);
      if (change === undefined) {
        setText(after, "");
        setText(by, "");
      } else if (isNumber && change.before !== null) {
        setText(after, valueIn(column.name, change.after, pair(change.before, change.after)[1]));
        setText(by, difference(change.difference));
      } else {
        setText(after, valueIn(column.name, change.after));
        setText(by, "");
      }
      mark();
    },
    profile(profile) {
      drawn = strip(column, profile);
      drawing.replaceChildren(drawn.element);
      mark();
    },
  };
}

function numberInput(column, id) {
  const element = h("input", {
    id,
    type: "number",
    inputmode: "decimal",
    step: column.kind === "integer" ? "1" : "any",
    autocomplete: "off",
    placeholder: column.optional ? t("missing") : null,
  });
  let listener = () => {};
  element.addEventListener("input", () => {
    if (element.value === "" && column.optional) return listener(null);
    const typed = element.valueAsNumber;
    const fits = Number.isFinite(typed) && Math.abs(typed) <= 1e15 && (column.kind !== "integer" || Number.isInteger(typed));
    element.setAttribute("aria-invalid", String(!fits));
    return fits ? listener(typed) : undefined;
  });
  return {
    element,
    onchange(next) {
      listener = next;
    },
    show(cell) {
      element.setAttribute("aria-invalid", "false");
      if (document.activeElement === element && element.valueAsNumber === cell) return;
      element.value = cell === null ? "" : String(Number(Number(cell).toPrecision(7)));
    },
  };
}

function levelInput(column, id) {
  const element = h("select", { id }, ...column.levels.map((level, place) => h("option", { value: place }, valueIn(column.name, level))));
  let listener = () => {};
  element.addEventListener("change", () => listener(column.levels[Number(element.value)]));
  return {
    element,
    onchange(next) {
      listener = next;
    },
    show(cell) {
      const place = column.levels.indexOf(cell);
      element.querySelector("option[value='unseen']")?.remove();
      if (place < 0) element.append(h("option", { value: "unseen", disabled: true }, t("app.never seen", { value: value(cell) })));
      element.value = place < 0 ? "unseen" : String(place);
      element.title = value(cell);
    },
  };
}

/** Ranges, allowed levels and directions of one column. */
function limitsEditor(column, id, state, changed) {
  const isCategory = column.kind === "category";
  const ends = [];
  const boxes = [];
  let way = null;

  const put = (rule, content) => {
    if (content === null) delete state.rules[rule][column.name];
    else state.rules[rule][column.name] = content;
  };

  function end(which, label) {
    let element;
    if (column.kind === "ordinal") {
      element = h(
        "select",
        { id: `${id}-${which}` },
        h("option", { value: "" }, t("app.any")),
        ...column.levels.map((level, place) => h("option", { value: place }, valueIn(column.name, level))),
      );
    } else {
      const hint = which === "low" ? column.low : column.high;
      element = h("input", { id: `${id}-${which}`, type: "number", step: "any", placeholder: number(hint) });
    }
    element.addEventListener("input", () => {
      const read = ends.map(({ element: each }) => {
        if (each.value === "") return null;
        return column.kind === "ordinal" ? column.levels[Number(each.value)] : each.valueAsNumber;
      });
      if (read.some((each) => each !== null && typeof each === "number" && !Number.isFinite(each))) return;
      put("ranges", read.every((each) => each === null) ? null : read);
      changed();
    });
    ends.push({ element, which });
    return h("label", { class: "end" }, h("span", null, label), element);
  }

  function box(level, place) {
    const element = h("input", { type: "checkbox", id: `${id}-level-${place}` });
    element.addEventListener("change", () => {
      const chosen = column.levels.filter((_, each) => boxes[each].checked);
      put("allowed", chosen.length === column.levels.length ? null : chosen);
      changed();
    });
    boxes.push(element);
    return h("label", { class: "check" }, element, valueIn(column.name, level));
  }

  return {
    build() {
      if (isCategory) {
        return [h("fieldset", null, h("legend", null, t("app.may become")), ...column.levels.map(box))];
      }
      way = h(
        "select",
        { id: `${id}-way` },
        h("option", { value: "" }, t("app.either way")),
        h("option", { value: "increase" }, t("app.up only")),
        h("option", { value: "decrease" }, t("app.down only")),
      );
      way.addEventListener("change", () => {
        put("directions", way.value || null);
        changed();
      });
      return [end("low", t("app.at least")), end("high", t("app.at most")), h("label", { class: "end" }, h("span", null, t("app.moves")), way)];
    },
    show() {
      const { ranges, allowed, directions } = state.rules;
      const known = ranges[column.name] ?? [null, null];
      ends.forEach(({ element }, place) => {
        if (document.activeElement === element) return;
        const cell = known[place] ?? null;
        element.value = cell === null ? "" : String(column.kind === "ordinal" ? column.levels.indexOf(cell) : cell);
      });
      boxes.forEach((element, place) => {
        element.checked = (allowed[column.name] ?? column.levels).includes(column.levels[place]);
      });
      if (way !== null) way.value = directions[column.name] ?? "";
    },
    inWords() {
      const { ranges, allowed, directions } = state.rules;
      const said = [];
      const [low, high] = ranges[column.name] ?? [null, null];
      if (low !== null && high !== null) said.push(t("app.from to", { low: value(low), high: value(high) }));
      else if (low !== null) said.push(`≥ ${value(low)}`);
      else if (high !== null) said.push(`≤ ${value(high)}`);
      if (allowed[column.name]) said.push(t("reasons.count", { n: allowed[column.name].length, total: column.levels.length }));
      if (directions[column.name]) said.push(t(directions[column.name] === "increase" ? "app.up only" : "app.down only"));
      return said.join(", ");
    },
  };
}
