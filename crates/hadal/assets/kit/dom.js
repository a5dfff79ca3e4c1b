// The only place where elements are created. Text becomes text nodes, never HTML. Only our own paths and http(s)
// URLs become links, so crawled content is harmless.

const SVG = "http://www.w3.org/2000/svg";

/** Makes an HTML element: h("p", { class: "hint", on: { click } }, "text", otherElement). */
export function h(tag, props, ...children) {
  return filled(document.createElement(tag), props, children);
}

/** Makes an SVG element. */
export function s(tag, props, ...children) {
  return filled(document.createElementNS(SVG, tag), props, children);
}

/** Replaces the children of an element. */
export function fill(element, ...children) {
  element.replaceChildren(...nodes(children));
  return element;
}

/** Text from the web, isolated from the text direction around it. */
export function said(text, props) {
  return h("bdi", { class: "said", ...props }, text);
}

/** External link, or plain text if the URL is not http(s). */
export function outside(url, text = url) {
  if (!webAddress(url)) return said(text);
  const link = h("a", { class: "outside", rel: "noopener noreferrer", target: "_blank" }, said(text));
  link.href = url;
  return link;
}

/** Link to a page of the dashboard. */
export function inside(path, props, ...children) {
  return h("a", { href: path, "data-inside": true, ...props }, ...children);
}

/** True if a URL is http or https. */
export function webAddress(url) {
  try {
    return ["http:", "https:"].includes(new URL(url).protocol);
  } catch {
    return false;
  }
}

function filled(element, props, children) {
  for (const [name, value] of Object.entries(props ?? {})) set(element, name, value);
  element.append(...nodes(children));
  return element;
}

function set(element, name, value) {
  if (value === null || value === undefined || value === false) return;
  if (name === "on") {
    for (const [event, react] of Object.entries(value)) element.addEventListener(event, react);
  } else if (name === "style") {
    for (const [property, text] of Object.entries(value)) element.style.setProperty(property, text);
  } else if (name === "value") {
    element.value = value;
  } else if (name === "href" && !/^[/#](?!\/)/.test(value)) {
    throw new Error("addresses of others are for outside()");
  } else {
    element.setAttribute(name, value === true ? "" : String(value));
  }
}

function nodes(children) {
  return children
    .flat(Infinity)
    .filter((child) => child !== null && child !== undefined && child !== false)
    .map((child) => (child instanceof Node ? child : document.createTextNode(String(child))));
}
