// SVG plot: axes, bands, lines, and a guide that follows the pointer.

import { s } from "./dom.js";
import { roundUp, scale } from "./scale.js";

/** Least end of an axis of counts, so that its first ticks are whole numbers. */
const LEAST_COUNT = 5;
const MARGIN = { left: 52, right: 16, top: 28, bottom: 40 };

/** Draws: `{ svg, across, guide(x) }`, where `across` is the scale of the x axis. */
export function plot({ lines, x, y, log, width, height, title }) {
  const across = scale(range(lines, 0, x, log.x), [MARGIN.left, width - MARGIN.right], log.x);
  const up = scale(range(lines, 1, y, log.y), [height - MARGIN.bottom, MARGIN.top], log.y);
  if (lines.every(({ points }) => points.every(([at]) => !(at > 0)))) return emptyPlot({ across, width, height, title });
  const frame = { left: MARGIN.left, right: width - MARGIN.right, top: MARGIN.top, bottom: height - MARGIN.bottom };
  const guide = s("line", { class: "guide", y1: frame.top, y2: frame.bottom, visibility: "hidden" });
  const svg = s(
    "svg",
    { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", tabindex: 0, "aria-label": title },
    s("title", {}, title),
    s("desc", {}, described(lines, x, y)),
    rows(up, frame, y),
    columns(across, frame, x, width),
    lines.toReversed().map((line) => drawn(line, across, up)),
    guide,
  );
  return { svg, across, guide: (at) => moveGuide(guide, at === null ? null : across(at)) };
}

/** Picture before the first value: no axes, because their range is unknown. */
function emptyPlot({ across, width, height, title }) {
  const svg = s(
    "svg",
    { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", tabindex: 0, "aria-label": title },
    s("title", {}, title),
    s("text", { class: "axis", x: width / 2, y: height / 2, "text-anchor": "middle" }, "No values yet."),
  );
  return { svg, across, guide: () => {} };
}

/** A value holds until the next one, so a line has steps and no slopes. */
const steps = (points) =>
  points.flatMap((point, at) => (at ? [[point[0], ...points[at - 1].slice(1)], point] : [point]));

/** Range from zero (one on a log scale) to a round number above the largest value. */
function range(lines, index, axis, log) {
  const largest = (found, line) => {
    const values = [
      ...line.points.map((point) => point[index]),
      ...(index ? (line.band ?? []).map((point) => point[2]) : []),
    ];
    return values.reduce((most, value) => (Number.isFinite(value) ? Math.max(most, value) : most), found);
  };
  const most = axis.most ?? lines.reduce(largest, axis.isCount ? LEAST_COUNT : 1);
  return [log ? 1 : 0, log || index === 0 ? most : roundUp(most)];
}

/** Ticks of an axis. Counts have no fractions. */
const marks = (place, most, { isCount }) => place.ticks(most).filter((value) => !isCount || Number.isInteger(value));

function rows(up, frame, y) {
  const ticks = marks(up, 5, y).map((value) => {
    const at = up(value);
    return s(
      "g",
      { class: "tick" },
      s("line", { x1: frame.left, x2: frame.right, y1: at, y2: at }),
      s("text", { x: frame.left - 8, y: at + 4, "text-anchor": "end" }, y.format(value)),
    );
  });
  return [ticks, s("text", { class: "axis", x: 8, y: 14 }, y.label)];
}

function columns(across, frame, x, width) {
  const ticks = marks(across, Math.max(2, Math.floor(width / 110)), x).map((value) => {
    const at = across(value);
    return s(
      "g",
      { class: "tick" },
      s("line", { x1: at, x2: at, y1: frame.bottom, y2: frame.bottom + 5 }),
      s("text", { x: at, y: frame.bottom + 18, "text-anchor": "middle" }, x.format(value)),
    );
  });
  const foot = s("line", { class: "foot", x1: frame.left, x2: frame.right, y1: frame.bottom, y2: frame.bottom });
  return [
    ticks,
    foot,
    s("text", { class: "axis", x: frame.right, y: frame.bottom + 34, "text-anchor": "end" }, x.label),
  ];
}

function drawn({ points, band, look }, across, up) {
  const place = ([x, value]) => `${across(x).toFixed(1)},${up(value).toFixed(1)}`;
  const parts = [s("polyline", { class: "line", points: steps(points).map(place).join(" ") })];
  if (band?.length) {
    const high = steps(band).map(([x, , top]) => place([x, top]));
    const low = steps(band)
      .map(([x, bottom]) => place([x, bottom]))
      .reverse();
    const [at, bottom, top] = band.at(-1);
    parts.unshift(s("polygon", { class: "band", points: [...high, ...low].join(" ") }));
    parts.push(s("line", { class: "whisker", x1: across(at), x2: across(at), y1: up(bottom), y2: up(top) }));
  }
  const last = points.at(-1);
  if (last) parts.push(s("circle", { class: "end", cx: across(last[0]), cy: up(last[1]), r: 3.5 }));
  return s("g", { class: look }, parts);
}

function moveGuide(guide, at) {
  guide.setAttribute("visibility", at === null ? "hidden" : "visible");
  if (at !== null) {
    guide.setAttribute("x1", at);
    guide.setAttribute("x2", at);
  }
}

function described(lines, x, y) {
  const told = lines
    .filter(({ points }) => points.length > 0)
    .map(({ name, points }) => {
      const [at, value] = points.at(-1);
      return `${name}: ${y.format(value)} after ${x.format(at)} ${x.unit}`;
    });
  return told.length ? `${y.label} over ${x.label}. ${told.join("; ")}.` : "No values yet.";
}
