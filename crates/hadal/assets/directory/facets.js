// Facets with counts. Pressing a value filters by it, pressing it again removes the filter.

import { h, said } from "../kit/dom.js";
import { count } from "../kit/format.js";
import { share } from "../kit/parts.js";
import { FACETS, MARKS } from "./filters.js";

const SHOWN = 8;

/** All facets; `changed` is called when a filter changes. */
export function facetPanel(counted, chosen, changed) {
  const choose = (filter, value) => {
    chosen[filter] = chosen[filter] === value ? null : value;
    changed();
  };
  return [
    marks(chosen, choose),
    everyKind(chosen, choose),
    FACETS.map((facet) => facetGroup(facet, ordered(facet.facet, counted[facet.facet]), chosen, choose)),
  ];
}

function facetGroup({ facet, filter, title, say = (value) => value }, values, chosen, choose) {
  const known = values.some(({ value }) => value === chosen[filter]);
  const shown = chosen[filter] && !known ? [{ value: chosen[filter], count: 0 }, ...values] : values;
  if (shown.length === 0) return null;
  const most = Math.max(...shown.map(({ count }) => count), 1);
  const items = shown.map(({ value, count: forms }) =>
    h(
      "li",
      {},
      h(
        "button",
        {
          type: "button",
          "data-facet": facet,
          "data-value": value,
          "aria-pressed": String(chosen[filter] === value),
          disabled: value === "",
          on: { click: () => choose(filter, value) },
        },
        said(say(value), { class: "said name" }),
        h("span", { class: "number" }, count(forms)),
        share(forms / most),
      ),
    ),
  );
  const rest = items.slice(SHOWN);
  return h(
    "fieldset",
    {},
    h("legend", {}, title),
    h("ul", { class: "facet" }, items.slice(0, SHOWN)),
    rest.length ? h("details", {}, h("summary", {}, `${rest.length} more`), h("ul", { class: "facet" }, rest)) : null,
  );
}

/** Numbers in ascending order; probabilities in descending order with cumulated counts. */
function ordered(facet, values) {
  if (facet === "fields") return values.toSorted((a, b) => a.value - b.value);
  if (facet !== "relevance") return values;
  let sum = 0;
  return values.toSorted((a, b) => b.value - a.value).map(({ value, count }) => ({ value, count: (sum += count) }));
}

function marks(chosen, choose) {
  const select = h(
    "select",
    { id: "marks", on: { change: (event) => choose("label", event.target.value || null) } },
    MARKS.map(([value, words]) => h("option", { value, selected: (chosen.label ?? "") === value }, words)),
  );
  return h("div", { class: "row" }, h("label", { for: "marks" }, "Labels"), select);
}

function everyKind(chosen, choose) {
  const box = h("input", {
    type: "checkbox",
    checked: chosen.min_searchable === "0",
    on: { change: () => choose("min_searchable", "0") },
  });
  return h("label", { class: "row" }, box, "include forms that are not searches");
}
