// Questions with options: each answered by itself, or all at once in a test.

import { element, uniqueId, status } from "./element.js";
import { optionsField, sureField } from "./form_fields.js";
import { announce, commitForm, filledIn, formBody, replyBox } from "./form_parts.js";

// ---- each by itself ----

export function mountQuestions(root, spec, host) {
  const body = formBody(root, spec, host);
  body.append(element("div", { class: "course-title" }, spec.title));
  const views = spec.items.map((item, k) => new QuestionView(item, k + 1, spec, host));
  body.append(...views.map((view) => view.node));
  const showAll = () => views.forEach((view) => view.restore());
  host.onShown(showAll);
  showAll();
  if (host.home === "lab") landAtTop(root);
}

class QuestionView {
  constructor(item, number, spec, host) {
    Object.assign(this, { item, spec, host });
    this.field = optionsField(numbered(number, item.text), item.options.map((option) => option.text));
    this.form = commitForm([this.field], spec.words, () => this.commit());
    this.node = element("div", { class: "course-question" }, this.form.node);
  }

  commit() {
    const chosen = this.field.read();
    if (chosen === undefined) return { text: this.spec.words.empty, field: this.field };
    const entry = { text: this.item.options[chosen].text };
    this.host.send({ event: "answer", id: this.item.id, option: chosen });
    this.host.remember(this.item.id, entry);
    announce("answered", this.item.id, entry);
    this.settle(entry);
    this.form.message.focus({ preventScroll: true });
  }

  restore() {
    const entry = storedEntry(this.host, this.item.id);
    if (entry) this.settle(entry);
  }

  settle(entry) {
    const chosen = placeOf(this.item, entry);
    if (chosen < 0) return;
    this.field.show(chosen);
    this.form.lock();
    markOptions(this.item, this.field, chosen, this.spec.words);
    const { right, feedback } = this.item.options[chosen];
    this.form.message.className = "course-message";
    this.form.message.replaceChildren(replyBox(right, this.spec.words, feedback), firstCounts(this.spec));
  }
}

function numbered(number, text) {
  return [element("b", {}, `${number}.`), ` ${text}`];
}

function firstCounts({ words }) {
  return element("div", { class: "course-first" }, words.first);
}

function storedEntry(host, id) {
  return host.home === "page" ? host.recall(id) : host.shown().entries?.[id];
}

// Where the stored option stands now; a text that was rewritten since is not found.
function placeOf(item, entry) {
  return item.options.findIndex((option) => option.text === entry.text);
}

// The chosen option and the right one, by colour, sign and word.
function markOptions(item, field, chosen, words) {
  item.options.forEach(({ right }, k) => {
    const line = field.lines[k];
    line.querySelector(".course-sign")?.remove();
    line.className = "course-option";
    if (!right && k !== chosen) return;
    const word = k === chosen ? words.yours : words.answer;
    line.classList.add(right ? "course-right" : "course-wrong");
    line.lastChild.append(" ", element("span", { class: "course-sign" }, `${right ? "✓" : "✗"} ${word}`));
  });
}

// ---- all at once ----

export function mountTest(root, spec, host) {
  return new TestView(root, spec, host).start();
}

class TestView {
  constructor(root, spec, host) {
    Object.assign(this, { root, spec, host });
    this.rows = spec.items.map((item, k) => new TestRow(item, k + 1, spec));
    this.form = commitForm(this.rows, spec.words, () => this.commit());
    formBody(root, spec, host).append(
      element("div", { class: "course-title" }, spec.title), element("p", {}, spec.intro), this.form.node);
  }

  start() {
    this.host.onShown(() => this.restore());
    this.restore();
    if (this.host.home === "lab") landAtTop(this.root);
  }

  // Stores what is complete; the rest stays open.
  commit() {
    const ready = this.rows.filter((row) => !row.settled && row.entry());
    const answers = ready.map((row) => [row.item.id, row.field.read(), row.sure.read()]);
    if (answers.length) this.host.send({ event: "store", answers });
    for (const row of ready) {
      const entry = row.entry();
      this.host.remember(row.item.id, entry);
      row.settle(entry);
    }
    this.report(ready.length === 0);
    if (ready.length) this.form.message.focus({ preventScroll: true });
  }

  restore() {
    for (const row of this.rows) {
      const entry = storedEntry(this.host, row.item.id);
      if (entry) row.settle(entry);
    }
    if (this.rows.some((row) => row.settled)) this.report(false);
  }

  report(nothingNew) {
    const { words } = this.spec;
    const open = this.rows.filter((row) => !row.settled).map((row) => row.number);
    const stored = filledIn(words.stored, { done: this.rows.length - open.length, all: this.rows.length });
    if (!open.length) {
      this.form.lock();
      this.form.say("done", `✓ ${stored} ${words.first}`);
    } else {
      this.form.say("todo", `↻ ${stored} ${filledIn(words.open, { open: listedNumbers(open) })}`);
      if (nothingNew) this.rows.find((row) => !row.settled).focus();
    }
  }
}

class TestRow {
  constructor(item, number, spec) {
    Object.assign(this, { item, number, spec, settled: false });
    this.field = optionsField(numbered(number, item.text), item.options.map((option) => option.text));
    this.sure = sureField({ ...spec.sure, legend: filledIn(spec.sure.legend, { number }) });
    this.remark = status({ class: "course-remark", id: uniqueId("remark") });
    this.field.node.setAttribute("aria-describedby", this.remark.id);
    this.node = element("div", { class: "course-question" }, this.field.node, this.sure.node, this.remark);
  }

  focus() {
    (this.field.read() === undefined ? this.field : this.sure).focus();
  }

  // The answer, if it is complete.
  entry() {
    const chosen = this.field.read();
    const confidence = this.sure.read();
    if (chosen === undefined || confidence === undefined) return null;
    return { text: this.item.options[chosen].text, confidence };
  }

  settle(entry) {
    const chosen = placeOf(this.item, entry);
    if (chosen < 0 || this.settled) return;
    this.settled = true;
    this.field.show(chosen);
    this.sure.show(entry.confidence);
    [this.field, this.sure].forEach((field) => { field.node.disabled = true; });
    this.node.classList.add("course-locked");
    const { right, feedback } = this.item.options[chosen];
    if (feedback === undefined) return; // the test before the course says nothing
    markOptions(this.item, this.field, chosen, this.spec.words);
    this.remark.replaceChildren(replyBox(right, this.spec.words, feedback));
  }
}

// "3", "3 and 4", "3, 4 and 5"
function listedNumbers(numbers) {
  const [last, ...others] = [...numbers].reverse();
  return others.length ? `${others.reverse().join(", ")} and ${last}` : `${last}`;
}
