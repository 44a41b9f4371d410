// What all forms have: a line of messages, keys that stay inside, a lock, and sleep.

import { element, status, uniqueId } from "./element.js";

const GROWN = [50, 200, 500, 1000]; // milliseconds after which a new output may still have moved
const OWN_KEYS = new Set(["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "Home", "End", "Enter", "Escape"]);

// A body that is switched off as a whole while the kernel sleeps; it goes on showing what it shows.
export function formBody(root, spec, host) {
  const body = element("fieldset", { class: "course-form", role: "presentation" });
  const line = status({ class: "course-asleep" });
  const awake = (is) => {
    body.disabled = !is;
    line.textContent = is ? "" : spec.words.asleep;
  };
  root.addEventListener("keydown", keepKeys);
  root.append(body, line);
  host.onAwake(awake);
  host.onShown(({ problem }) => { if (problem) line.textContent = `↻ ${problem}`; });
  if (host.home === "lab" && !host.hasKernel()) awake(false);
  return body;
}

// Neither the notebook nor the slides around a form may take its keys for theirs.
export function keepKeys(event) {
  if (OWN_KEYS.has(event.key)) event.stopPropagation();
}

// A form with one button and a line for messages beside it. `commit` returns what is missing,
// as {text, field}, or nothing.
export function commitForm(fields, words, commit, ...others) {
  const message = status({ class: "course-message", id: uniqueId("message"), tabindex: "-1" });
  const button = element("button", { type: "submit", class: "course-primary" }, words.button);
  const row = element("div", { class: "course-commit" }, button, others, message);
  const form = element("form", { novalidate: true }, fields.map((field) => field.node), row);
  const say = (kind, text) => tellMessage(message, kind, text);
  form.addEventListener("input", () => clearMissing(fields, say));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const missing = commit();
    if (missing) showMissing(missing, message, say);
  });
  fields.forEach((field) => field.node.setAttribute("aria-describedby", message.id));
  return { node: form, message, say, lock: () => lockForm(form, [button, ...others]) };
}

// A message by sign and colour; without a text, nothing.
export function tellMessage(message, kind, text) {
  message.className = `course-message course-${kind}`;
  message.textContent = text;
}

function showMissing({ text, field }, message, say) {
  say("todo", `↻ ${text}`);
  field.input?.setAttribute("aria-invalid", "true");
  field.input?.setAttribute("aria-describedby", message.id);
  field.focus();
}

function clearMissing(fields, say) {
  say("none", "");
  fields.forEach((field) => field.input?.removeAttribute("aria-invalid"));
}

function lockForm(form, buttons) {
  form.classList.add("course-locked");
  form.querySelectorAll("fieldset").forEach((field) => { field.disabled = true; });
  buttons.forEach((button) => button.remove());
}

// Tells all forms, and whoever else listens, that something was committed to or looked at.
export function announce(name, id, entry) {
  document.dispatchEvent(new CustomEvent(`course:${name}`, { detail: { id, entry } }));
}

// f(entry) when the thing with this id is committed to or looked at, wherever that happens.
export function onAnnounced(id, f) {
  const hear = (event) => { if (event.detail.id === id && event.detail.entry) f(event.detail.entry); };
  ["course:committed", "course:shown"].forEach((name) => document.addEventListener(name, hear));
  return () => ["course:committed", "course:shown"].forEach((name) => document.removeEventListener(name, hear));
}

// Right or wrong, by colour, sign and word, and what is said to it.
export function replyBox(right, words, text) {
  const word = element("b", {}, right ? `✓ ${words.right}` : `✗ ${words.wrong}`);
  return element("div", { class: `course-reply course-${right ? "right" : "wrong"}` }, word, " ", text);
}

// A text with {name}s, filled in.
export function filledIn(text, values) {
  return text.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
}

// JupyterLab goes on to the next cell, and so to the end of a form that is longer than the
// window. Whoever has just asked for the form wants its beginning.
export function landAtTop(root) {
  const timers = GROWN.map((wait) => setTimeout(() => showTop(root), wait));
  const stay = () => timers.forEach(clearTimeout);
  ["pointerdown", "wheel", "keydown"].forEach((name) =>
    document.addEventListener(name, stay, { once: true, capture: true }));
}

function showTop(root) {
  const window_ = scrolledBy(root)?.getBoundingClientRect();
  const { top, bottom } = root.getBoundingClientRect();
  const endOnly = window_ && top < window_.top && bottom > window_.top && bottom <= window_.bottom;
  if (endOnly) root.scrollIntoView({ block: "start" });
}

function scrolledBy(node) {
  const scrolls = (each) => each.scrollHeight > each.clientHeight && /auto|scroll/.test(getComputedStyle(each).overflowY);
  for (let each = node.parentElement; each; each = each.parentElement) if (scrolls(each)) return each;
  return null;
}
