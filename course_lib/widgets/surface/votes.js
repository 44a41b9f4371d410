// Votes on slides: the lecturer types how the class voted; the answer shows it. Nothing is kept.

import { element, svgElement } from "./element.js";
import { whenParsed } from "./page.js";

const WIDE = 1000; // units of the drawing of guesses
const AXIS = 74;

function prepareVotes() {
  for (const ballot of document.querySelectorAll(".ballot")) {
    const vote = JSON.parse(ballot.dataset.vote);
    const tally = tallyOf(ballot);
    (vote.kind === "hands" ? askForHands : askForGuesses)(ballot, vote, tally);
  }
}

// The answer that follows the question.
function tallyOf(ballot) {
  return ballot.closest(".part").nextElementSibling.querySelector(".tally");
}

// ---- hands ----

function askForHands(ballot, vote, tally) {
  const fields = vote.options.map((text) => element("input", {
    type: "number", min: 0, step: 1, "aria-label": `${vote.what}: ${text}`,
    oninput: () => showHands(vote, fields.map((field) => field.valueAsNumber || 0), tally),
  }));
  const labels = vote.options.map((text, k) => element("label", {}, text, fields[k]));
  ballot.append(element("span", {}, `${vote.what}:`), ...labels);
}

function showHands({ options, right, inline }, hands, tally) {
  const all = hands.reduce((sum, count) => sum + count, 0);
  const row = inline ? handsText : handsRow;
  const rows = all ? options.map((text, k) => row(text, hands[k], all, k === right)) : [];
  tally.replaceChildren(...(inline && all ? [element("div", { class: "inline" }, ...rows)] : rows));
}

function handsText(text, count, all, right) {
  const share = Math.round((100 * count) / all);
  return element("span", { class: right ? "right" : "" }, `${right ? "✓ " : ""}${text}: ${count} (${share} %)`);
}

function handsRow(text, count, all, right) {
  const share = Math.round((100 * count) / all);
  return element("div", { class: right ? "bar right" : "bar" },
    element("span", { class: "name" }, `${right ? "✓ " : ""}${text}`),
    element("span", { class: "track" }, element("span", { class: "full", style: `width:${share}%` })),
    element("span", { class: "count" }, `${count} (${share} %)`));
}

// ---- guesses of a number ----

function askForGuesses(ballot, vote, tally) {
  const field = element("input", {
    type: "text", size: 40, autocomplete: "off", placeholder: "such as 3 4 4 7.5",
    oninput: () => showGuesses(vote, numbersIn(field.value), tally),
  });
  ballot.append(element("label", {}, "guesses:", field));
}

// Numbers between blanks or semicolons; 0,4 is 0.4.
function numbersIn(text) {
  const found = text.split(/[\s;]+|,(?=\s|$)/).filter(Boolean);
  return found.map((one) => Number(one.replace(",", "."))).filter(Number.isFinite);
}

function showGuesses({ low, high, truth, unit }, guesses, tally) {
  if (!guesses.length) return tally.replaceChildren();
  const from = Math.min(low, truth, ...guesses);
  const to = Math.max(high, truth, ...guesses);
  const place = (value) => 60 + ((WIDE - 120) * (value - from)) / (to - from);
  const told = `${guesses.length} guesses from ${Math.min(...guesses)} to ${Math.max(...guesses)}; the truth is ${rounded(truth)} ${unit}`;
  const seen = {};
  const dots = guesses.map((guess) => {
    const key = Math.round(place(guess) / 8);
    seen[key] = (seen[key] ?? 0) + 1;
    return svgElement("circle", { cx: place(guess), cy: AXIS + 4 - 12 * seen[key], r: 6, class: "guess" });
  });
  return tally.replaceChildren(svgElement("svg", { role: "img", "aria-label": told, viewBox: `0 0 ${WIDE} 120` },
    svgElement("line", { x1: 60, x2: WIDE - 60, y1: AXIS, y2: AXIS, class: "axis" }),
    svgText(30, AXIS + 7, rounded(from)), svgText(WIDE - 30, AXIS + 7, rounded(to)), ...dots,
    svgElement("path", { d: `M ${place(truth)} ${AXIS + 3} l -8 15 h 16 z`, class: "truth" }),
    svgText(Math.min(Math.max(place(truth), 110), WIDE - 110), AXIS + 40, `${rounded(truth)} ${unit}`, "truth")));
}

function svgText(x, y, text, name = "") {
  return svgElement("text", { x, y, "text-anchor": "middle", class: name }, String(text));
}

function rounded(value) {
  return Number(value.toPrecision(4));
}

// ---- keys ----

// In a control keys stay there; Escape leaves it, and the keys of a presenter turn the page. From
// a vote, so do Enter and the arrows to the sides, in a text where it begins and ends.
function keepSlidesStill(event) {
  const inside = event.target.closest?.(".course, .ballot");
  if (!inside) return;
  const turn = { PageDown: "next", PageUp: "prev" }[event.key] ?? (inside.matches(".ballot") && turnFromVote(event));
  if (turn || event.key === "Escape") {
    event.preventDefault();
    document.activeElement.blur();
  }
  if (turn) window.Reveal[turn]();
  event.stopImmediatePropagation();
}

function turnFromVote({ key, target, shiftKey }) {
  if (key === "Enter") return "next";
  const { selectionStart, selectionEnd, value } = target; // null where only a number can stand
  if (shiftKey || (selectionStart !== null && selectionStart !== selectionEnd)) return null;
  if (key === "ArrowRight" && (selectionStart ?? value.length) === value.length) return "next";
  return key === "ArrowLeft" && !selectionStart ? "prev" : null;
}

document.addEventListener("keydown", keepSlidesStill); // before reveal.js listens
whenParsed(prepareVotes);
