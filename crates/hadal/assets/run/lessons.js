// What the link learner goes by, iteration by iteration: terms that came in and terms that left.

import { read } from "../kit/api.js";
import { fill, h, said } from "../kit/dom.js";
import { count, plural, words } from "../kit/format.js";
import { attempt } from "../kit/notice.js";
import { panel } from "../kit/parts.js";

const ASK_EVERY_MS = 3000;

export function lessons(run, _runs, signal) {
  const body = h("div", {}, h("p", { class: "hint" }, "Nothing learned yet."));
  let held = [];
  let chosen = null;
  let asked = 0;

  async function refresh() {
    const answer = await attempt(() => read(`/api/runs/${run.run}/lessons`, { limit: 50 }, signal));
    if (!answer || answer.lessons.length === held.length) return;
    held = answer.lessons.toReversed();
    draw();
  }

  function draw() {
    const at = chosen ?? held.length - 1;
    const lesson = held[at];
    const before = held.slice(0, at).findLast(({ model }) => model === lesson.model);
    const choose = (event) => {
      const value = Number(event.target.value);
      chosen = value === held.length - 1 ? null : value;
      drawLesson(held[value], held.slice(0, value).findLast(({ model }) => model === held[value].model));
    };
    const slider = h("input", { type: "range", id: "iteration", min: 0, max: held.length - 1, value: at, on: { input: choose } });
    const place = h("div");
    const drawLesson = (lesson, before) => fill(place, lessonView(lesson, before));
    drawLesson(lesson, before);
    const steps = h("div", { class: "steps" }, h("label", { for: "iteration" }, "Iteration"), slider);
    slider.value = at;
    fill(body, held.length > 1 ? steps : null, place);
  }

  return {
    element: panel("What the link learner goes by", body),
    update() {
      if (Date.now() - asked < ASK_EVERY_MS) return;
      asked = Date.now();
      refresh();
    },
  };
}

function lessonView(lesson, before) {
  return [
    h(
      "p",
      { class: "hint" },
      `${lesson.model}, iteration ${lesson.iteration}, at request ${count(lesson.at_request)}: `,
      `${plural(lesson.examples, "example")} of links that led to forms. `,
      before ? "Terms with + are new since the iteration before, terms struck out have left." : "",
    ),
    h("div", { class: "spaces" }, lesson.features.map((feature) => space(feature, matching(before, feature)))),
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
