// List of records with full-text search.

import { read } from "../kit/api.js";
import { h, said } from "../kit/dom.js";
import { longList } from "../kit/list.js";
import { panel, record } from "../kit/parts.js";

const PAGE = 50;
const TYPING_MS = 250;

export function recordList({ harvest }, signal) {
  const rows = h("div", { class: "rows", id: "records" });
  let turn = null;
  let timer = null;
  const find = h("input", {
    type: "search",
    id: "find",
    placeholder: "words in the records",
    "aria-label": "Find in the records",
  });

  function refresh() {
    turn?.abort();
    turn = new AbortController();
    const now = AbortSignal.any([signal, turn.signal]);
    const q = find.value.trim();
    const load = async (after) => {
      const { records, next } = await read(`/api/harvests/${harvest}/records`, { q, after, limit: PAGE }, now);
      return { items: records, next };
    };
    longList(rows, { load, row, empty: q ? "No record has all of these words." : "No record yet.", signal: now });
  }

  find.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(refresh, TYPING_MS);
  });
  refresh();
  return panel("Records", find, rows);
}

function row(found) {
  return record(
    found,
    h(
      "p",
      { class: "from" },
      h(
        "span",
        { class: "hint" },
        found.query ? ["by “", said(found.query), "”"] : "by the empty query",
        `, place ${found.position}`,
      ),
    ),
  );
}
