// Line charts over a common x axis, drawn as SVG: axes with units, intervals as bands, values under the
// pointer or the arrow keys, a legend, logarithmic axes on demand, and a description for screen readers.

import { fill, h, s } from "./dom.js";
import { brief } from "./format.js";
import { plot } from "./plot.js";

const HEIGHT = 280;

/**
 * A chart: `{ element, show(lines) }`. A line is `{ name, look, points: [[x, y]], band: [[x, low, high]] }`,
 * where `look` is a class of the style sheet. The first line is the one whose values can be stepped through.
 */
export function chart({ title, x, y, logs = [], signal }) {
  let lines = [];
  let cursor = null;
  let named = "";
  const hidden = new Set();
  const first = () => visible()[0]?.points ?? [];
  const visible = () => lines.filter(({ name }) => !hidden.has(name));
  const log = { x: false, y: false };
  const drawing = h("div", { class: "drawing" });
  const tip = h("div", { class: "tip", hidden: true, role: "status" });
  const legend = h("ul", { class: "legend" });
  const switches = logs.map((axis) => logSwitch(axis, (on) => ((log[axis] = on), draw())));
  const element = h(
    "figure",
    { class: "chart" },
    h("figcaption", {}, h("h2", {}, title), h("div", { class: "switches" }, switches)),
    h("div", { class: "canvas" }, drawing, tip),
    legend,
  );

  function draw() {
    const width = drawing.clientWidth;
    if (width === 0) return;
    const hadFocus = drawing.contains(document.activeElement);
    const picture = plot({ lines: visible(), x, y, log, width, height: HEIGHT, title });
    fill(drawing, picture.svg);
    drawLegend();
    listen(picture);
    if (hadFocus) picture.svg.focus({ preventScroll: true });
    point(picture);
  }

  /** Rebuilt only when the lines change, so that focus survives a redraw. */
  function drawLegend() {
    const names = JSON.stringify(lines.map(({ name }) => name));
    if (names === named) return;
    named = names;
    fill(legend, lines.map(legendItem));
  }

  /** Legend entry; pressing it toggles the line. */
  function legendItem({ name, look }) {
    const toggle = () => {
      if (!hidden.delete(name)) hidden.add(name);
      button.setAttribute("aria-pressed", String(!hidden.has(name)));
      draw();
    };
    const props = { type: "button", class: `key ${look}`, "aria-pressed": String(!hidden.has(name)) };
    const button = h("button", { ...props, on: { click: toggle } }, swatch(), name);
    return h("li", {}, button);
  }

  function listen(picture) {
    const { svg } = picture;
    svg.addEventListener("pointermove", (event) => {
      const left = event.clientX - svg.getBoundingClientRect().left;
      cursor = nearest(first(), left, picture.across);
      point(picture);
    });
    const leave = () => ((cursor = null), point(picture));
    svg.addEventListener("pointerleave", leave);
    svg.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      const points = first().length;
      if (event.key === "Escape") leave();
      if (!step || points === 0) return;
      event.preventDefault();
      const stride = Math.max(1, Math.round(points / 50));
      cursor = cursor === null ? points - 1 : Math.min(points - 1, Math.max(0, cursor + step * stride));
      point(picture);
    });
  }

  function point(picture) {
    const at = cursor === null ? null : first()[cursor];
    tip.hidden = !at;
    picture.guide(at ? at[0] : null);
    if (!at) return;
    fill(
      tip,
      h("strong", {}, `${x.format(at[0])} ${x.unit}`),
      visible().map((line) => tipLine(line, at[0], y)),
    );
    const left = picture.across(at[0]);
    tip.classList.toggle("left", left > drawing.clientWidth / 2);
    tip.style.setProperty("--at", `${left}px`);
  }

  const resized = new ResizeObserver(draw);
  resized.observe(drawing);
  signal.addEventListener("abort", () => resized.disconnect());
  return { element, show: (newLines) => ((lines = newLines), draw()) };
}

/** An axis over counts. */
export const counts = (label, unit = label) => ({ label, unit, format: brief, isCount: true });

/** Value of a line at x: that of the last point up to x; undefined beyond its end. */
export function valueAt(points, x) {
  let [low, high] = [0, points.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (points[middle][0] <= x) low = middle + 1;
    else high = middle;
  }
  if (low === 0 || (low === points.length && points.at(-1)[0] < x)) return null;
  return points[low - 1];
}

function nearest(points, left, across) {
  if (points.length === 0) return null;
  const distance = (index) => Math.abs(across(points[index][0]) - left);
  return points.reduce((best, _, index) => (distance(index) < distance(best) ? index : best), 0);
}

function tipLine(line, x, y) {
  const value = valueAt(line.points, x);
  if (!value) return null;
  const band = line.band && valueAt(line.band, x);
  const range = band ? ` (${y.format(band[1])} to ${y.format(band[2])})` : "";
  return h("div", { class: `key ${line.look}` }, swatch(), `${line.name}: ${y.format(value[1])}${range}`);
}

function swatch() {
  return s(
    "svg",
    { class: "swatch", width: 24, height: 8, "aria-hidden": "true" },
    s("line", { class: "line", x1: 0, x2: 24, y1: 4, y2: 4 }),
  );
}

function logSwitch(axis, set) {
  const box = h("input", { type: "checkbox", on: { change: (event) => set(event.target.checked) } });
  return h("label", { class: "switch" }, box, `log ${axis}`);
}
