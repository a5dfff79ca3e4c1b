// Answers of the forms: the result of each form, then the merged answers with their sources.

import { h, said } from "../kit/dom.js";
import { count, duration, plural } from "../kit/format.js";
import { record } from "../kit/parts.js";

/** Result of a query to several forms. */
export function answered({ sources, answers }) {
  return [
    h("ul", { class: "sources" }, sources.map(source)),
    answers.length
      ? h(
          "ol",
          { class: "records" },
          answers.map((answer) => h("li", {}, record(answer, from(answer.sources)))),
        )
      : h("p", { class: "hint" }, "No answers."),
  ];
}

function source({ site, outcome, reason, found, total, requests, took_s }) {
  const result = {
    answered: `${count(found)}${total === null ? "" : ` of ${count(total)}`}`,
    nothing: "nothing",
    failed: "failed",
  }[outcome];
  return h(
    "li",
    { class: outcome },
    said(site, { class: "said name" }),
    h("strong", {}, result ?? outcome),
    h(
      "span",
      { class: "hint" },
      `${plural(requests, "request")}, ${duration(took_s)}`,
      reason ? [": ", said(reason)] : null,
    ),
  );
}

function from(sources) {
  return h(
    "p",
    { class: "from" },
    sources.map(({ site, position }) => h("span", { class: "tag" }, said(site), ` #${position}`)),
  );
}
