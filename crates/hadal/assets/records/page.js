// Records page: records of all harvests, with full-text search and export.

import { address, read } from "../kit/api.js";
import { fill, h, inside, said } from "../kit/dom.js";
import { longList } from "../kit/list.js";
import { exportLinks, panel, record, term } from "../kit/parts.js";

const PAGE = 50;
const TYPING_MS = 250;

export async function show(main, query, signal) {
  const chosen = { q: query.get("q"), topic: query.get("topic"), form: query.get("form") };
  const find = h("input", {
    type: "search",
    id: "find",
    value: chosen.q ?? "",
    "aria-label": "Find in all records",
    placeholder: "words in the records",
  });
  const rows = h("div", { class: "rows", id: "records" });
  const files = h("span");
  let turn = null;
  let timer = null;

  function refresh() {
    turn?.abort();
    turn = new AbortController();
    const now = AbortSignal.any([signal, turn.signal]);
    chosen.q = find.value.trim() || null;
    history.replaceState(null, "", address("/records", chosen));
    fill(files, exportLinks("/api/records/export", chosen));
    const load = async (after) => {
      const { records, next } = await read("/api/records", { ...chosen, after, limit: PAGE }, now);
      return { items: records, next };
    };
    const empty = chosen.q ? "No record has all of these words." : "No record yet: harvest a form first.";
    return longList(rows, { load, row, empty, signal: now });
  }

  find.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(refresh, TYPING_MS);
  });
  fill(
    main,
    h(
      "div",
      { class: "heading" },
      h("h1", {}, "Records"),
      h("p", { class: "hint" }, "Records of all ", term("harvest", "harvests"), ", oldest harvest first."),
      files,
    ),
    panel("Records", find, rows),
  );
  await refresh();
}

function row(found) {
  const gone = found.removed_at ? " · removed" : found.changed_at ? " · changed" : "";
  return record(
    found,
    h(
      "p",
      { class: "from" },
      inside(`/harvests?harvest=${found.harvest}`, { class: "tag" }, `harvest ${found.harvest}`),
      h("span", { class: "hint" }, "by “", said(found.query), `”, place ${found.position}${gone}`),
    ),
  );
}
