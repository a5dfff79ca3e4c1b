// Notices that disappear by themselves, and messages for screen readers.

import { h } from "./dom.js";

const STAYS_MS = 8000;

/** Shows a message with an optional action. */
export function notice(sentence, { action = null, bad = false } = {}) {
  const box = h("div", { class: bad ? "notice bad" : "notice" }, h("span", {}, sentence));
  if (action)
    box.append(h("button", { type: "button", on: { click: () => (box.remove(), action.run()) } }, action.name));
  document.getElementById("notices").append(box);
  setTimeout(() => box.remove(), STAYS_MS);
}

/** Message for screen readers only. */
export function tell(sentence) {
  const place = document.getElementById("said");
  if (place.textContent !== sentence) place.textContent = sentence;
}

/** Runs an action; shows its error and returns undefined if it fails. */
export async function attempt(work) {
  try {
    return await work();
  } catch (error) {
    if (error.name !== "AbortError") notice(error.message, { bad: true });
    return undefined;
  }
}
