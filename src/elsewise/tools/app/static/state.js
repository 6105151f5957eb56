// The whole question, and the same in the address: #q=<base64url of JSON>.

export const noRules = () => ({ locked: [], ranges: {}, allowed: {}, directions: {}, max_changes: null });

export const hasRules = (rules) =>
  rules.locked.length > 0 ||
  rules.max_changes !== null ||
  [rules.ranges, rules.allowed, rules.directions].some((each) => Object.keys(each).length > 0);

/** What the server is asked. */
export function question(state) {
  const { row, target, quantile, rules } = state;
  return { row, target, quantile, rules };
}

/** Write a state as a fragment; the row as a list, to keep links short. */
export function toFragment(state, columns) {
  const { number, row, target, quantile, rules } = state;
  const kept = Object.fromEntries(
    Object.entries(rules).filter(([, rule]) => rule !== null && Object.keys(rule).length !== 0),
  );
  if (rules.max_changes !== null) kept.max_changes = rules.max_changes;
  const values = columns.map((column) => row[column.name]);
  const bytes = new TextEncoder().encode(JSON.stringify({ n: number, x: values, t: target, q: quantile, r: kept }));
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return `#q=${btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "")}`;
}

/** Read a state from a fragment; null if there is none, or none of this table. The server checks the values. */
export function fromFragment(fragment, columns) {
  if (!fragment.startsWith("#q=")) return null;
  try {
    const binary = atob(fragment.slice(3).replaceAll("-", "+").replaceAll("_", "/"));
    const read = JSON.parse(new TextDecoder().decode(Uint8Array.from(binary, (char) => char.charCodeAt(0))));
    if (!Array.isArray(read.x) || read.x.length !== columns.length) return null;
    const row = Object.fromEntries(columns.map((column, place) => [column.name, read.x[place]]));
    const rules = { ...noRules(), ...(typeof read.r === "object" ? read.r : {}) };
    rules.locked = Array.isArray(rules.locked) ? rules.locked : [];
    for (const name of ["ranges", "allowed", "directions"]) {
      if (typeof rules[name] !== "object" || rules[name] === null) rules[name] = {};
    }
    const number = Number.isInteger(read.n) ? read.n : null;
    const quantile = typeof read.q === "number" && read.q > 0 && read.q < 1 ? read.q : null;
    return { number, row, target: read.t ?? null, quantile, rules };
  } catch {
    return null;
  }
}
