"""What authors write: py:percent text, read into notebooks with stable ids and little metadata."""

import hashlib
import re
import symtable
from collections import Counter
from functools import partial
from pathlib import Path

from course_lib import lessons
from course_lib.files import EncodingError, read_text
from course_lib.lessons.cells import grade_id, parse_grade_id
from course_lib.lessons.ties import CAPTION, Tie, TieError, ties, ties_of_code, untied

KERNEL = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
METADATA = {"kernelspec": KERNEL, "language_info": {"name": "python"}}
PLAIN_KEYS = {"tags", "slideshow", "jupyter"}  # kept as they are written in the source
LAYOUT_KEYS = {"lines_to_next_cell", "lines_to_end_of_cell_marker"}  # jupytext's, of no meaning
GRADED = {  # marker in the source -> nbgrader's flags
    "task": {"grade": False, "solution": True, "locked": False},
    "check": {"grade": True, "solution": False, "locked": True},
    "written": {"grade": True, "solution": True, "locked": False},
}
PAGES = "../../notebooks"  # from an exercise of the repository
FOLDED = "# code, folded"  # a first line that gives nothing away
MARKER = re.compile(r"^\{\{([^{}|]*)\}\}$", re.MULTILINE)
LOST = re.compile(r"^(?:#[ \t]*)?\|[ \t]*(?:holds|says)\b.*", re.MULTILINE)  # in a text cell
REGION = re.compile(r"(?ms)^( *)### BEGIN SOLUTION\n.*?### END SOLUTION[^\n]*$")
STUB = "raise NotImplementedError()"  # what nbgrader puts there unless told otherwise


class BuildError(ValueError):
    """A notebook that cannot be built; the message names the file and the cell."""


def source_text(path: Path) -> str:
    """What an author has written."""
    try:
        return read_text(path, "/".join(path.parts[-3:]))
    except EncodingError as error:
        raise BuildError(str(error)) from None


def cell_name(path, number: int, cell) -> str:
    """Name a cell in a message: the file, its number from 1, its first line."""
    first = cell.source.strip().partition("\n")[0]
    return f"{path}, cell {number} ({first[:60]!r})"


def read_source(path: Path, *, graded: bool = False):
    """Read a py:percent source into an unexecuted notebook with stable ids and little metadata.

    A cell's id is the hash of its text (with a counter for repetitions), or its grade id, so
    that inserting a cell leaves the ids of all others alone. With `graded`, the markers
    ``task="01.1"``, ``check="01.1"`` and ``written="01.w"`` become nbgrader's metadata. A line
    ``{{times}}`` of a text cell becomes what the lesson's toml says of its times, ``{{answer}}``
    the model answer of a written task, ``{{onward}}`` the links at the end of an exercise. Of
    words that are tied to a computation (`course_lib.lessons.ties`) the words remain.
    """
    import jupytext
    from nbformat import v4

    text = jupytext.reads(source_text(path), fmt="py:percent")
    seen, file = Counter(), "/".join(path.parts[-3:])
    cells = []
    for number, cell in enumerate(text.cells, start=1):
        where = cell_name(file, number, cell)
        if not cell.source.strip():
            raise BuildError(f"{where}: the cell is empty. Write something in it or delete it.")
        if cell.cell_type == "markdown":
            fill = partial(_marker_text, where, path.stem[:2], cell.metadata.get("written"))
            _refuse_lost_line(cell, where)
            cell.source = MARKER.sub(fill, cell.source)
        try:
            _take_ties(cell)
        except TieError as error:
            raise BuildError(f"{where}: {error}") from None
        if cell.cell_type == "code" and is_folded(cell) and not cell.source.startswith("#"):
            cell.source = f"{FOLDED}\n{cell.source}"
        metadata, name = _metadata(cell, where, lesson=path.stem[:2], graded=graded)
        seen[name] += 1
        new = v4.new_code_cell if cell.cell_type == "code" else v4.new_markdown_cell
        cell_id = name if seen[name] == 1 else f"{name}-{seen[name]}"
        cells.append(new(cell.source, metadata=metadata, id=cell_id))
    if graded:
        _refuse_lonely(file, seen)
    return v4.new_notebook(cells=cells, metadata=METADATA)


def _take_ties(cell) -> None:
    """Leave of a cell what its readers see; what a figure's slide says goes into its metadata."""
    if cell.cell_type == "markdown":
        cell.source = untied(cell.source)
        return
    cell.source, said = take_captions(ties_of_code(cell.source)[0])
    if said:
        caption = {"caption": untied(said)}
        cell.metadata["slideshow"] = cell.metadata.get("slideshow", {}) | caption


def _refuse_lost_line(cell, where: str) -> None:
    if lost := LOST.search(cell.source):
        line = lost[0].removeprefix("#").strip()
        raise BuildError(
            f"{where}: '#{line}' belongs into a code cell, and here it would be a line of the "
            f"text. Write the tie into its sentence, {{{{words | expression}}}}, or the line into "
            f"the code."
        )


def read_ties(path: Path) -> list[list[Tie]]:
    """For each cell of a source, what its sentences are tied to.

    Those of a prediction or of a group of statements belong to the cell that shows them.
    """
    import jupytext

    text = jupytext.reads(source_text(path), fmt="py:percent")
    number = path.stem[:2]
    of_items = lessons.item_ties(number) if number in lessons.numbers() else {}
    return [_ties_of_cell(cell, of_items) for cell in text.cells]


def _ties_of_cell(cell, of_items: dict[str, list[Tie]]) -> list[Tie]:
    if cell.cell_type == "markdown":
        return ties(MARKER.sub("", cell.source))
    shown = re.findall(r"\b(?:reveal|may_i_say)\(\s*[\"']([\w.]+)", cell.source)
    own = [*ties_of_code(cell.source)[1], *ties(take_captions(cell.source)[1])]
    return own + [tie for name in shown for tie in of_items.get(name, ())]


def take_captions(code: str) -> tuple[str, str]:
    """A code cell without its lines ``#| says TEXT``, and these texts: for its slide.

    >>> take_captions("x = 1\\n#| says It is {{1 bit | x}}.")
    ('x = 1', 'It is {{1 bit | x}}.')
    """
    said = " ".join(text.strip() for text in CAPTION.findall(code))
    return CAPTION.sub("", code).rstrip("\n"), said


def is_folded(cell) -> bool:
    """Whether JupyterLab shows nothing of a cell's code but its first line."""
    return bool(cell.metadata.get("jupyter", {}).get("source_hidden"))


def _marker_text(where: str, number: str, written: str | None, marker: re.Match) -> str:
    """What stands in the notebook in place of a marker."""
    texts = {"times": lambda: lessons.load(number).times, "onward": lambda: onward(number)}
    if written:
        texts["answer"] = lambda: _model_answer(written)
    if marker[1] not in texts:
        known = ", ".join(f"{{{{{name}}}}}" for name in texts)
        raise BuildError(
            f"{where}: {marker[0]} stands for nothing. Here there is only {known}, from "
            f"course_lib/lessons/lesson_{number}.toml; words that are tied to a computation have a "
            f"bar: {{{{words | expression}}}}."
        )
    try:
        return texts[marker[1]]()
    except ValueError as error:
        raise BuildError(f"{where}: {marker[0]} needs the lesson's toml. {error}") from None


def _model_answer(name: str) -> str:
    answer = lessons.find("written", name).answer.strip()
    if not answer:
        raise ValueError(f"The written task {name} has no field answer there.")
    return answer


def onward(number: str) -> str:
    """Where to go from the end of an exercise; the links are those of the repository."""
    known = lessons.numbers()
    after = known[known.index(number) + 1 :][:1] if number in known else ()
    here, *following = [lessons.load(each) for each in (number, *after)]
    sentences = [f"Back to the lesson: {_link(here)}."]
    sentences += [f"Onward: {_link(lesson)}." for lesson in following]
    if not following:
        sentences.append("This was the last lesson.")
    sentences.append(f"Words are explained in the [glossary]({PAGES}/glossary.md).")
    return f"{' '.join(sentences)} `progress()` shows all lessons; this one, and what comes next:"


def _link(lesson: lessons.Lesson) -> str:
    return f"[{lesson.number} {lesson.title}]({PAGES}/{lesson.name}.ipynb)"


def _metadata(cell, where, *, lesson, graded):
    """Return the metadata of the built cell and the name its id is made from."""
    given = {k: v for k, v in cell.metadata.items() if k not in LAYOUT_KEYS}
    metadata = {key: given.pop(key) for key in sorted(PLAIN_KEYS & set(given))}
    kinds = sorted(set(GRADED) & set(given))
    known = {"points", *kinds} if graded and len(kinds) == 1 else set()
    if set(given) - known:
        raise BuildError(
            f"{where}: the marker line has {', '.join(sorted(set(given) - known))}. A lesson's "
            f"cell takes {', '.join(sorted(PLAIN_KEYS))}; a solution's cell also one of "
            f"{', '.join(GRADED)}, with points where the exercise is not declared in course_lib."
        )
    _refuse_regions(cell, where, allowed=kinds in (["task"], ["written"]))
    if not kinds:
        text = f"{cell.cell_type}\n{cell.source}"
        return metadata, hashlib.sha256(text.encode()).hexdigest()[:8]
    kind, exercise = kinds[0], given[kinds[0]]
    _refuse_misplaced(cell, where, kind, exercise, lesson)
    flags = {"schema_version": 3, "task": False, **GRADED[kind]}
    flags["grade_id"] = grade_id(kind, exercise)
    if flags["grade"]:
        flags["points"] = _points(exercise, given.get("points"), where)
    return {**metadata, "nbgrader": flags}, flags["grade_id"]


def _refuse_misplaced(cell, where, kind, exercise, lesson):
    """Refuse a marker that nbgrader or the grader would quietly misread."""
    if not re.fullmatch(rf"{lesson}\.\w+", str(exercise)):
        raise BuildError(
            f'{where}: {kind}="{exercise}" must look like "{lesson}.1" in this lesson.'
        )
    if (cell.cell_type == "markdown") != (kind == "written"):
        raise BuildError(
            f"{where}: {kind} marks a {cell.cell_type} cell; task and check belong on code cells, "
            f"written on a markdown cell."
        )
    if kind == "task" and "### BEGIN SOLUTION" not in cell.source:
        raise BuildError(
            f"{where}: the answer has no ### BEGIN SOLUTION ... ### END SOLUTION region, so the "
            f"exercise would lose the names it defines. Put the region around what learners write."
        )
    if kind == "task":
        _refuse_torn(cell, where)
    if kind == "check" and not re.search(
        rf"check\(\s*[\"']{re.escape(exercise)}[\"']", cell.source
    ):
        raise BuildError(
            f'{where}: the cell is marked {exercise} but never calls check("{exercise}", ...).'
        )


def _refuse_torn(cell, where):
    """Refuse an answer that is torn apart when its regions are taken out, by us or by nbgrader."""
    stubbed = REGION.sub(rf"\1{STUB}", cell.source)
    try:
        whole, handed_out = _bound(cell.source), _bound(stubbed)
    except SyntaxError as error:
        raise BuildError(
            f"{where}: what learners write must be whole statements, never part of one: with "
            f"{STUB} in place of each region the cell does not parse ({error.msg}). Write "
            f"`p = ...` in the line before the region, and `p = counts / n` inside it."
        ) from None
    if lost := sorted(whole - handed_out):
        raise BuildError(
            f"{where}: without its regions the cell no longer defines {', '.join(lost)}, and the "
            f"check could not say that there is no answer yet. Write `{lost[0]} = ...` in the line "
            f"before the region."
        )


def _bound(source: str) -> set[str]:
    """The names that a cell defines at its outer level."""
    symbols = symtable.symtable(source, "cell", "exec").get_symbols()
    return {symbol.get_name() for symbol in symbols if symbol.is_assigned()}


def _refuse_regions(cell, where, *, allowed):
    """Refuse solution regions that are not closed, or that nbgrader would not clear."""
    begins, ends = (len(re.findall(f"{word} SOLUTION", cell.source)) for word in ("BEGIN", "END"))
    if begins != ends or (begins and not allowed):
        raise BuildError(
            f"{where}: {begins} BEGIN SOLUTION and {ends} END SOLUTION. They come in pairs, and "
            f"only in cells marked task or written."
        )


def _refuse_lonely(file, seen):
    """Refuse a repeated marker, a task without its check and a check without its task."""
    graded = {name: parsed for name in seen if (parsed := parse_grade_id(name))}
    repeated = [name for name in graded if seen[name] > 1]
    tasks, checks = ({n for k, n in graded.values() if k == kind} for kind in ("task", "check"))
    lonely = sorted(tasks ^ checks)
    if repeated or lonely:
        fault = "is repeated" if repeated else "has only one of them"
        raise BuildError(
            f"{file}: every exercise needs exactly one task cell and one check cell; "
            f"{', '.join(repeated or lonely)} {fault}."
        )


def _points(exercise, written, where):
    """Return the points in the exercise's declaration, else those in the source."""
    try:
        declared = lessons.points(exercise)
    except (LookupError, ValueError) as error:
        if written is not None:
            return written
        raise BuildError(
            f"{where}: {exercise} has no points ({error}). Declare it in course_lib, or add "
            f"points=2."
        ) from None
    if written not in (None, declared):
        raise BuildError(
            f"{where}: points={written} here, {declared} in the declaration of {exercise}. "
            f"Delete the number here: the declaration is enough."
        )
    return declared
