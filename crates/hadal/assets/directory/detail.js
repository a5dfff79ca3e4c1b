// Details of a form: path from a seed, evidence, and a test query.

import { write } from "../kit/api.js";
import { fill, h, inside, outside, said } from "../kit/dom.js";
import { count } from "../kit/format.js";
import { attempt } from "../kit/notice.js";
import { answered } from "../ask/answers.js";

/** Details of one form. */
export function detail({ form, heading, path, harvests, template }) {
  return [
    heading ? h("p", {}, "Under the heading “", said(heading), "”") : null,
    h("h3", {}, "Clicks from a seed"),
    path.length ? h("ol", { class: "path" }, path.map(click)) : h("p", { class: "hint" }, "Unknown."),
    h(
      "p",
      { class: "hint" },
      `Found at request ${count(form.found_at_request)} of run ${form.run}; sent to `,
      outside(form.action),
    ),
    template ? h("p", {}, "A script sends ", h("code", {}, said(template))) : null,
    thumbnail(form),
    h("h3", {}, "Evidence"),
    h("ul", { class: "evidence" }, form.why.map(evidence)),
    form.finding ? h("p", {}, `Probe result: it ${FINDINGS[form.finding] ?? form.finding}.`) : null,
    harvests.length
      ? h(
          "p",
          {},
          "Harvested: ",
          harvests.map((harvest) => [inside(`/harvests?harvest=${harvest}`, {}, `harvest ${harvest}`), " "]),
        )
      : null,
    h(
      "p",
      { class: "hint" },
      "For other programs: ",
      h("a", { href: `/api/forms/${form.form_id}/opensearch`, download: `${form.form_id}.xml` }, "OpenSearch description"),
    ),
    h("h3", {}, "Try it"),
    tryout(form),
  ];
}

/** Picture of the rendered page, if one was taken. */
function thumbnail({ form_id }) {
  const picture = h("img", {
    class: "thumbnail",
    src: `/api/forms/${form_id}/thumbnail`,
    alt: "Picture of the rendered page",
    width: 320,
    height: 200,
  });
  picture.addEventListener("error", () => picture.remove());
  return picture;
}

const FINDINGS = { searches: "searches", does_not: "does not search", unclear: "gave no clear answer" };

function click({ url, anchor }, index) {
  return h("li", {}, index && anchor ? ["“", said(anchor), "” "] : null, outside(url));
}

function evidence(sentence) {
  const tone = { "+": "plus", "-": "minus" }[sentence[0]] ?? "";
  return h("li", { class: tone }, said(tone ? sentence.slice(1) : sentence));
}

function tryout(form) {
  const words = h("input", {
    type: "search",
    required: true,
    maxlength: 200,
    placeholder: "query words",
    "aria-label": "Query words",
  });
  const button = h("button", {}, "Search");
  const answers = h("div", { "aria-live": "polite" });
  const submit = async (event) => {
    event.preventDefault();
    button.disabled = true;
    fill(answers, h("p", { class: "hint" }, "Asking…"));
    const answer = await attempt(() => write("POST", `/api/forms/${form.form_id}/try`, { words: words.value }));
    button.disabled = false;
    fill(answers, answer ? answered(answer) : null);
  };
  return [h("form", { class: "try", on: { submit } }, words, button), answers];
}
