// What a directory can be narrowed down by; the names are those of the server's parameters.

/** All of them. */
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
];

/** What the address bar says. */
export function chosenOf(query) {
  return Object.fromEntries(FILTERS.map((name) => [name, query.get(name)]));
}

/** Facets in the order in which they are shown: the server's name, the parameter, the words for it. */
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

/** Marks that can be asked for. */
export const MARKS = [
  ["", "all but the rejected"],
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
