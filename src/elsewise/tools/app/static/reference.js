// The description of the JSON interface, drawn from openapi.json: what to send, what comes back, and a place to try it.

import { get } from "./api.js";
import { byId, h, setText } from "./dom.js";

const described = await get("/api/openapi.json");
const about = await get("/api/about");
const schemas = described.components?.schemas ?? {};

const resolve = (schema) => (schema?.$ref ? schemas[schema.$ref.split("/").at(-1)] : schema);
const nameOf = (schema) => schema?.$ref?.split("/").at(-1);

/** A type in words. */
function inWords(schema) {
  if (!schema || Object.keys(schema).length === 0) return "any";
  if (schema.$ref) return nameOf(schema);
  if (schema.enum) return schema.enum.map((each) => JSON.stringify(each)).join(" | ");
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.anyOf) return [...new Set(schema.anyOf.map(inWords))].join(" | ");
  if (schema.type === "array") return `list of ${inWords(schema.items)}`;
  if (schema.type === "object" && schema.additionalProperties) return `{name: ${inWords(schema.additionalProperties)}}`;
  return schema.type ?? "any";
}

function fields(schema) {
  const known = resolve(schema);
  if (!known?.properties) return h("p", null, inWords(schema));
  const needed = known.required ?? [];
  return h(
    "table",
    { class: "fields" },
    ...Object.entries(known.properties).map(([name, field]) =>
      h(
        "tr",
        null,
        h("th", { scope: "row" }, h("code", null, name)),
        h("td", null, inWords(field)),
        h("td", null, [needed.includes(name) || field.default === undefined ? "" : `Default ${JSON.stringify(field.default)}.`, field.description ?? ""].join(" ").trim()),
      ),
    ),
  );
}

function example(operation) {
  if (!operation.requestBody) return null;
  const target = about.classes ? about.classes.at(-1) : { low: about.outcomes?.[1] ?? 0, high: null };
  return { row: about.typical, target };
}

function trial(path, method, operation) {
  const body = example(operation);
  const area = body ? h("textarea", { "aria-label": `Body of ${path}`, spellcheck: "false" }) : null;
  if (area) area.value = JSON.stringify(body, null, 2);
  const shown = h("pre", { hidden: true, tabindex: "0" });
  const send = h("button", { type: "button" }, "Send");
  send.addEventListener("click", async () => {
    const started = performance.now();
    const response = await fetch(path, {
      method: method.toUpperCase(),
      headers: body ? { "content-type": "application/json" } : {},
      body: area ? area.value : undefined,
    });
    let text = await response.text();
    try {
      text = JSON.stringify(JSON.parse(text), null, 2);
    } catch {
      // not JSON: shown as it is
    }
    shown.hidden = false;
    setText(shown, `${response.status}, ${Math.round(performance.now() - started)} ms\n\n${text}`);
  });
  return h("details", { class: "try" }, h("summary", null, "Try it"), area, send, shown);
}

setText(byId("title"), `${described.info.title} API ${described.info.version}`);
setText(byId("description"), described.info.description);
for (const [path, methods] of Object.entries(described.paths)) {
  for (const [method, operation] of Object.entries(methods)) {
    const sent = operation.requestBody?.content?.["application/json"]?.schema;
    const back = operation.responses["200"]?.content?.["application/json"]?.schema;
    byId("operations").append(
      h(
        "section",
        { class: "operation" },
        h("h2", null, h("span", { class: "method" }, method.toUpperCase()), h("code", null, path)),
        h("p", null, operation.description ?? operation.summary ?? ""),
        ...(operation.parameters ?? []).map((each) =>
          h("p", null, h("code", null, `?${each.name}`), ` ${inWords(each.schema)}. ${each.description ?? ""}`),
        ),
        ...(sent ? [h("h3", null, `Request: ${inWords(sent)}`), fields(sent)] : []),
        ...(back ? [h("h3", null, `Answer: ${inWords(back)}`), fields(back)] : []),
        h("h3", null, "Statuses"),
        h(
          "div",
          { class: "statuses" },
          ...Object.entries(operation.responses).map(([status, each]) => h("span", null, h("b", null, status), each.description)),
        ),
        trial(path, method, operation),
      ),
    );
  }
}
