"""Finding submissions: folders, nbgrader's `submitted`, zip files; no link is followed."""

import hashlib
import os
import re
import stat
import unicodedata
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from course_lib import lessons

MAX_NAME = 80  # characters of a student's name that are kept
MAX_FILES, MAX_FILES_BYTES = 200, 20 * 2**20  # what may lie beside a notebook
_UNSAFE = re.compile(r'[/\\:*?"<>|\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]')
_MARKED = re.compile(r"-[0-9a-f]{8}$")


class SubmissionsError(ValueError):
    """The submissions as a whole cannot be read."""


def safe_name(raw: str) -> str:
    """A name that can be a folder's and a cell's in a table; distinct names stay distinct.

    Whatever had to be changed, and whatever looks as if it had been, ends with a hash of the
    original.

    >>> safe_name("ada"), safe_name("ada") == safe_name("ada/..")
    ('ada', False)
    """
    original = raw.encode("utf-8", "surrogateescape")
    name = original.decode("utf-8", "replace")
    name = "".join("\ufffd" if unicodedata.category(c) in ("Cc", "Cs") else c for c in name)
    name = _UNSAFE.sub("_", name).strip()
    if name.startswith("."):
        name = "_" + name.lstrip(".")
    name = name.rstrip(". ")[:MAX_NAME]
    while len(name.encode()) > 2 * MAX_NAME:
        name = name[:-1]
    if name == raw and name and not _MARKED.search(name):
        return name
    return f"{name or '_'}-{hashlib.sha256(original).hexdigest()[:8]}"


@dataclass(frozen=True)
class _Item:
    """A file in a folder or an archive."""

    parts: tuple[str, ...]
    read: Callable[[int], bytes]  # at most so many bytes
    refused: str = ""


@dataclass(frozen=True)
class Submission:
    """One student's notebook for one lesson: where it is, not yet what it says."""

    student: str
    lesson: str  # "01"
    name: str  # "01_mdi"
    item: _Item | None
    beside: tuple[_Item, ...] = ()
    notes: tuple[str, ...] = field(default=())

    def read(self, limit: int) -> tuple[bytes | None, list[str]]:
        """The notebook's bytes, or None and a note that says why not."""
        notes = list(self.notes)
        if self.item is None:
            return None, [*notes, f"No notebook {self.name}.ipynb was submitted."]
        if self.item.refused:
            return None, [*notes, self.item.refused]
        try:
            content = self.item.read(limit + 1)
        except (
            OSError,
            zipfile.BadZipFile,
            RuntimeError,
            NotImplementedError,
            ValueError,
        ) as error:
            return None, [*notes, f"The file cannot be read ({type(error).__name__})."]
        if len(content) > limit:
            return None, [*notes, f"The notebook is larger than {limit / 10**6:g} MB."]
        return content, notes

    def files(self) -> tuple[dict[str, bytes], list[str]]:
        """What lies beside the notebook, for its own cells to read; links and giants are left."""
        found, left, room = {}, [], MAX_FILES_BYTES
        for item in self.beside:
            name = "/".join(item.parts)
            try:
                content = b"" if item.refused else item.read(room + 1)
            except (OSError, zipfile.BadZipFile, RuntimeError, NotImplementedError, ValueError):
                item = _Item(item.parts, item.read, "unreadable")
            if item.refused or len(content) > room or len(found) == MAX_FILES:
                left.append(name)
                continue
            found[name] = content
            room -= len(content)
        note = "Not taken along (a link, too large or unreadable): "
        shown = ", ".join(safe_name(name) for name in left[:5])
        return found, [note + shown + ("..." if len(left) > 5 else "") + "."] if left else []


def find(root: Path, *, ignore: Path | None = None) -> list[Submission]:
    """All submissions in a folder or zip file, one per student and lesson, in order.

    `ignore` is a folder that holds something else, such as results.

    A student who submitted some lesson of the class but not another gets an entry for both.
    """
    if root.is_dir():
        base = root / "submitted"
        base = base if base.is_dir() and not base.is_symlink() else root
        items = [i for i in _in_folder(base) if ignore is None or base / i.parts[0] != ignore]
    elif root.is_file() and zipfile.is_zipfile(root):
        items = list(_in_zip(root))
    else:
        raise SubmissionsError(
            f"{root} is neither a folder nor a zip file. Give the folder that holds one folder per "
            f"student, or the zip file from your learning platform."
        )
    return _by_student(items)


# Where files are


def _in_folder(base: Path, parts: tuple[str, ...] = ()) -> Iterator[_Item]:
    try:
        entries = sorted(os.scandir(base), key=lambda entry: os.fsencode(entry.name))
    except OSError:
        yield _Item(parts, lambda limit: b"", "The folder cannot be read.")
        return
    if not entries and len(parts) == 1:
        yield _Item((*parts, ""), lambda limit: b"", "")
    for entry in entries:
        here = (*parts, entry.name)
        if entry.is_symlink():
            yield _Item(here, lambda limit: b"", "It is a link; links are not followed.")
        elif entry.is_dir(follow_symlinks=False):
            if len(here) <= 4:
                yield from _in_folder(Path(entry.path), here)
        elif entry.is_file(follow_symlinks=False):
            yield _Item(here, lambda limit, path=entry.path: _read_file(path, limit))
        else:
            yield _Item(here, lambda limit: b"", "It is not an ordinary file.")


def _read_file(path: str, limit: int) -> bytes:
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | os.O_NONBLOCK)
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError("not an ordinary file")
        return file.read(limit)


def _in_zip(path: Path) -> Iterator[_Item]:
    with zipfile.ZipFile(path) as archive:
        infos = {info.filename: info for info in archive.infolist() if not info.is_dir()}
    names = set(infos)
    inside = {n.partition("/")[2] for n in names if n.startswith("submitted/")}
    for name, info in sorted(infos.items()):
        parts = tuple(name.split("/"))
        if len(inside) == len(names):
            parts = parts[1:]
        refused = ""
        if stat.S_ISLNK(info.external_attr >> 16):
            refused = "It is a link; links are not followed."
        elif not _stays(name):
            refused = "The archive's entry leads out of the archive; it was refused."
            parts = ("/".join(parts[:-1]), parts[-1])
        yield _Item(parts, lambda limit, name=name: _read_entry(path, name, limit), refused)


def _stays(name: str) -> bool:
    parts = re.split(r"[/\\]", name)
    return not name.startswith(("/", "\\")) and ".." not in parts and ":" not in parts[0]


def _read_entry(path: Path, name: str, limit: int) -> bytes:
    with zipfile.ZipFile(path) as archive, archive.open(name) as file:
        return file.read(limit)


# Whose they are


def _by_student(items: list[_Item]) -> list[Submission]:
    known = {lesson.name: lesson.number for lesson in lessons.available()}
    students: dict[str, list[_Item]] = {}
    for item in items:
        student, rest = _owner(item.parts, known)
        if student is not None:
            students.setdefault(student, []).append(_Item(rest, item.read, item.refused))
    found = {student: _notebooks(mine, known) for student, mine in students.items()}
    batch = sorted({name for notebooks in found.values() for name in notebooks})
    return [
        _submission(student, name, known[name], students[student], found[student].get(name, []))
        for student in sorted(students, key=os.fsencode)
        for name in batch or sorted(known)[:1]
    ]


def _owner(parts: tuple[str, ...], known: dict) -> tuple[str | None, tuple[str, ...]]:
    """The student's folder, and the path within; a flat file may begin with the student's name."""
    if len(parts) > 1:
        return parts[0], parts[1:]
    for name in known:
        if match := re.fullmatch(rf"(.+)_({name})(-\d+)?\.ipynb", parts[0], re.DOTALL):
            return match[1], (f"{name}.ipynb",)
    hidden = not parts or parts[0].startswith(".")
    is_folder_link = not hidden and "." not in parts[0]
    return (parts[0], ("",)) if is_folder_link else (None, parts)


def _notebooks(items: list[_Item], known: dict) -> dict[str, list[_Item]]:
    """For each lesson the files that may be its notebook, the best name first."""
    found: dict[str, list[_Item]] = {}
    for name in known:
        exact = [(f"{name}.ipynb",), (name, f"{name}.ipynb")]
        near = re.compile(rf"{name}[ _(\-].*\.ipynb", re.DOTALL)
        good = [i for parts in exact for i in items if i.parts == parts]
        good += [i for i in items if near.fullmatch(i.parts[-1]) and len(i.parts) <= 2]
        if good:
            found[name] = good
    return found


def _submission(student, name, number, items, candidates) -> Submission:
    notes = []
    if len(candidates) > 1:
        notes.append(f"{len(candidates)} notebooks for this lesson; the first was graded.")
    if candidates and candidates[0].parts[-1] != f"{name}.ipynb":
        notes.append(f"The notebook is not called {name}.ipynb.")
    if not candidates:
        notes += [f"{i.refused}" for i in items if i.refused][:1]
    own = candidates[0] if candidates else None
    return Submission(
        student=safe_name(student),
        lesson=number,
        name=name,
        item=own,
        beside=tuple(_beside(items, own)) if own else (),
        notes=tuple(notes),
    )


def _beside(items: list[_Item], own: _Item) -> Iterator[_Item]:
    """The other files of the notebook's folder, notebooks excepted."""
    depth = len(own.parts) - 1
    for item in items:
        if item.parts[:depth] == own.parts[:depth] and not item.parts[-1].endswith(".ipynb"):
            inner = item.parts[depth:]
            if inner != ("",) and ".ipynb_checkpoints" not in inner:
                yield _Item(inner, item.read, item.refused)
