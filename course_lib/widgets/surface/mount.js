// What mounts which kind of surface.

import { mountDialogue } from "./dialogue.js";
import { mountExplorer } from "./explorer.js";
import { mountForm } from "./form.js";
import { mountVerdict } from "./verdict.js";
import { mountWritten } from "./written.js";

const KINDS = {
  dialogue: mountDialogue,
  explorer: mountExplorer,
  form: mountForm,
  verdict: mountVerdict,
  written: mountWritten,
};

export function mount(root, kind, spec, host) {
  root.classList.add("course");
  root.replaceChildren();
  root.addEventListener("keydown", plainEnter, true);
  root.addEventListener("keydown", backToTheCell);
  return KINDS[kind](root, spec, host);
}

// Shift+Enter runs a cell in JupyterLab; inside a form it must neither commit nor press a button.
function plainEnter(event) {
  if (event.key === "Enter" && (event.shiftKey || event.ctrlKey || event.altKey)) event.preventDefault();
}

// Escape leads from a control back to the cell of the notebook, from where its keys work again.
function backToTheCell(event) {
  if (event.key === "Escape" && !event.defaultPrevented) event.currentTarget.closest(".jp-Cell")?.focus();
}
