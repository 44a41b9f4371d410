"""What `solutions/README.md` says of each lesson, written from the lessons themselves.

Four parts of that file stand between markers and are generated: the table of times and what to
skip, from the *Times* cell of each lesson and the seconds in `build/times.json`; the questions to
vote on and the rubrics, from `lesson_NN.toml`. `python -m course_lib.tools.lecturer` writes them,
`--check` says whether they are current. The rest of the file is written by hand and left alone.
"""

import argparse
import json
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from course_lib import lessons
from course_lib.lessons import Lesson, Prediction
from course_lib.tools.system import ROOT

TIMES = re.compile(
    r"\*Times\.\*.*?Learner: (\d+) minutes(?:(?!Lecturer).)*?(?:another (\d+)[^L]*)?"
    r"Lecturer: (\d+) minutes.*?\. (.*)"
)
ROW = re.compile(r"^\| (\d\d) .* \| (\S+) \| (\S+) \|$", re.MULTILINE)
UNKNOWN = "?"


@dataclass(frozen=True)
class Times:
    """People's minutes for a lesson, as its last cell estimates them, and what to skip."""

    learner: int
    exercise: int | None
    lecturer: int
    late: str


def times_of(source: str) -> Times:
    """The *Times* cell of a lesson's source.

    Examples
    --------
    >>> times_of('''
    ... # *Times.* Learner: 50 minutes, the exercise another 60. Lecturer: 40 minutes
    ... # with votes. When 15 minutes behind: skip 1.4.
    ... ''')
    Times(learner=50, exercise=60, lecturer=40, late='When 15 minutes behind: skip 1.4.')
    """
    start = source.find("*Times.*")
    paragraph = re.split(r"\n#?[ \t]*\n", source[max(start, 0) :])[0].replace("\n# ", " ")
    match = TIMES.match(" ".join(paragraph.split()))
    if not match:
        raise ValueError(
            "A lesson says nothing of its times in the form that is read here. Let its last cell "
            "say: *Times.* Learner: 50 minutes, the exercise another 60. Lecturer: 40 minutes. "
            "When 15 minutes behind: ..."
        )
    learner, exercise, lecturer, late = match.groups()
    return Times(int(learner), int(exercise) if exercise else None, int(lecturer), late.strip())


def _source(lesson: Lesson, root: Path) -> Path:
    return root / "notebooks" / "src" / f"{lesson.name}.py"


def _lessons(root: Path) -> list[Lesson]:
    """The lessons that can be taught: those with a notebook."""
    return [lesson for lesson in lessons.available() if _source(lesson, root).exists()]


def _times(lesson: Lesson, root: Path) -> Times:
    return times_of(_source(lesson, root).read_text(encoding="utf-8"))


def _seconds(text: str, root: Path | None) -> dict[str, list[str]]:
    """Per lesson the seconds of its notebook and of its solution: the build's, else the file's."""
    seconds = {number: list(pair) for number, *pair in ROW.findall(text)}
    stored = root / "build" / "times.json" if root else None
    found = stored and stored.exists()
    measured = json.loads(stored.read_text(encoding="utf-8")) if found else {}
    for name, value in measured.items():
        column = 0 if name.startswith("notebooks/") else 1
        pair = seconds.setdefault(Path(name).name[:2], [UNKNOWN, UNKNOWN])
        pair[column] = f"{value:.0f}"
    return seconds


def _times_table(root: Path, seconds: Mapping[str, list[str]]) -> str:
    heads = ["lesson", "learner, min", "exercise, min", "lecturer, min", "lesson, s", "solution, s"]
    lines = [f"| {' | '.join(heads)} |", "|---|---:|---:|---:|---:|---:|"]
    for lesson in _lessons(root):
        times = _times(lesson, root)
        cells = [f"{lesson.number} {lesson.title}", times.learner, times.exercise or "-"]
        cells += [times.lecturer, *seconds.get(lesson.number, [UNKNOWN, UNKNOWN])]
        lines.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join(lines)


def _late(root: Path) -> str:
    entries = ((lesson.number, _times(lesson, root).late) for lesson in _lessons(root))
    return "\n".join(f"- **{number}.** {late}" for number, late in entries)


def _votes(root: Path) -> str:
    return "\n\n".join(_votes_of(lesson) for lesson in _lessons(root) if lesson.predictions)


def _votes_of(lesson: Lesson) -> str:
    lines = [f"**{lesson.number} {lesson.title}**", ""]
    for vote in lesson.predictions:
        options = f" Options: {'; '.join(vote.options)}." if vote.options else ""
        lines.append(f"- `{vote.id}` {vote.question}{options} *Typical guess: {_typical(vote)}.*")
    return "\n".join(lines)


def _typical(vote: Prediction) -> str:
    if vote.kind == "number":
        return f"{vote.typical:g} {vote.unit}".strip()
    return vote.typical if vote.kind == "choice" else " > ".join(vote.typical)


def _rubrics(root: Path) -> str:
    return "\n\n".join(
        "\n".join(
            [f"**`{task.id}`**, {task.points} points. {task.prompt}", ""]
            + [f"- {line.points}: {line.text}" for line in task.rubric]
        )
        for lesson in _lessons(root)
        for task in lesson.written
    )


def with_parts(text: str, parts: Mapping[str, str]) -> str:
    """The text with each generated part between its markers, and nothing else changed.

    Examples
    --------
    >>> with_parts("a <!-- votes --> old <!-- end of votes --> z", {"votes": "new"})
    'a <!-- votes -->\\n\\nnew\\n\\n<!-- end of votes --> z'
    """
    for name, part in parts.items():
        begin, end = f"<!-- {name} -->", f"<!-- end of {name} -->"
        if text.count(begin) != 1 or text.count(end) != 1:
            raise ValueError(
                f"solutions/README.md must hold {begin!r} and {end!r} once each, to say where the "
                f"generated part goes. Put the two lines back."
            )
        before, rest = text.split(begin)
        text = f"{before}{begin}\n\n{part}\n\n{end}{rest.split(end)[1]}"
    return text


def current(text: str, root: Path = ROOT, *, measured: bool = True) -> str:
    """The text of `solutions/README.md` with its generated parts as the lessons say them now.

    Without `measured` the seconds that stand in the text are kept, whatever the last build took.
    """
    parts = {
        "times": _times_table(root, _seconds(text, root if measured else None)),
        "late": _late(root),
        "votes": _votes(root),
        "rubrics": _rubrics(root),
    }
    return with_parts(text, parts)


def main(arguments: list[str] | None = None) -> int:
    """Write the generated parts of `solutions/README.md`, or check them."""
    parser = argparse.ArgumentParser(prog="python -m course_lib.tools.lecturer")
    parser.add_argument("--check", action="store_true", help="change nothing, fail if out of date")
    check = parser.parse_args(arguments).check
    path = ROOT / "solutions" / "README.md"
    text = path.read_text(encoding="utf-8")
    if check and text != current(text, measured=False):
        print(f"solutions/README.md is out of date. Run: {parser.prog}", file=sys.stderr)
        return 1
    if not check:
        path.write_text(current(text), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
