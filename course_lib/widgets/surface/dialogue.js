// From a question to a measure: one group of options after the other, then the advice.

import { element, status, uniqueId } from "./element.js";
import { keepKeys } from "./form_parts.js";

export function mountDialogue(root, spec, host) {
  root.classList.add("course-dialogue");
  root.addEventListener("keydown", keepKeys);
  const turns = element("div");
  const advice = status({ class: "course-advice" });
  let path = [...(host.place().path ?? [])];

  // Show the turns along the path; those that stay keep their elements, and so the focus.
  const show = () => {
    let name = spec.start, end = null;
    const names = [];
    for (let k = 0; name; k += 1) {
      names.push(name);
      const reply = spec.turns[name].replies.find(({ answer }) => answer === path[k]);
      end = reply?.measure ?? null;
      name = reply?.turn ?? null;
    }
    names.forEach((each, k) => {
      if (turns.children[k]?.dataset.turn === each) return;
      while (turns.children.length > k) turns.lastChild.remove();
      turns.append(turnField(spec, each, path[k], (answer) => choose(k, answer)));
    });
    while (turns.children.length > names.length) turns.lastChild.remove();
    advice.replaceChildren(...(end ? adviceParts(spec.measures[end]) : []));
  };
  const choose = (k, answer) => {
    path = [...path.slice(0, k), answer];
    host.setPlace({ path });
    show();
  };
  root.append(element("div", { class: "course-title" }, spec.title), turns, advice);
  show();
}

function turnField(spec, name, chosen, choose) {
  const turn = spec.turns[name], group = uniqueId("turn");
  const options = turn.replies.map((reply) => {
    const radio = element("input", {
      type: "radio", name: group, checked: reply.answer === chosen, onchange: () => choose(reply.answer),
    });
    return element("label", { class: "course-option" }, radio, element("span", {}, reply.text));
  });
  const list = element("div", { class: "course-option-list" }, options);
  return element("fieldset", { class: "course-asked", "data-turn": name }, element("legend", {}, turn.text), list);
}

function adviceParts(lines) {
  const parts = Object.entries(lines).flatMap(([name, text]) => {
    const isCode = name === "import" || name === "call";
    return [element("dt", {}, name), element("dd", {}, isCode ? element("code", {}, text) : text)];
  });
  return [element("dl", {}, parts)];
}
