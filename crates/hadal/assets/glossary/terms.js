// Terms and their meanings, read from the project's glossary.

let reading = null;

/** Sections of the glossary: `[{ title, terms: [[name, meaning]] }]`. Read once. */
export const sections = () =>
  (reading ??= fetch("/assets/glossary/terms.md").then(async (answer) => parsed(await answer.text())));

/** Meaning of a term; undefined if the glossary has none. */
export async function meaning(name) {
  const all = (await sections()).flatMap(({ terms }) => terms);
  return all.find(([term]) => term === name)?.[1];
}

/** Headings and rows of the tables of a Markdown text. */
export function parsed(text) {
  const found = [];
  for (const line of text.split("\n")) {
    if (line.startsWith("## ")) found.push({ title: line.slice(3), terms: [] });
    const [, name, words] = /^\| (.+?) \| (.+) \|$/.exec(line) ?? [];
    if (name && name !== "term") found.at(-1)?.terms.push([name, words.replaceAll("`", "")]);
  }
  return found;
}
