// Lessons of the link model by iteration: new and removed terms.

import { read } from "../kit/api.js";
import { fill, h, said } from "../kit/dom.js";
import { count, plural, words } from "../kit/format.js";
import { attempt } from "../kit/notice.js";
import { panel } from "../kit/parts.js";
import { calm } from "../kit/watch.js";

const ASK_EVERY_MS = 3000;
const LESSONS = 50;

export function lessons(run, _runs, signal) {
  const place = h("div", {}, h("p", { class: "hint" }, "Nothing learned yet."));
  const slider = h("input", { type: "range", id: "iteration", min: 0, on: { input: choose } });
  const steps = h("div", { class: "steps", hidden: true }, h("label", { for: "iteration" }, "Iteration"), slider);
  let held = [];
  let isLatest = true;

  async function refresh() {
    const answer = await attempt(() => read(`/api/runs/${run.run}/lessons`, { limit: LESSONS }, signal));
    if (!answer?.lessons.length || answer.lessons[0].at_request === held.at(-1)?.at_request) return;
    held = answer.lessons.toReversed();
    draw();
  }

  function choose() {
    isLatest = slider.valueAsNumber === held.length - 1;
    draw();
  }

  /** Shows the latest lesson unless an earlier one was selected. */
  function draw() {
    const at = isLatest ? held.length - 1 : slider.valueAsNumber;
    slider.max = held.length - 1;
    slider.value = at;
    steps.hidden = held.length < 2;
    const before = held.slice(0, at).findLast(({ model }) => model === held[at].model);
    fill(place, lessonView(held[at], before));
  }

  return {
    element: panel("Lessons of the link model", steps, place),
    update: calm(refresh, signal, ASK_EVERY_MS),
  };
}

function lessonView(lesson, before) {
  return [
    h(
      "p",
      { class: "hint" },
      `${lesson.model}, iteration ${lesson.iteration}, at request ${count(lesson.at_request)}: `,
      `${plural(lesson.examples, "example")} of links that led to forms. `,
      before ? "Terms with + are new since the previous iteration; struck-out terms were removed." : "",
    ),
    h(
      "div",
      { class: "spaces" },
      lesson.features.map((feature) => space(feature, matching(before, feature))),
    ),
  ];
}

const matching = (before, { space, level }) =>
  before?.features.find((feature) => feature.space === space && feature.level === level);

function space({ space, level, terms }, before) {
  const had = new Set(before?.terms.map(({ term }) => term));
  const has = new Set(terms.map(({ term }) => term));
  const gone = before?.terms.filter(({ term }) => !has.has(term)) ?? [];
  return h(
    "div",
    {},
    h("h3", {}, words(space), level === null ? "" : `, ${plural(level, "click")} away`),
    h(
      "ul",
      { class: "terms" },
      terms.map((term) => termItem(term, before && !had.has(term.term) ? "new" : "")),
      gone.map((term) => termItem(term, "gone")),
    ),
  );
}

function termItem({ term, examples }, change) {
  const mark = { new: "+ ", gone: "" }[change] ?? "";
  const text = change === "gone" ? h("del", {}, said(term)) : said(term);
  return h("li", { class: change }, mark, text, h("span", { class: "number" }, count(examples)));
}
