// Live chart of forms found over requests, beside earlier runs of the same topic.

import { read } from "../kit/api.js";
import { h } from "../kit/dom.js";
import { chart, counts } from "../kit/chart.js";
import { attempt } from "../kit/notice.js";

const EARLIER = 4;
const CURVES = [
  { what: "forms_relevant", title: "Relevant forms", look: "line-1" },
  { what: "forms_searchable", title: "Searchable forms", look: "line-2" },
];

export function harvestCurve(run, runs, signal) {
  const charts = CURVES.map(({ title }) =>
    chart({ title, x: counts("requests"), y: counts("forms"), logs: ["x", "y"], signal }),
  );
  let points = [];
  let earlier = [];

  function draw() {
    CURVES.forEach(({ what, look }, index) => {
      const over = (points) => points.map((point) => [point.requests, point[what]]);
      const others = earlier.map(({ name, look, points }) => ({ name, look, points: over(points) }));
      charts[index].show([{ name: "this run", look, points: over(points) }, ...others]);
    });
  }

  attempt(async () => {
    const kept = await read(`/api/runs/${run.run}/curve`, {}, signal);
    points = merged(kept.points, points);
    draw();
    earlier = await Promise.all(others(run, runs).map((other, index) => pastRun(other, index, signal)));
    draw();
  });

  return {
    element: h(
      "div",
      { class: "columns two", id: "curve" },
      charts.map(({ element }) => h("section", { class: "panel" }, element)),
    ),
    update({ run }) {
      if (points.at(-1)?.requests === run.requests) points.pop();
      points.push(run);
      draw();
    },
  };
}

/** Points of the store, followed by live points. */
function merged(kept, live) {
  const end = kept.at(-1)?.requests ?? -1;
  return [...kept, ...live.filter(({ requests }) => requests > end)];
}

const others = (run, runs) =>
  runs.filter((other) => other.topic === run.topic && other.run !== run.run).slice(0, EARLIER);

async function pastRun(other, index, signal) {
  const { points } = await read(`/api/runs/${other.run}/curve`, {}, signal);
  return { name: `run ${other.run}, ${other.strategy}`, look: `past past-${index + 1}`, points };
}
