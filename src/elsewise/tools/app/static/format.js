// Numbers and values for people, written as sentences write them.

import { outcomeName, t, unitOf, valueName } from "./text.js";

const FIRST_WITH_MARKS = 10_000; // the first whole number with marks between thousands; years have none

/** A number with at most so many significant digits, without trailing zeros. */
export function number(value, digits = 4) {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  if (size >= 1e15 || (size !== 0 && size < 1e-4)) return inLanguage(value.toExponential(digits - 1).replace(/\.?0+e/, "e"));
  if (Number.isInteger(value)) return inLanguage(grouped(String(value)));
  const short = Number(value.toPrecision(Math.max(digits, 6)));
  if (short === value) return inLanguage(grouped(String(value)));
  const decimals = Math.max(digits - 1 - Math.floor(Math.log10(size)), 0);
  return inLanguage(grouped(String(Number(value.toFixed(Math.min(decimals, 20))))));
}

function grouped(text) {
  const [whole, decimals] = text.split(".");
  if (Math.abs(Number(whole)) < FIRST_WITH_MARKS) return text;
  const marked = whole.replace(/\B(?=(\d{3})+(?!\d))/g, ",");
  return decimals === undefined ? marked : `${marked}.${decimals}`;
}

const inLanguage = (text) => text.replace(/[,.]/g, (mark) => t(mark === "," ? "thousands" : "decimal"));

/** Two numbers with as many digits as it takes to tell them apart. */
export function pair(before, after) {
  for (let digits = 4; digits < 16; digits += 2) {
    const [first, second] = [number(before, digits), number(after, digits)];
    if (first !== second) return [first, second];
  }
  return [number(before), number(after)];
}

/** A value of a cell: a number, a level, or missing. */
export function value(cell) {
  if (cell === null || cell === undefined) return t("missing");
  if (typeof cell === "number") return number(cell, 6);
  if (typeof cell === "boolean") return t(cell ? "yes" : "no");
  return String(cell);
}

/** A value of a column, by its name or with its unit. */
export function valueIn(column, cell, text = value(cell)) {
  const name = valueName(column, cell);
  if (name !== undefined) return name;
  return typeof cell === "number" ? `${text}${unitOf(column)}` : text;
}

export const percent = (share) => t("percent", { number: Math.round(share * 100) });

/** A share of which no more is claimed than is true: rounded down, but for rounding in its last bits. */
export const percentDown = (share) => t("percent", { number: Math.floor(share * 100 + 1e-9) });

/** A share before and after, with as many digits as it takes to tell them apart. */
export function percentWay(before, after) {
  if (before === null || after === null) return "–";
  for (const digits of [0, 1, 3, 6]) {
    const [first, second] = [before, after].map((share) => inLanguage((share * 100).toFixed(digits)));
    if (first !== second || digits === 6) return `${first} → ${t("percent", { number: second })}`;
  }
}

/** A difference, with its sign. */
export const difference = (by) => (by > 0 ? `+${number(by, 3)}` : number(by, 3));

/** A wanted outcome: a class, or a range. */
export function outcome(target) {
  if (!Array.isArray(target)) return outcomeName(target) ?? value(target);
  const [low, high] = target;
  if (low === null) return t("range.most", { high: number(high) });
  if (high === null) return t("range.least", { low: number(low) });
  return t("app.from to", { low: number(low), high: number(high) });
}
