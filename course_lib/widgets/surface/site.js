// The gate on the site: what follows a prediction stays closed until the reader has committed to
// one, or asks to be shown. Without this script everything is open.

import { element } from "./element.js";
import { forgetAll } from "./host.js";
import { fadeWhereMore, keepLegible } from "./legible.js";
import { whenParsed } from "./page.js";
import { fitTables } from "./tables.js";

const AFTER = /\btag_after-(\d\d)-(\d+)\b/;
const SCROLLING = ".course-figure, .highlight pre, .cell_output .output, div.math, .course-long, .table-wrapper";

document.documentElement.classList.add("course-alive"); // before anything is painted

// Of closed cells that follow each other only the first says why.
function closeGates() {
  for (const cell of document.querySelectorAll('.cell[class*="tag_after-"]:not(.course-open)')) {
    const [, lesson, number] = AFTER.exec(cell.className) ?? [];
    if (!lesson) cell.classList.add("course-open");
    else if (!cell.previousElementSibling?.matches(`.tag_after-${lesson}-${number}`))
      cell.before(closedNote(`${lesson}.${number}`));
  }
}

function closedNote(id) {
  const words = `Commit to prediction ${id} above to see what comes next.`;
  return element("p", { class: "course-closed", "data-prediction": id }, words);
}

// Forms tell of a commitment when it is made, and again when the page is opened later.
function openGate({ detail }) {
  const tag = `tag_after-${detail.id.replace(".", "-")}`;
  document.querySelectorAll(`[data-prediction="${detail.id}"]`).forEach((line) => line.remove());
  document.querySelectorAll(`.cell.${tag}`).forEach((cell) => cell.classList.add("course-open"));
  requestAnimationFrame(fit);
}

// Buttons that empty this browser's memory of the course.
function offerToForget() {
  const forget = () => { forgetAll(); location.reload(); };
  for (const place of document.querySelectorAll(".course-forget"))
    place.replaceChildren(element("button", { type: "button", onclick: forget }, "Forget what I entered."));
}

// A formula that is longer than a line of a phone gets a line of its own, and scrolls.
function breakLongFormulas() {
  for (const formula of document.querySelectorAll("article span.math")) {
    formula.classList.remove("course-long");
    formula.classList.toggle("course-long", formula.getBoundingClientRect().width > roomOf(formula));
  }
}

// The width of the next box around a formula; what stands within a line has none of its own.
function roomOf(formula) {
  let box = formula.parentElement;
  while (box && !box.clientWidth) box = box.parentElement;
  return box?.clientWidth ?? Infinity;
}

function keepFiguresLegible() {
  document.querySelectorAll(".course-figure > svg").forEach(keepLegible);
  document.querySelectorAll(".course-figure").forEach(fadeWhereMore);
}

// Tables and formulas fit the page; what scrolls sideways can be scrolled by keys as well.
function fit() {
  fitTables();
  breakLongFormulas();
  for (const box of document.querySelectorAll(SCROLLING))
    if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
    else box.removeAttribute("tabindex");
}

document.addEventListener("course:committed", openGate);
document.addEventListener("course:shown", openGate);
window.addEventListener("resize", fit);
whenParsed(() => { closeGates(); offerToForget(); keepFiguresLegible(); fit(); });
