"""A notebook's bytes, read: its cells, the names that each of them uses, and its form.

What strangers wrote is read in the box (`inside`), where time and memory are limited; outside, only
`cells_from_json` looks at what came of it. No expression here is slower than its text is long.
"""

import ast
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from symtable import symtable

from course_lib.grading.forms import MAX_SIZE, Form, form_of

MAX_CELLS, MAX_PARTS = 2_000, 2_000_000
MAX_SOURCE = 200_000  # characters of a cell that are looked at more closely
MAX_TEXT = 20_000_000  # characters of all cells
MAX_NAMES, MAX_NAME = 2_000, 200  # names of a kind in a cell, and characters of one
NOT_A_NOTEBOOK = "The file is not a notebook."
ONLY_SHOWN = "only-shown"  # the tag of a cell on which no answer depends
FOR_SHELL = ("%", "!")  # how a line begins that is no Python
NO_PYTHON = (SyntaxError, ValueError, RecursionError, MemoryError)
DIGEST = re.compile("(?:[0-9a-f]{32})?")


class UnreadableError(ValueError):
    """A file that is no notebook; the message is the note for its result."""


@dataclass(frozen=True)
class Names:
    """What the text of a cell says about names; empty if it is no Python, or too much of it."""

    defined: frozenset[str] = frozenset()  # at its top level
    used: frozenset[str] = frozenset()
    imported: tuple[tuple[str, str], ...] = ()  # a name, and what it stands for
    attributes: frozenset[tuple[str, str]] = frozenset()  # ("np", "mean") for np.mean


@dataclass(frozen=True)
class Cell:
    """What grading needs of a cell."""

    kind: str  # "code" or "markdown"
    source: str
    grade_id: str = ""
    id: str = ""
    names: Names = Names()
    form: Form = Form()
    only_shown: bool = False  # so marked in what was handed out; a submission cannot say so


def read_cells(content: bytes, *, names: bool = True) -> tuple[list[Cell], list[str]]:
    """The cells of a notebook in any usual encoding, and notes on what was odd."""
    if not content.strip():
        raise UnreadableError("The file is empty.")
    if sum(content.count(mark) for mark in (b",", b"[", b"{")) > MAX_PARTS:
        raise UnreadableError("The file has too many parts to be a notebook.")
    text, notes = _decode(content)
    try:
        data = json.loads(text)
        if not isinstance(data, dict):
            raise UnreadableError(NOT_A_NOTEBOOK)
        cells = data["cells"] if "cells" in data else _old_cells(data)
        if len(cells) > MAX_CELLS:
            raise UnreadableError(f"The notebook has more than {MAX_CELLS} cells.")
        read = [_cell(cell, names) for cell in cells]
    except (ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError) as error:
        if isinstance(error, UnreadableError):
            raise
        raise UnreadableError(NOT_A_NOTEBOOK) from None
    if sum(len(cell.source) for cell in read) > MAX_TEXT:
        raise UnreadableError("The cells hold more text than can be graded.")
    return read, notes


def _decode(content: bytes) -> tuple[str, list[str]]:
    for mark, encoding in (
        (b"\xff\xfe", "utf-16"),
        (b"\xfe\xff", "utf-16"),
        (b"\xef\xbb\xbf", "utf-8-sig"),
        (b"", "utf-8"),
    ):
        if content.startswith(mark):
            try:
                text = content.decode(encoding)
            except UnicodeDecodeError:
                continue
            return text, [] if encoding == "utf-8" else [f"The file is encoded as {encoding}."]
    return content.decode("latin-1"), ["The file is not UTF-8; it was read as Latin-1."]


def _old_cells(data: dict) -> list:
    """The cells of notebook format 3."""
    cells = [cell for sheet in data["worksheets"] for cell in sheet["cells"]]
    return [{**cell, "source": cell.get("input", cell.get("source", ""))} for cell in cells]


def _cell(data: dict, names: bool) -> Cell:
    source = data.get("source", "")
    source = _storable("".join(source) if isinstance(source, list) else str(source))
    metadata = data.get("metadata")
    marks = metadata.get("nbgrader") if isinstance(metadata, dict) else None
    mark = marks.get("grade_id") if isinstance(marks, dict) else None
    tags = metadata.get("tags") if isinstance(metadata, dict) else None
    kind = str(data.get("cell_type"))
    return Cell(
        kind=_storable(kind[:20]),
        source=source,
        grade_id=_storable(mark[:100]) if isinstance(mark, str) else "",
        id=_storable(data["id"][:100]) if isinstance(data.get("id"), str) else "",
        only_shown=isinstance(tags, list) and ONLY_SHOWN in tags,
        **(_looked_at(source) if names and kind == "code" else {}),
    )


def _looked_at(source: str) -> dict:
    """What the text of a cell says, unless it is too much of it."""
    if len(source) > MAX_SOURCE:
        return {}
    return {"names": names_in(source), "form": form_of(parse_source(source))}


def _storable(text: str) -> str:
    """A text that can be written to a file; half a character becomes a question mark."""
    return text.encode("utf-8", "replace").decode()


# Names


def parse_source(source: str) -> ast.Module:
    """The syntax tree of a cell without its magics; an empty one if it is no Python."""
    try:
        return ast.parse(_only_python(source))
    except NO_PYTHON:
        return ast.Module(body=[], type_ignores=[])


def _only_python(source: str) -> str:
    lines = source.split("\n")
    return "\n".join("" if line.lstrip().startswith(FOR_SHELL) else line for line in lines)


def names_in(source: str) -> Names:
    """The names that a text defines, uses and imports."""
    nodes = list(ast.walk(tree := parse_source(source)))
    attributes = {
        (n.value.id, n.attr)
        for n in nodes
        if isinstance(n, ast.Attribute) and isinstance(n.value, ast.Name)
    }
    return Names(
        _bound_names(tree),
        _some(_used_names(source, nodes)),
        tuple(_import_names(nodes).items())[:MAX_NAMES],
        _some(attributes),
    )


def _used_names(source: str, nodes: list[ast.AST]) -> set[str]:
    """Names that a text expects to be there; what a function has for itself is not among them."""
    added_to = {n.target for n in nodes if isinstance(n, ast.AugAssign)}
    used = {n.id for n in added_to if isinstance(n, ast.Name)}
    try:
        tables = [symtable(_only_python(source), "cell", "exec")]
    except NO_PYTHON:  # such as an await outside of a function, which Jupyter knows
        loads = (n for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load))
        return used | {n.id for n in loads}
    while tables:
        table = tables.pop()
        tables += table.get_children()
        of_all = table.get_type() == "module"
        symbols = (s for s in table.get_symbols() if s.is_referenced())
        used |= {s.get_name() for s in symbols if of_all or s.is_global()}
    return used


def _some(found: Iterable) -> frozenset:
    return frozenset(sorted(found)[:MAX_NAMES])


def _bound_names(tree: ast.AST) -> frozenset[str]:
    """Names that code binds where it stands; what a function or class binds inside is its own."""
    defined, waiting = set(), list(ast.iter_child_nodes(tree))
    while waiting:
        child = waiting.pop()
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            defined.add(child.name)
        elif isinstance(child, ast.Import | ast.ImportFrom):
            defined |= {a.asname or a.name.partition(".")[0] for a in child.names}
        elif isinstance(child, ast.Name) and isinstance(child.ctx, ast.Store):
            defined.add(child.id)
        elif not isinstance(child, ast.Lambda | ast.comprehension):
            waiting += ast.iter_child_nodes(child)
    return _some(defined)


def _import_names(nodes: list[ast.AST]) -> dict[str, str]:
    """What each imported name stands for."""
    found = {}
    for node in nodes:
        if isinstance(node, ast.Import):
            for alias in node.names:
                first = alias.name.partition(".")[0]
                found[alias.asname or first] = alias.name if alias.asname else first
        elif isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            found |= {a.asname or a.name: f"{module}.{a.name}" for a in node.names}
    return found


# Out of the box


def cells_to_json(cells: list[Cell]) -> list:
    """Cells as plain JSON."""
    return [
        [
            *(cell.kind, cell.source, cell.grade_id, cell.id),
            *(sorted(cell.names.defined), sorted(cell.names.used)),
            *([list(pair) for pair in cell.names.imported], sorted(cell.names.attributes)),
            *(cell.form.digest, cell.form.size),
        ]
        for cell in cells
    ]


def cells_from_json(data) -> list[Cell]:
    """The cells behind plain JSON; UnreadableError if that is not what `cells_to_json` gives."""
    try:
        return [_rebuilt(*entry) for entry in _listed(data)[:MAX_CELLS]]
    except (TypeError, ValueError):
        raise UnreadableError(NOT_A_NOTEBOOK) from None


def _rebuilt(kind, source, grade_id, id, defined, used, imported, attributes, digest, size) -> Cell:
    names = Names(
        frozenset(map(_name, _listed(defined))),
        frozenset(map(_name, _listed(used))),
        tuple(map(_pair, _listed(imported))),
        frozenset(map(_pair, _listed(attributes))),
    )
    return Cell(_text(kind), _text(source), _text(grade_id), _text(id), names, _form(digest, size))


def _form(digest, size) -> Form:
    if type(size) is not int or not 0 <= size <= MAX_SIZE or not DIGEST.fullmatch(_text(digest)):
        raise ValueError
    return Form(digest, size)


def _listed(data) -> list:
    if type(data) is not list:
        raise TypeError
    return data


def _text(data) -> str:
    if type(data) is not str:
        raise TypeError
    return _storable(data)


def _name(data) -> str:
    return _text(data)[:MAX_NAME]


def _pair(data) -> tuple[str, str]:
    first, second = _listed(data)
    return _name(first), _name(second)
