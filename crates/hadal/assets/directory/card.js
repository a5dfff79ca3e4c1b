// Card of a form: fields, probabilities, page, and label.

import { read, write } from "../kit/api.js";
import { fill, h, inside, outside, said } from "../kit/dom.js";
import { plural } from "../kit/format.js";
import { startJob } from "../kit/jobs.js";
import { attempt, notice } from "../kit/notice.js";
import { probability, term } from "../kit/parts.js";
import { detail } from "./detail.js";
import { sketch } from "./sketch.js";

const LABELS = [
  ["right", "Right"],
  ["wrong", "Wrong"],
  ["not-a-search", "Not a search"],
];

/** `leaves`: rejected forms disappear; `changed` is called after labelling; `open`: shown with details. */
export function card(form, { leaves, changed, open = false }) {
  const buttons = LABELS.map(([label, words]) =>
    h(
      "button",
      { type: "button", "data-label": label, on: { click: () => mark(form.label === label ? null : label) } },
      words,
    ),
  );
  const drawing = h("div", {}, sketch(form.fields.map(fieldAsControl)));
  const more = h("div", { class: "detail" });
  const details = h(
    "details",
    { on: { toggle: () => details.open && !more.hasChildNodes() && showDetail(form, more, drawing) } },
    h("summary", {}, "Details and test query"),
    more,
  );
  const element = h(
    "article",
    { class: "card", tabindex: -1, "data-form": form.form_id, "aria-label": `Form of ${form.site}` },
    head(form),
    h("div", { class: "marks", role: "group", "aria-label": "Is it a search form of the topic?" }, buttons),
    drawing,
    details,
  );
  details.open = open;
  showLabel();

  function showLabel() {
    buttons.forEach((button) => button.setAttribute("aria-pressed", String(button.dataset.label === form.label)));
  }

  async function mark(label) {
    const path = `/api/forms/${form.form_id}/label`;
    const answer = await attempt(() => write("PUT", path, { label, topic: form.topic }));
    if (!answer) return;
    const before = form.label;
    form.label = answer.label;
    showLabel();
    changed();
    if (!leaves || label === null || label === "right") return;
    const after = element.nextElementSibling;
    element.remove();
    if (after?.matches(".card")) after.focus({ preventScroll: true });
    const back = () =>
      attempt(async () => {
        await write("PUT", path, { label: before, topic: form.topic });
        form.label = before;
        showLabel();
        if (after?.isConnected) after.before(element);
        else document.getElementById("cards")?.append(element);
        changed();
      });
    notice(`${form.site}: marked ${label.replaceAll("-", " ")}.`, { action: { name: "Undo", run: back } });
  }
  return element;
}

function head(form) {
  const also = form.also_on ? `, and on ${plural(form.also_on, "page")} more` : "";
  return h(
    "header",
    {},
    h("h2", {}, said(form.site)),
    h("p", { class: "hint" }, outside(form.page_url), also),
    h(
      "p",
      { class: "facts" },
      h("span", { class: "tag" }, said(form.topic)),
      h("span", { class: "tag" }, form.method.toUpperCase()),
      form.language ? h("span", { class: "tag" }, said(form.language)) : null,
      form.kind === "search" ? null : h("span", { class: "tag" }, form.kind),
      form.source === "form" ? null : h("span", { class: "tag" }, form.source),
      probability(term("relevant"), form.p_relevant),
      probability(term("searchable"), form.p_searchable),
    ),
    h(
      "p",
      { class: "facts" },
      h("span", { class: "hint" }, "form id ", h("code", { class: "form-id" }, form.form_id)),
      h("button", { type: "button", class: "harvest", on: { click: () => harvest(form) } }, "Harvest"),
      h(
        "span",
        { class: "hint" },
        inside(`/?run=${form.run}`, {}, `run ${form.run}`),
        ", ",
        inside(`/sites?topic=${encodeURIComponent(form.topic)}`, {}, "sites"),
      ),
    ),
  );
}

/** Starts the harvest of a form with the configured limits. */
async function harvest(form) {
  await startJob("/api/harvests", { forms: [form.form_id] });
}

/** Loads the details of a form; the preview gets its choices and buttons. */
async function showDetail(form, place, drawing) {
  fill(place, h("p", { class: "hint" }, "Loading…"));
  const known = await attempt(() => read(`/api/forms/${form.form_id}`, { topic: form.topic }));
  fill(place, known ? detail(known) : null);
  if (known?.controls.length) fill(drawing, sketch(known.controls));
}

const fieldAsControl = ({ name, type, label, options }) => ({
  name,
  type,
  label,
  placeholder: "",
  value: "",
  choices: [],
  options,
});
