// Shell of all pages: routing, theme, keyboard.
//
// A page is a module with `show(main, query, signal)`. It fills `main` according to the query string and stops its
// work when the signal is aborted.

import { fill, h } from "./kit/dom.js";
import { help, listen, onKey } from "./kit/keys.js";
import { onNavigate } from "./kit/navigate.js";
import * as ask from "./ask/page.js";
import * as directory from "./directory/page.js";
import * as glossary from "./glossary/page.js";
import * as harvests from "./harvest/page.js";
import * as records from "./records/page.js";
import * as run from "./run/page.js";
import * as runs from "./runs/page.js";
import * as sites from "./sites/page.js";
import * as start from "./start/page.js";
import * as submissions from "./submissions/page.js";
import * as topics from "./topics/page.js";

const PAGES = {
  "/": ["Crawl", run],
  "/runs": ["Runs", runs],
  "/directory": ["Directory", directory],
  "/sites": ["Sites", sites],
  "/harvests": ["Harvests", harvests],
  "/records": ["Records", records],
  "/ask": ["Ask", ask],
  "/start": ["Start", start],
  "/topics": ["Topics", topics],
  "/submissions": ["Submissions", submissions],
  "/glossary": ["Glossary", glossary],
};
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
  document.title = `${PAGES[path]?.[0] ?? "Unknown page"} – hadal`;
  if (!(path in PAGES)) return void fill(main, unknownPage(path));
  try {
    await PAGES[path][1].show(main, new URLSearchParams(location.search), signal);
  } catch (error) {
    if (!signal.aborted) fill(main, failed(error));
  }
}

/** Message in place of a page, such as an unknown run. */
function failed(error) {
  return h(
    "div",
    { class: "empty" },
    h("h1", {}, error.status === 404 ? "Not found" : "This page cannot be shown"),
    h("p", { role: "alert" }, sentence(error.message)),
  );
}

const sentence = (text) => `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? "" : "."}`;

function unknownPage(path) {
  const link = ([to, [name]]) => [h("a", { href: to, "data-inside": true }, name), " "];
  return h(
    "div",
    { class: "empty" },
    h("h1", {}, "No such page"),
    h("p", { role: "alert" }, `There is no page ${path}. These pages exist: `, Object.entries(PAGES).map(link)),
  );
}

document.addEventListener("click", (event) => {
  const link = event.target.closest?.("a[data-inside]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
  event.preventDefault();
  go(link.pathname + link.search + link.hash);
});
onNavigate(go);
addEventListener("popstate", show);

onKey("?", "these shortcuts", help);
Object.entries(PAGES)
  .slice(0, 9)
  .forEach(([path, [name]], index) => onKey(String(index + 1), name, () => go(path)));
onKey("/", "go to the first text field", () => main.querySelector("input[type=search]")?.focus());
onKey("t", "light or dark", () => switchTheme());
document.getElementById("theme").addEventListener("click", () => switchTheme());
document.getElementById("keys").addEventListener("click", help);
listen();
show();
