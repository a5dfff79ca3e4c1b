// What came out of each database: how much of it, by which questions, and the records themselves.

import { read } from "../kit/api.js";
import { fill, h, inside, said } from "../kit/dom.js";
import { count, percent } from "../kit/format.js";
import { attempt } from "../kit/notice.js";
import { share, state } from "../kit/parts.js";
import { coverageCurve } from "./coverage.js";
import { queryList } from "./queries.js";
import { recordList } from "./records.js";
import { summary } from "./summary.js";

const LOOK_EVERY_MS = 2000;

export async function show(main, query, signal) {
  const { harvests } = await read("/api/harvests", { limit: 200 }, signal);
  const number = Number(query.get("harvest")) || harvests[0]?.harvest;
  if (!number) return void fill(main, nothingYet());
  const first = await read(`/api/harvests/${number}`, {}, signal);
  const parts = [summary, coverageCurve, queryList].map((part) => part(first.harvest, signal));
  fill(
    main,
    picker(harvests, number),
    parts.map(({ element }) => element),
    recordList(first.harvest, signal),
  );
  await Promise.all(parts.map((part) => part.update(first)));
  if (first.harvest.state === "running") look(number, parts, signal);
}

/** Looks again while the harvest goes on. */
function look(number, parts, signal) {
  const timer = setInterval(async () => {
    const now = await attempt(() => read(`/api/harvests/${number}`, {}, signal));
    if (!now) return;
    parts.forEach((part) => part.update(now));
    if (now.harvest.state !== "running") clearInterval(timer);
  }, LOOK_EVERY_MS);
  signal.addEventListener("abort", () => clearInterval(timer));
}

function picker(harvests, number) {
  return h(
    "nav",
    { class: "picker", "aria-label": "Harvests" },
    harvests.map((harvest) =>
      inside(
        `/harvests?harvest=${harvest.harvest}`,
        { "aria-current": harvest.harvest === number ? "true" : null },
        h("strong", {}, said(harvest.site)),
        h("span", {}, `${count(harvest.records)} records`),
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
    h("p", {}, "Bring up what is behind a form that was found:"),
    h("pre", {}, "hadal harvest --topic book --top 5"),
  );
}
