// Counters of a harvest, its next queries, and export links.

import { fill, h, inside, outside, said } from "../kit/dom.js";
import { brief, count, moment, percent, plural, span } from "../kit/format.js";
import { exportLinks, term, tile } from "../kit/parts.js";

export function summary(harvest, word, controls) {
  const records = tile("Records", "first");
  const coverage = tile(term("coverage", "Coverage"));
  const size = tile(term("size estimate", "Estimated size"));
  const queries = tile(term("query", "Queries"), "second");
  const requests = tile("Requests");
  const ending = h("p", { class: "hint" });
  const dates = h("span");
  const next = h("ul", { class: "terms", id: "next" });
  const nextPanel = h("section", { class: "panel" }, h("h2", {}, "Next queries"), next);
  return {
    element: h(
      "div",
      { class: "stacked" },
      h(
        "div",
        { class: "heading" },
        h("h1", {}, said(harvest.site), word.element),
        h(
          "p",
          { class: "hint" },
          `harvest ${harvest.harvest} · policy ${harvest.policy} · `,
          outside(harvest.page_url),
          " · ",
          inside(`/directory?form=${harvest.form_id}`, {}, "its form"),
          dates,
        ),
        exportLinks(`/api/harvests/${harvest.harvest}/export`),
      ),
      controls,
      h(
        "dl",
        { class: "tiles" },
        [records, coverage, size, queries, requests].map(({ element }) => element),
      ),
      ending,
      nextPanel,
    ),
    update({ harvest, control, next: wordsNext }) {
      word.update(harvest.state === "running" && control.pause ? "paused" : harvest.state, control);
      records.set(
        count(harvest.records),
        harvest.requests ? `${(harvest.records / harvest.requests).toFixed(1)} per request` : "",
      );
      coverage.set(...interval(harvest.coverage, percent));
      size.set(...interval(harvest.size, count));
      queries.set(count(harvest.queries), plural(harvest.pages, "result page"));
      const most = control.max_requests === null ? "" : `of ${count(control.max_requests)}, `;
      requests.set(count(harvest.requests), `${most}${brief(harvest.bytes)}B, ${count(harvest.failed)} failed`);
      fill(
        ending,
        harvest.ending ? `Ended: ${harvest.ending}.` : "",
        harvest.errors.map(({ explanation, count }) => ` ${explanation}: ${count}.`),
      );
      fill(dates, ` · ${harvest.last_at ? `${moment(harvest.began_at)} to ${moment(harvest.last_at)}` : "simulated clock"}`);
      nextPanel.hidden = harvest.state === "done";
      fill(
        next,
        wordsNext.length
          ? wordsNext.map((word) => h("li", {}, said(word)))
          : h("li", { class: "hint" }, harvest.state === "running" ? "Not chosen yet." : "None."),
      );
    },
  };
}

function interval(estimate, format) {
  if (!estimate) return ["–", "no estimate yet"];
  return [estimate[1] === null ? "–" : format(estimate[1]), span(estimate, format)];
}
