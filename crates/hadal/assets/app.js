// Shell of all pages: routing, theme, keyboard.
//
// A page is a module with `show(main, query, signal)`. It fills `main` according to the query string and stops its
// work when the signal is aborted.

import { fill, h } from "./kit/dom.js";
import { help, listen, onKey } from "./kit/keys.js";
import * as ask from "./ask/page.js";
import * as directory from "./directory/page.js";
import * as harvests from "./harvest/page.js";
import * as runs from "./run/page.js";

const PAGES = { "/": runs, "/directory": directory, "/harvests": harvests, "/ask": ask };
const NAMES = { "/": "Runs", "/directory": "Directory", "/harvests": "Harvests", "/ask": "Ask" };
const main = document.getElementById("main");
let leaving = new AbortController();

/** Navigates to a page of the dashboard. */
function go(path) {
  history.pushState(null, "", path);
  show();
  scrollTo(0, 0);
  main.focus({ preventScroll: true });
}

async function show() {
  leaving.abort();
  leaving = new AbortController();
  const { signal } = leaving;
  const path = location.pathname;
  for (const link of document.querySelectorAll(".top nav a")) {
    if (link.pathname === path) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  document.title = `${NAMES[path] ?? "Unknown page"} – hadal`;
  if (!(path in PAGES)) return void fill(main, unknownPage(path));
  try {
    await PAGES[path].show(main, new URLSearchParams(location.search), signal);
  } catch (error) {
    if (!signal.aborted) fill(main, h("p", { class: "hint bad", role: "alert" }, error.message));
  }
}

function unknownPage(path) {
  const link = ([to, name]) => [h("a", { href: to, "data-inside": true }, name), " "];
  return h(
    "div",
    { class: "empty" },
    h("h1", {}, "No such page"),
    h("p", { role: "alert" }, `There is no page ${path}. These pages exist: `, Object.entries(NAMES).map(link)),
  );
}

document.addEventListener("click", (event) => {
  const link = event.target.closest?.("a[data-inside]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
  event.preventDefault();
  go(link.pathname + link.search);
});
addEventListener("popstate", show);

onKey("?", "these shortcuts", help);
Object.entries(NAMES).forEach(([path, name], index) => onKey(String(index + 1), name, () => go(path)));
onKey("/", "go to the first text field", () => main.querySelector("input[type=search]")?.focus());
onKey("t", "light or dark", () => switchTheme());
document.getElementById("theme").addEventListener("click", () => switchTheme());
document.getElementById("keys").addEventListener("click", help);
listen();
show();
