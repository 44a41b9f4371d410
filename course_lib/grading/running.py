"""Running one submission in the box: every answer gets its reply, whatever hangs or dies."""

import base64
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from course_lib.grading.box import ForkServer, Limits, Session
from course_lib.grading.drawing import Draw, draw, public_draw, seed_from
from course_lib.grading.notebook import Action, Schedule, actions_for
from course_lib.grading.records import DIED, ERROR, TIMEOUT, CellRun
from course_lib.grading.replies import CallReply, parse_cell, parse_imports, parse_reply
from course_lib.grading.wire import ChannelClosedError

MAX_DEATHS = 2  # after so many, each task gets a box of its own with only what it needs
GRACE = 5.0  # seconds for what is no student's fault, such as the start of a process
REASONS = {
    TIMEOUT: "It took longer than allowed and was stopped.",
    DIED: "It ended the process it ran in, or used more than is allowed.",
}
USED_UP = "The time for the whole notebook was used up."


@dataclass
class Run:
    """One submission on its way: what to do with it, and what came of it so far."""

    schedule: Schedule
    limits: Limits
    draws: dict[str, Draw]  # by task
    files: dict[str, bytes]
    seed: int = 0  # of its draws
    processes: int = 0  # begun so far
    used: float = 0.0  # seconds of its own
    careful: bool = False  # no answer is asked in the notebook's own process
    replies: dict[str, CallReply] = field(default_factory=dict)
    left_out: set[int] = field(default_factory=set)
    cells: dict[int, CellRun] = field(default_factory=dict)
    imports: set[str] = field(default_factory=set)
    notes: list[str] = field(default_factory=list)

    def again(self) -> "Run":
        """The same from the start, carefully and with nothing left out."""
        begun = {"processes": self.processes, "careful": True}
        return Run(self.schedule.whole(), self.limits, self.draws, self.files, self.seed, **begun)

    def begin(self, tasks: Sequence[str]) -> None:
        """A process begins; all but the first one get cases of their own.

        Those of an earlier process may be known by now, in ways that cannot be closed: how soon a
        file can be read, for example, tells whether somebody has read it before.
        """
        if self.processes:
            seed = seed_from(self.seed, str(self.processes).encode())
            self.draws |= {task: draw(self.schedule.tasks[task].exercise, seed) for task in tasks}
        self.processes += 1

    @property
    def seconds(self) -> float:
        """What the next cell or call may take."""
        return max(0.1, min(self.limits.task_seconds, self.limits.submission_seconds - self.used))

    @property
    def room(self) -> int:
        """How much output may still be kept."""
        used = sum(len(part) for cell in self.cells.values() for part in cell.output)
        return max(0, self.limits.output - used)

    @property
    def pending(self) -> list[str]:
        tasks = self.schedule.tasks.items()
        return [name for name, t in tasks if t.index is not None and name not in self.replies]


class _BoxLostError(Exception):
    """The student's process is gone or does not answer: which action was it, and why."""

    def __init__(self, action: Action, outcome: str):
        self.action, self.outcome = action, outcome


def run_quickly(session: Session, run: Run) -> bool:
    """Run everything in this session; whether nothing was stopped or died."""
    try:
        _run_once(session, run, run.schedule.actions, run.pending)
    except _BoxLostError:
        return False
    return not any(reply.failure in REASONS for reply in run.replies.values())


def run_submission(server: ForkServer, run: Run) -> None:
    """Run everything in a session; where something hangs or dies, the rest again in another."""
    deaths = 0
    while deaths <= MAX_DEATHS and run.used < run.limits.submission_seconds / 2:
        pending = run.pending
        try:
            with server.start(pending, run.limits) as session:
                _run_once(session, run, run.schedule.actions, pending)
            break
        except _BoxLostError as lost:
            _blame(run, lost)
            deaths += lost.outcome == DIED
    _run_one_by_one(server, run)
    run.replies |= dict.fromkeys(run.pending, CallReply(failure=TIMEOUT, message=USED_UP))


def _run_one_by_one(server: ForkServer, run: Run) -> None:
    """What is not graded yet, or may have suffered from another cell, gets a box of its own.

    Only the cells that the task needs run there. If a cell that was blamed proves innocent, so
    do the tasks that had to do without it.
    """
    suspects = {task for task, reply in run.replies.items() if _may_be_innocent(run, reply)}
    innocent = set()
    for task in sorted(run.schedule.tasks, key=lambda name: name not in run.pending):
        if task not in suspects and task not in run.pending:
            cells = {action.index for action in actions_for(run.schedule, task, set())}
            if run.replies.get(task, CallReply()).failure != ERROR or not cells & innocent:
                continue
        if run.used < run.limits.submission_seconds:
            reply = _run_alone(server, run, task)
            if not reply.failure or task not in run.replies:
                run.replies[task] = reply
                innocent.add(run.schedule.tasks[task].index)


def _may_be_innocent(run: Run, reply: CallReply) -> bool:
    """Whether another cell may be behind a hang or a death: only if there is one."""
    others = any(action.extra for action in run.schedule.actions)
    return reply.failure == DIED or (reply.failure == TIMEOUT and others)


def _run_alone(server: ForkServer, run: Run, task: str) -> CallReply:
    """A task in a box with only the cells it needs, less those that hang or die even there."""
    own, left_out = run.schedule.tasks[task].index, set()
    for _ in range(MAX_DEATHS):
        part = replace(run, replies={}, cells={}, left_out=set(), imports=set(), notes=[])
        try:
            with server.start([task], run.limits) as session:
                _run_once(session, part, actions_for(run.schedule, task, left_out), [task])
            run.cells = part.cells | {k: cell for k, cell in run.cells.items() if not cell.lost}
            return part.replies[task]
        except _BoxLostError as lost:
            if lost.action.keep or lost.action.index == own:
                return _failure(lost.outcome)
            left_out.add(lost.action.index)
        finally:
            run.used, run.processes = part.used, part.processes
    return _failure(DIED)


def _failure(outcome: str) -> CallReply:
    return CallReply(failure=outcome, message=REASONS[outcome])


def _blame(run: Run, lost: _BoxLostError) -> None:
    """Charge the task concerned, if there is one, and leave its cell out from now on."""
    action, reason = lost.action, REASONS[lost.outcome]
    if task := action.task or action.keep:
        run.replies[task] = _failure(lost.outcome)
    if action.source:
        run.left_out.add(action.index)
        run.cells[action.index] = CellRun(lost=reason)
        if not action.task:
            run.notes.append(f"Cell {action.index + 1} was left out: {reason}")


def _run_once(session: Session, run: Run, actions: Sequence[Action], tasks: Sequence[str]) -> None:
    """One process from the first cell to the last call.

    Secret cases only go into copies of it that were kept, and only when all else is done: whatever
    a call leaves behind, in files or in processes, nobody looks at later.
    """
    before = run.used - session.used
    run.begin(tasks)
    for name, content in run.files.items():
        text = base64.b64encode(content).decode()
        _ask(session, Action(-1), GRACE, do="file", name=name, content=text)
    shown: dict[str, CallReply] = {}
    try:
        for action in actions:
            if action.keep in tasks:
                shown[action.keep] = _keep(session, run, action)
            elif not action.keep and action.index not in run.left_out:
                _run_cell(session, run, action)
            run.used = before + session.used
        for task in tasks:
            run.replies[task] = _reply(session, run, task, shown[task])
            run.used = before + session.used
    finally:
        run.used = before + session.used


def _run_cell(session: Session, run: Run, action: Action) -> None:
    data = _ask(session, action, run.seconds, do="cell", source=action.source)
    run.cells.setdefault(action.index, parse_cell(data, run.room))  # what the first process shows
    run.imports |= parse_imports(data)


def _keep(session: Session, run: Run, action: Action) -> CallReply:
    """Keep a function for the secret cases; what it says to those of the notebook, or a value.

    The first explains a wrong answer; in the first process the student's time is not used up by it.
    It is asked in the notebook's process, as its check does, or carefully in a copy of the copy.
    """
    task = run.schedule.tasks[action.keep]
    is_function, calls = task.exercise.is_function, public_draw(task.exercise).calls
    if is_function or run.careful:
        _ask(session, action, run.seconds, do="keep", task=action.keep, answer=task.answer)
    before = session.used
    if run.careful:
        reply = _call(session, run, action.keep, calls, last=not is_function)
    else:
        data = _ask(session, action, run.seconds, do="show", answer=task.answer, **calls)
        reply = parse_reply(data)
    if is_function and run.processes == 1 and reply.failure not in REASONS:
        session.used = before
    return reply


def _ask(session: Session, action: Action, seconds: float, **message) -> dict:
    try:
        return session.ask(seconds, **message)
    except TimeoutError:
        raise _BoxLostError(action, TIMEOUT) from None
    except ChannelClosedError:
        raise _BoxLostError(action, DIED) from None


def _reply(session: Session, run: Run, task: str, shown: CallReply) -> CallReply:
    """What an answer says to the secret cases, unless it has not survived those of the notebook."""
    if shown.failure in REASONS or not run.schedule.tasks[task].exercise.is_function:
        return shown
    return replace(_call(session, run, task, run.draws[task].calls), public=shown)


def _call(session: Session, run: Run, task: str, calls: dict, *, last: bool = True) -> CallReply:
    """Call a kept answer; a copy that hangs or dies is gone for good."""
    try:
        return parse_reply(session.call(task, run.seconds, calls, last=last))
    except TimeoutError:
        reply = _failure(TIMEOUT)
        _ask(session, Action(-1, keep=task), GRACE, do="drop", task=task)
    except ChannelClosedError:
        reply = _failure(DIED)
    _ask(session, Action(-1, keep=task), GRACE, do="nothing")
    return reply
