// Components shared by several pages.

import { meaning } from "../glossary/terms.js";
import { address } from "./api.js";
import { h, inside, outside, said } from "./dom.js";
import { count, percent } from "./format.js";

const FORMATS = ["jsonl", "csv", "parquet"];

/** Links to a file in each format, with the filters of a page. */
export function exportLinks(path, filters = {}) {
  const link = (format) =>
    h("a", { class: "tag", href: address(path, { ...filters, format }), download: true }, format.toUpperCase());
  return h(
    "p",
    { class: "export" },
    "Export ",
    FORMATS.map((format) => [link(format), " "]),
  );
}

/** Id of a term on the glossary page. */
export const anchor = (name) => name.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");

/** A term with its meaning, linked to the glossary. */
export function term(name, text = name) {
  const link = inside(`/glossary#${anchor(name)}`, { class: "term" }, text);
  meaning(name)
    .then((words) => words && (link.title = words))
    .catch(() => {});
  return link;
}

/** A number with its name: `{ element, set(text, note) }`. */
export function tile(name, tone = "") {
  const value = h("dd", { class: "value" }, "–");
  const note = h("dd", { class: "note" });
  return {
    element: h("div", { class: `tile ${tone}` }, h("dt", {}, name), value, note),
    set(text, small = "") {
      if (value.textContent !== text) value.textContent = text;
      if (note.textContent !== small) note.textContent = small;
    },
  };
}

/** A titled section. */
export function panel(title, ...children) {
  return h("section", { class: "panel" }, h("h2", {}, title), ...children);
}

/** Horizontal bars with names: `[{ name, value, note }]`. */
export function bars(items, empty) {
  if (items.length === 0) return h("p", { class: "hint" }, empty);
  const most = Math.max(...items.map(({ value }) => value), 1);
  return h(
    "ul",
    { class: "bars" },
    items.map(({ name, value, note }) =>
      h(
        "li",
        {},
        said(name, { class: "said name" }),
        h("span", { class: "number" }, note ?? count(value)),
        share(value / most),
      ),
    ),
  );
}

/** A thin bar that is filled to a share of its width. */
export function share(part, tone = "") {
  const width = `${Math.min(1, Math.max(0, part)) * 100}%`;
  return h("span", { class: `share ${tone}`, "aria-hidden": "true" }, h("span", { style: { width } }));
}

/** A probability as a number and a bar. */
export function probability(name, p) {
  return h("span", { class: "probability" }, h("span", {}, name, ` ${percent(p)}`), share(p));
}

const STATES = { budget: "budget spent", exhausted: "nothing left", away: "ended or unreachable" };
const STATE_MEANINGS = {
  budget: "A budget is used up. A higher budget resumes it.",
  exhausted: "No link is left to visit.",
  interrupted: "The last session was killed. The same command resumes it.",
  stopped: "Stopped by the user. The same command resumes it.",
};

/** Badge with a state. */
export function state(word) {
  return h("span", { class: `state ${word}`, title: STATE_MEANINGS[word] ?? null }, STATES[word] ?? word);
}

/** A record or an answer: title, text, fields. */
export function record({ title, url, text, fields }, ...more) {
  const name = title || text.slice(0, 80) || "(no title)";
  return h(
    "article",
    { class: "record" },
    h("h3", {}, url ? outside(url, name) : said(name)),
    text && text !== title ? h("p", {}, said(text)) : null,
    fields.length
      ? h(
          "dl",
          { class: "fields" },
          fields.map(([key, value]) => h("div", {}, h("dt", {}, said(key)), h("dd", {}, said(value)))),
        )
      : null,
    ...more,
  );
}
