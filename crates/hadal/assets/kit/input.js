// Labelled fields of forms.

import { h } from "./dom.js";

/** A label with its field and an optional explanation. */
export function field(name, control, hint) {
  const id = control.id || (control.id = `field-${name.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-")}`);
  const note = hint ? h("span", { class: "hint", id: `${id}-hint` }, hint) : null;
  if (note) control.setAttribute("aria-describedby", note.id);
  return h("div", { class: "field" }, h("label", { for: id }, name), control, note);
}

/** A form: `submit` is called with its button disabled. */
export function inputForm(title, fields, action, submit) {
  const button = h("button", { class: "main" }, action);
  const onSubmit = async (event) => {
    event.preventDefault();
    button.disabled = true;
    await submit();
    button.disabled = false;
  };
  return h("form", { class: "panel input", on: { submit: onSubmit } }, h("h2", {}, title), fields, button);
}

/** Web addresses of a text: one per line, or the pages of exported forms (JSON lines). */
export function addresses(text) {
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  return lines.filter(Boolean).map((line) => (line.startsWith("{") ? pageOf(line) : line));
}

function pageOf(line) {
  try {
    return JSON.parse(line).page_url ?? line;
  } catch {
    return line;
  }
}

/** Number of a field; null if it is empty. */
export const numberOf = (input) => (input.value === "" ? null : input.valueAsNumber);

/** A field for a number of requests. */
export const budget = (id) => h("input", { type: "number", id, min: 1, max: 1e9, step: 1 });

/** A text box with several lines. */
export const lines = (id, props) => h("textarea", { id, rows: 4, spellcheck: "false", ...props });
