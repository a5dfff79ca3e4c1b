// Topics page: list, a new topic, and a test of a topic on pages.

import { read, write } from "../kit/api.js";
import { fill, h, inside, outside, said } from "../kit/dom.js";
import { count, percent, plural } from "../kit/format.js";
import { addresses, field, inputForm, lines } from "../kit/input.js";
import { canStart, messages, watchJob } from "../kit/jobs.js";
import { attempt } from "../kit/notice.js";
import { panel, state, term } from "../kit/parts.js";
import { table } from "../kit/table.js";

const COLUMNS = [
  {
    name: "Topic",
    sort: ({ topic }) => topic,
    cell: ({ topic }) => inside(`/directory?topic=${encodeURIComponent(topic)}`, {}, said(topic)),
  },
  { name: "Made from", long: true, sort: ({ made_from }) => made_from, cell: ({ made_from }) => said(made_from) },
  { name: "Seeds", number: true, sort: ({ seeds }) => seeds, cell: ({ seeds }) => count(seeds) },
  {
    name: "Crawl",
    cell: ({ topic }) => inside(`/start?topic=${encodeURIComponent(topic)}`, {}, "start"),
  },
];

export async function show(main, query, signal) {
  const known = table({ label: "Topics", columns: COLUMNS, empty: "No topic." });
  const place = h("div", { class: "columns two" });
  const refresh = async () => known.show((await read("/api/topics", {}, signal)).topics);
  fill(
    main,
    h(
      "div",
      { class: "heading" },
      h("h1", {}, "Topics"),
      h("p", { class: "hint" }, "A ", term("topic"), " decides which forms are ", term("relevant"), "."),
    ),
    place,
    panel("All topics", known.element),
  );
  await refresh();
  if (await canStart(place, signal)) fill(place, draft(refresh, signal), trial(query, signal));
}

function draft(refresh, signal) {
  const name = h("input", { id: "topic-name", required: true, maxlength: 60, pattern: "[\\w\\-]+" });
  const words = h("input", { id: "topic-words", maxlength: 2000, placeholder: "recipe ingredient cuisine" });
  const examples = lines("topic-examples", { placeholder: "https://example.org/search" });
  const replace = h("input", { type: "checkbox", id: "topic-replace" });
  const result = h("div", { "aria-live": "polite", id: "draft-result" });
  const body = () => ({
    name: name.value,
    words: words.value,
    examples: addresses(examples.value),
    replace: replace.checked,
  });
  const form = inputForm(
    "New topic",
    [
      field("Name", name, "Letters, digits, - and _."),
      field("Words", words, "Words that its pages use."),
      field("Example pages", examples, "Pages with a search form of the topic; five are a good start."),
      h("label", { class: "row" }, replace, "replace a topic of this name"),
    ],
    "Create",
    async () => {
      const job = await run("/api/topics", body(), result, signal);
      if (job?.state === "done") fill(result, job.result.map(learned));
      await refresh();
    },
  );
  form.append(result);
  return form;
}

function trial(query, signal) {
  const topic = h("input", { id: "trial-topic", required: true, value: query.get("topic") ?? "", maxlength: 2000 });
  const pages = lines("trial-pages", { required: true, placeholder: "https://example.org/" });
  const result = h("div", { "aria-live": "polite", id: "trial-result" });
  const form = inputForm(
    "Test a topic",
    [
      field("Topic to test", topic, "A name or words."),
      field("Pages to judge", pages, "Web addresses, one per line. Each is fetched once."),
    ],
    "Test",
    async () => {
      const path = `/api/topics/${encodeURIComponent(topic.value)}/test`;
      const job = await run(path, { pages: addresses(pages.value) }, result, signal);
      if (job?.result.length) fill(result, job.result.map(verdict), job.state === "failed" ? messages(job) : null);
    },
  );
  form.append(result);
  return form;
}

/** Starts a job and shows its messages until it ends. */
async function run(path, body, place, signal) {
  fill(place, h("p", { class: "hint" }, "Starting…"));
  const job = await attempt(() => write("POST", path, body, signal));
  if (!job) return void fill(place);
  return watchJob(job.job, (now) => fill(place, state(now.state), messages(now)), signal);
}

function learned({ topic, made_from, words, weak, estimate }) {
  return h(
    "div",
    {},
    h(
      "p",
      {},
      h("strong", {}, said(topic)),
      " is learned from ",
      made_from,
      ". ",
      weak ? "Topics made of words only are weaker." : "",
    ),
    h("p", { class: "hint" }, "Strongest words: ", said(words.join(", "))),
    estimate?.recall
      ? h(
          "p",
          { class: "hint" },
          `Recognises ${estimate.recognised} of ${plural(estimate.examples, "example")} when each is left out, and claims `,
          `${estimate.claimed} of ${count(estimate.background)} other forms.`,
        )
      : null,
  );
}

/** Verdict on a page: its forms, most relevant first. */
function verdict(page) {
  const forms = page.forms.toSorted((a, b) => (b.p_relevant ?? 0) - (a.p_relevant ?? 0));
  return h(
    "article",
    { class: "record" },
    h("h3", {}, outside(page.url ?? page.input, page.title || page.input)),
    forms.length
      ? h("ul", { class: "verdicts" }, forms.map(judged))
      : h("p", { class: "hint" }, "The page has no form."),
  );
}

function judged(form) {
  const names = form.fields.map(({ label, name }) => label || name).filter(Boolean);
  return h(
    "li",
    {},
    h("span", { class: "tag" }, form.kind),
    ` ${chances(form)} `,
    h("span", { class: "hint" }, said(names.join(", "))),
  );
}

const chances = ({ p_relevant, p_searchable }) =>
  `relevant ${percent(p_relevant ?? null)}, searchable ${percent(p_searchable)}`;
