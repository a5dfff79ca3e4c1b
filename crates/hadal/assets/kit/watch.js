// Follows a run or a harvest as it goes on.

import { fill, h } from "./dom.js";
import { tell } from "./notice.js";
import { state } from "./parts.js";

const TELL_EVERY_MS = 15000;
const CALM_MS = 2000;
const AGAIN_MS = 2000;
const GOING = ["running", "pausing", "paused"];

/**
 * Calls `update` with what comes as events `name`, and `away` when nothing can come; `sentence(now)` is for screen
 * readers. The browser connects again by itself when the server was away.
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

/** Does some work in a while, unless the reader has left: a page that has nothing to show looks again. */
export function later(work, signal) {
  const timer = setTimeout(work, AGAIN_MS);
  signal.addEventListener("abort", () => clearTimeout(timer));
}

/** What state it is in. When nobody answers any more, a stop that was asked for tells why. */
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
 * The same work, done not more often than every so many milliseconds: at once, or with the latest that was given
 * as soon as it is time.
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
