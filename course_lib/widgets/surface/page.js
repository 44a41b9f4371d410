// The home on a page without a kernel: the site and the slides.

import { pageHost } from "./host.js";
import { mount } from "./mount.js";

const packed = {}; // stored states by name, base64, as their scripts hand them in
const waiting = {};
const PHONE = 480; // pixels up to which a page is as narrow as a phone

// Called by the scripts with the states, which are loaded when needed: from file:// a page
// cannot fetch.
window.courseStates = (name, base64) => {
  packed[name] = base64;
  (waiting[name] ?? []).forEach(({ resolve }) => resolve());
};

function statesOf(root, narrow) {
  const { states, stored, statesNarrow } = root.dataset;
  if (states) return async () => fromBase64(narrow ? statesNarrow : states);
  if (!stored) return async () => null;
  const name = narrow ? `${stored}-narrow` : stored;
  return async () => {
    if (!(name in packed)) await load(name, root.dataset.folder ?? "_static/states");
    return fromBase64(packed[name]);
  };
}

// Whether the drawing for a phone is shown.
function isNarrow({ dataset }, spec) {
  return Boolean(spec.narrow && (dataset.stored || dataset.statesNarrow) && window.innerWidth <= PHONE);
}

function load(name, folder) {
  return new Promise((resolve, reject) => {
    const first = !(name in waiting);
    (waiting[name] ??= []).push({ resolve, reject });
    if (!first) return;
    const script = document.createElement("script");
    script.src = `${folder}/${name}.js`;
    script.onerror = () => waiting[name].forEach((one) => one.reject(new Error(`${name}.js is missing`)));
    document.head.append(script);
  });
}

function fromBase64(text) {
  return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
}

function mountAll() {
  for (const root of document.querySelectorAll(".course-surface:not(.course)")) {
    const spec = JSON.parse(root.querySelector('script[type="application/json"]').textContent);
    const name = root.dataset.memory === "none" ? null : (root.dataset.name ?? spec.name ?? "");
    if (!isNarrow(root, spec)) delete spec.narrow;
    mount(root, root.dataset.kind, spec, pageHost(name, spec, statesOf(root, Boolean(spec.narrow))));
  }
}

export function whenParsed(start) {
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
  else start();
}

whenParsed(mountAll);
