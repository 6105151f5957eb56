// Finding and ordering rows, and opening what belongs on paper. Without it the report reads the same.
(() => {
  "use strict";
  const papers = [...document.querySelectorAll("details.on-paper")];
  let opened = [];
  addEventListener("beforeprint", () => {
    opened = papers.filter((item) => !item.open);
    opened.forEach((item) => { item.open = true; });
  });
  addEventListener("afterprint", () => opened.forEach((item) => { item.open = false; }));

  const form = document.querySelector("form.tools");
  const place = document.getElementById("articles");
  if (!form || !place) return;
  const rows = [...place.children];
  const texts = new Map();
  const text = (row) => {
    if (!texts.has(row)) texts.set(row, row.textContent.toLowerCase());
    return texts.get(row);
  };
  const distance = (row) => (row.dataset.d === "" ? Infinity : Number(row.dataset.d));
  const orders = {
    near: (a, b) => (distance(a) < distance(b) ? -1 : Number(distance(a) > distance(b))),
    far: (a, b) => (distance(a) === Infinity) - (distance(b) === Infinity) || distance(b) - distance(a) || 0,
    few: (a, b) => (distance(a) === Infinity) - (distance(b) === Infinity) || a.dataset.n - b.dataset.n,
  };
  const show = () => {
    const words = form.elements.find.value.toLowerCase().split(/\s+/).filter(Boolean);
    const status = form.elements.status.value;
    let count = 0;
    for (const row of rows) {
      const fits = (!status || row.dataset.s === status) && words.every((word) => text(row).includes(word));
      row.hidden = !fits;
      count += fits;
    }
    form.querySelector("output").value = count === rows.length ? "" : form.querySelector("output").dataset.of.replace("{n}", count).replace("{total}", rows.length);
  };
  const order = () => {
    const by = orders[form.elements.order.value];
    place.append(...(by ? [...rows].sort(by) : rows));
  };
  let waiting = 0;
  form.elements.find.addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(show, 120); });
  form.elements.status.addEventListener("change", show);
  form.elements.order.addEventListener("change", order);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.hidden = rows.length < 2;
})();
