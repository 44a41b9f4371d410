"""A look into the files of one student: which exercises are there, and in which there is work.

Runs in a process with limits (`limited`). What a student's files may cost is counted for that
student alone: time, bytes and number, archives in archives included.
"""

import json
from collections import Counter
from dataclasses import replace
from functools import cache

from course_lib.grading import archives, limited
from course_lib.grading.archives import File, UnreadableFileError, contents, unpacked_bytes
from course_lib.grading.box import LIBRARY
from course_lib.grading.owners import made_by_a_program
from course_lib.grading.sorting import Handed
from course_lib.lessons.cells import parse_grade_id

MAX_CPU = 20.0  # seconds of the processor
MAX_BYTES = 500 * 2**20  # searched, and unpacked to be searched
MAX_PARTS = 2_000_000  # of a notebook that is compared with what was handed out
MAX_ANSWER = 200_000  # characters; whoever writes more has written something
MAX_TOLD = 100  # files that are listed one by one where they are too much
SLOW = f"The student's files take longer than {MAX_CPU:g} s to look through."
LARGE = f"The student's files are larger than {MAX_BYTES // 2**20} MB together."


def look(mine: list[Handed], known: dict[str, str]) -> list[Handed]:
    """The same files with what is in archives, and for each what was found in it.

    `known` are the names of all lessons by their numbers.
    """
    with limited.processor_time(MAX_CPU) as is_over:
        looked = _Look(mine, known).all(is_over)
        return looked if is_over() else _with_work(looked, known)


class _Look:
    """What is still to be looked at, and what it has cost so far."""

    def __init__(self, mine: list[Handed], known: dict[str, str]):
        self.waiting, self.known = mine[::-1], known
        self.done: list[Handed] = []
        self.bytes = 0

    def all(self, is_over) -> list[Handed]:
        while self.waiting:
            if too_much := SLOW if is_over() else LARGE if self.bytes >= MAX_BYTES else "":
                return self.done + [replace(rest, told=too_much) for rest in self._left()]
            handed = self.waiting.pop()
            try:
                self._one(handed)
            except Exception as error:  # a file can be wrong in any way, and nobody else's trouble
                self.done.append(replace(handed, told=_why(error)))
        return self.done

    def _left(self) -> list[Handed]:
        rest = self.waiting[::-1]
        others = [replace(rest[-1], file=File(("...",)))] if len(rest) > MAX_TOLD else []
        return rest[:MAX_TOLD] + others

    def _one(self, handed: Handed) -> None:
        told = made_by_a_program(handed.file.parts) or handed.file.refused
        if told:
            self.done.append(replace(handed, told=told))
        elif handed.file.is_archive:
            self._open(handed)
        else:
            found, size = handed.file.lessons()
            self.bytes += size
            found = Counter({n: count for n, count in found.items() if n in self.known})
            self.done.append(replace(handed, found=found))

    def _open(self, handed: Handed) -> None:
        room = archives.MAX_OWN - len(self.done) - len(self.waiting)
        entries = list(contents(handed.file, max(room, 0)))
        if all(entry.parts != handed.file.parts for entry in entries):
            self.bytes += unpacked_bytes(handed.file)
        self.waiting += [replace(handed, file=entry) for entry in reversed(entries)]


def _why(error: Exception) -> str:
    if isinstance(error, UnreadableFileError):
        return str(error)
    return f"The file cannot be read ({type(error).__name__})."


# Which of several notebooks somebody has worked on


def _with_work(mine: list[Handed], known: dict[str, str]) -> list[Handed]:
    """The same files; of several notebooks for a lesson, those with work in them know it."""
    several = Counter(number for handed in mine for number in handed.found)
    numbers = {number for number, count in several.items() if count > 1}
    return [replace(h, touched=_touched(h, numbers & h.found.keys(), known)) for h in mine]


def _touched(handed: Handed, numbers: set[str], known: dict[str, str]) -> frozenset[str]:
    try:
        return frozenset(n for n in numbers if is_touched(handed.file, known[n]))
    except Exception:  # whatever cannot be compared has no answers that could be graded
        return frozenset()


def is_touched(file: File, name: str) -> bool:
    """Whether an answer differs from what was handed out; a copy put beside it has none."""
    answers, handed_out = _answers(file.read(archives.MAX_LOOK)), _handed_out(name)
    return any(handed_out.get(key, text) != text for key, text in answers.items())


@cache
def _handed_out(name: str) -> dict[str, str]:
    path = LIBRARY.parent / "exercises" / name / f"{name}.ipynb"
    return _answers(path.read_bytes())


def _answers(content: bytes) -> dict[str, str]:
    """The cells for answers by their grade ids, without spaces; empty if it is no notebook."""
    if sum(content.count(mark) for mark in (b",", b"[", b"{")) > MAX_PARTS:
        return {}
    found = {}
    for cell in json.loads(content)["cells"]:
        kind = parse_grade_id(name := _mark(cell))
        if kind and kind[0] != "check":
            source = cell["source"]
            text = "".join(source) if isinstance(source, list) else str(source)
            found[name] = "".join(text[:MAX_ANSWER].split())
    return found


def _mark(cell: dict) -> str:
    """The grade id of a cell, or its id, which is the same where the mark was lost."""
    return str(cell.get("metadata", {}).get("nbgrader", {}).get("grade_id") or cell.get("id"))
