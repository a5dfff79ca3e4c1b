// Forms found over requests, growing while the run goes on, beside earlier runs of the same topic.

import { read } from "../kit/api.js";
import { h } from "../kit/dom.js";
import { chart, counts } from "../kit/chart.js";
import { attempt } from "../kit/notice.js";

const EARLIER = 4;

export function harvestCurve(run, runs, signal) {
  const drawing = chart({ title: "Harvest", x: counts("requests"), y: counts("forms"), logs: ["x", "y"], signal });
  let points = [];
  let earlier = [];

  function draw() {
    const over = (what) => points.map((point) => [point.requests, point[what]]);
    drawing.show([
      { name: "relevant forms", look: "line-1", points: over("forms_relevant") },
      { name: "searchable forms", look: "line-2", points: over("forms_searchable") },
      ...earlier,
    ]);
  }

  attempt(async () => {
    const past = await read(`/api/runs/${run.run}/curve`, {}, signal);
    points = merged(past.points, points);
    draw();
    earlier = await Promise.all(others(run, runs).map((other, index) => pastLine(other, index, signal)));
    draw();
  });

  return {
    element: h("section", { class: "panel wide", id: "curve" }, drawing.element),
    update({ run }) {
      const last = points.at(-1);
      if (last && last.requests === run.requests && last.forms_relevant === run.forms_relevant) return;
      points.push({
        requests: run.requests,
        forms_relevant: run.forms_relevant,
        forms_searchable: run.forms_searchable,
      });
      draw();
    },
  };
}

/** What the store kept, then what was seen live after it. */
function merged(kept, live) {
  const end = kept.at(-1)?.requests ?? -1;
  return [...kept, ...live.filter(({ requests }) => requests > end)];
}

const others = (run, runs) =>
  runs.filter((other) => other.topic === run.topic && other.run !== run.run).slice(0, EARLIER);

async function pastLine(other, index, signal) {
  const { points } = await read(`/api/runs/${other.run}/curve`, {}, signal);
  return {
    name: `relevant, run ${other.run} (${other.strategy})`,
    look: `past past-${index + 1}`,
    points: points.map((point) => [point.requests, point.forms_relevant]),
  };
}
