// Links followed last, with the parts of their scores as bars around zero.

import { fill, h, outside, said } from "../kit/dom.js";
import { count, percent, signed } from "../kit/format.js";
import { panel, share } from "../kit/parts.js";

export function decisions() {
  const list = h("ol", { class: "decisions scroll", tabindex: 0, "aria-label": "Links followed last" });
  let shown = "";
  return {
    element: panel("Last decisions", head(), list),
    update({ decisions }) {
      const newest = JSON.stringify(decisions.map(({ at_request, url }) => [at_request, url]));
      if (newest === shown || list.contains(document.activeElement)) return;
      shown = newest;
      fill(list, decisions.length ? decisions.map(decision) : h("li", { class: "hint" }, "Nothing yet."));
    },
  };
}

function head() {
  const names = ["Page", "On topic", "Score and its parts"];
  return h(
    "div",
    { class: "decision head" },
    names.map((name) => h("span", {}, name)),
  );
}

function decision(made) {
  return h(
    "li",
    { class: "decision" },
    h(
      "div",
      { class: "what" },
      outside(made.url, made.title || made.url),
      h("span", { class: "hint" }, facts(made), made.anchor ? [" · “", said(made.anchor), "”"] : null),
    ),
    h(
      "div",
      { class: "topic", title: "Probability that the page is on topic" },
      percent(made.p_topic),
      share(made.p_topic ?? 0),
    ),
    h("div", { class: "score" }, scoreParts(made)),
  );
}

function facts({ at_request, status, depth, origin, lane }) {
  return [
    `#${count(at_request)}`,
    status === 200 ? null : status,
    `${depth} clicks deep`,
    origin === "link" ? null : origin,
    lane && `queue ${lane}`,
  ]
    .filter(Boolean)
    .join(" · ");
}

function scoreParts({ score, parts }) {
  const most = Math.max(...parts.map(({ value }) => Math.abs(value)), 1e-9);
  return [
    h("span", { class: "sum" }, score === null ? "" : signed(score)),
    h(
      "ul",
      { class: "parts" },
      parts.map((part) => scorePart(part, most)),
    ),
  ];
}

function scorePart({ name, value }, most) {
  const width = `${(Math.abs(value) / most) * 50}%`;
  return h(
    "li",
    {},
    h("span", { class: "name" }, name),
    h("span", { class: value < 0 ? "around minus" : "around", "aria-hidden": "true" }, h("span", { style: { width } })),
    h("span", { class: "number" }, signed(value)),
  );
}
