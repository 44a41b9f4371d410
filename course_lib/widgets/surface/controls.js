// Controls of an explorer: native ones, each with a visible label in words.

import { element, uniqueId } from "./element.js";

export function controlRow(control, value, moved) {
  const rows = { slider: sliderRow, choice: choiceRow, list: listRow, switch: switchRow };
  return (rows[control.kind] ?? fieldRow)(control, value, moved);
}

function sliderRow({ label, texts }, value, moved) {
  const id = uniqueId("slider");
  const width = Math.max(...texts.map((text) => text.length));
  const shown = element("output", { for: id, style: `min-width:${width}ch` });
  const input = element("input", {
    type: "range", id, min: 0, max: texts.length - 1, step: 1,
    oninput: () => moved(Number(input.value)),
  });
  let now = null; // what stands already is not written again
  const set = (place) => {
    input.value = place;
    if (place === now) return;
    now = place;
    input.setAttribute("aria-valuetext", texts[place]);
    shown.textContent = texts[place];
  };
  set(value);
  const node = element("div", { class: "course-row course-slider" },
    element("label", { for: id }, label), input, shown);
  return { node, set, isSlider: true, enable: (on) => { input.disabled = !on; } };
}

function choiceRow({ label, texts }, value, moved) {
  const name = uniqueId("choice");
  const inputs = texts.map((_, k) => element("input", {
    type: "radio", name, value: k, onchange: () => moved(k),
  }));
  const set = (place) => { if (inputs[place]) inputs[place].checked = true; };
  set(value);
  const options = inputs.map((input, k) => element("label", {}, input, element("span", {}, texts[k])));
  const node = element("fieldset", { class: "course-row course-choice" },
    element("legend", {}, label), element("div", { class: "course-options-row" }, ...options));
  return { node, set, enable: (on) => { node.disabled = !on; } };
}

function listRow({ label, texts }, value, moved) {
  const id = uniqueId("list");
  const select = element("select", { id, onchange: () => moved(select.selectedIndex) },
    ...texts.map((text) => element("option", {}, text)));
  const set = (place) => { select.selectedIndex = place; };
  set(value);
  const node = element("div", { class: "course-row" }, element("label", { for: id }, label), select);
  return { node, set, enable: (on) => { select.disabled = !on; } };
}

function switchRow({ label }, value, moved) {
  const id = uniqueId("switch");
  const input = element("input", { type: "checkbox", id, onchange: () => moved(Number(input.checked)) });
  const set = (place) => { input.checked = Boolean(place); };
  set(value);
  const node = element("div", { class: "course-row" }, input, element("label", { for: id }, label));
  return { node, set, enable: (on) => { input.disabled = !on; } };
}

function fieldRow({ label, kind }, value, moved) {
  const id = uniqueId("field");
  const read = () => (kind === "number" ? input.valueAsNumber : input.value);
  const input = element("input", {
    type: kind, id, step: "any",
    onchange: () => { if (kind !== "number" || Number.isFinite(read())) moved(read()); },
  });
  const set = (place) => { if (input.value !== String(place)) input.value = place; };
  set(value);
  const node = element("div", { class: "course-row" }, element("label", { for: id }, label), input);
  return { node, set, enable: (on) => { input.disabled = !on; } };
}

// Buttons for states that have a name; nothing if there are none.
export function namedRow(named, jump) {
  const buttons = Object.entries(named).map(([name, place]) =>
    element("button", { type: "button", onclick: () => jump(place) }, name));
  if (!buttons.length) return null;
  return element("div", { class: "course-row course-named", role: "group", "aria-label": "Named states" },
    element("span", {}, "Try:"), element("div", { class: "course-options-row" }, ...buttons));
}
