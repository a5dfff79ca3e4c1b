// Live updates of a run or a harvest.

import { fill, h } from "./dom.js";
import { tell } from "./notice.js";
import { state } from "./parts.js";

const TELL_EVERY_MS = 15000;
const CALM_MS = 2000;
const AGAIN_MS = 2000;
const GOING = ["running", "pausing", "paused"];

/**
 * Calls `update` with the data of each event `name`, and `away` when the connection is lost. `sentence(now)` is the
 * text for screen readers. The browser reconnects by itself.
 */
export function watch(path, name, { update, away, sentence, signal }) {
  const source = new EventSource(path);
  let told = 0;
  source.addEventListener(name, (event) => {
    const now = JSON.parse(event.data);
    update(now);
    if (Date.now() - told < TELL_EVERY_MS) return;
    told = Date.now();
    tell(sentence(now));
  });
  source.addEventListener("error", away);
  signal.addEventListener("abort", () => source.close());
}

/** Calls a function later unless the page was left. Pages without data use it to try again. */
export function later(work, signal) {
  const timer = setTimeout(work, AGAIN_MS);
  signal.addEventListener("abort", () => clearTimeout(timer));
}

/** Current state. Without a connection, a requested stop explains why. */
export function standing() {
  const element = h("span", { class: "slot" });
  let known = "";
  let stop = false;
  const set = (word) => fill(element, state((known = word)));
  return {
    element,
    update(word, control) {
      stop = GOING.includes(word) && (stop || control.stop);
      set(word);
    },
    asked: (control) => (stop ||= control.stop),
    away: () => GOING.includes(known) && set(stop ? "stopped" : "away"),
  };
}

/**
 * Throttles a function: calls it at once, or with the latest argument when the interval is over.
 */
export function calm(work, signal, every = CALM_MS) {
  let isResting = false;
  let waiting = null;
  async function run(given) {
    isResting = true;
    await work(given);
    setTimeout(() => {
      isResting = false;
      const next = waiting;
      waiting = null;
      if (next && !signal.aborted) run(next);
    }, every);
  }
  return (given) => (isResting ? void (waiting = given) : run(given));
}
