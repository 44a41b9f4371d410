"""Grading one submission: its cells run in the box, its answers are compared out here."""

import base64
import binascii
import time
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np

from course_lib import lessons
from course_lib.grading.box import ForkServer, Limits, Session
from course_lib.grading.imports import notes_on_imports
from course_lib.grading.notebook import (
    Plan,
    Released,
    Step,
    UnreadableError,
    alone,
    plan,
    read_cells,
)
from course_lib.grading.wire import ChannelClosedError, Other, decode
from course_lib.learner.checks import CORRECT, NOT_ATTEMPTED, NOT_YET
from course_lib.lessons.exercise import PUBLIC_SEED, Exercise, Slip

ERROR, TIMEOUT, DIED, MISSING = "error", "timeout", "died", "missing"
OUTCOMES = (CORRECT, NOT_YET, NOT_ATTEMPTED, ERROR, TIMEOUT, DIED, MISSING)
MAX_DEATHS = 2  # after so many, each task gets a box of its own with only what it needs
GRACE = 5.0  # seconds for what is no student's fault, such as the start of a process
MAX_NOTES, MAX_SHOWN = 40, 20_000


# What is right


class AnswerKey:
    """The cases that a seed gives, with the right answers and those of the known slips."""

    def __init__(self, exercise: Exercise, seed: int):
        self.exercise, self.cases = exercise, exercise.cases(seed)
        self.arguments = [exercise.arguments(case) for case in self.cases]
        with np.errstate(all="ignore"):
            self.wanted = self._values(exercise.reference)
            self.slipped = [(slip, self._values(slip.answer)) for slip in exercise.slips]

    def _values(self, function) -> list:
        return [function(*arguments) for arguments in self.arguments]

    def agrees(self, answers: list, values: list | None = None) -> bool:
        """Whether there is one answer per case, each equal to the wanted one."""
        values = self.wanted if values is None else values
        return len(answers) == len(values) and all(map(self._same, answers, values))

    def _same(self, got, wanted) -> bool:
        try:
            return self.exercise.agrees(got, wanted)
        except Exception:  # whatever a comparison with nonsense may raise
            return False

    def first_wrong(self, answers: list) -> int:
        """The number of the first case that is answered wrongly."""
        return next(k for k, w in enumerate(self.wanted) if not self._same(answers[k], w))

    def slip(self, answers: list) -> Slip | None:
        """The slip that explains all answers."""
        return next((s for s, values in self.slipped if self.agrees(answers, values)), None)


@lru_cache(maxsize=128)
def answer_key(exercise: str, seed: int) -> AnswerKey:
    """The key to an exercise, computed once per process."""
    known = {task.id: task for task in lessons.exercises(exercise.partition(".")[0])}
    return AnswerKey(known[exercise], seed)


def learn_answers(lesson: str, seed: int) -> None:
    """Compute all keys of a lesson ahead of time."""
    for exercise in lessons.exercises(lesson):
        for each in (seed, PUBLIC_SEED):
            answer_key(exercise.id, each)


# What the student gave


@dataclass
class _Given:
    """What came out of the box for one task; untrusted, but of checked types."""

    outcome: str = ""  # what went wrong before there was an answer
    answers: list | None = None
    public: list | None = None  # answers to the cases that the notebook shows
    blank: bool = False
    message: str = ""


@dataclass
class _State:
    """One submission on its way."""

    plan: Plan
    limits: Limits
    seed: int
    files: dict[str, bytes]
    started: float = field(default_factory=time.monotonic)
    given: dict[str, _Given] = field(default_factory=dict)
    left_out: dict[int, str] = field(default_factory=dict)
    cells: dict[int, dict] = field(default_factory=dict)  # index -> output and error
    imports: set[str] = field(default_factory=set)
    notes: list[str] = field(default_factory=list)

    @property
    def used(self) -> float:
        return time.monotonic() - self.started

    @property
    def seconds(self) -> float:
        """What the next cell or call may take."""
        return max(0.1, min(self.limits.task_seconds, self.limits.submission_seconds - self.used))

    @property
    def pending(self) -> list[str]:
        tasks = self.plan.tasks.items()
        return [name for name, t in tasks if t.index is not None and name not in self.given]


class _BoxLostError(Exception):
    """The student's process is gone or does not answer: which step was it, and why."""

    def __init__(self, step: Step, outcome: str):
        self.step, self.outcome = step, outcome


def mark(
    server: ForkServer,
    released: Released,
    content: bytes,
    *,
    files: dict[str, bytes],
    seed: int,
    limits: Limits,
) -> dict:
    """The result of one submission, without its student: tasks, written answers, notes."""
    try:
        cells, notes = read_cells(content)
        the_plan = plan(released, cells)
    except UnreadableError as error:
        return unreadable(released, [str(error)])
    state = _State(the_plan, limits, seed, files)
    _run(server, state)
    task_notes = [note for task in the_plan.tasks.values() for note in task.notes]
    notes += the_plan.notes + task_notes + state.notes
    notes += notes_on_imports(the_plan, state.imports)
    tasks = [_task_result(state, name) for name in the_plan.tasks]
    return _result(released, tasks, the_plan.written, notes, _other_cells(state))


def unreadable(released: Released, notes: list[str]) -> dict:
    """The result of something that cannot be graded: no points, and why."""
    tasks = [
        _task_entry(exercise, MISSING, "There is nothing to grade.") for exercise in released.graded
    ]
    return _result(released, tasks, {w.id: "" for w in released.written}, notes, [])


def _result(released: Released, tasks: list, written: dict, notes: list, cells: list) -> dict:
    return {
        "lesson": released.lesson,
        "name": released.name,
        "points": sum(task["points"] for task in tasks),
        "max_points": released.max_points,
        "tasks": tasks,
        "written": [
            {"task": w.id, "max_points": w.points, "answer": written[w.id]}
            for w in released.written
        ],
        "cells": cells,
        "notes": notes[:MAX_NOTES],
    }


# Running


def _run(server: ForkServer, state: _State) -> None:
    """Run everything; where something hangs or dies, run the rest again without it."""
    deaths = 0
    while deaths <= MAX_DEATHS and state.used < state.limits.submission_seconds / 2:
        try:
            _pass(server, state, state.plan.steps, state.pending)
            break
        except _BoxLostError as lost:
            _blame(state, lost)
            deaths += lost.outcome == DIED
    _run_one_by_one(server, state)
    for task in state.pending:
        state.given[task] = _Given(TIMEOUT, message="The time for the whole notebook was used up.")


def _run_one_by_one(server: ForkServer, state: _State) -> None:
    """What is not graded yet, or may have suffered from another cell, gets a box of its own.

    Only the cells that the task needs run there. If a cell that was blamed proves innocent, so
    do the tasks that had to do without it.
    """
    blamed = {task for task, given in state.given.items() if _may_be_innocent(state, given)}
    innocent = set()
    for task in [*state.plan.tasks]:
        if task not in blamed and task not in state.pending:
            steps = {step.index for step in alone(state.plan, task, set())}
            if state.given.get(task, _Given()).outcome != ERROR or not steps & innocent:
                continue
        if state.used < state.limits.submission_seconds:
            given = _alone(server, state, task)
            if not given.outcome or task not in state.given:
                state.given[task] = given
                innocent.add(state.plan.tasks[task].index)


def _may_be_innocent(state: _State, given: _Given) -> bool:
    """Whether another cell may be behind a hang or a death: only if there is one."""
    others = any(step.extra for step in state.plan.steps)
    return given.outcome == DIED or (given.outcome == TIMEOUT and others)


def _alone(server: ForkServer, state: _State, task: str) -> _Given:
    """A task in a box with only the cells it needs, less those that hang or die even there."""
    own, left_out = state.plan.tasks[task].index, set()
    for _ in range(MAX_DEATHS):
        part = _State(state.plan, state.limits, state.seed, state.files, state.started)
        try:
            _pass(server, part, alone(state.plan, task, left_out), [task])
            state.cells |= part.cells
            return part.given[task]
        except _BoxLostError as lost:
            if lost.step.keep or lost.step.index == own:
                return _Given(lost.outcome, message=_said(lost.outcome))
            left_out.add(lost.step.index)
    return _Given(DIED, message=_said(DIED))


def _blame(state: _State, lost: _BoxLostError) -> None:
    """Charge the task concerned, if there is one, and leave its cell out from now on."""
    task = lost.step.task or lost.step.keep
    if task:
        state.given[task] = _Given(lost.outcome, message=_said(lost.outcome))
    if lost.step.source:
        state.left_out[lost.step.index] = lost.outcome
        if not lost.step.task:
            state.notes.append(f"Cell {lost.step.index + 1} was left out: {_said(lost.outcome)}")
        state.cells[lost.step.index] = {"output": [], "error": None, "lost": _said(lost.outcome)}


def _said(outcome: str) -> str:
    return {
        TIMEOUT: "It took longer than allowed and was stopped.",
        DIED: "It ended the process it ran in, or used more than is allowed.",
    }[outcome]


def _pass(server: ForkServer, state: _State, steps: list[Step], tasks: list[str]) -> None:
    """One process from the first cell to the last call."""
    with server.start(tasks, state.limits) as session:
        for name, file in state.files.items():
            _asked(
                session,
                Step(-1),
                GRACE,
                do="file",
                name=name,
                content=base64.b64encode(file).decode(),
            )
        for step in steps:
            if step.keep in tasks:
                answer = state.plan.tasks[step.keep].answer
                _asked(session, step, state.seconds, do="keep", task=step.keep, answer=answer)
            elif not step.keep and step.index not in state.left_out:
                reply = _asked(session, step, state.seconds, do="cell", source=step.source)
                state.cells[step.index] = _cell_reply(reply, _room(state))
                state.imports |= _texts(reply.get("imports"))
        for task in tasks:
            state.given[task] = _call(session, state, task)


def _asked(session: Session, step: Step, seconds: float, **message) -> dict:
    try:
        return session.ask(seconds, **message)
    except TimeoutError:
        raise _BoxLostError(step, TIMEOUT) from None
    except ChannelClosedError:
        raise _BoxLostError(step, DIED) from None


def _call(session: Session, state: _State, task: str) -> _Given:
    """Call a kept answer on the secret cases and, if it is wrong, on those of the notebook."""
    exercise = state.plan.tasks[task].exercise
    key = answer_key(task, state.seed)
    try:
        given = _given(session.call(task, state.seconds, task, key.cases), len(key.cases))
        if exercise.is_function and (given.answers is None or not key.agrees(given.answers)):
            public = answer_key(task, PUBLIC_SEED).cases
            shown = _given(session.call(task, state.seconds, task, public), len(public))
            given.public, given.message = shown.answers, given.message and shown.message
        return given
    except TimeoutError:
        given = _Given(TIMEOUT, message=_said(TIMEOUT))
        _asked(session, Step(-1, keep=task), GRACE, do="drop", task=task)
    except ChannelClosedError:
        given = _Given(DIED, message=_said(DIED))
    _asked(session, Step(-1, keep=task), GRACE, do="nothing")
    return given


def _given(reply: dict, n_cases: int) -> _Given:
    """Rebuild the answers, or say in what way there are none."""
    if reply.get("blank") is True:
        return _Given(blank=True)
    if type(reply.get("uncallable")) is str:
        return _Given(answers=[], message="A function is wanted here, and this is none.")
    if "error" in reply:
        return _Given(ERROR, message=_error_text(_error(reply["error"])))
    answers = reply.get("answers")
    if type(answers) is not list or len(answers) != n_cases:
        return _Given(answers=[], message="What came back is not one answer per case.")
    try:
        return _Given(answers=[decode(answer) for answer in answers])
    except ValueError:
        return _Given(answers=[], message="What came back is not a value.")


# Replies are data of strangers


def _texts(values) -> set[str]:
    return {v[:200] for v in values if type(v) is str} if type(values) is list else set()


def _room(state: _State) -> int:
    used = sum(
        len(part.get("text", part.get("png", "")))
        for cell in state.cells.values()
        for part in cell["output"]
    )
    return max(0, state.limits.output - used)


def _cell_reply(reply: dict, room: int) -> dict:
    parts = reply.get("output")
    output = []
    for part in parts if type(parts) is list else []:
        if type(part) is not dict:
            continue
        text, png = part.get("text"), part.get("png")
        if type(text) is str and room > 0:
            output.append({"text": text[:room].encode("utf-8", "replace").decode()})
            room -= len(text)
        elif type(png) is str and len(png) <= room and _is_png(png):
            output.append({"png": "".join(png.split())})
            room -= len(png)
    error = reply.get("error")
    return {"output": output, "error": _error(error) if error is not None else None}


def _is_png(text: str) -> bool:
    try:
        return base64.b64decode(text, validate=False).startswith(b"\x89PNG\r\n\x1a\n")
    except (binascii.Error, ValueError):
        return False


def _error(data) -> dict:
    data = data if type(data) is dict else {}
    kind, message, lines = (data.get(k) for k in ("kind", "message", "lines"))
    return {
        "kind": _clean(kind, 80) or "Error",
        "message": _clean(message, 2000),
        "lines": [
            {"line": entry.get("line"), "text": _clean(entry.get("text"), 200)}
            for entry in (lines if type(lines) is list else [])[:5]
            if type(entry) is dict and type(entry.get("line")) is int
        ],
    }


def _clean(text, length: int) -> str:
    return text[:length].encode("utf-8", "replace").decode() if type(text) is str else ""


def _error_text(error: dict) -> str:
    where = "".join(f"  line {e['line']}: {e['text']}\n" for e in error["lines"])
    return f"{where}{error['kind']}: {error['message']}"


# Verdicts


def _task_result(state: _State, name: str) -> dict:
    task = state.plan.tasks[name]
    if task.index is None:
        return _task_entry(task.exercise, MISSING, "The cell for this answer is missing.")
    given = state.given[name]
    outcome, message, slip = _verdict(task.exercise, given, state.seed, task.attempted)
    entry = _task_entry(task.exercise, outcome, message, slip)
    cell = state.cells.get(task.index, {"output": [], "error": None})
    return entry | {"code": task.code[:MAX_SHOWN], **cell}


def _task_entry(exercise: Exercise, outcome: str, message: str, slip: Slip | None = None) -> dict:
    return {
        "task": exercise.id,
        "title": exercise.title,
        "points": exercise.points if outcome == CORRECT else 0,
        "max_points": exercise.points,
        "outcome": outcome,
        "slip": slip.name if slip else "",
        "message": message,
        "hint": slip.hint if slip else "",
        "behind": slip.behind if slip else "",
        "code": "",
        "output": [],
        "error": None,
    }


def _verdict(exercise: Exercise, given: _Given, seed: int, attempted: bool):
    """Outcome, what to say, and the slip if there is one; no secret case is ever mentioned."""
    nothing = given.answers is not None and given.answers and all(a is None for a in given.answers)
    if given.blank or (nothing and not attempted):
        return NOT_ATTEMPTED, "There is no answer yet.", None
    if given.outcome:
        return given.outcome, given.message or _only_secret(exercise), None
    key = answer_key(exercise.id, seed)
    if key.agrees(given.answers):
        cases = f" on {len(key.cases)} new cases" if exercise.is_function else ""
        return CORRECT, f"Right{cases}.", None
    if given.message:
        return NOT_YET, given.message, None
    slip = key.slip(given.answers)
    if nothing:
        return NOT_YET, "The function gives None in every case. Is a return missing?", None
    return NOT_YET, _what_is_wrong(exercise, given), slip


def _what_is_wrong(exercise: Exercise, given: _Given) -> str:
    expected = f"Expected: {exercise.expects}."
    if not exercise.is_function:
        return f"Your answer is {_shown(given.answers[0])}. {expected}"
    public = answer_key(exercise.id, PUBLIC_SEED)
    if given.public is None or len(given.public) != len(public.cases):
        return f"The answer is wrong. {expected}"
    if public.agrees(given.public):
        return _only_secret(exercise) + " " + expected
    k = public.first_wrong(given.public)
    case = exercise.describe(public.cases[k])
    return f"In the case {case}, your answer is {_shown(given.public[k])}. {expected}"


def _only_secret(exercise: Exercise) -> str:
    return "It does well on the cases shown in the notebook, but not on new ones of the same kind."


def _shown(value) -> str:
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        value = value.round(4)
    if isinstance(value, set):  # whose order is not always the same
        return f"{{{', '.join(sorted(map(_shown, value)))}}}"
    text = value.text if isinstance(value, Other) else " ".join(repr(value).split())
    return text if len(text) <= 120 else f"{text[:117]}..."


def _other_cells(state: _State) -> list[dict]:
    """Extra cells that failed or said something, for the lecturer; answers have their own entry."""
    own = {task.index for task in state.plan.tasks.values()}
    return [
        {"cell": index + 1, **cell}
        for index, cell in sorted(state.cells.items())
        if index not in own and (cell["error"] or cell["output"] or "lost" in cell)
    ]
