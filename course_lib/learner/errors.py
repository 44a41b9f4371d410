"""An error in the learner's own function, told in few lines: those that the learner wrote."""

import linecache
from types import TracebackType

from course_lib.lessons.exercise import Exercise
from course_lib.lessons.judgement import NOT_YET, Verdict

MAX_LINES, MAX_MESSAGE = 5, 300


def error_verdict(exercise: Exercise, answer, error: Exception) -> Verdict:
    """The verdict on an answer that stopped with an error."""
    lines = own_lines(error.__traceback__, {"__main__", getattr(answer, "__module__", None)})
    notes = getattr(error, "__notes__", [])
    where = f" {notes[-1]}" if notes else ""
    kind, said = type(error).__name__, _message(error)
    return Verdict(
        exercise.id,
        NOT_YET,
        f"Your function stopped with {_article(kind)} {kind}{where}{': ' if said else ''}{said}.",
        "It stopped at the last of these lines." if lines else "",
        lines=lines,
    )


def _article(word: str) -> str:
    return "an" if word[0] in "AEIO" else "a"


def _message(error: Exception) -> str:
    try:
        text = " ".join(str(error).split()).removesuffix(".")
    except Exception:  # an error of the learner's own making
        return "(its message cannot be shown)"
    return text if len(text) <= MAX_MESSAGE else f"{text[: MAX_MESSAGE - 3]}..."


def own_lines(trace: TracebackType | None, modules: set) -> tuple[str, ...]:
    """The lines of a traceback that stand in these modules, the last ones if there are many."""
    lines = []
    while trace:
        frame = trace.tb_frame
        if frame.f_globals.get("__name__") in modules:
            text = linecache.getline(frame.f_code.co_filename, trace.tb_lineno, frame.f_globals)
            name = frame.f_code.co_name.replace("<module>", "the cell")
            lines.append(f"line {trace.tb_lineno}, in {name}:\n    {text.strip()}")
        trace = trace.tb_next
    return tuple(lines[-MAX_LINES:])
