// Keyboard shortcuts: single keys, inactive in text fields. Pages add their own while they are shown.

import { fill, h } from "./dom.js";

const shortcuts = [];

/** Adds a shortcut until the signal of its page is aborted. */
export function onKey(key, meaning, run, signal) {
  const shortcut = { key, meaning, run };
  shortcuts.push(shortcut);
  signal?.addEventListener("abort", () => shortcuts.splice(shortcuts.indexOf(shortcut), 1));
}

/** Starts listening. */
export function listen() {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || isTyping(event.target)) return;
    if (document.querySelector("dialog[open]")) return;
    const shortcut = shortcuts.findLast(({ key }) => key === event.key);
    if (!shortcut) return;
    event.preventDefault();
    shortcut.run();
  });
}

/** Shows the list. */
export function help() {
  const dialog = document.getElementById("help");
  fill(
    dialog,
    h("h2", { id: "help-title" }, "Keyboard"),
    h(
      "dl",
      { class: "keys" },
      shortcuts.map(({ key, meaning }) => [h("dt", {}, h("kbd", {}, key)), h("dd", {}, meaning)]),
    ),
    h("p", { class: "hint" }, "On a chart: ← and → read its values."),
    h("form", { method: "dialog" }, h("button", {}, "Close")),
  );
  dialog.showModal();
}

function isTyping(target) {
  return (
    target instanceof Element &&
    target.closest("input:not([type=checkbox]):not([type=range]), textarea, select") !== null
  );
}
