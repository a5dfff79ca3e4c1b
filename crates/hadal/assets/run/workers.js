// Workers of a run that several share: partitions, rates, and what waits for them.

import { h } from "../kit/dom.js";
import { count, duration, rate } from "../kit/format.js";
import { panel, term } from "../kit/parts.js";
import { table } from "../kit/table.js";

const number = (name, value, text = count) => ({
  name,
  cell: (worker) => text(value(worker)),
  sort: value,
  number: true,
});

const COLUMNS = [
  { name: "Worker", cell: ({ worker }) => worker, sort: ({ worker }) => worker },
  number("Partitions", ({ partitions }) => partitions),
  number("Requests", ({ requests }) => requests),
  number("Per second", ({ requests_per_s }) => requests_per_s, rate),
  number("Silent for", ({ silent_s }) => silent_s, duration),
  number("Links in inbox", ({ inbox }) => inbox),
  number("Oldest link", ({ inbox_s }) => inbox_s, duration),
  number("Not learned", ({ unlearned }) => unlearned),
  { name: "State", cell: ({ is_idle }) => (is_idle ? "idle" : "at work") },
];

const HINT =
  " own parts of this crawl. Requests per second are since a worker joined; an inbox holds links that others found " +
  "for it; not learned are batches of visits by others that its model does not include yet.";

export function workers() {
  const { element: list, show } = table({ label: "Workers", columns: COLUMNS, empty: "No worker." });
  const element = panel("Workers", h("p", { class: "hint" }, term("worker", "Workers"), HINT), list);
  element.hidden = true;
  return {
    element,
    update({ workers }) {
      element.hidden = workers.length === 0;
      show(workers);
    },
  };
}
