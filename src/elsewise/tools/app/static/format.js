// Numbers and values for people.

/** A number with at most so many significant digits, without trailing zeros. */
export function number(value, digits = 4) {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  if (Number.isInteger(value) && Math.abs(value) < 1e7) return sign(String(value));
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-5 || size >= 1e7)) return sign(value.toExponential(digits - 1).replace(/\.?0+e/, "e"));
  return sign(String(Number(value.toPrecision(digits))));
}

const sign = (text) => text.replace(/^-/, "−").replace("e-", "e−");

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
  if (cell === null || cell === undefined) return "missing";
  if (typeof cell === "number") return number(cell, 6);
  return String(cell);
}

export const percent = (share) => `${Math.round(share * 100)} %`;

/** A share of which no more is claimed than is true: rounded down, but for rounding in its last bits. */
export const percentDown = (share) => `${Math.floor(share * 100 + 1e-9)} %`;

/** A share before and after, with as many digits as it takes to tell them apart. */
export function percentWay(before, after) {
  if (before === null || after === null) return "–";
  for (const digits of [0, 1, 3, 6]) {
    const [first, second] = [before, after].map((share) => (share * 100).toFixed(digits));
    if (first !== second || digits === 6) return `${first} → ${second} %`;
  }
}

/** A difference, with its sign. */
export const difference = (by) => (by > 0 ? `+${number(by, 3)}` : number(by, 3));

/** A wanted outcome: a class, or a range. */
export function outcome(target) {
  if (!Array.isArray(target)) return value(target);
  const [low, high] = target;
  if (low === null) return `at most ${number(high)}`;
  if (high === null) return `at least ${number(low)}`;
  return `${number(low)} to ${number(high)}`;
}
