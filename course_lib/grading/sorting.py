"""From the files of an export to the files of each student; whatever is nobody's is told.

Only names are looked at, and those that the platform or the lecturer gave: once a file is known to
be somebody's, nothing inside it, and nothing that its owner has called it, makes it another's.
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from unicodedata import normalize

from course_lib.grading import limited
from course_lib.grading.archives import MAX_OWN, File, UnreadableFileError, contents
from course_lib.grading.owners import Owner, Owners, is_blackboards_text, made_by_a_program

MAX_SECONDS = 20.0  # of the processor, to open an archive that may hold a class
MAX_SHOWN = 500  # characters of a path
WHOLE_CLASS = ("submitted", "inbound")  # folders of nbgrader and of its exchange
WRAPPER = (
    "{} was taken for what is around the class, or a section of it, by the names in it. If it is "
    "one student's, these names are that student's doing: put another folder beside it, and run it "
    "again."
)
PART = (
    "{} holds files with names as platforms give them, but lies beside what is no part of a class. "
    "It was taken for one student's. If it is a section, leave only sections in the folder."
)
_OWN_FOLDERS = {"exercises", "notebooks", "workbook", "data", "images", "src", "figures"}
_NBGRADER = {*WHOLE_CLASS, "source", "release", "autograded", "feedback", "outbound"}
_ITS_FILES = ("nbgrader_config.py", "gradebook.db")  # no student can put a file there
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
    stray: str = ""  # why it is nobody's, unless it proves to be a notebook
    touched: frozenset[str] = frozenset()  # of several notebooks: lessons with work in this one

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
    """All files of an export: `students` by name, and `untaken`, which are nobody's.

    `said` are sentences on what was taken for what.
    """

    def __init__(self, files: list[File], lesson_names: list[str]):
        self.students: dict[str, list[Handed]] = {}
        self.untaken: list[Untaken] = []
        self.said: list[str] = []
        files = _composed([file for file in files if not self._is_junk(file)])
        files = self._unwrapped(files, lesson_names)
        self._owners = Owners({file.parts[0] for file in files}, lesson_names, _texts(files))
        self._flat = all(len(file.parts) == 1 for file in files)
        for file in files:
            self._sort_in(file)

    def _is_junk(self, file: File) -> bool:
        """Whether it is in nobody's folder and nobody's work; a student's own is told there."""
        reason = made_by_a_program(file.parts[:1])
        if reason:
            self.untaken.append(Untaken("", "/".join(file.parts)[:MAX_SHOWN], reason))
        return bool(reason)

    def _unwrapped(self, files: list[File], lesson_names: list[str]) -> list[File]:
        """The same files without folders and archives around a whole class or a part of it."""
        while (tops := _Tops(files, lesson_names)).wrappers:
            self.said += [WRAPPER.format(name) for name in sorted(tops.wrappers)]
            files = tops.opened()
        self.said += [PART.format(name) for name in sorted(tops.parts)]
        return files

    def _sort_in(self, file: File) -> None:
        head, rest = file.parts[0], file.parts[1:]
        if owner := self._owners.of_platform(head, folder=bool(rest)):
            rest = (owner.file, *rest) if owner.file else rest or (head,)
        elif rest:
            owner = Owner(head)
        else:
            owner, rest = self._owners.of_file(head), (head,)
        stray = self._stray(file, head) if len(file.parts) == 1 else ""
        handed = Handed(replace(file, parts=rest), owner, stray=stray)
        self.students.setdefault(owner.student, []).append(handed)

    def _stray(self, file: File, head: str) -> str:
        """Why a loose file that is no notebook comes from the platform or the lecturer, if so."""
        if self._owners.of_platform(head, folder=False) or _is_archive(head):
            return ""
        if file.refused:
            return file.refused if "." in head else ""  # a link to a folder may be somebody's
        extra = _EXTRAS.fullmatch(head) or not self._flat
        return "It belongs to no student." if extra else ""


def _is_archive(name: str) -> bool:
    return name.lower().endswith(".zip")


def _composed(files: list[File]) -> list[File]:
    """The same files with accents as one character each: a Mac writes them as two.

    Names that would become one are left as they are, or one student could hand in for another.
    """
    written = {part for file in files for part in file.parts}
    forms = Counter(normalize("NFC", part) for part in written)
    new = {part: form for part in written if forms[form := normalize("NFC", part)] == 1}
    return [
        replace(file, parts=tuple(new.get(part, part) for part in file.parts)) for file in files
    ]


def _texts(files: list[File]) -> Iterator[str]:
    """The beginnings of the texts that Blackboard writes beside what was handed in."""
    for file in files:
        if len(file.parts) == 1 and is_blackboards_text(file.parts[0]):
            try:
                yield file.read(400).decode("utf-8", "replace")
            except UnreadableFileError:
                continue


class _Tops:
    """What lies at the top of an export: which of it is around a class, and only around it.

    A folder or archive in which platforms' names of several students lie may be a section of the
    class, or one student's idea of a joke. It is a section only if nothing beside it can be a
    student's: everything is a section, or has a platform's name itself, or is no work at all.
    """

    def __init__(self, files: list[File], lesson_names: list[str]):
        self.files, self.lesson_names = files, lesson_names
        heads = {file.parts[0]: len(file.parts) > 1 for file in files}
        outside = Owners(heads, lesson_names)
        signed = {head for head in heads if outside.of_platform(head, folder=heads[head])}
        self.inside = {head: [] for head in heads.keys() - signed}
        for file in files:
            if len(file.parts) > 1 and file.parts[0] in self.inside:
                self.inside[file.parts[0]].append(file)
        archives = [f for f in files if f.parts[0] in self.inside and len(f.parts) == 1]
        sections, others = self._sections([file for file in archives if file.is_archive])
        several = {head for head, students in sections.items() if len(students) > 1}
        self.wrappers = set(sections) if several and not others else set()
        if not self.wrappers and not signed:
            self.wrappers = self._only_one(others | sections.keys())
        self.parts = several - self.wrappers

    def _sections(self, archives: list[File]) -> tuple[dict[str, set[str]], set[str]]:
        """Those with platforms' names in them, and whose; and those that may be a student's.

        Archives are opened one by one, and not at all once nothing depends on them.
        """
        closed = {file.parts[0] for file in archives}
        found = {head: self._students(head) for head in self.inside.keys() - closed}
        others = {h for h, students in found.items() if not students and not self._is_extra(h)}
        for file in archives:
            if not others:
                self.inside[file.parts[0]] = _opened(file)
                found[file.parts[0]] = self._students(file.parts[0])
            if not found.get(file.parts[0]):
                others.add(file.parts[0])
        return {head: students for head, students in found.items() if students}, others

    def _names(self, head: str) -> dict[str, bool]:
        """What is in it, and whether that is a folder."""
        return {file.parts[1]: len(file.parts) > 2 for file in self.inside[head]}

    def _students(self, head: str) -> set[str]:
        """Whose the contents are by their names; nobody's, unless most are a platform's."""
        names = self._names(head)
        owners = Owners(names, self.lesson_names)
        made = [owners.of_platform(name, folder=names[name]) for name in names]
        return {o.student for o in made if o} if 2 * sum(map(bool, made)) > len(made) else set()

    def _is_extra(self, head: str) -> bool:
        """Whether a loose file is nobody's work: neither a notebook nor called after a lesson."""
        if self.inside[head]:
            return False
        if _EXTRAS.fullmatch(head):
            return True
        work = ".ipynb" in head.lower() or Owners((), self.lesson_names).speaks_of_a_lesson(head)
        return "." in head and not work

    def _only_one(self, heads: set[str]) -> set[str]:
        """The only folder or archive there is, if it holds a class by what is in it."""
        if len(heads) != 1 or not (names := self._names(next(iter(heads)))):
            return set()
        folders = {name for name, is_folder in names.items() if is_folder}
        named = next(iter(heads)).lower() in WHOLE_CLASS
        owners = Owners(names, self.lesson_names)
        return heads if named or _is_class(set(names), folders, owners) else set()

    def opened(self) -> list[File]:
        """The files without what is around them."""
        inside = [file for head in sorted(self.wrappers) for file in self.inside[head]]
        kept = [file for file in self.files if file.parts[0] not in self.wrappers]
        return kept + [replace(file, parts=file.parts[1:]) for file in inside]


def _opened(archive: File) -> list[File]:
    """What is in an archive; nothing, if that cannot be known."""
    try:
        with limited.processor_time(MAX_SECONDS):
            found = list(contents(archive, MAX_OWN))
    except Exception:  # its student will be told why
        return []
    return [file for file in found if len(file.parts) > 1]


def _is_class(names: set[str], folders: set[str], owners: Owners) -> bool:
    """Whether a folder with these contents holds a class, and not one student's work."""
    if any(owners.of_platform(name, folder=name in folders) for name in names):
        return True
    lessons = {name for name in names if owners.speaks_of_a_lesson(name)}
    loose = {found.student for n in lessons - folders if (found := owners.of_file(n)).sure}
    others = folders - lessons - _OWN_FOLDERS
    return len(loose) > 1 or (len(others) > 1 and 2 * len(others) > len(folders))


def class_folder(root: Path) -> Path:
    """Within a course of nbgrader or its exchange, the folder with what students handed in.

    It is such a course if all its folders are, or if its own files say so: a student who is called
    like one of these folders hides nobody.
    """
    inner = [root / name for name in WHOLE_CLASS]
    found = next((path for path in inner if path.is_dir() and not path.is_symlink()), None)
    if found is None or any((root / name).is_file() for name in _ITS_FILES):
        return found or root
    beside = [entry.name for entry in root.iterdir() if entry.name not in _NBGRADER]
    strangers = [n for n in beside if not made_by_a_program((n,)) and not _EXTRAS.fullmatch(n)]
    return root if strangers else found
