// Preview of a form: its labels and fields, drawn with inactive controls.

import { h, said } from "../kit/dom.js";
import { plural } from "../kit/format.js";

const MOST = 24;
const UNSEEN = new Set(["hidden", "image", "reset"]);

/** Draws controls: `{ name, type, label, placeholder, value, choices, options }`. */
export function sketch(controls) {
  const seen = controls.filter(({ type }) => !UNSEEN.has(type));
  const more = seen.length - MOST;
  return h(
    "div",
    { class: "sketch" },
    seen.slice(0, MOST).map(control),
    more > 0 ? h("p", { class: "hint" }, `and ${plural(more, "field")} more`) : null,
    seen.length === 0 ? h("p", { class: "hint" }, "No visible fields.") : null,
  );
}

function control(field) {
  if (["submit", "button"].includes(field.type))
    return h("span", { class: "mock button" }, said(field.value || field.label || "Submit"));
  if (["checkbox", "radio"].includes(field.type))
    return h("span", { class: "mock tick" }, said(field.label || field.name), h("span", { class: "hint" }, field.type));
  return h(
    "div",
    { class: "mock" },
    h("span", { class: "label" }, said(field.label || field.placeholder || field.name || "(no name)")),
    field.type.startsWith("select")
      ? choices(field)
      : h("span", { class: "box" }, said(field.value || field.placeholder || "\u00a0")),
    h("span", { class: "hint" }, fine(field)),
  );
}

function choices({ choices, options, label, name }) {
  if (choices.length === 0) return h("span", { class: "box list" }, options ? plural(options, "choice") : "…");
  return h(
    "select",
    { "aria-label": label || name },
    choices.map((choice) => h("option", {}, choice)),
  );
}

const fine = ({ name, type, required }) => [said(name), ` · ${type}`, required ? " · required" : ""];
