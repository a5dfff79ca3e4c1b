// Long lists, loaded page by page on scrolling. Rows outside the screen are not laid out (`content-visibility`), so
// thousands of rows stay fast.

import { fill, h } from "./dom.js";
import { attempt } from "./notice.js";

/**
 * Fills an element with rows. `load(after)` gives `{ items, next }`; `row(item)` an element. A server's
 * page may be short or empty although more follow. Returns a promise of the first page.
 */
export function longList(place, { load, row, empty, signal }) {
  let next = null;
  let rows = 0;
  let busy = false;
  const end = h("button", { type: "button", class: "more", hidden: true, on: { click: () => more() } }, "More");
  const watcher = new IntersectionObserver((entries) => entries.some((entry) => entry.isIntersecting) && more(), {
    rootMargin: "600px",
  });
  signal.addEventListener("abort", () => watcher.disconnect());
  fill(place, end);

  async function more() {
    if (busy || signal.aborted) return;
    busy = true;
    const page = await attempt(() => load(next));
    busy = false;
    if (signal.aborted) return;
    if (!page) return void (end.hidden = false);
    end.before(...page.items.map(row));
    rows += page.items.length;
    next = page.next;
    if (next === null) {
      watcher.disconnect();
      end.remove();
      if (rows === 0) fill(place, h("p", { class: "hint" }, empty));
    } else {
      end.hidden = false;
      if (page.items.length === 0) await more();
      // Observed again, because an end that stays on the screen triggers no event.
      watcher.unobserve(end);
      watcher.observe(end);
    }
  }
  return more();
}
