// The only place where elements are made. Text becomes text nodes, never markup, and an address becomes
// a link only when it is one of ours or plain http(s): whatever a crawled page says stays harmless.

const SVG = "http://www.w3.org/2000/svg";

/** Makes an HTML element: h("p", { class: "hint", on: { click } }, "text", otherElement). */
export function h(tag, props, ...children) {
  return filled(document.createElement(tag), props, children);
}

/** Makes an SVG element. */
export function s(tag, props, ...children) {
  return filled(document.createElementNS(SVG, tag), props, children);
}

/** Replaces what an element holds. */
export function fill(element, ...children) {
  element.replaceChildren(...nodes(children));
  return element;
}

/** Text from the web: kept apart from the direction of what stands around it. */
export function said(text, props) {
  return h("bdi", { class: "said", ...props }, text);
}

/** A link that leaves us; mere text when the address is not one a browser should open. */
export function outside(url, text = url) {
  if (!webAddress(url)) return said(text);
  const link = h("a", { class: "outside", rel: "noopener noreferrer", target: "_blank" }, said(text));
  link.href = url;
  return link;
}

/** A link to a page of ours. */
export function inside(path, props, ...children) {
  return h("a", { href: path, "data-inside": true, ...props }, ...children);
}

/** Whether an address is plain http or https. */
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
