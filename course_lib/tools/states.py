"""The stored states of the lessons' explorers: built once, known when they are stale."""

import ast
import hashlib
import sys
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from pathlib import Path

from course_lib.files import write_if_changed
from course_lib.grading.dependencies import data_files, modules_reached
from course_lib.widgets.by_lesson import EXPLORERS, STORED
from course_lib.widgets.states import (
    FOLDER,
    NARROW,
    States,
    listed_places,
    narrow_states,
    packed_states,
    readable_states,
)

# What shows states without deciding what is in them.
WIRING = {f"course_lib.widgets.{name}" for name in ("explorer", "stills", "surface", "by_lesson")}
DRAWN_BY = (
    "matplotlib",
    "numpy",
    "pandas",
    "scikit-learn",
    "scipy",
    "shap",
)  # whose versions count


LESSON_OF = dict(zip(STORED, EXPLORERS, strict=True))
FILES = [f"{name}{kind}" for name in STORED for kind in ("", NARROW)]
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def file_of(name: str, root: Path) -> Path:
    """Where the states of an explorer lie."""
    return root / "course_lib" / "widgets" / FOLDER / f"{name}.gz"


def key_of(name: str, root: Path) -> str:
    """Digest of the code and data behind an explorer's states; explanations do not count."""
    library = root / "course_lib"
    home = STORED[name.removesuffix(NARROW)].__module__
    found = modules_reached({home, "course_lib.widgets.states"}, library)
    paths = {path for module, path in found.items() if module not in WIRING}
    lines = (root / "requirements.lock").read_text(encoding="utf-8").splitlines()
    total = hashlib.sha256(repr([x for x in lines if x.split("==")[0] in DRAWN_BY]).encode())
    for path in sorted(paths | data_files(paths)):
        total.update(path.relative_to(library).as_posix().encode() + meaning(path))
    return total.hexdigest()[:16]


def meaning(path: Path) -> bytes:
    """What a file says to Python: of a module its code without docstrings and comments."""
    content = path.read_bytes()
    return _without_explanations(content) if path.suffix == ".py" else content


@cache  # explorers share most of their code
def _without_explanations(source: bytes) -> bytes:
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, DOCUMENTED) and ast.get_docstring(node, clean=False) is not None:
            del node.body[0]
    return repr(_shape(tree)).encode()


def _shape(part):
    """A syntax tree as plain values; what is absent is left out, for each Python writes it anew."""
    if isinstance(part, list):
        return [_shape(each) for each in part]
    if not isinstance(part, ast.AST):
        return part
    given = [(name, value) for name, value in ast.iter_fields(part) if value not in (None, [])]
    return type(part).__name__, *((name, _shape(value)) for name, value in given)


def stale(root: Path) -> list[str]:
    """A sentence for each explorer whose states are missing, or were computed by other code."""
    problems = []
    for name in _names(root):
        path = file_of(name, root)
        place = path.relative_to(root).as_posix()
        if not path.exists():
            problems.append(f"{place} has not been built. Run ./course build.")
        elif _key_stored(name, root) != key_of(name, root):
            problems.append(f"{place} was computed by older code. Run ./course build.")
    return problems + [
        f"{path.relative_to(root).as_posix()} belongs to no explorer. Delete it."
        for path in sorted(file_of("x", root).parent.glob("*"))
        if path.stem not in FILES
    ]


def build(root: Path, numbers=(), *, force: bool = False) -> list[str]:
    """Compute the states that are stale, on two processors; return their names.

    With numbers such as "01", or names that begin with them, only those of these lessons.
    """
    wanted = {number[:2] for number in numbers}
    names = [name for name in _names(root) if not numbers or _lesson_of(name) in wanted]
    keys = {name: key_of(name, root) for name in names}
    todo = [name for name in keys if force or _key_stored(name, root) != keys[name]]
    with ProcessPoolExecutor(max_workers=2) as pool:
        for name, packed in zip(todo, pool.map(_computed, todo, map(keys.get, todo)), strict=True):
            write_if_changed(file_of(name, root), packed)
            print(f"{name:18} {len(States(packed)):5} states {len(packed) / 1e3:7.0f} kB")
            sys.stdout.flush()
    return todo


def _names(root: Path) -> list[str]:
    """The files of states that belong to `root`: all, unless it has no library of its own."""
    return FILES if (root / "course_lib" / "widgets").is_dir() else []


def _key_stored(name: str, root: Path) -> str:
    path = file_of(name, root)
    stored = readable_states(path.read_bytes()) if path.exists() else None
    return stored.key if stored else ""


def _lesson_of(name: str) -> str:
    return LESSON_OF[name.removesuffix(NARROW)]


def _computed(name: str, key: str) -> bytes:
    explorer = STORED[name.removesuffix(NARROW)]()
    packed = narrow_states if name.endswith(NARROW) else packed_states
    return packed(explorer, listed_places(explorer), key)
