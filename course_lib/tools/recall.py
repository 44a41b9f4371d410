"""`./course recall`: a few short questions on lessons you have begun, the shaky ones first.

The rule is Leitner's. Each question lies in one of five boxes. A right answer moves it one box up,
a wrong one back to box 1. A question of box 1 is due again in the next round, of box 2 after two
rounds, then after 4, 8 and 16; a round is one call of this command. Questions enter by how they
were answered in the lesson: wrong in box 1, not at all in box 2, right in box 3, and all due at
once. Due ones come first, lower boxes before higher ones. What is asked are the recall questions
of lessons in which something was done, and the statements ("May I say this?") judged there.
"""

import argparse
import json
import os
import re
from collections.abc import Iterator, Sequence
from functools import partial
from textwrap import indent, wrap

from course_lib import lessons
from course_lib.learner import journal
from course_lib.learner.statements import feedback
from course_lib.learner.ways import call
from course_lib.lessons import Item, Option, Statement
from course_lib.tools.system import MATERIAL, WORKBOOK

BOXES = 5
WRONG, OPEN, RIGHT = 1, 2, 3  # the boxes in which questions start
QUESTIONS = 5
TRACES = ("predictions", "answers", "checks", "hints")  # what a learner leaves in a lesson
STOP = ("q", "quit", "exit")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `./course recall`."""
    parser.add_argument(
        *("-n", "--questions"), type=int, default=QUESTIONS, help=f"how many, default {QUESTIONS}"
    )


def run(args: argparse.Namespace) -> int:
    """Ask in the terminal, one question after the other; every answer is stored at once."""
    os.environ.setdefault("COURSE_WORKBOOK", str(WORKBOOK))
    if args.questions < 1:
        better = call(f"recall -n {QUESTIONS}")
        print(f"-n must be at least 1, got {args.questions}. Try: {better}")
        return 2
    stored = journal.read()
    chosen = questions(stored)[: args.questions]
    if not chosen:
        print("There is nothing to recall yet: you have not answered anything in a lesson.")
        print(f"Begin with {call('lab')}, answer a few questions there, then come back.")
        return 0
    print(_paragraph("Answer with the number of an option; q stops. Wrong ones come back first."))
    journal.update("recall", "rounds", lambda old: {"count": this_round(stored)})
    outcomes = list(_dialogue(chosen, this_round(stored)))
    print(f"\n{sum(outcomes)} of {len(outcomes)} right. The next round: {call('recall')}")
    return 0


def this_round(stored: dict) -> int:
    """The number of the round that begins now, counted from 1."""
    return stored["recall"].get("rounds", {}).get("count", 0) + 1


def questions(stored: dict) -> list[Item | Statement]:
    """All questions that may be asked, in the order of the rule, lessons mixed."""
    now = this_round(stored)

    def order(item: Item | Statement) -> tuple:
        box, due = place(stored, item.id)
        lesson, _, rest = item.id.partition(".")
        return due > now, box, due, rest, lesson

    return sorted(_pool(stored), key=order)


def place(stored: dict, name: str) -> tuple[int, int]:
    """The box of a question, and the round from which on it is due."""
    entry = stored["recall"].get(name)
    if entry:
        return entry["box"], entry["round"] + 2 ** (entry["box"] - 1)
    last = stored["answers"].get(name, {}).get("last", {}).get("right")
    return {None: OPEN, True: RIGHT, False: WRONG}[last], 0


def _pool(stored: dict) -> list[Item | Statement]:
    touched = {name.partition(".")[0] for section in TRACES for name in stored[section]}
    begun = [lesson for lesson in lessons.available() if lesson.number in touched]
    return [
        item
        for lesson in begun
        for item in (*lesson.recall, *(s for s in lesson.statements if s.id in stored["answers"]))
    ]


def _dialogue(items: Sequence[Item | Statement], now: int) -> Iterator[bool]:
    """Ask, answer back and store, until the questions or the learner's patience end."""
    for item in items:
        chosen = _read_choice(item)
        if chosen is None:
            return
        print(_paragraph(feedback(chosen), "  "))
        journal.update("recall", item.id, partial(_new_place, item.id, chosen.right, now))
        yield chosen.right


def _new_place(name: str, right: bool, now: int, old: dict) -> dict:
    """The new place of a question: one box up, or back to the first."""
    box = old["box"] if old else place(journal.read() | {"recall": {}}, name)[0]
    return {"box": min(box + 1, BOXES) if right else 1, "round": now, "right": right}


def _read_choice(item: Item | Statement) -> Option | None:
    """The option that the learner picks, asked for until it is one; None to stop."""
    if isinstance(item, Statement):
        print(f"\n{_paragraph(f'Lesson {item.id[:2]}{figure_of(item)}')}")
        print(_paragraph(f"May I say this? {item.text}"))
    else:
        print(f"\n{_paragraph(f'Lesson {item.id[:2]}: {item.text}')}")
    for number, option in enumerate(item.options, start=1):
        print(_paragraph(f"{number}  {option.text}", "  "))
    numbers = {str(number): option for number, option in enumerate(item.options, start=1)}
    while True:
        try:
            said = input("> ").strip().lower()
        except EOFError:
            return None
        if said in numbers or said in STOP:
            return numbers.get(said)
        print(f"  {said!r} is none of {', '.join(numbers)}. Type one of them, or q to stop.")


def figure_of(item: Statement) -> str:
    """Where the figure stands that a statement is about, and what is seen there."""
    section, seen = "", ""
    for cell in _cells(item.id[:2]):
        source = "".join(cell["source"])
        if f'may_i_say("{item.group}")' in source:
            break
        if cell["cell_type"] == "markdown":
            section = ([section] + HEADING.findall(source))[-1]
        elif "picture(" in source:
            seen = f", the figure in section “{section}”: {_last_text(cell)}"
    return seen or f", section “{section}”:"


def _cells(number: str) -> list[dict]:
    """The cells of the lesson as it was built."""
    path = MATERIAL / "notebooks" / f"{lessons.load(number).name}.ipynb"
    return json.loads(path.read_text(encoding="utf-8"))["cells"]


def _last_text(cell: dict) -> str:
    """The alternative text of a cell's last picture."""
    texts = ["".join(output.get("data", {}).get("text/plain", "")) for output in cell["outputs"]]
    return texts[-1] if texts else ""


def _paragraph(text: str, margin: str = "") -> str:
    return indent("\n".join(wrap(text, 88)), margin)
