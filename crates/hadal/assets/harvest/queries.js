// Queries in the order they were sent, with new and known records.

import { read } from "../kit/api.js";
import { h, said } from "../kit/dom.js";
import { count, words } from "../kit/format.js";
import { longList } from "../kit/list.js";
import { panel } from "../kit/parts.js";
import { calm } from "../kit/watch.js";

const PAGE = 100;
const COLUMNS = ["#", "Query", "New and known", "Total", "Pages", "End"];
const ENDS = { last: "all seen", left_off: "left off", failed: "failed" };

export function queryList({ harvest }, signal) {
  const rows = h("div", { class: "rows scroll", role: "rowgroup", tabindex: 0, "aria-label": "Queries" });
  const head = h(
    "div",
    { class: "row-of queries head", role: "row" },
    COLUMNS.map((name) => h("span", { role: "columnheader" }, name)),
  );
  let shown = -1;
  return {
    element: panel("Queries sent", h("div", { role: "table", "aria-label": "Queries sent" }, head, rows)),
    update: calm(refresh, signal),
  };

  async function refresh({ harvest: now }) {
    if (now.queries === shown) return;
    shown = now.queries;
    await longList(rows, { load, row, empty: "No query yet.", signal });
  }

  async function load(after) {
    const { queries, next } = await read(`/api/harvests/${harvest}/queries`, { after, limit: PAGE }, signal);
    return { items: queries, next };
  }
}

function row(asked) {
  const cells = [
    count(asked.number),
    said(asked.query || "(empty query)"),
    yields(asked),
    asked.total === null ? "–" : `${asked.total_is_round ? "about " : ""}${count(asked.total)}`,
    count(asked.pages),
    [ENDS[asked.end] ?? words(asked.end), ["", "results"].includes(asked.kind) ? "" : ` (${words(asked.kind)})`],
  ];
  return h(
    "div",
    { class: "row-of queries", role: "row" },
    cells.map((cell) => h("span", { role: "cell" }, cell)),
  );
}

function yields(asked) {
  const known = Math.max(asked.found - asked.new, 0);
  const part = (number) => ({ flex: String(number), "min-width": number ? "2px" : "0" });
  return h(
    "span",
    { class: "yield" },
    h("span", { class: "number" }, `${count(asked.new)} + ${count(known)}`),
    h(
      "span",
      { class: "stack", "aria-hidden": "true" },
      h("span", { class: "fresh", style: part(asked.new) }),
      h("span", { class: "stale", style: part(known) }),
    ),
  );
}
