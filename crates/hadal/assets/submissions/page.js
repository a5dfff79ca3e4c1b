// Submissions page: the audit log of every form that was sent.

import { read } from "../kit/api.js";
import { fill, h, inside, outside, said } from "../kit/dom.js";
import { moment } from "../kit/format.js";
import { panel, term } from "../kit/parts.js";
import { pagedTable } from "../kit/table.js";

const PAGE = 100;

const COLUMNS = [
  { name: "Time", sort: ({ time }) => time, cell: ({ time }) => moment(time) },
  { name: "By", sort: by, cell: sender },
  { name: "Purpose", sort: ({ purpose }) => purpose, cell: ({ purpose }) => purpose },
  {
    name: "Form",
    sort: ({ form_id }) => form_id,
    cell: ({ form_id }) => inside(`/directory?form=${form_id}`, {}, h("code", {}, form_id)),
  },
  {
    name: "Request",
    long: true,
    cell: ({ method, url, body }) => [
      `${method.toUpperCase()} `,
      outside(url),
      body ? h("div", { class: "hint" }, said(body)) : null,
    ],
  },
  { name: "Answer", sort: ({ answer }) => answer, cell: ({ answer }) => answer || "none yet" },
];

export async function show(main, query, signal) {
  const filter = { run: query.get("run"), harvest: query.get("harvest"), topic: query.get("topic") };
  const load = async (after) => {
    const { submissions, next } = await read("/api/submissions", { ...filter, after, limit: PAGE }, signal);
    return { items: submissions, next };
  };
  const log = pagedTable({
    label: "Submissions",
    columns: COLUMNS,
    empty: "No form has been submitted.",
    load,
    signal,
  });
  fill(
    main,
    h(
      "div",
      { class: "heading" },
      h("h1", {}, "Submissions"),
      h(
        "p",
        { class: "hint" },
        "Every ",
        term("submission"),
        " is logged before it is sent. The log is never deleted. On a simulated web, time begins in 1970.",
      ),
    ),
    panel("Audit log, oldest first", log.element),
  );
  await log.refresh();
}

function by({ run, harvest }) {
  return run === null ? (harvest === null ? "person" : `harvest ${harvest}`) : `run ${run}`;
}

function sender(entry) {
  if (entry.run !== null) return inside(`/?run=${entry.run}`, {}, by(entry));
  if (entry.harvest !== null) return inside(`/harvests?harvest=${entry.harvest}`, {}, by(entry));
  return by(entry);
}
