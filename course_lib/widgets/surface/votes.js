// Votes on slides: the lecturer types how the class voted. How the votes fell is shown at once, which
// of them is right only with the answer. They are kept until the tab is closed.

import { element, svgElement } from "./element.js";
import { whenParsed } from "./page.js";

const WIDE = 1000; // units of the drawing of guesses
const AXIS = 74;
const KEPT = `votes ${location.pathname}`;
const VOTES = {
  hands: { fields: fieldsForHands, drawn: handsDrawn, said: () => "" },
  guesses: { fields: fieldForGuesses, drawn: guessesDrawn, said: guessesInWords },
};
const ballots = []; // of the questions in their order
const others = new Set(); // windows that show the same slides: the speaker's, or ours from there

function prepareVotes() {
  for (const place of document.querySelectorAll(".ballot")) ballots.push(ballotIn(place, ballots.length));
  if (!ballots.length) return;
  recall().forEach((state, number) => ballots[number]?.fill(state));
  for (const turned of ["fragmentshown", "fragmenthidden", "ready"]) {
    window.Reveal?.on(turned, () => ballots.forEach((ballot) => ballot.show()));
  }
  shareWithSpeaker();
}

// The fields of a question and what is made of them; `typed` is what stands in the fields, `before` what
// stood there when the class had voted once.
function ballotIn(place, number) {
  const vote = JSON.parse(place.dataset.vote);
  const kind = VOTES[vote.kind];
  const question = place.closest(".part");
  const tally = question.querySelector(".tally");
  const said = element("span", { class: "said", role: "status" });
  const again = element("button", { type: "button", onclick: voteAgain }, "vote again");
  const fields = kind.fields(vote, place);
  const state = { typed: fields.map(() => ""), before: null };
  place.append(again, said);

  function show() {
    const isTold = question.nextElementSibling.classList.contains("visible");
    again.hidden = state.before !== null || !state.typed.some(Boolean);
    said.textContent = kind.said(state.typed, vote);
    tally.replaceChildren(...kind.drawn(vote, state, isTold));
  }
  function fill({ typed, before }) {
    Object.assign(state, { typed: fields.map((_, k) => String(typed[k] ?? "")), before });
    fields.forEach((field, k) => { if (field.value !== state.typed[k]) field.value = state.typed[k]; });
    show();
    place.dispatchEvent(new Event("fit", { bubbles: true }));
  }
  function changed(typed, before) {
    fill({ typed, before });
    keep();
    tell({ vote: number, ...state });
  }
  function voteAgain() {
    changed([], state.typed);
    fields[0].focus();
  }
  place.addEventListener("input", () => changed(fields.map((field) => field.value), state.before));
  show();
  return { state, show, fill };
}

// ---- hands ----

function fieldsForHands({ what, options }, place) {
  const fields = options.map((text) => element("input", { type: "number", min: 0, step: 1, "aria-label": `${what}: ${text}` }));
  place.append(element("span", {}, `${what}:`), ...options.map((text, k) => element("label", {}, text, fields[k])));
  return fields;
}

function handsDrawn({ options, right, inline }, { typed, before }, isTold) {
  const [now, first] = [shares(typed), before && shares(before)];
  if (!now && !first) return [];
  const rows = options.map((text, k) => (inline ? handsText : handsRow)({
    name: `${isTold && k === right ? "✓ " : ""}${text}`, isRight: isTold && k === right, share: now?.[k].share ?? 0, isTwice: !!first,
    count: [now && `${now[k].count} (${now[k].share} %)`, first && `before ${first[k].share} %`].filter(Boolean).join(", "),
  }));
  return inline ? [element("div", { class: "inline" }, ...rows)] : rows;
}

// Whole hands, and how many in a hundred; null if there are none.
function shares(typed) {
  const counts = typed.map((text) => Math.max(0, Math.round(Number(text) || 0)));
  const all = counts.reduce((sum, count) => sum + count, 0);
  return all ? counts.map((count) => ({ count, share: Math.round((100 * count) / all) })) : null;
}

function handsText({ name, count, isRight }) {
  return element("span", { class: isRight ? "right" : "" }, `${name}: ${count}`);
}

function handsRow({ name, count, share, isRight, isTwice }) {
  return element("div", { class: `bar${isRight ? " right" : ""}${isTwice ? " twice" : ""}` },
    element("span", { class: "name" }, name),
    element("span", { class: "track" }, element("span", { class: "full", style: `width:${share}%` })),
    element("span", { class: "count" }, count));
}

// ---- guesses of a number ----

function fieldForGuesses(_, place) {
  const field = element("input", { type: "text", size: 40, autocomplete: "off", placeholder: "numbers with blanks between them" });
  place.append(element("label", {}, "guesses:", field));
  return [field];
}

// Numbers between blanks, semicolons or commas; 0,4 alone is 0.4.
function numbersIn(text) {
  const words = text.split(/[\s;]+/).map((word) => word.replace(/,+$/, "")).filter(Boolean);
  const single = words.flatMap((word) => (/^[+-]?\d*,\d+$/.test(word) ? word.replace(",", ".") : word.split(",").filter(Boolean)));
  const isNumber = (word) => word.trim() !== "" && Number.isFinite(Number(word));
  return { numbers: single.filter(isNumber).map(Number), unread: single.filter((word) => !isNumber(word)) };
}

function guessesInWords([text], { low, high, truth }) {
  const { numbers, unread } = numbersIn(text);
  const outside = numbers.filter((guess) => guess < Math.min(low, truth) || guess > Math.max(high, truth));
  return [
    numbers.length === 1 ? `1 guess: ${numbers[0]}` : numbers.length ? `${numbers.length} guesses` : "",
    outside.length ? `beyond the line: ${outside.join(", ")}` : "",
    unread.length ? `no number: ${unread.join(", ")}` : "",
  ].filter(Boolean).join("; ");
}

function guessesDrawn({ low, high, truth, unit }, { typed, before }, isTold) {
  const [now, first] = [typed, before ?? [""]].map(([text]) => numbersIn(text).numbers);
  if (!now.length && !first.length) return [];
  const [from, to] = [Math.min(low, truth), Math.max(high, truth)];
  const place = (value) => 60 + ((WIDE - 120) * (value - from)) / (to - from);
  const seen = {};
  const dot = (name) => (guess) => {
    const x = Math.min(Math.max(place(guess), 45), WIDE - 45); // what is beyond stands at the end
    const column = Math.round(x / 8);
    seen[column] = (seen[column] ?? 0) + 1;
    return svgElement("circle", { cx: x, cy: AXIS + 4 - 12 * seen[column], r: 6, class: name });
  };
  const dots = [...now.map(dot("guess")), ...first.map(dot("guess before"))];
  const spread = now.length ? `${now.length} guesses from ${Math.min(...now)} to ${Math.max(...now)}` : "No guesses yet";
  const told = `${spread}${first.length ? `, before ${first.length}` : ""}${isTold ? `; the truth is ${rounded(truth)} ${unit}` : ""}`;
  const answer = isTold ? [
    svgElement("path", { d: `M ${place(truth)} ${AXIS + 3} l -8 15 h 16 z`, class: "truth" }),
    svgText(Math.min(Math.max(place(truth), 110), WIDE - 110), AXIS + 40, `${rounded(truth)} ${unit}`, "truth"),
  ] : [];
  return [svgElement("svg", { role: "img", "aria-label": told, viewBox: `0 0 ${WIDE} 120` },
    svgElement("line", { x1: 60, x2: WIDE - 60, y1: AXIS, y2: AXIS, class: "axis" }),
    svgText(30, AXIS + 7, rounded(from)), svgText(WIDE - 30, AXIS + 7, rounded(to)), ...dots, ...answer)];
}

function svgText(x, y, text, name = "") {
  return svgElement("text", { x, y, "text-anchor": "middle", class: name }, String(text));
}

function rounded(value) {
  return Number(value.toPrecision(4));
}

// ---- after a reload, and in the speaker's view ----

function keep() {
  try {
    sessionStorage.setItem(KEPT, JSON.stringify(ballots.map((ballot) => ballot.state)));
  } catch { /* a browser may refuse to keep anything */ }
}

function recall() {
  try {
    return JSON.parse(sessionStorage.getItem(KEPT)) ?? [];
  } catch {
    return [];
  }
}

// The speaker's view is a window with this page in it twice. Ours is the one that opened it.
function shareWithSpeaker() {
  window.addEventListener("message", ({ data, source }) => {
    if (!data?.courseVotes || !source) return;
    others.add(source);
    for (const { vote, typed, before } of data.courseVotes) ballots[vote]?.fill({ typed, before });
    if (data.isNew) return tell(...ballots.map(({ state }, vote) => ({ vote, ...state })));
    if (window === window.top) tellAllBut(source, data.courseVotes);
    return keep();
  });
  const ours = window !== window.top && window.top.opener;
  if (!ours) return;
  others.add(ours);
  ours.postMessage({ courseVotes: [], isNew: true }, "*");
}

function tell(...votes) {
  tellAllBut(null, votes);
}

function tellAllBut(source, courseVotes) {
  for (const other of others) if (other !== source) other.postMessage({ courseVotes }, "*");
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
  if (turn) window.Reveal[turn]({ skipFragments: event.altKey }); // Alt leaves out the answer
  event.stopImmediatePropagation();
}

function turnFromVote({ key, target, shiftKey }) {
  if (key === "Enter") return target.matches("button") ? null : "next";
  const { selectionStart, selectionEnd, value } = target; // null where only a number can stand
  if (shiftKey || (selectionStart !== null && selectionStart !== selectionEnd)) return null;
  if (key === "ArrowRight" && (selectionStart ?? value.length) === value.length) return "next";
  return key === "ArrowLeft" && !selectionStart ? "prev" : null;
}

document.addEventListener("keydown", keepSlidesStill); // before reveal.js listens
whenParsed(prepareVotes);
