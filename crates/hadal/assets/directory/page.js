// Directory page: forms found, with facets. The filters are in the URL.

import { address, read } from "../kit/api.js";
import { fill, h } from "../kit/dom.js";
import { plural } from "../kit/format.js";
import { onKey } from "../kit/keys.js";
import { longList } from "../kit/list.js";
import { attempt, tell } from "../kit/notice.js";
import { exportLinks } from "../kit/parts.js";
import { card } from "./card.js";
import { facetPanel } from "./facets.js";
import { FILTERS, ORDERS, chosenOf } from "./filters.js";

const PAGE = 30;

export async function show(main, query, signal) {
  const chosen = chosenOf(query);
  const found = h("p", { class: "hint", id: "found" });
  const files = h("span", { id: "export" });
  const search = searchBox(chosen, () => refresh());
  const order = orderChoice(chosen, () => refresh());
  const cards = h("div", { class: "cards", id: "cards" });
  const facets = h("div", { class: "facets" });
  let turn = null;

  /** Shows the forms that pass the filters. */
  async function refresh() {
    turn?.abort();
    turn = new AbortController();
    const now = AbortSignal.any([signal, turn.signal]);
    history.replaceState(null, "", address("/directory", chosen));
    countAgain();
    fill(files, exportLinks("/api/forms/export", { ...parameters(chosen), sort: null }));
    await longList(cards, {
      load: async (after) => {
        const { forms, next } = await read("/api/forms", { ...parameters(chosen), after, limit: PAGE }, now);
        return { items: forms, next };
      },
      row: (form) => card(form, { leaves: chosen.label !== "any", changed: countAgain }),
      empty: "No form passes these filters.",
      signal: now,
    });
  }

  async function countAgain() {
    const counted = await attempt(() => read("/api/forms/facets", parameters(chosen), turn.signal));
    if (!counted) return;
    const sentence = `${plural(counted.counted, "form")}${counted.or_more ? " or more" : ""}`;
    fill(found, sentence);
    tell(sentence);
    fill(facets, facetPanel(counted, chosen, refresh));
  }

  /** Form named in the URL, above the others with its details. */
  async function showOnTop(id) {
    const { form } = await read(`/api/forms/${encodeURIComponent(id)}`, {}, signal);
    const top = card(form, { leaves: chosen.label !== "any", changed: countAgain, open: true });
    cards.querySelector(`[data-form="${form.form_id}"]`)?.remove();
    cards.prepend(top);
    top.focus();
  }

  const filters = h("details", { class: "panel filters", open: innerWidth > 900 }, h("summary", {}, "Filters"), facets);
  fill(
    main,
    h("div", { class: "heading" }, h("h1", {}, "Directory"), found, files),
    h("div", { class: "tools" }, search, order),
    h("div", { class: "beside" }, filters, cards),
  );
  moves(cards, signal);
  await refresh();
  const wanted = query.get("form");
  if (wanted) await attempt(() => showOnTop(wanted));
}

const TYPING_MS = 250;

function searchBox(chosen, changed) {
  let timer = null;
  const input = h("input", {
    type: "search",
    id: "search",
    value: chosen.q ?? "",
    maxlength: 200,
    placeholder: "words in sites, addresses and fields",
    "aria-label": "Search the directory",
  });
  input.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(() => ((chosen.q = input.value.trim() || null), changed()), TYPING_MS);
  });
  return input;
}

function orderChoice(chosen, changed) {
  const select = h(
    "select",
    { id: "sort", on: { change: (event) => ((chosen.sort = event.target.value || null), changed()) } },
    ORDERS.map(([value, words]) => h("option", { value, selected: (chosen.sort ?? "") === value }, words)),
  );
  return h("label", { class: "row" }, "Order", select);
}

/** Request parameters. An empty topic is sent, other empty parameters are left out. */
const parameters = (chosen) => Object.fromEntries(FILTERS.map((name) => [name, chosen[name]]));

/** Keys j and k move between cards; the card handles r, w and n. */
function moves(cards, signal) {
  const step = (by) => {
    const all = [...cards.querySelectorAll(".card")];
    const at = all.indexOf(document.activeElement?.closest(".card"));
    all[Math.min(all.length - 1, Math.max(0, at + by))]?.focus();
  };
  onKey("j", "next form", () => step(1), signal);
  onKey("k", "previous form", () => step(-1), signal);
  for (const [key, label] of [
    ["r", "right"],
    ["w", "wrong"],
    ["n", "not-a-search"],
  ]) {
    const press = () =>
      document.activeElement?.closest(".card")?.querySelector(`button[data-label="${label}"]`)?.click();
    onKey(key, `label the form: ${label.replaceAll("-", " ")}`, press, signal);
  }
}
