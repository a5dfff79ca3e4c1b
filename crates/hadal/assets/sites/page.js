// Sites page: sites that crawls visited.

import { read } from "../kit/api.js";
import { fill, h, inside, said } from "../kit/dom.js";
import { count, percent, plural } from "../kit/format.js";
import { panel, term } from "../kit/parts.js";
import { table } from "../kit/table.js";

const MOST = 1000;

const number = (name, of) => ({ name, number: true, sort: of, cell: (site) => count(of(site)) });

const COLUMNS = [
  {
    name: "Site",
    sort: ({ site }) => site,
    cell: ({ site, topic }) =>
      inside(`/directory?${new URLSearchParams({ site, topic, min_searchable: 0 })}`, {}, said(site)),
  },
  { name: "Topic", sort: ({ topic }) => topic, cell: ({ topic }) => said(topic) },
  number("Pages", ({ pages }) => pages),
  number("Forms", ({ forms }) => forms),
  number("Searchable", ({ searchable }) => searchable),
  number("Relevant", ({ relevant }) => relevant),
  { name: "Best form", number: true, sort: ({ best }) => best, cell: ({ best }) => percent(best) },
  { name: "Closed", sort: ({ closed }) => closed, cell: ({ closed }) => (closed ? "yes" : "no") },
];

export async function show(main, query, signal) {
  const known = table({ label: "Sites", columns: COLUMNS, empty: "No site has been visited yet." });
  const filter = { run: query.get("run"), topic: query.get("topic"), limit: MOST };
  const { sites, or_more } = await read("/api/sites", filter, signal);
  fill(
    main,
    h(
      "div",
      { class: "heading" },
      h("h1", {}, "Sites"),
      h(
        "p",
        { class: "hint" },
        `${plural(sites.length, "site")}${or_more ? " with the most relevant forms; there are more" : ""}. `,
        "The strategy visits no further page of a ",
        term("closed site"),
        ".",
      ),
    ),
    panel("Sites by relevant forms", known.element),
  );
  known.show(sites);
}
