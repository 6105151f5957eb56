// Recorded answers in the place of a server: what the explorer's scripts ask on the documentation's site.

const recorded = await (await fetch("recorded.json")).json();

function refused() {
  return new Error("This page holds recorded answers only. “elsewise serve” answers every question.");
}

function rows(query) {
  const ask = new URLSearchParams(query);
  const label = (name) => recorded.about.classes[Number(ask.get(name))];
  const words = (ask.get("search") ?? "").toLowerCase().split(/\s+/).filter(Boolean);
  const sort = ask.get("sort") ?? "";
  const by = sort.replace(/^-/, "");
  let found = recorded.rows.filter(({ row }) => words.every((word) => Object.values(row).join(" ").toLowerCase().includes(word)));
  if (ask.has("prediction")) found = found.filter((known) => known.prediction === label("prediction"));
  if (ask.has("other_than")) found = found.filter((known) => known.prediction !== label("other_than"));
  if (by) found = [...found].sort((a, b) => (a.row[by] > b.row[by] ? 1 : a.row[by] < b.row[by] ? -1 : 0) * (sort === by ? 1 : -1));
  const offset = Number(ask.get("offset") ?? 0);
  return { total: found.length, rows: found.slice(offset, offset + Number(ask.get("limit") ?? 20)) };
}

export async function get(path) {
  const [name, query] = path.split("?");
  if (name === "/api/about") return recorded.about;
  if (name === "/api/rows") return rows(query);
  return recorded.profiles[Number(new URLSearchParams(query).get("target"))];
}

export async function post(path, body) {
  const { row, target, quantile, rules, columns } = body;
  const known = recorded.rows.find((each) => Object.keys(each.row).every((name) => each.row[name] === row[name]));
  const isFree = !rules.locked.length && [rules.ranges, rules.allowed, rules.directions].every((each) => !Object.keys(each).length);
  const key = [path, known?.number, target, rules.max_changes ?? 0];
  if (path !== "/api/frontier") key.push(Math.round(quantile * 10) / 10);
  const answer = isFree && !columns && Number.isInteger(known?.number) ? recorded.answers[key.join("|")] : undefined;
  if (answer === undefined) throw refused();
  return structuredClone(answer);
}

export async function download() {
  throw refused();
}
