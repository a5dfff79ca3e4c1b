// Counters of a run and the share of its budget that is spent.

import { h } from "../kit/dom.js";
import { brief, count, duration, percent, plural, rate } from "../kit/format.js";
import { share, term, tile } from "../kit/parts.js";

export function tiles() {
  const requests = tile(term("request", "Requests"));
  const pages = tile("Pages per second");
  const searchable = tile(term("searchable", "Searchable forms"), "second");
  const relevant = tile(term("relevant", "Relevant forms"), "first");
  const frontier = tile(term("frontier", "Links in the frontier"));
  const left = tile("Time left");
  const spent = h("div", { class: "spent" });
  const all = [relevant, searchable, requests, pages, frontier, left];
  return {
    element: h(
      "section",
      { "aria-label": "Numbers" },
      h(
        "dl",
        { class: "tiles" },
        all.map(({ element }) => element),
      ),
      spent,
    ),
    update({ run, control, pace }) {
      const isGoing = run.state === "running" && !control.pause;
      const speed = isGoing && pace?.requests_per_s ? pace : null;
      const budget = control.max_requests ?? run.max_requests;
      relevant.set(count(run.forms_relevant), perThousand(run.forms_relevant, run.requests));
      searchable.set(count(run.forms_searchable), `of ${plural(run.forms, "form")} seen`);
      requests.set(count(run.requests), `${brief(run.bytes)}B, ${plural(run.sites, "site")}`);
      pages.set(
        rate(speed?.pages_per_s ?? average(run, isGoing)),
        speed ? `${rate(speed.requests_per_s)} requests/s` : pagesSoFar(run, isGoing),
      );
      frontier.set(brief(run.frontier), plural(run.probes, "form submission"));
      left.set(...timeLeft(run, control, speed));
      spent.replaceChildren(
        ...(budget
          ? [share(run.requests / budget), `${percent(run.requests / budget)} of ${count(budget)} requests`]
          : []),
      );
    },
  };
}

const pagesSoFar = (run, isGoing) =>
  `${isGoing ? "" : "on average; "}${plural(run.pages, "page")}, ${count(run.failed)} failed`;

/** Pages per second of all sessions; none while the current rate is being measured. */
const average = (run, isGoing) => (isGoing || !run.elapsed_s ? null : run.pages / run.elapsed_s);

const perThousand = (forms, requests) => (requests ? `${rate((forms / requests) * 1000)} per 1000 requests` : "");

const ENDED = {
  stopped: "stopped",
  interrupted: "interrupted; the same command resumes it",
  budget: "budget spent",
  exhausted: "nothing left",
  paused: "paused",
};

function timeLeft(run, control, speed) {
  if (run.state !== "running") return ["–", ENDED[run.state] ?? run.state];
  if (control.pause) return ["–", ENDED.paused];
  if (!speed) return ["–", "measuring"];
  if (speed.eta_s === null) return ["–", "no limit set"];
  return [duration(speed.eta_s), "at the current rate"];
}
