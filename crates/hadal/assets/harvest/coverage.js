// Estimated coverage over requests, with its interval; and the records it stands for.

import { read } from "../kit/api.js";
import { h } from "../kit/dom.js";
import { chart, counts } from "../kit/chart.js";
import { percent } from "../kit/format.js";
import { attempt } from "../kit/notice.js";
import { calm } from "../kit/watch.js";

export function coverageCurve({ harvest }, signal) {
  const share = { label: "coverage, estimated", unit: "of the records", format: percent, most: 1 };
  const coverage = chart({ title: "Coverage", x: counts("requests"), y: share, logs: ["x"], signal });
  const records = chart({ title: "Records", x: counts("requests"), y: counts("records"), logs: ["x", "y"], signal });

  async function refresh() {
    const curve = await attempt(() => read(`/api/harvests/${harvest}/curve`, {}, signal));
    if (!curve) return;
    coverage.show([coverageLine(curve.points)]);
    records.show([
      {
        name: "distinct records",
        look: "line-2",
        points: curve.points.map((point) => [point.requests, point.records]),
      },
    ]);
  }

  return {
    element: h(
      "div",
      { class: "columns two" },
      h("section", { class: "panel", id: "coverage" }, coverage.element),
      h("section", { class: "panel" }, records.element),
    ),
    update: calm(refresh, signal),
  };
}

/** An unknown bound is drawn at the edge of the possible range. */
function coverageLine(points) {
  const estimated = points.filter(({ coverage }) => coverage !== null && coverage[1] !== null);
  const since = estimated.length ? `, from request ${estimated[0].requests} on` : "";
  return {
    name: `estimate with interval${since}`,
    look: "line-1",
    points: estimated.map(({ requests, coverage }) => [requests, coverage[1]]),
    band: estimated.map(({ requests, coverage }) => [requests, coverage[0] ?? 0, coverage[2] ?? 1]),
  };
}
