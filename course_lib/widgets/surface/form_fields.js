// The fields of forms: options, a number, an order, and how sure one is.
//
// A field is { node, read(), show(value) }: its element, what is entered (undefined if nothing or
// something that makes no sense), and a way to enter a stored value.

import { element, uniqueId } from "./element.js";

// Options of which one is chosen. Its legend is what is asked; each option is a text.
export function optionsField(legend, options, attributes = {}) {
  const name = uniqueId("options");
  const boxes = options.map((_, k) => element("input", { type: "radio", name, value: k }));
  const lines = options.map((text, k) => element("label", { class: "course-option" },
    boxes[k], element("span", {}, text)));
  const node = askedGroup(legend, attributes, element("div", { class: "course-option-list" }, lines));
  node.addEventListener("keydown", (event) => jumpToEnd(event, boxes));
  return {
    node,
    lines,
    focus: () => (boxes.find((box) => box.checked) ?? boxes[0]).focus(),
    read: () => chosenPlace(boxes.findIndex((box) => box.checked)),
    show: (value) => boxes.forEach((box, k) => { box.checked = k === value; }),
  };
}

function askedGroup(legend, { class: name = "", ...attributes }, ...children) {
  const asked = element("legend", {}, legend);
  return element("fieldset", { class: `course-asked ${name}`, ...attributes }, asked, ...children);
}

function chosenPlace(place) {
  return place < 0 ? undefined : place;
}

// Browsers move by arrows inside a group of radio buttons; to its ends by these keys.
function jumpToEnd(event, boxes) {
  if (event.key !== "Home" && event.key !== "End") return;
  event.preventDefault();
  const box = boxes.at(event.key === "Home" ? 0 : -1);
  box.focus();
  if (!box.checked) box.click();
}

// A number with its unit. A comma is as good as a point, and the unit may be written as well.
export function numberField(legend, spec) {
  const input = element("input", { type: "text", inputmode: "decimal", autocomplete: "off", size: 9 });
  const label = element("label", { class: "course-number" },
    element("span", {}, spec.label), input, element("span", {}, spec.unit));
  const text = () => input.value.trim();
  return {
    node: askedGroup(legend, {}, label),
    input,
    text,
    focus: () => input.focus(),
    read: () => numberIn(text(), spec.unit),
    show: (value) => { input.value = value; },
  };
}

function numberIn(text, unit) {
  const bare = unit && text.endsWith(unit) ? text.slice(0, -unit.length) : text;
  const digits = bare.trim().replace(",", ".").replace("−", "-");
  const isNumber = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(digits) && Number.isFinite(Number(digits));
  return isNumber ? Number(digits) : undefined;
}

// All options in an order: one list for each place.
export function orderField(legend, options) {
  const places = options.map(() => element("select", {},
    element("option", { value: "" }, "choose"), options.map((text) => element("option", {}, text))));
  const lines = places.map((place, k) => element("label", { class: "course-number" },
    element("span", {}, `${k + 1}.`), place));
  return {
    node: askedGroup(legend, {}, lines),
    focus: () => places[0].focus(),
    read() {
      const order = places.map((place) => place.value);
      return options.every((text) => order.includes(text)) ? order : undefined;
    },
    show: (order) => places.forEach((place, k) => { place.value = order[k]; }),
  };
}

// How sure one is, in per cent; spec is {legend, levels: [[percentage, words], ...]}.
export function sureField({ legend, levels }) {
  const field = optionsField(legend, levels.map(([, words]) => words), { class: "course-sure" });
  const values = levels.map(([value]) => value);
  return {
    ...field,
    read: () => values[field.read()],
    show: (value) => field.show(values.indexOf(value)),
  };
}
