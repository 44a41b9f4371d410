"""How an exercise and its cells are named, and what stands in them before there is an answer."""

import re

KINDS = ("task", "check", "written")
WRITE_HERE = "*Write your answer here.*"  # what stands in a written cell at first
THEIR_WRITE_HERE = "YOUR ANSWER HERE"  # the same by nbgrader, unless told otherwise
THEIR_BLANK = re.compile(r"(?m)^( *)# YOUR CODE HERE\n\1raise NotImplementedError\(\)$")
BLANK = "..."


def grade_id(kind: str, name: str) -> str:
    """The grade id of a cell.

    >>> grade_id("check", "01.3")
    'check-01-3'
    """
    return f"{kind}-{name.replace('.', '-')}"


def parse_grade_id(text: str) -> tuple[str, str] | None:
    """The kind and the exercise behind a grade id, or None if it is no such id.

    >>> parse_grade_id("written-01-w"), parse_grade_id("01ab23cd")
    (('written', '01.w'), None)
    """
    kind, _, rest = text.partition("-")
    lesson, dash, number = rest.partition("-")
    return (kind, f"{lesson}.{number}") if kind in KINDS and lesson and dash and number else None


def with_own_blanks(source: str) -> str:
    """A cell as the course hands it out, whether it was released by us or by nbgrader as it comes.

    Where a name is given its blank, there is no second one below it.

    >>> with_own_blanks("p = ...\\n# YOUR CODE HERE\\nraise NotImplementedError()")
    'p = ...'
    """
    if source.strip() == THEIR_WRITE_HERE:
        return WRITE_HERE
    lines = THEIR_BLANK.sub(rf"\1{BLANK}", source).split("\n")
    pairs = zip(["", *lines], lines, strict=False)
    return "\n".join(line for before, line in pairs if not _is_second_blank(before, line))


def _is_second_blank(before: str, line: str) -> bool:
    """Whether a line is a blank just below one in which a name was given a blank."""
    name, is_given, value = before.lstrip(" ").partition(" = ")
    indent = len(before) - len(before.lstrip(" "))
    is_name = bool(name.strip()) and not name[0].isspace()
    return is_name and bool(is_given) and BLANK in value and line == " " * indent + BLANK


def exercise_file(lesson: str) -> str:
    """The file of a lesson's exercise in a workbook; a tab with this name is not the lesson's.

    >>> exercise_file("01_mdi")
    'exercise_01_mdi.ipynb'
    """
    return f"exercise_{lesson}.ipynb"
