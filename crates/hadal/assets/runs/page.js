// Runs page: all runs, and a comparison of the ones that are ticked.

import { read } from "../kit/api.js";
import { chart, counts } from "../kit/chart.js";
import { fill, h, inside, said } from "../kit/dom.js";
import { count, duration, moment, rate } from "../kit/format.js";
import { attempt } from "../kit/notice.js";
import { panel, state, term } from "../kit/parts.js";
import { table } from "../kit/table.js";

const MOST = 1000;
const LOOKS = ["line-1", "line-2", "past past-1", "past past-2", "past past-3", "past past-4"];

export async function show(main, query, signal) {
  const ticked = new Set((query.get("compare") ?? "").split(",").filter(Boolean).map(Number));
  const charts = [
    ["forms_relevant", "Relevant forms"],
    ["forms_searchable", "Searchable forms"],
  ].map(([what, title]) => ({
    what,
    view: chart({ title, x: counts("requests"), y: counts("forms"), logs: ["x", "y"], signal }),
  }));
  const comparison = h(
    "div",
    { class: "columns two", id: "comparison", hidden: true },
    charts.map(({ view }) => h("section", { class: "panel" }, view.element)),
  );
  const known = table({ label: "Runs", columns: columns(ticked, compare), empty: "No run yet: start a crawl first." });
  let runs = [];

  async function compare() {
    const chosen = runs.filter(({ run }) => ticked.has(run)).slice(0, LOOKS.length);
    const path = ticked.size ? `/runs?compare=${[...ticked].join(",")}` : "/runs";
    history.replaceState(null, "", path);
    comparison.hidden = chosen.length === 0;
    const curves = await attempt(() =>
      Promise.all(chosen.map(({ run }) => read(`/api/runs/${run}/curve`, {}, signal))),
    );
    if (!curves) return;
    charts.forEach(({ what, view }) =>
      view.show(
        chosen.map((run, at) => ({
          name: `run ${run.run}, ${run.topic}, ${run.strategy}`,
          look: LOOKS[at],
          points: curves[at].points.map((point) => [point.requests, point[what]]),
        })),
      ),
    );
  }

  fill(
    main,
    h(
      "div",
      { class: "heading" },
      h("h1", {}, "Runs"),
      h("p", { class: "hint" }, "A ", term("run"), " is one crawl. Tick runs to compare them."),
    ),
    comparison,
    panel("All runs, newest first", known.element),
  );
  runs = (await read("/api/runs", { limit: MOST }, signal)).runs;
  known.show(runs);
  if (ticked.size) await compare();
}

function columns(ticked, changed) {
  const tick = ({ run }) =>
    h("input", {
      type: "checkbox",
      checked: ticked.has(run),
      "aria-label": `Compare run ${run}`,
      "data-run": run,
      on: { change: (event) => (event.target.checked ? ticked.add(run) : ticked.delete(run), changed()) },
    });
  const number = (name, of, format = count) => ({ name, number: true, sort: of, cell: (run) => format(of(run)) });
  return [
    { name: "Compare", cell: tick },
    { name: "Run", number: true, sort: ({ run }) => run, cell: ({ run }) => inside(`/?run=${run}`, {}, `run ${run}`) },
    { name: "Topic", sort: ({ topic }) => topic, cell: ({ topic }) => said(topic) },
    { name: "Strategy", sort: ({ strategy }) => strategy, cell: ({ strategy }) => strategy },
    { name: "State", sort: ({ state }) => state, cell: (run) => state(run.state) },
    number("Requests", ({ requests }) => requests),
    number("Searchable", ({ forms_searchable }) => forms_searchable),
    {
      name: "Relevant",
      number: true,
      sort: ({ forms_relevant }) => forms_relevant,
      cell: ({ run, forms_relevant }) => inside(`/directory?run=${run}&min_relevance=0.5`, {}, count(forms_relevant)),
    },
    number(
      "Per 1000 requests",
      ({ forms_relevant, requests }) => (requests ? (forms_relevant / requests) * 1000 : null),
      rate,
    ),
    number("Time", ({ elapsed_s }) => elapsed_s, duration),
    {
      name: "Last active",
      sort: ({ last_at }) => last_at,
      cell: ({ last_at }) => (last_at ? moment(last_at) : "simulated clock"),
    },
  ];
}
