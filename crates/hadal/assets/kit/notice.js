// What just happened, for eyes (a notice that leaves by itself) and for screen readers.

import { h } from "./dom.js";

const STAYS_MS = 8000;

/** Shows a sentence, with something one may do about it. */
export function notice(sentence, { action = null, bad = false } = {}) {
  const box = h("div", { class: bad ? "notice bad" : "notice" }, h("span", {}, sentence));
  if (action)
    box.append(h("button", { type: "button", on: { click: () => (box.remove(), action.run()) } }, action.name));
  document.getElementById("notices").append(box);
  setTimeout(() => box.remove(), STAYS_MS);
}

/** Tells screen readers where things stand, without a word on screen. */
export function tell(sentence) {
  const place = document.getElementById("said");
  if (place.textContent !== sentence) place.textContent = sentence;
}

/** Does something that may be refused; a refusal is shown and gives undefined. */
export async function attempt(work) {
  try {
    return await work();
  } catch (error) {
    if (error.name !== "AbortError") notice(error.message, { bad: true });
    return undefined;
  }
}
