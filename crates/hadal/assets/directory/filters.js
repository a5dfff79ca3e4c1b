// Filters of the directory, named like the parameters of the API.

/** All filters. */
export const FILTERS = [
  "topic",
  "site",
  "language",
  "method",
  "fields",
  "min_relevance",
  "min_searchable",
  "label",
  "run",
  "q",
  "sort",
];

/** Orders of the list: parameter of the API and label. */
export const ORDERS = [
  ["", "most relevant"],
  ["newest", "found last"],
  ["site", "site"],
  ["searchable", "most likely search"],
  ["fields", "most fields"],
];

/** Filters of the current URL. */
export function chosenOf(query) {
  return Object.fromEntries(FILTERS.map((name) => [name, query.get(name)]));
}

/** Facets in display order: field of the API, parameter, and label. */
export const FACETS = [
  { facet: "topic", filter: "topic", title: "Topic" },
  {
    facet: "relevance",
    filter: "min_relevance",
    title: "Probability",
    say: (value) => `${Math.round(value * 100)} % and more`,
  },
  { facet: "language", filter: "language", title: "Language", say: languageName },
  { facet: "method", filter: "method", title: "Method", say: (value) => value.toUpperCase() },
  {
    facet: "fields",
    filter: "fields",
    title: "Fields",
    say: (value) => (value === "1" ? "1 field" : `${value} fields`),
  },
  { facet: "site", filter: "site", title: "Site" },
];

/** Label filters. */
export const MARKS = [
  ["", "all but rejected"],
  ["any", "all"],
  ["right", "marked right"],
  ["wrong", "marked wrong"],
  ["not-a-search", "marked not a search"],
];

function languageName(code) {
  if (!code) return "unknown";
  try {
    return new Intl.DisplayNames(["en"], { type: "language" }).of(code) ?? code;
  } catch {
    return code;
  }
}
