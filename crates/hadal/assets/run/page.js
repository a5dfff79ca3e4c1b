// The run page: what a crawl does now and what it has found, drawn anew whenever the server says so.

import { read } from "../kit/api.js";
import { fill, h, inside, said } from "../kit/dom.js";
import { count, plural } from "../kit/format.js";
import { tell } from "../kit/notice.js";
import { state } from "../kit/parts.js";
import { controls } from "./controls.js";
import { decisions } from "./decisions.js";
import { harvestCurve } from "./curve.js";
import { lessons } from "./lessons.js";
import { load } from "./load.js";
import { tiles } from "./tiles.js";

const TELL_EVERY_MS = 15000;

export async function show(main, query, signal) {
  const { runs } = await read("/api/runs", { limit: 200 }, signal);
  const run = runs.find(({ run }) => String(run) === query.get("run")) ?? runs[0];
  if (!run) return void fill(main, nothingYet());
  const parts = [controls, tiles, harvestCurve, load, decisions, lessons].map((part) => part(run, runs, signal));
  const heading = header(run);
  fill(
    main,
    heading.element,
    picker(runs, run),
    parts.map(({ element }) => element),
  );
  const update = (now) => {
    heading.update(now);
    parts.forEach((part) => part.update(now));
  };
  update(await read(`/api/runs/${run.run}`, {}, signal));
  watch(run.run, update, heading.away, signal);
}

/** Follows a run; the browser connects again by itself when the server was away. */
function watch(number, update, away, signal) {
  const source = new EventSource(`/api/runs/${number}/events`);
  let told = 0;
  source.addEventListener("run", (event) => {
    const now = JSON.parse(event.data);
    update(now);
    if (Date.now() - told < TELL_EVERY_MS) return;
    told = Date.now();
    tell(
      `${plural(now.run.requests, "request")}, ${plural(now.run.forms_relevant, "relevant form")}, ${now.run.state}`,
    );
  });
  source.addEventListener("error", away);
  signal.addEventListener("abort", () => source.close());
}

function header(run) {
  const word = h("span", { class: "slot" });
  let known = "";
  const set = (now) => fill(word, state((known = now)));
  return {
    element: h(
      "div",
      { class: "heading" },
      h("h1", {}, said(run.topic), word),
      h(
        "p",
        { class: "hint" },
        `run ${run.run} · ${run.strategy} · `,
        said(run.source),
        ` · ${plural(run.seeds, "seed")}`,
      ),
    ),
    update: ({ run, control }) => set(run.state === "running" && control.pause ? "pausing" : run.state),
    away: () => ["running", "pausing", "paused"].includes(known) && set("away"),
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
        { "aria-current": run === chosen ? "true" : null },
        h("strong", {}, said(run.topic)),
        h("span", {}, `${run.run} · ${run.strategy}`),
        h("span", { class: "hint" }, `${count(run.forms_relevant)} forms`),
      ),
    ),
  );
}

function nothingYet() {
  return h(
    "div",
    { class: "empty" },
    h("h1", {}, "No run yet"),
    h("p", {}, "This store holds no crawl. Start one and come back to this page:"),
    h("pre", {}, "hadal demo\nhadal find book --seeds seeds.txt --dashboard 127.0.0.1:7878"),
  );
}
