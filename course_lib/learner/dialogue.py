"""Which measure do I need? From a practitioner's question to measure, call, caveat and lesson."""

from dataclasses import dataclass

from markupsafe import Markup

from course_lib import lessons
from course_lib.learner.living import Living
from course_lib.measures.catalogue import CARD, COLUMNS, MEASURES, TURNS, Measure, Reply, Turn
from course_lib.patience import is_unattended
from course_lib.questions import Question

START = "start"
TITLE = "Which measure do I need?"
IN_A_REPORT = "ask('report') puts all six questions together"


@dataclass(frozen=True)
class Advice:
    """Where the answers lead; `assumed` are the answers that were not given."""

    measure: str
    call: str
    imports: tuple[str, ...]
    caveat: str
    data: str
    lesson: str
    question: Question | None
    answered: str
    answers: dict[str, str]
    assumed: dict[str, str]

    def __str__(self) -> str:
        return "\n".join(f"{name}: {text}" for name, text in self.lines().items())

    __repr__ = __str__

    def _repr_html_(self) -> str:
        rows = (
            Markup("<dt><b>{}</b></dt><dd>{}</dd>").format(name, _code_or_text(name, text))
            for name, text in self.lines().items()
        )
        return Markup('<dl role="status">{}</dl>').format(Markup().join(rows))

    def lines(self) -> dict[str, str]:
        """What there is to say, by its name."""
        modules = (path.rpartition(".") for path in self.imports)
        lines = {
            "measure": self.measure,
            "answers": self.answered,
            "import": "; ".join(f"from {module} import {name}" for module, _, name in modules),
            "call": self.call,
            "caveat": self.caveat,
            "your data": self.data,
            "lesson": _lesson_title(self.lesson),
        }
        if self.question is not None:
            lines["for a report"] = IN_A_REPORT
        taken = ", ".join(f"{name}={answer!r}" for name, answer in self.assumed.items())
        return lines | ({"taken for granted": taken} if taken else {})


def ask(*answers, **named) -> Advice | Living:
    """Which measure answers my question? Without arguments, a dialogue; with answers, the advice.

    Parameters
    ----------
    *answers : str or bool
        Answers in the order of the dialogue, beginning with what the variable is important to:
        "model", "prediction", "algorithm", "class", "data" or "action"; "report" asks for all six
        questions together.
    **named : str or bool
        The same answers by the keyword of their question, such as ``unique=True``. A question
        without an answer takes its first reply, and the advice says so.

    Returns
    -------
    advice : Advice
        With `measure`, `call`, `imports`, `caveat`, `data` (what it takes of your own), `lesson`,
        `question` and `answers`; `assumed` are the answers that you did not give.

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
    turn, path, assumed = TURNS[START], {}, {}
    while True:
        reply = _take_reply(turn, given, unused, assumed)
        path[turn.asks] = reply.answer
        if reply.measure:
            _refuse_unused(given, unused, path)
            return _advice(_end(reply), path, assumed)
        turn = TURNS[reply.turn]


def _take_reply(turn: Turn, given: list, unused: dict, assumed: dict) -> Reply:
    """The reply that the next positional answer, the keyword, or else the default picks."""
    if given and turn.asks in unused:
        raise ValueError(f"{turn.asks!r} is answered twice, {given[0]!r} and by name. Answer once.")
    if not given and turn.asks not in unused:
        assumed[turn.asks] = turn.replies[0].answer
        return turn.replies[0]
    answer = given.pop(0) if given else unused.pop(turn.asks)
    word = {True: "yes", False: "no"}[answer] if isinstance(answer, bool) else answer
    for reply in turn.replies:
        if reply.answer == word:
            return reply
    known = "; ".join(f"{reply.answer!r} ({reply.text})" for reply in turn.replies)
    raise ValueError(f"{turn.text} {answer!r} is no answer to that. Answer one of: {known}.")


def _refuse_unused(given: list, unused: dict, path: dict) -> None:
    left = [*map(repr, given), *(f"{name}={value!r}" for name, value in unused.items())]
    if left:
        raise ValueError(
            f"Nobody asked for {', '.join(left)}: the dialogue had ended after "
            f"{', '.join(f'{name}={answer!r}' for name, answer in path.items())}. "
            f"Leave it out, or see all paths with ask()."
        )


def _end(reply: Reply) -> Measure:
    """The measure that a reply leads to, or the card."""
    return CARD if reply.measure == CARD.id else MEASURES[reply.measure]


def _advice(measure: Measure, answers: dict, assumed: dict) -> Advice:
    return Advice(
        measure=measure.name,
        call=measure.call,
        imports=measure.imports,
        caveat=measure.caveat,
        data=f"{COLUMNS[measure.columns]} {measure.limits}".strip(),
        lesson=measure.lesson,
        question=measure.question,
        answered=measure.answers,
        answers=answers,
        assumed=assumed,
    )


def _lesson_title(number: str) -> str:
    return f"{number} {lessons.load(number).title}"


def _code_or_text(name: str, text: str) -> str:
    return Markup("<code>{}</code>").format(text) if name in ("import", "call") else text


# The dialogue in the page, and the whole tree where nothing is alive


def _dialogue() -> Living:
    from course_lib.widgets.surface import Surface, mount_html  # loads matplotlib

    start, heading = TURNS[START], Markup("<b>{}</b>").format(TITLE)
    text = f"{TITLE} {start.text} ask('model'), for example."
    html = Markup("<div>{}{}</div>").format(heading, _tree_html(start))
    if is_unattended():
        html = mount_html("dialogue", dialogue_spec(), html, name="ask")
    return Living(html, text, lambda: Surface("dialogue", dialogue_spec()))


def dialogue_spec() -> dict:
    """What the page is told: all turns and all advice, so that it needs nobody to answer."""
    return {
        "title": TITLE,
        "start": START,
        "turns": {name: _turn_spec(turn) for name, turn in TURNS.items()},
        "measures": {one.id: _advice(one, {}, {}).lines() for one in (*MEASURES.values(), CARD)},
    }


def _turn_spec(turn: Turn) -> dict:
    replies = [
        {"answer": one.answer, "text": one.text, "turn": one.turn, "measure": one.measure}
        for one in turn.replies
    ]
    return {"text": turn.text, "replies": replies}


def _tree_html(turn: Turn) -> Markup:
    """A turn with all that follows from it, as nested lists."""
    replies = (Markup("<li>{}{}</li>").format(r.text, _end_html(r)) for r in turn.replies)
    return Markup("<div>{}</div><ul>{}</ul>").format(turn.text, Markup().join(replies))


def _end_html(reply: Reply) -> Markup:
    if reply.turn:
        return _tree_html(TURNS[reply.turn])
    measure = _end(reply)
    question = measure.question.key if measure.question else measure.answers
    return Markup("<div>→ <b>{}</b>, <code>{}</code> ({}, lesson {}). {}</div>").format(
        measure.name, measure.call, question, measure.lesson, measure.caveat
    )
