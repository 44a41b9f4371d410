// The truth beside a prediction: on a number line or in a table, and what is said to it.

import { element } from "./element.js";
import { replyBox } from "./form_parts.js";

// What a reveal shows; an entry without a guess is a look at the truth alone.
export function comparison(spec, entry) {
  const looked = entry.guess === undefined;
  const own = looked ? null : `${spec.words.own}: ${spelledGuess(spec, entry.guess)}${sureness(spec, entry)}`;
  const drawn = spec.kind === "number" ? numberLine(spec, entry.guess, own) : sideBySide(spec, entry);
  const said = looked ? lookedAt(spec) : judgedGuess(spec, entry.guess);
  const told = element("div", { class: "course-told" });
  told.innerHTML = spec.told; // made from Markdown by the course
  return [drawn, said, told];
}

function sureness(spec, { confidence }) {
  if (confidence === null || confidence === undefined) return "";
  const level = spec.sure.levels.find(([value]) => value === confidence);
  return `, ${level ? level[1] : `${confidence} %`}`;
}

export function spelledGuess(spec, value) {
  const unit = Math.abs(value) === 1 ? spec.unit_of_one : spec.unit;
  if (spec.kind === "number") return `${Number(value.toPrecision(4))} ${unit}`.trim();
  return spec.kind === "choice" ? value : value.join(" > ");
}

function judgedGuess(spec, guess) {
  const right = isRight(spec, guess);
  return replyBox(right, spec.words, right ? spec.right : replyTo(spec, guess));
}

function lookedAt({ words, right }) {
  return element("div", { class: "course-reply" }, element("b", {}, words.looked), " ", right);
}

function isRight({ kind, truth, tolerance }, guess) {
  if (kind === "number") return Math.abs(guess - truth) <= tolerance * (1 + 1e-6);
  return String(guess) === String(truth);
}

// The reply to a wrong guess: of its option, or of the first range that reaches beyond it.
function replyTo({ kind, replies }, guess) {
  const fits = {
    number: ({ below }) => below === null || guess < below,
    choice: ({ to }) => to === guess,
    ranking: () => true,
  };
  return replies.find(fits[kind])?.text ?? "";
}

// A line with the guess above it and the truth below, in the theme's colours.
function numberLine({ low, high, truth, ...spec }, guess, own) {
  const from = Math.min(low, truth, guess ?? truth);
  const to = Math.max(high, truth, guess ?? truth);
  const place = (value) => `--at: ${(100 * (value - from)) / (to - from)}%`;
  const true_ = `${spec.words.truth}: ${spelledGuess(spec, truth)}`;
  const mark = (name, value, sign) => element("span", { class: `course-mark course-${name}`, style: place(value) }, sign);
  const label = (name, value, text) => element("div", { class: "course-label" },
    element("span", { class: `course-${name}`, style: place(value) }, text));
  const hasGuess = guess !== undefined;
  const axis = element("div", { class: "course-axis" },
    hasGuess ? mark("own", guess, "▼") : null, mark("true", truth, "●"));
  return element("div", { class: "course-line", role: "img", "aria-label": hasGuess ? `${own}; ${true_}` : true_ },
    hasGuess ? label("own", guess, `▼ ${own}`) : null,
    element("div", { class: "course-ends" }, lineEnd(from), axis, lineEnd(to)),
    label("true", truth, `● ${true_}`));
}

function lineEnd(value) {
  return element("span", {}, `${Number(value.toPrecision(4))}`);
}

// Guess beside truth; of an order, a third column says in words which places agree.
function sideBySide(spec, entry) {
  const { words, kind } = spec;
  const guesses = entry.guess === undefined ? null : [entry.guess].flat();
  const compared = guesses && kind === "ranking";
  const heads = [...(guesses ? [`${words.own}${sureness(spec, entry)}`] : []), words.truth, ...(compared ? [words.same] : [])];
  const rows = [spec.truth].flat().map((truth, k) => [
    ...(guesses ? [guesses[k]] : []), truth, ...(compared ? [guesses[k] === truth ? words.yes : words.no] : []),
  ]);
  const line = (tag, cells) => element("tr", {}, cells.map((cell) =>
    element(tag, tag === "th" ? { scope: "col" } : {}, cell)));
  return element("table", { class: "course-pair" },
    element("thead", {}, line("th", heads)), element("tbody", {}, rows.map((row) => line("td", row))));
}
