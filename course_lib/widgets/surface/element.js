// Elements: made in one call, with their attributes, listeners and children.

const SVG = "http://www.w3.org/2000/svg";
const TAKES_KEYS = ["input", "select", "textarea", "button", "a", "summary"];
// Each widget of a notebook has its own copy of this module, so the count is kept by the page.
export function uniqueId(prefix) {
  document.courseIds = (document.courseIds ?? 0) + 1;
  return `course-${prefix}-${document.courseIds}`;
}

// element("button", {class: "x", onclick: f, disabled: true}, "text", child)
export function element(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

export function svgElement(tag, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), attributes, children);
}

function filled(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value === true) node.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined)
      node.setAttribute(name, value);
  }
  // JupyterLab looks for its shortcuts from the focused element upwards until it meets this.
  if (TAKES_KEYS.includes(node.localName) || node.hasAttribute("tabindex"))
    node.setAttribute("data-lm-suppress-shortcuts", "true");
  node.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return node;
}

// A text of several lines; nothing in it is taken for HTML.
export function setLines(node, text) {
  const parts = text.split("\n").flatMap((line, k) => (k ? [element("br"), line] : [line]));
  node.replaceChildren(...parts);
}

export function status(attributes = {}) {
  return element("div", { role: "status", "aria-live": "polite", "aria-atomic": "true", ...attributes });
}
