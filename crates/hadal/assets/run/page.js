// Run page: live state and results of a crawl.

import { read } from "../kit/api.js";
import { controls } from "../kit/controls.js";
import { fill, h, inside, said } from "../kit/dom.js";
import { count, moment, plural } from "../kit/format.js";
import { attempt } from "../kit/notice.js";
import { calm, later, standing, watch } from "../kit/watch.js";
import { decisions } from "./decisions.js";
import { harvestCurve } from "./curve.js";
import { lessons } from "./lessons.js";
import { load } from "./load.js";
import { tiles } from "./tiles.js";
import { workers } from "./workers.js";

const SHOWN = 20;

export async function show(main, query, signal) {
  const { runs } = await read("/api/runs", { limit: SHOWN }, signal);
  const wanted = query.get("run");
  const running = runs.find(({ state }) => ["running", "paused"].includes(state));
  const listed = wanted === null ? (running ?? runs[0]) : runs.find(({ run }) => String(run) === wanted);
  const run = listed ?? (wanted && (await read(`/api/runs/${encodeURIComponent(wanted)}`, {}, signal)).run);
  if (!run) {
    fill(main, nothingYet());
    return later(() => attempt(() => show(main, query, signal)), signal);
  }
  const path = `/api/runs/${run.run}`;
  const heading = header(run);
  const buttons = controls({ path: `${path}/control`, of: ({ run }) => run, asked: heading.asked, signal });
  const drawn = [tiles, harvestCurve, workers, load, decisions, lessons].map((part) => part(run, runs, signal));
  const parts = [buttons, ...drawn];
  const tabs = h("div", {}, picker(runs, run));
  fill(
    main,
    heading.element,
    tabs,
    parts.map(({ element }) => element),
  );
  const redraw = calm(async () => {
    const now = await attempt(() => read("/api/runs", { limit: SHOWN }, signal));
    if (now && !tabs.contains(document.activeElement)) fill(tabs, picker(now.runs, run));
  }, signal);
  const update = (now) => {
    heading.update(now);
    redraw(now);
    parts.forEach((part) => part.update(now));
  };
  update(await read(path, {}, signal));
  watch(`${path}/events`, "run", { update, away: heading.away, sentence, signal });
}

const sentence = ({ run }) =>
  `${plural(run.requests, "request")}, ${plural(run.forms_relevant, "relevant form")}, ${run.state}`;

function header(run) {
  const { element: word, update, asked, away } = standing();
  return {
    element: h(
      "div",
      { class: "heading" },
      h("h1", {}, said(run.topic), word),
      h(
        "p",
        { class: "hint" },
        `run ${run.run} · strategy ${run.strategy} · `,
        said(run.source),
        ` · ${plural(run.seeds, "seed")}`,
        run.last_at ? ` · last active ${moment(run.last_at)}` : "",
      ),
    ),
    update: ({ run, control }) => update(run.state === "running" && control.pause ? "pausing" : run.state, control),
    asked,
    away,
  };
}

function picker(runs, chosen) {
  if (runs.length < 2) return null;
  return h(
    "nav",
    { class: "picker", "aria-label": "Runs" },
    runs.map((run) =>
      inside(
        `/?run=${run.run}`,
        { "aria-current": run.run === chosen.run ? "true" : null },
        h("strong", {}, said(run.topic)),
        h("span", {}, `run ${run.run} · strategy ${run.strategy}`),
        run.last_at ? h("span", { class: "hint" }, moment(run.last_at)) : null,
        h("span", { class: "hint" }, `${count(run.forms_relevant)} relevant forms`),
      ),
    ),
    inside("/runs", {}, h("strong", {}, "All runs"), h("span", {}, "list and compare")),
  );
}

function nothingYet() {
  return h(
    "div",
    { class: "empty" },
    h("h1", {}, "No run yet"),
    h("p", {}, "This store holds no crawl. ", inside("/start", {}, "Start one"), ", or run"),
    h("pre", {}, "hadal demo\nhadal find book --seeds seeds.txt --dashboard 127.0.0.1:7878"),
  );
}
