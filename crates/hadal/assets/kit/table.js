// Tables with columns that can be sorted, and tables that are read page by page.

import { fill, h } from "./dom.js";
import { attempt } from "./notice.js";

/**
 * A table: `{ element, show(items) }`. A column is `{ name, cell(item), sort(item), number, long }`: `cell` gives a text
 * or an element, `sort` a value to order by; the text of a long cell is wrapped.
 */
export function table({ label, columns, empty }) {
  let items = [];
  let order = null;
  const body = h("tbody");
  const heads = columns.map((column) => head(column, () => turn(column)));
  const row = h("tr", {}, heads);
  const inner = h("table", { "aria-label": label }, h("thead", {}, row), body);
  const nothing = h("p", { class: "hint", hidden: true }, empty);
  const element = h("div", { class: "table", tabindex: 0, role: "region", "aria-label": label }, inner, nothing);

  function turn(column) {
    order = order?.column === column ? { column, down: !order.down } : { column, down: column.number === true };
    draw();
  }

  function draw() {
    const shown = order ? items.toSorted(by(order)) : items;
    columns.forEach((column, at) => {
      const direction = order?.column === column ? (order.down ? "descending" : "ascending") : null;
      if (direction) heads[at].setAttribute("aria-sort", direction);
      else heads[at].removeAttribute("aria-sort");
    });
    fill(
      body,
      shown.map((item) => line(columns, item)),
    );
    inner.hidden = items.length === 0;
    nothing.hidden = items.length > 0;
  }

  return { element, show: (given) => ((items = given), draw()) };
}

/** A table that is read page by page. `load(after)` gives `{ items, next }`. Returns `{ element, refresh() }`. */
export function pagedTable({ label, columns, empty, load, signal }) {
  let items = [];
  let next = null;
  const inner = table({ label, columns, empty });
  const more = h("button", { type: "button", class: "more", hidden: true, on: { click: () => read(next) } }, "More");

  async function read(after) {
    more.disabled = true;
    const page = await attempt(() => load(after));
    more.disabled = false;
    if (!page || signal.aborted) return;
    items = after === null ? page.items : [...items, ...page.items];
    next = page.next;
    more.hidden = next === null;
    if (page.items.length === 0 && next !== null) return read(next);
    inner.show(items);
  }
  return { element: h("div", {}, inner.element, more), refresh: () => read(null) };
}

function head(column, turn) {
  const name = column.sort
    ? h("button", { type: "button", class: "sort", on: { click: turn } }, column.name)
    : (column.title ?? column.name);
  return h("th", { scope: "col", class: column.number ? "number" : null }, name);
}

const line = (columns, item) =>
  h(
    "tr",
    {},
    columns.map(({ cell, number, long }) => h("td", { class: number ? "number" : long ? "long" : null }, cell(item))),
  );

/** Unknown values come last. */
function by({ column, down }) {
  return (a, b) => {
    const [x, y] = [column.sort(a), column.sort(b)];
    if (x === y) return 0;
    if (x === null || x === undefined) return 1;
    if (y === null || y === undefined) return -1;
    return (x < y ? -1 : 1) * (down ? -1 : 1);
  };
}
