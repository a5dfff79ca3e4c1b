// Glossary page: terms with their meanings.

import { fill, h } from "../kit/dom.js";
import { anchor } from "../kit/parts.js";
import { sections } from "./terms.js";

export async function show(main) {
  fill(
    main,
    h("h1", {}, "Glossary"),
    (await sections()).map(({ title, terms }) =>
      h(
        "section",
        { class: "panel" },
        h("h2", {}, title),
        h(
          "dl",
          { class: "glossary" },
          terms.map(([name, meaning]) => h("div", { id: anchor(name) }, h("dt", {}, name), h("dd", {}, meaning))),
        ),
      ),
    ),
  );
  document.getElementById(location.hash.slice(1))?.scrollIntoView({ block: "center" });
}
