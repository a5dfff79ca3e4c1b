// Harvest page: coverage, queries and records of a database.

import { read } from "../kit/api.js";
import { controls } from "../kit/controls.js";
import { fill, h, inside, said } from "../kit/dom.js";
import { percent, plural } from "../kit/format.js";
import { attempt } from "../kit/notice.js";
import { share, state } from "../kit/parts.js";
import { calm, later, standing, watch } from "../kit/watch.js";
import { coverageCurve } from "./coverage.js";
import { queryList } from "./queries.js";
import { recordList } from "./records.js";
import { summary } from "./summary.js";

export async function show(main, query, signal) {
  const { harvests } = await read("/api/harvests", { limit: 200 }, signal);
  const wanted = query.get("harvest");
  const running = harvests.find(({ state }) => state === "running");
  const number = wanted ?? (running ?? harvests[0])?.harvest;
  if (number === undefined) {
    fill(main, nothingYet());
    return later(() => attempt(() => show(main, query, signal)), signal);
  }
  const path = `/api/harvests/${encodeURIComponent(number)}`;
  const first = await read(path, {}, signal);
  const word = standing();
  const buttons = controls({ path: `${path}/control`, of: ({ harvest }) => harvest, asked: word.asked, signal });
  const lists = [coverageCurve, queryList].map((part) => part(first.harvest, signal));
  const parts = [summary(first.harvest, word, buttons.element), ...lists];
  const tabs = h("div", {}, picker(harvests, number));
  const redraw = calm(async () => {
    const now = await attempt(() => read("/api/harvests", { limit: 200 }, signal));
    if (now && !tabs.contains(document.activeElement)) fill(tabs, picker(now.harvests, number));
  }, signal);
  fill(
    main,
    tabs,
    parts.map(({ element }) => element),
    recordList(first.harvest, signal),
  );
  const update = (now) => Promise.all([redraw(now), ...[buttons, ...parts].map((part) => part.update(now))]);
  await update(first);
  watch(`${path}/events`, "harvest", { update, away: word.away, sentence, signal });
}

const sentence = ({ harvest }) =>
  `${plural(harvest.queries, "query", "queries")}, ${plural(harvest.records, "record")}, ${harvest.state}`;

function picker(harvests, number) {
  return h(
    "nav",
    { class: "picker", "aria-label": "Harvests" },
    harvests.map((harvest) =>
      inside(
        `/harvests?harvest=${harvest.harvest}`,
        { "aria-current": String(harvest.harvest) === String(number) ? "true" : null },
        h("strong", {}, said(harvest.site)),
        h("span", {}, `harvest ${harvest.harvest} · ${plural(harvest.records, "record")}`),
        h(
          "span",
          { class: "hint" },
          harvest.state === "running" ? state("running") : harvest.coverage ? percent(harvest.coverage[1]) : "–",
        ),
        share(harvest.coverage?.[1] ?? 0),
      ),
    ),
  );
}

function nothingYet() {
  return h(
    "div",
    { class: "empty" },
    h("h1", {}, "No harvest yet"),
    h("p", {}, "Download the records behind a form: ", inside("/start", {}, "start a harvest"), ", or run"),
    h("pre", {}, "hadal harvest --topic book --top 5"),
  );
}
