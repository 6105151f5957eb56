// A dialog to choose one of the known rows: searched, filtered by prediction, sorted.

import { get } from "./api.js";
import { byId, h, setText } from "./dom.js";
import { number, outcome, value } from "./format.js";
import { picture } from "./picture.js";
import { columnName, t } from "./text.js";
import { TYPING } from "./timing.js";

const PAGE = 48;

/** Make the dialog work; `use` is called with the row that is chosen. */
export function picker(about, use) {
  const dialog = byId("picker");
  const [search, filter, sort] = ["picker-search", "picker-filter", "picker-sort"].map(byId);
  let offset = 0;
  let timer = 0;
  let latest = 0; // number of the latest request: answers to earlier ones are dropped

  byId("picker-filter-field").hidden = about.classes === null;
  filter.append(h("option", { value: "" }, t("app.any")), ...(about.classes ?? []).map((label, place) => h("option", { value: place }, outcome(label))));
  const orders = about.image ? [] : about.columns.flatMap((column) => ["", "-"].map((sign) => [`${sign}${column.name}`, `${columnName(column.name)} ${sign ? "↓" : "↑"}`]));
  sort.append(h("option", { value: "" }, t("app.as in file")), ...orders.map(([order, text]) => h("option", { value: order }, text)));

  async function fill() {
    const asked = (latest += 1);
    const query = new URLSearchParams({ offset, limit: PAGE, search: search.value, sort: sort.value });
    if (filter.value !== "") query.set("prediction", filter.value);
    const { rows, total } = await get(`/api/rows?${query}`);
    if (asked !== latest) return;
    const by = sort.value.replace(/^-/, "");
    const first = [...about.columns.filter((column) => column.name === by), ...about.columns.filter((column) => column.name !== by)].slice(0, 4);
    byId("picker-rows").classList.toggle("images", about.image !== null);
    byId("picker-rows").replaceChildren(
      ...rows.map((known) => {
        const predicted = outcome(known.prediction);
        const row = `${t("app.row")} ${known.number + 1}`;
        const content = about.image
          ? [picture(about.image, about.columns, known.row, row), h("span", null, predicted)]
          : [
              h("strong", null, `${known.number + 1}`),
              h("span", { class: "tag" }, predicted),
              h("span", { class: "some" }, first.map((column) => `${columnName(column.name)} ${value(known.row[column.name])}`).join(" · ")),
            ];
        const button = h("button", { type: "button", "aria-label": t("app.row predicted", { row, label: predicted }) }, ...content);
        button.addEventListener("click", () => {
          dialog.close();
          use(known);
        });
        return h("li", null, button);
      }),
    );
    const parts = { first: offset + 1, last: Math.min(offset + PAGE, total), n: number(total) };
    setText(byId("picker-span"), total ? t("app.rows shown", parts) : t("app.no rows"));
    byId("picker-back").disabled = offset === 0;
    byId("picker-on").disabled = offset + PAGE >= total;
  }

  function again(wait) {
    offset = 0;
    clearTimeout(timer);
    timer = setTimeout(fill, wait);
  }

  search.addEventListener("input", () => again(TYPING));
  for (const each of [filter, sort]) each.addEventListener("change", () => again(0));
  byId("choose").addEventListener("click", async () => {
    await fill();
    dialog.showModal();
  });
  byId("picker-close").addEventListener("click", () => dialog.close());
  byId("picker-back").addEventListener("click", () => {
    offset = Math.max(0, offset - PAGE);
    fill();
  });
  byId("picker-on").addEventListener("click", () => {
    offset += PAGE;
    fill();
  });
}
