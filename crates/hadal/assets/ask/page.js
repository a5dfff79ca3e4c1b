// Ask page: one query to many forms.

import { address, read, write } from "../kit/api.js";
import { fill, h, inside, outside, said } from "../kit/dom.js";
import { percent, plural } from "../kit/format.js";
import { attempt, tell } from "../kit/notice.js";
import { answered } from "./answers.js";

const OFFERED = 20;
const TICKED = 5;

export async function show(main, query, signal) {
  const topics = (await read("/api/forms/facets", {}, signal)).topic.map(({ value }) => value);
  if (topics.length === 0)
    return void fill(
      main,
      h(
        "div",
        { class: "empty" },
        h("h1", {}, "No sources yet"),
        h("p", {}, "A crawl has to find forms first. ", inside("/start", {}, "Start one or import forms"), ", or run"),
        h("pre", {}, "hadal demo\nhadal find book --seeds seeds.txt"),
      ),
    );
  const words = h("input", {
    type: "search",
    id: "words",
    required: true,
    maxlength: 200,
    placeholder: "What are you looking for?",
    "aria-label": "Question",
    value: query.get("words") ?? "",
  });
  const topic = h(
    "select",
    { id: "topic", "aria-label": "Topic", on: { change: () => offer() } },
    topics.map((name) => h("option", { value: name, selected: name === query.get("topic") }, name)),
  );
  const button = h("button", { class: "main" }, "Ask");
  const sources = h("ul", { class: "choose", id: "sources" });
  const answers = h("section", { id: "answers", "aria-label": "Answers" });

  async function offer() {
    const { forms } = await read("/api/forms", { topic: topic.value, limit: OFFERED }, signal);
    const first = forms.filter(takesWords).slice(0, TICKED);
    fill(
      sources,
      forms.map((form) => sourceChoice(form, first.includes(form))),
    );
  }

  async function ask(event) {
    event?.preventDefault();
    const forms = [...sources.querySelectorAll("input:checked")].map(({ value }) => value);
    history.replaceState(null, "", address("/ask", { words: words.value, topic: topic.value }));
    button.disabled = true;
    fill(answers, h("p", { class: "hint" }, `Asking ${plural(forms.length, "source")}…`));
    const answer = await attempt(() => write("POST", "/api/ask", { words: words.value, forms }, signal));
    button.disabled = false;
    fill(answers, answer ? answered(answer) : null);
    if (answer) tell(`${plural(answer.answers.length, "answer")} from ${plural(answer.sources.length, "source")}`);
  }

  fill(
    main,
    h("h1", {}, "Ask"),
    h("form", { class: "question", on: { submit: ask } }, words, topic, button),
    h("details", { class: "panel", open: true }, h("summary", {}, "Sources"), sources),
    answers,
  );
  words.focus();
  await offer();
  if (words.value) await ask();
}

/** True if the first field of a form is a text box. */
const takesWords = ({ fields }) => ["text", "search"].includes(fields.find(({ type }) => type !== "hidden")?.type);

function sourceChoice(form, ticked) {
  const box = h("input", { type: "checkbox", value: form.form_id, checked: ticked });
  const label = h(
    "label",
    {},
    box,
    said(form.site, { class: "said name" }),
    h("span", { class: "hint" }, percent(form.p_relevant)),
  );
  return h("li", {}, label, outside(form.page_url, "page"));
}
