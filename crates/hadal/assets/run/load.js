// Load of a run: queues of the frontier, hosts, errors by kind.

import { fill, h } from "../kit/dom.js";
import { count, plural } from "../kit/format.js";
import { bars, panel } from "../kit/parts.js";

const HOSTS = 10;

export function load() {
  const lanes = h("div");
  const queues = panel("Links by queue", h("p", { class: "hint" }, "The strategy decides what a queue means."), lanes);
  const hosts = h("div");
  const errors = h("div");
  return {
    element: h(
      "div",
      { class: "columns" },
      queues,
      panel("Hosts of the last 200 pages", hosts),
      panel("Errors by kind", errors),
    ),
    update(now) {
      queues.hidden = now.lanes.length < 2;
      fill(lanes, bars(now.lanes.map(lane), "The frontier is empty."));
      fill(hosts, bars(now.hosts.slice(0, HOSTS).map(host), "No page yet."));
      fill(
        errors,
        bars(
          now.run.errors.map(({ explanation, count }) => ({ name: explanation, value: count })),
          "None.",
        ),
      );
    },
  };
}

const lane = ({ lane, waiting, or_more }) => ({
  name: /^\d+$/.test(lane) ? `queue ${lane}` : lane,
  value: waiting,
  note: `${count(waiting)}${or_more ? " or more" : ""}`,
});

const host = ({ host, recent_pages, requests, failures, latency_ms }) => ({
  name: host.replace(/^http:\/\//, ""),
  value: recent_pages,
  note: [
    plural(recent_pages, "page"),
    `${count(requests)} in all`,
    failures ? `${count(failures)} failed` : null,
    latency_ms === null ? null : `${count(latency_ms)} ms`,
  ]
    .filter(Boolean)
    .join(" · "),
});
