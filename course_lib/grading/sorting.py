"""From the files of an export to the files of each student; whatever is nobody's is told."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from unicodedata import normalize

from course_lib.grading.archives import MAX_LOOK, File, UnreadableFileError
from course_lib.grading.owners import Owner, Owners, made_by_a_program

MAX_STUDENT = 500 * 2**20  # bytes of one student's files that are searched for exercises
MAX_SHOWN = 500  # characters of a path
WHOLE_CLASS = ("submitted", "inbound")  # folders of nbgrader and of its exchange
_OWN_FOLDERS = {"exercises", "notebooks", "workbook", "data", "images", "src", "figures"}
_EXTRAS = re.compile(r"index\.html?|readme.*|.*\.(?:csv|xlsx|ods|db|log)|\..*", re.I | re.DOTALL)


@dataclass(frozen=True)
class Untaken:
    """A file that is not graded, and why."""

    student: str  # empty if it is nobody's
    file: str
    reason: str


@dataclass(frozen=True)
class Handed:
    """A file that somebody handed in; its path begins in the student's own folder."""

    file: File
    owner: Owner
    found: Counter = field(default_factory=Counter)  # cells of exercises by lesson
    told: str = ""  # why it cannot be graded

    @property
    def name(self) -> str:
        return "/".join(self.file.parts)[:MAX_SHOWN]

    @property
    def last(self) -> str:
        return self.file.parts[-1]

    @property
    def is_notebook(self) -> bool:
        return bool(self.found) or ".ipynb" in self.last.lower()


class Sorted:
    """All files of an export: `students` by name, and `untaken`, which are nobody's."""

    def __init__(self, files: list[File], lesson_names: list[str]):
        self.students: dict[str, list[Handed]] = {}
        self.untaken: list[Untaken] = []
        self._looked: Counter = Counter()
        files = [file for file in files if not self._is_junk(file)]
        files = _unwrapped([_composed(file) for file in files], lesson_names)
        heads = {file.parts[0] for file in files}
        self.owners = Owners(heads, lesson_names, _texts(files))
        self._flat = all(len(f.parts) == 1 or _is_archive(f.parts[0]) for f in files)
        for file in files:
            self._sort_in(file)

    def _is_junk(self, file: File) -> bool:
        """Whether it is in nobody's folder and nobody's work; a student's own is told there."""
        reason = made_by_a_program(file.parts[:1])
        if reason:
            self.untaken.append(Untaken("", "/".join(file.parts)[:MAX_SHOWN], reason))
        return bool(reason)

    def _sort_in(self, file: File) -> None:
        head, rest = file.parts[0], file.parts[1:]
        folder = bool(rest) and not _is_archive(head)
        if owner := self.owners.of_platform(head, folder=folder):
            rest = (owner.file, *rest) if owner.file else rest or (head,)
        elif folder:
            owner = Owner(head)
        else:
            owner, rest = self.owners.of_file(head), rest or (head,)
        handed = self._look(replace(file, parts=rest), owner)
        if len(file.parts) == 1 and not handed.is_notebook and self._is_extra(file, head):
            self.untaken.append(Untaken("", head, file.refused or "It belongs to no student."))
        else:
            self.students.setdefault(owner.student, []).append(handed)

    def _is_extra(self, file: File, head: str) -> bool:
        """Whether a loose file that is no notebook comes from the platform or the lecturer."""
        if self.owners.of_platform(head, folder=False) or _is_archive(head):
            return False
        if file.refused:
            return "." in head  # a link to a folder may be somebody's
        return bool(_EXTRAS.fullmatch(head)) or not self._flat

    def _look(self, file: File, owner: Owner) -> Handed:
        told = made_by_a_program(file.parts) or file.refused
        if not told and self._looked[owner.student] >= MAX_STUDENT:
            told = f"The student's files are larger than {MAX_STUDENT // 2**20} MB together."
        if told:
            return Handed(file, owner, told=told)
        try:
            found, size = file.lessons(MAX_LOOK)
        except UnreadableFileError as error:
            return Handed(file, owner, told=str(error))
        self._looked[owner.student] += size
        return Handed(file, owner, found)


def _is_archive(name: str) -> bool:
    return name.lower().endswith(".zip")


def _composed(file: File) -> File:
    """The same file with accents as one character each: a Mac writes them as two."""
    return replace(file, parts=tuple(normalize("NFC", part) for part in file.parts))


def _texts(files: list[File]) -> Iterator[str]:
    """The beginnings of the texts that Blackboard writes beside what was handed in."""
    for file in files:
        if len(file.parts) == 1 and file.parts[0].endswith(".txt") and "_attempt_" in file.parts[0]:
            try:
                yield file.read(400).decode("utf-8", "replace")
            except UnreadableFileError:
                continue


def _unwrapped(files: list[File], lesson_names: list[str]) -> list[File]:
    """The same files without folders and archives around a whole class or a part of it."""
    while wrappers := _wrappers(files, lesson_names):
        files = [
            replace(file, parts=file.parts[1:]) if file.parts[0] in wrappers else file
            for file in files
            if file.parts[0] not in wrappers or len(file.parts) > 1
        ]
    return files


def _wrappers(files: list[File], lesson_names: list[str]) -> set[str]:
    """The folders at the top that hold students' folders or files, as far as can be known."""
    inner: dict[str, dict[str, bool]] = {}  # what is in each, and whether it is a folder
    for file in files:
        if len(file.parts) > 1:
            name = file.parts[1]
            inner.setdefault(file.parts[0], {})[name] = len(file.parts) > 2 and not _is_archive(
                name
            )
    owners = Owners((name for names in inner.values() for name in names), lesson_names)
    inner = {
        head: names
        for head, names in inner.items()
        if not owners.of_platform(head, folder=not _is_archive(head))
    }
    found = set()
    for head, names in inner.items():
        made = [owners.of_platform(name, folder=is_folder) for name, is_folder in names.items()]
        students = {owner.student for owner in made if owner}
        if len(students) > 1 and 2 * sum(map(bool, made)) > len(made):
            found.add(head)
    alone = all(len(f.parts) > 1 or _EXTRAS.fullmatch(f.parts[0]) for f in files)
    if not found and alone and len({f.parts[0] for f in files if len(f.parts) > 1}) == 1:
        for head, names in inner.items():
            folders = {name for name, is_folder in names.items() if is_folder}
            if head.lower() in WHOLE_CLASS or _is_class(set(names), folders, owners):
                found.add(head)
    return found


def _is_class(names: set[str], folders: set[str], owners: Owners) -> bool:
    """Whether a folder with these contents holds a class, and not one student's work."""
    if any(owners.of_platform(name, folder=name in folders) for name in names):
        return True
    lessons = {name for name in names if owners.speaks_of_a_lesson(name)}
    loose = {found.student for n in lessons - folders if (found := owners.of_file(n)).sure}
    others = folders - lessons - _OWN_FOLDERS
    return len(loose) > 1 or (len(others) > 1 and 2 * len(others) > len(folders))
