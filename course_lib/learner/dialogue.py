"""Which measure do I need? From a practitioner's question to measure, call, caveat and lesson."""

from dataclasses import dataclass
from html import escape

import ipywidgets as widgets

from course_lib import lessons
from course_lib.learner.forms import WRAPPED, Shown, options_field
from course_lib.measures.catalogue import MEASURES, STEPS, Measure, Option, Step
from course_lib.questions import Question

START = "start"
TITLE = "Which measure do I need?"


@dataclass(frozen=True)
class Advice:
    """Where the answers lead; `assumed` are the answers that were not given."""

    measure: str
    call: str
    imports: tuple[str, ...]
    caveat: str
    lesson: str
    question: Question | None
    answers: dict[str, str]
    assumed: dict[str, str]

    def __str__(self) -> str:
        return "\n".join(f"{name}: {text}" for name, text in self._lines().items())

    __repr__ = __str__

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<dt><b>{name}</b></dt><dd>{_code_or_text(name, text)}</dd>"
            for name, text in self._lines().items()
        )
        return f'<dl role="status">{rows}</dl>'

    def _lines(self) -> dict[str, str]:
        modules = (path.rpartition(".") for path in self.imports)
        lines = {
            "measure": self.measure,
            "answers": str(self.question or "none of the six questions"),
            "import": "; ".join(f"from {module} import {name}" for module, _, name in modules),
            "call": self.call,
            "caveat": self.caveat,
            "lesson": _lesson_title(self.lesson),
        }
        taken = ", ".join(f"{name}={answer!r}" for name, answer in self.assumed.items())
        return lines | ({"taken for granted": taken} if taken else {})


def ask(*answers, **named) -> Advice | Shown:
    """Which measure answers my question? Without arguments, a dialogue; with answers, the advice.

    Parameters
    ----------
    *answers : str or bool
        Answers in the order of the dialogue, beginning with what the variable is important to:
        "model", "prediction", "algorithm", "class", "data" or "action".
    **named : str or bool
        The same answers by the keyword of their step, such as ``unique=True``. A step without an
        answer takes its first option, and the advice says so.

    Returns
    -------
    advice : Advice
        With `measure`, `call`, `imports`, `caveat`, `lesson`, `question` and `answers`; `assumed`
        are the answers that you did not give.

    Examples
    --------
    >>> advice = ask("model", unique=True)
    >>> advice.call
    'conditional_permutation_importance(model, X, y)'
    >>> print(advice.question)
    Q2: important to a given model, by its unique information
    >>> advice.lesson, advice.assumed
    ('03', {'how': 'draw'})
    """
    if not answers and not named:
        return _dialogue()
    given, unused = list(answers), dict(named)
    step, path, assumed = STEPS[START], {}, {}
    while True:
        option = _chosen(step, given, unused, assumed)
        path[step.asks] = option.answer
        if option.measure:
            _refuse_unused(given, unused, path)
            return _advice(MEASURES[option.measure], path, assumed)
        step = STEPS[option.step]


def _chosen(step: Step, given: list, unused: dict, assumed: dict) -> Option:
    """The option that the next positional answer, the keyword, or else the default picks."""
    if given and step.asks in unused:
        raise ValueError(f"{step.asks!r} is answered twice, {given[0]!r} and by name. Answer once.")
    if not given and step.asks not in unused:
        assumed[step.asks] = step.options[0].answer
        return step.options[0]
    answer = given.pop(0) if given else unused.pop(step.asks)
    word = {True: "yes", False: "no"}[answer] if isinstance(answer, bool) else answer
    for option in step.options:
        if option.answer == word:
            return option
    known = "; ".join(f"{option.answer!r} ({option.text})" for option in step.options)
    raise ValueError(f"{step.text} {answer!r} is no answer to that. Answer one of: {known}.")


def _refuse_unused(given: list, unused: dict, path: dict) -> None:
    left = [*map(repr, given), *(f"{name}={value!r}" for name, value in unused.items())]
    if left:
        raise ValueError(
            f"Nobody asked for {', '.join(left)}: the dialogue had ended after "
            f"{', '.join(f'{name}={answer!r}' for name, answer in path.items())}. "
            f"Leave it out, or see all paths with ask()."
        )


def _advice(measure: Measure, answers: dict, assumed: dict) -> Advice:
    return Advice(
        measure=measure.name,
        call=measure.call,
        imports=measure.imports,
        caveat=measure.caveat,
        lesson=measure.lesson,
        question=measure.question,
        answers=answers,
        assumed=assumed,
    )


def _lesson_title(number: str) -> str:
    return f"{number} {lessons.load(number).title}"


def _code_or_text(name: str, text: str) -> str:
    return f"<code>{escape(text)}</code>" if name in ("import", "call") else escape(text)


# The dialogue with a kernel, and the whole tree without one


def _dialogue() -> Shown:
    box = widgets.VBox([widgets.HTML(f"{WRAPPED}<b>{TITLE}</b>")])
    _open(box, STEPS[START], {})
    html = f"<div><b>{TITLE}</b>{_tree_html(STEPS[START])}</div>"
    return Shown(html, box, f"{TITLE} {STEPS[START].text} ask('model'), for example.")


def _open(box: widgets.VBox, step: Step, path: dict[str, str]) -> None:
    """Put a step's question at the end of the box; a choice replaces all that came after it."""
    field = options_field([(option.text, option) for option in step.options])
    above = (*box.children, widgets.HTML(escape(step.text)), field)
    box.children = above

    def on_choice(change):
        option, answers = change["new"], path | {step.asks: change["new"].answer}
        box.children = above
        if option.step:
            _open(box, STEPS[option.step], answers)
        else:
            advice = _advice(MEASURES[option.measure], answers, {})
            box.children = (*above, widgets.HTML(advice._repr_html_()))

    field.observe(on_choice, names="value")


def _tree_html(step: Step) -> str:
    """A step with all that follows from it, as nested lists."""
    options = "".join(f"<li>{escape(o.text)}{_end_html(o)}</li>" for o in step.options)
    return f"<div>{escape(step.text)}</div><ul>{options}</ul>"


def _end_html(option: Option) -> str:
    if option.step:
        return _tree_html(STEPS[option.step])
    measure = MEASURES[option.measure]
    return (
        f"<div>→ <b>{escape(measure.name)}</b>, <code>{escape(measure.call)}</code> "
        f"({escape(measure.question.key if measure.question else 'none of the six')}, "
        f"lesson {measure.lesson}). {escape(measure.caveat)}</div>"
    )
