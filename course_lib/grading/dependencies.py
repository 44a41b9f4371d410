"""What marks, or notebooks, depend on in this library, found by following imports."""

import ast
import hashlib
from collections.abc import Iterable, Iterator, Set
from functools import cache
from importlib.metadata import version
from pathlib import Path

from course_lib import lessons
from course_lib.files import read_text
from course_lib.grading.box import LIBRARY
from course_lib.grading.reading import parse_source, read_cells

VERSIONS = ("numpy", "pandas", "scikit-learn", "scipy")
ROOTS = ("grading.marking", "grading.forkserver", "lessons.judgement")
LEFT_OUT = {"plots", "widgets", "learner"}  # what gives no value to judge
DATA = {".toml", ".json", ".mplstyle", ".css"}


def digest(lesson: str, released: bytes, library: Path = LIBRARY) -> str:
    """Hash of what the marks of a lesson depend on beside the submissions and the exercise.

    That is: what judges, what runs in the box, the declared exercises, what the exercise as
    handed out imports, and whatever those import, together with the points for written answers
    and the versions of the packages that compute. Left out is what shows marks without deciding
    them (pages, tables, the class); plots, widgets and the notebook's own checks, which an answer
    may use but which give no value to judge; and the parts of the library that only some
    student's own import reaches, since no exercise asks for them.

    Parameters
    ----------
    lesson : str
        Its number, such as "01".
    released : bytes
        The exercise notebook as it was handed out.
    library : Path
        The folder of `course_lib`.
    """
    roots = {f"course_lib.{name}" for name in (*ROOTS, f"lessons.lesson_{lesson}")}
    code = (cell.source for cell in read_cells(released)[0] if cell.kind == "code")
    imported = (imports_of_code(source, library) for source in code)
    found = modules_reached(roots.union(*imported), library, left_out=LEFT_OUT)
    points = [(w.id, w.points) for w in lessons.load(lesson).written]
    total = hashlib.sha256(repr((points, [version(name) for name in VERSIONS])).encode())
    for module in sorted(found):
        total.update(module.encode() + hashlib.sha256(found[module].read_bytes()).digest())
    return total.hexdigest()


def released_imports(released: bytes) -> set[str]:
    """The modules that an exercise imports as it was handed out, in any of its cells."""
    code = (cell.source for cell in read_cells(released)[0] if cell.kind == "code")
    names = {name for source in code for name in _all_import_names(parse_source(source))}
    return names | {name.rpartition(".")[0] for name in names if "." in name}


def modules_reached(modules: Iterable[str], library: Path, *, left_out=()) -> dict[str, Path]:
    """These modules and all that they import, with their files, but for the packages left out."""
    found, waiting = {}, set(modules)
    while waiting:
        module = waiting.pop()
        path = _file(module, library)
        if path and module not in found and f"{module}.".split(".")[1] not in left_out:
            found[module] = path
            waiting |= _imports_of_file(path, library)
    return found


def data_files(modules: Set[Path]) -> set[Path]:
    """The data beside modules: of the module with the same name, else of every one there."""
    beside = (file for folder in {path.parent for path in modules} for file in folder.iterdir())
    return {
        file
        for file in beside
        if file.suffix in DATA
        and (file.with_suffix(".py") in modules or not file.with_suffix(".py").exists())
    }


def _file(module: str, library: Path) -> Path | None:
    """The file of a module or package of the library, if there is one."""
    path = library.joinpath(*module.split(".")[1:])
    candidates = (path.with_suffix(".py"), path / "__init__.py")
    return next((file for file in candidates if file.is_file()), None)


@cache
def _imports_of_file(path: Path, library: Path) -> frozenset[str]:
    return _imports(ast.parse(read_text(path)), library)


def imports_of_code(source: str, library: Path) -> frozenset[str]:
    """Modules of the library that code of a notebook imports."""
    return _imports(parse_source(source), library)


def _imports(tree: ast.AST, library: Path) -> frozenset[str]:
    """Modules of the library that code imports, wherever in it; names lead to their homes."""
    names = _all_import_names(tree)
    return frozenset(_home(name, library) for name in names if name.startswith("course_lib."))


def _all_import_names(tree: ast.AST) -> set[str]:
    return {name for node in _statements(tree) for name in _import_names(node)}


def _statements(tree: ast.AST) -> Iterator[ast.AST]:
    """All statements, however deep; expressions, which are most of a tree, are not gone through."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        for part in ("body", "orelse", "finalbody", "handlers", "cases"):
            waiting += getattr(node, part, ())


def _import_names(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom) and node.module:
        yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _home(name: str, library: Path) -> str:
    """The module of a dotted name: itself, the one it is in, or the one its package points to."""
    if _file(name, library):
        return name
    module, _, last = name.rpartition(".")
    path = _file(module, library)
    return _exports(path, module).get(last, module) if path else module


@cache
def _exports(path: Path, package: str) -> dict[str, str]:
    """Where a package finds the names that it promises, read from its call of `exports`."""
    text = read_text(path)
    calls = [
        node
        for node in (ast.walk(ast.parse(text)) if "exports(" in text else ())
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "exports"
    ]
    names = [pair for call in calls for pair in ast.literal_eval(call.args[1]).items()]
    return {
        name: module if module.startswith("course_lib.") else f"{package}.{module}"
        for module, listed in names
        for name in listed.split()
    }
