// What a check says: the outcome, the diagnosis, the first wrong cases, and a ladder of hints.

import { element, status } from "./element.js";
import { keepKeys } from "./form_parts.js";

const HINT_SLEEPS = "Asleep. To wake it: Run > Run All Cells.";

export function mountVerdict(root, spec, host) {
  root.classList.add("course-verdict");
  root.addEventListener("keydown", keepKeys);
  root.dataset.outcome = spec.outcome;
  const said = status({ class: "course-verdict-said" });
  said.append(verdictHead(spec), ...codeParts("p", spec.first));
  root.append(said, ...[verdictTable(spec.table), verdictLines(spec.lines)].filter(Boolean));
  if (spec.rungs && host.home === "lab") root.append(...hintLadder(spec, host));
}

function verdictHead(spec) {
  const sign = element("span", { "aria-hidden": "true" }, `${spec.sign} `);
  return element("p", { class: "course-outcome" }, sign, `${spec.exercise} ${spec.outcome}`);
}

// A text in which `...` stands for code.
function codeParts(tag, text) {
  if (!text) return [];
  const parts = text.split("`").map((part, k) => (k % 2 ? element("code", {}, part) : part));
  return [element(tag, {}, parts)];
}

function verdictTable(rows) {
  if (!rows.length) return null;
  const names = Object.keys(rows[0]);
  const head = element("tr", {}, names.map((name) => element("th", { scope: "col" }, name)));
  const body = rows.map((row) =>
    element("tr", {}, names.map((name) => element("td", { "data-name": name }, row[name] ?? ""))));
  const table = element("table", {}, element("thead", {}, head), element("tbody", {}, body));
  return element("div", { class: "course-cases" }, table);
}

function verdictLines(lines) {
  return lines.length ? element("pre", {}, lines.join("\n")) : null;
}

// One button climbs it; the kernel knows the hints and keeps count.
function hintLadder(spec, host) {
  const list = element("ol", { class: "course-hints" });
  const words = status({ class: "course-hint-words" });
  const button = element("button", { type: "button", onclick: () => climb() }, "");
  const climb = () => {
    if (button.hasAttribute("aria-disabled")) return; // the last click has no answer yet
    button.setAttribute("aria-disabled", "true");
    host.send({ do: "hint" });
  };
  const show = ({ hints = [] }) => {
    const next = hints.length + 1;
    hints.slice(list.children.length).forEach((text) => list.append(...codeParts("li", text)));
    button.textContent = hints.length ? `Next hint (${next} of ${spec.rungs})` : `Hint (1 of ${spec.rungs})`;
    button.removeAttribute("aria-disabled");
    button.hidden = next > spec.rungs;
    words.textContent = button.hidden ? "That was the last hint." : "";
  };
  const awake = (is) => {
    button.disabled = !is;
    words.textContent = is ? "" : HINT_SLEEPS;
  };
  show(host.shown());
  host.onShown(show);
  host.onAwake(awake);
  if (!host.hasKernel()) awake(false);
  const ladder = element("div", { role: "log", "aria-label": "Hints" }, list);
  return [ladder, element("div", { class: "course-hint-row" }, button, words)];
}
