// The home on a page without a kernel: the site and the slides.

import { pageHost } from "./host.js";
import { mount } from "./mount.js";

const packed = {}; // stored states by name, base64, as their scripts hand them in
const waiting = {};

// Called by the scripts with the states, which are loaded when needed: from file:// a page
// cannot fetch.
window.courseStates = (name, base64) => {
  packed[name] = base64;
  (waiting[name] ?? []).forEach(({ resolve }) => resolve());
};

function statesOf(root) {
  const { states, stored } = root.dataset;
  if (states) return async () => fromBase64(states);
  if (!stored) return async () => null;
  return async () => {
    if (!(stored in packed)) await load(stored, root.dataset.folder ?? "_static/states");
    return fromBase64(packed[stored]);
  };
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
    mount(root, root.dataset.kind, spec, pageHost(name, spec, statesOf(root)));
  }
}

export function whenParsed(start) {
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
  else start();
}

whenParsed(mountAll);
