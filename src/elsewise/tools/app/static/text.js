// Text for people: the catalogue comes with the table, in the language of the explainer.

let texts = {};
let names = { columns: new Map(), outcomes: [] };

/** Take the catalogue, and the names of columns and outcomes. */
export function speak(about) {
  texts = about.texts;
  names = {
    columns: new Map(about.columns.map((column) => [column.name, column])),
    outcomes: (about.classes ?? []).map((label, place) => [label, about.outcome_names[place]]),
  };
}

/** A text of the catalogue, with its parts filled in. */
export const t = (key, parts = {}) => texts[key].replace(/\{(\w+)\}/g, (_, name) => String(parts[name]));

/** The text that goes with a count. */
export const plural = (key, n, parts = {}) => t(`${key}.${n === 1 ? "one" : "many"}`, { n, ...parts });

/** What people call a column. */
export const columnName = (name) => names.columns.get(name)?.label ?? name;

/** The unit of a column's numbers, with a space before it; empty if it has none. */
export const unitOf = (name) => (names.columns.get(name)?.unit ? ` ${names.columns.get(name).unit}` : "");

/** What people call a value of a column; undefined if it has no name of its own. */
export const valueName = (name, cell) => names.columns.get(name)?.value_names.find(([known]) => known === cell)?.[1];

/** What people call something the model predicts; undefined if it has no name of its own. */
export const outcomeName = (label) => names.outcomes.find(([known]) => known === label)?.[1] ?? undefined;
