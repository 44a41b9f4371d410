// A written task for somebody alone: a paragraph first, then the rubric and the model answer.

import { element, status, uniqueId } from "./element.js";
import { keepKeys } from "./form_parts.js";

export function mountWritten(root, spec, host) {
  const view = writtenView(spec, host);
  root.classList.add("course-written");
  root.addEventListener("keydown", keepKeys);
  root.append(...view.nodes);
  const show = (shown) => view.show(shown);
  const awake = (is) => {
    view.fields.disabled = !is;
    view.message.textContent = is ? "" : spec.words.asleep;
  };
  show(host.shown());
  host.onShown(show);
  host.onAwake(awake);
  if (!host.hasKernel()) awake(false);
}

function writtenView(spec, host) {
  const id = uniqueId("paragraph");
  const message = status({ class: "course-message" });
  const text = element("textarea", { id, rows: 7, "aria-describedby": `${id}-count` });
  const count = element("span", { id: `${id}-count`, class: "course-count" });
  const button = element("button", { type: "button", class: "course-primary" }, spec.words.button);
  const label = element("label", { for: id }, spec.words.label);
  const row = element("div", { class: "course-commit" }, button, count);
  const opened = element("div", { class: "course-model" });
  const fields = element("fieldset", { class: "course-form" }, label, text, row, message, opened);
  const recount = () => { count.textContent = `${writtenWords(text.value)} of at least ${spec.least} words`; };
  text.addEventListener("input", () => { recount(); message.textContent = ""; });
  button.addEventListener("click", () => host.send({ do: "open", text: text.value }));
  const show = (shown) => {
    if (!text.value || shown.answer) text.value = shown.text ?? "";
    message.textContent = shown.problem ?? "";
    recount();
    if (!shown.answer || opened.childElementCount) return;
    text.readOnly = true;
    row.remove();
    opened.append(...modelAnswer(spec, shown, host));
  };
  return { nodes: [fields], fields, message, show };
}

function writtenWords(text) {
  return (text.match(/\S+/g) ?? []).length;
}

function modelAnswer(spec, shown, host) {
  const total = spec.rubric.reduce((sum, line) => sum + line.points, 0);
  const sum = status({ class: "course-count" });
  const boxes = spec.rubric.map((line, k) =>
    element("input", { type: "checkbox", checked: (shown.met ?? []).includes(k) }));
  const tell = () => {
    const points = spec.rubric.reduce((all, line, k) => all + (boxes[k].checked ? line.points : 0), 0);
    sum.textContent = `${points} of ${total} points, by your own reading`;
  };
  const met = () => boxes.flatMap((box, k) => (box.checked ? [k] : []));
  boxes.forEach((box) => box.addEventListener("change", () => { tell(); host.send({ do: "tick", met: met() }); }));
  tell();
  const lines = spec.rubric.map((line, k) => element("label", { class: "course-option" }, boxes[k], element("span", {}, line.text)));
  const answer = element("div", { class: "course-answer" });
  answer.innerHTML = shown.answer; // made by the kernel from the lesson's own Markdown
  return [
    element("fieldset", { class: "course-rubric course-asked" }, element("legend", {}, spec.words.rubric), lines, sum),
    element("p", { class: "course-answer-head" }, spec.words.answer),
    answer,
  ];
}
