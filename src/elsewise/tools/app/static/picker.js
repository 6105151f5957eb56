// A dialog to choose one of the known rows.

import { get } from "./api.js";
import { byId, h, setText } from "./dom.js";
import { outcome, value } from "./format.js";
import { picture } from "./picture.js";

const PAGE = 48;

/** Make the dialog work; `use` is called with the row that is chosen. */
export function picker(about, use) {
  const dialog = byId("picker");
  let offset = 0;

  async function fill() {
    const { rows, total } = await get(`/api/rows?offset=${offset}&limit=${PAGE}`);
    const first = about.columns.slice(0, 4);
    byId("picker-rows").classList.toggle("images", about.image !== null);
    byId("picker-rows").replaceChildren(
      ...rows.map((known) => {
        const predicted = outcome(known.prediction);
        const content = about.image
          ? [picture(about.image, about.columns, known.row, `Row ${known.number + 1}`), h("span", null, predicted)]
          : [
              h("strong", null, `${known.number + 1}`),
              h("span", { class: "tag" }, predicted),
              h("span", { class: "some" }, first.map((column) => `${column.name} ${value(known.row[column.name])}`).join(" · ")),
            ];
        const button = h("button", { type: "button", "aria-label": `Row ${known.number + 1}, predicted ${predicted}` }, ...content);
        button.addEventListener("click", () => {
          dialog.close();
          use(known);
        });
        return h("li", null, button);
      }),
    );
    setText(byId("picker-span"), `${offset + 1} to ${Math.min(offset + PAGE, total)} of ${total}`);
    byId("picker-back").disabled = offset === 0;
    byId("picker-on").disabled = offset + PAGE >= total;
  }

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
