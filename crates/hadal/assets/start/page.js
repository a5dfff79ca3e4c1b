// Start page: crawls, imports, harvests and refreshes, and the jobs that run.

import { read } from "../kit/api.js";
import { fill, h } from "../kit/dom.js";
import { addresses, budget, field, inputForm, lines, numberOf } from "../kit/input.js";
import { canStart, jobList, startJob } from "../kit/jobs.js";
import { term } from "../kit/parts.js";

export async function show(main, query, signal) {
  const heading = h(
    "div",
    { class: "heading" },
    h("h1", {}, "Start"),
    h("p", { class: "hint" }, "Every job is a command of this program, with the options of the server."),
  );
  const place = h("div", { class: "stacked" });
  fill(main, heading, place);
  if (!(await canStart(place, signal))) return;
  const { topics } = await read("/api/topics", {}, signal);
  const names = topics.map(({ topic }) => topic);
  fill(
    place,
    datalist(names),
    h("div", { class: "columns two" }, crawl(query), harvest(query), imports(query), refresh()),
    jobList(signal),
  );
}

const datalist = (names) =>
  h(
    "datalist",
    { id: "topics" },
    names.map((name) => h("option", { value: name })),
  );

const topicInput = (id, query, props) =>
  h("input", { id, list: "topics", value: query.get("topic") ?? "", autocomplete: "off", maxlength: 2000, ...props });

function crawl(query) {
  const topic = topicInput("crawl-topic", query, { required: true });
  const seeds = lines("crawl-seeds", { placeholder: "https://example.org/" });
  const requests = budget("crawl-requests");
  return inputForm(
    "Find search forms",
    [
      field("Topic", topic, "A name or words."),
      field("Seeds", seeds, "Web addresses, one per line. Empty: the topic's own."),
      field("Request budget", requests, "Empty: crawl.max_requests of the configuration, 10,000 by default."),
    ],
    "Start crawl",
    () =>
      startJob("/api/crawls", {
        topic: topic.value,
        seeds: addresses(seeds.value),
        max_requests: numberOf(requests),
      }),
  );
}

function imports(query) {
  const topic = topicInput("import-topic", query, { required: true });
  const pages = lines("import-pages", { required: true, placeholder: "https://example.org/search" });
  return inputForm(
    "Import forms",
    [
      field("Topic", topic, "The forms are judged for it."),
      field(
        "Pages",
        pages,
        "Web addresses of pages with forms, one per line, or lines of an exported directory (JSONL).",
      ),
    ],
    "Import",
    () => startJob("/api/imports", { topic: topic.value, pages: addresses(pages.value) }),
  );
}

function harvest(query) {
  const target = h("input", {
    id: "harvest-target",
    value: query.get("form") ?? "",
    placeholder: "https://example.org/search or a form id",
  });
  const topic = topicInput("harvest-topic", new URLSearchParams());
  const top = h("input", { type: "number", id: "harvest-top", min: 1, max: 1000, value: "1" });
  const requests = budget("harvest-requests");
  const coverage = h("input", { type: "number", id: "harvest-coverage", min: 1, max: 100 });
  return inputForm(
    "Harvest databases",
    [
      field("Form", target, "A page with a search form, or a form id of the directory."),
      field("Or the best forms of a topic", topic),
      field("Number of forms", top, "Only with a topic."),
      field("Request budget", requests, "Empty: harvest.max_requests of the configuration, 5,000 by default."),
      h("p", { class: "hint" }, "The harvest stops at this ", term("coverage"), ":"),
      field("Coverage in percent", coverage, "Empty: harvest.target_coverage of the configuration, 95 by default."),
    ],
    "Start harvest",
    () => startJob("/api/harvests", harvestBody({ target, topic, top, requests, coverage })),
  );
}

function harvestBody({ target, topic, top, requests, coverage }) {
  const common = {
    max_requests: numberOf(requests),
    target_coverage: coverage.value === "" ? null : coverage.valueAsNumber / 100,
  };
  const form = target.value.trim();
  if (/^[0-9a-f]{16}$/i.test(form)) return { forms: [form], ...common };
  if (form) return { page: form, ...common };
  return { topic: topic.value, top: numberOf(top), ...common };
}

function refresh() {
  const topic = h("input", { id: "refresh-topic", list: "topics", autocomplete: "off" });
  const requests = budget("refresh-requests");
  return inputForm(
    "Refresh",
    [
      h("p", { class: "hint" }, "A ", term("refresh"), " checks forms and updates the records of their harvests."),
      field("Only this topic", topic, "Empty: all harvested forms."),
      field("Request budget", requests, "Empty: a quarter of the requests that the harvests took."),
    ],
    "Start refresh",
    () => startJob("/api/refreshes", { topic: topic.value.trim() || null, max_requests: numberOf(requests) }),
  );
}
