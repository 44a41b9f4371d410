"""Exports of a class as learning platforms make them, with the names that people give to files.

Formats: Canvas lib/content_zipper.rb, Moodle mod/assign/classes/downloader.php, the exchange of
nbgrader, and the documented names of Brightspace and Blackboard downloads. Google Classroom
keeps the learners' own names.
"""

import io
import re
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from students.kit import Notebook

N = 66
FIRST = ("Ada", "Zoë", "Jean-Luc", "Mary Ann", "Ø", "D'Arcy", "李", "Iñaki", "ada", "O", "Kim")
LAST = ("Lovelace", "Müller", "O'Neill", "van der Berg", "New", "Smith-Jones", "小龙", "Núñez")
NAMES = (  # what learners and browsers call an exercise
    *("01_mdi.ipynb", "exercise_01_mdi.ipynb", "01_mdi (1).ipynb", "exercise_01_mdi(2).ipynb"),
    *("01_mdi_final.ipynb", "01_mdi_FINAL_v2.ipynb", "Copy of 01_mdi.ipynb", "01-mdi.ipynb"),
    *("Kopie von 01_mdi.ipynb", "01_MDI.ipynb", "01_mdi.IPYNB", "01_mdi.ipynb.txt", "01_mdi.json"),
    *("homework.ipynb", "Untitled.ipynb", "mdi - final (3).ipynb", "01 mdi.ipynb", "übung 1.ipynb"),
    *("01_mdi.ipynb.ipynb", "01_mdi - Copy.ipynb", "02_mdi_bias.ipynb", "solution"),
)
EXTRA = ("report.docx", "photo.JPG")


@dataclass(frozen=True)
class Person:
    """A student as a platform knows one."""

    number: int

    @property
    def first(self) -> str:
        return FIRST[self.number % len(FIRST)]

    @property
    def last(self) -> str:
        return LAST[self.number % len(LAST)]

    @property
    def full(self) -> str:
        return f"{self.first} {self.last}"

    @property
    def id(self) -> int:
        return 50_000 + 17 * self.number

    @property
    def login(self) -> str:
        return f"s{self.number:07d}"

    @property
    def file(self) -> str:
        return NAMES[self.number % len(NAMES)]

    @property
    def squeezed(self) -> str:
        """The sortable name as Canvas writes it into file names."""
        return re.sub(r"\W", "", f"{self.last}, {self.first}".lower())


@cache
def _template() -> str:
    notebook = Notebook.solved()
    notebook.cells[notebook.index("written-01-w")]["source"] = "SAYS WHO"
    return notebook.to_bytes().decode()


def notebook_of(person: Person, version: int = 1) -> bytes:
    """A solved exercise that says whose it is."""
    return _template().replace("SAYS WHO", f"by {person.login}, version {version}").encode()


def untouched() -> bytes:
    """The exercise as it was handed out."""
    from course_lib.tools.system import ROOT

    return (ROOT / "exercises" / "01_mdi" / "01_mdi.ipynb").read_bytes()


@dataclass
class Made:
    """Files of an export, and whom it must give: a student's name and the words of the notebook."""

    files: dict[str, bytes] = field(default_factory=dict)
    expected: dict[str, str | None] = field(default_factory=dict)
    late: set[str] = field(default_factory=set)

    def hand_in(self, path: str, student: str, person: Person, version: int = 1) -> None:
        self.files[path] = notebook_of(person, version)
        self.expected[student] = f"by {person.login}, version {version}"

    def nothing(self, path: str, student: str, content: bytes = b"x") -> None:
        self.files[path] = content
        self.expected.setdefault(student, None)

    def write(self, base: Path, *, as_zip: bool) -> Path:
        base.mkdir(parents=True, exist_ok=True)
        if as_zip:
            (base / "export.zip").write_bytes(zipped(self.files))
            return base / "export.zip"
        for name, content in self.files.items():
            path = base / "export" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        return base / "export"


def zipped(files: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def people(n: int = N) -> list[Person]:
    return [Person(number) for number in range(n)]


def canvas() -> Made:
    """`lovelaceada_LATE_12345_67890_name-1.ipynb`; text entries; an upload that is a zip."""
    made = Made()
    for p in people():
        late = p.number % 7 == 3
        student = f"{p.squeezed}_{p.id}"
        front = f"{p.squeezed}{'_LATE' if late else ''}_{p.id}"
        if late:
            made.late.add(student)
        stem, dot, ending = p.file.partition(".")
        file = f"{stem}-{p.number % 3}{dot}{ending}" if p.number % 3 else p.file
        path = f"{front}_{900_000 + p.number}_{file}"
        if p.number == 10:
            made.nothing(f"{front}_text.html", student, b"<p>See my repository</p>")
        elif p.number == 20:
            made.nothing(f"{front}_{900_020}_report.docx", student)
        elif p.number == 30:
            inner = {"mine/01_mdi.ipynb": notebook_of(p), "__MACOSX/mine/._01_mdi.ipynb": b"\0\5"}
            made.nothing(f"{front}_{900_030}_work.zip", student, zipped(inner))
            made.expected[student] = f"by {p.login}, version 1"
        else:
            made.hand_in(path, student, p)
        if p.number % 11 == 5:
            made.files[f"{front}_{800_000 + p.number}_data.csv"] = b"1,2"
    return made


def moodle() -> Made:
    """`Ada Lovelace_12345_assignsubmission_file_/...`, deep folders, online texts."""
    made = Made()
    for p in people():
        student = f"{p.full}_{p.id}"
        tail = "_" if p.number % 2 else ""  # older versions end with it
        front = f"{student}_assignsubmission_file{tail}"
        folder = {0: "", 1: "exercises/", 2: "workbook/exercises/"}[p.number % 3]
        if p.number == 11:
            folder = "/".join(f"d{k}" for k in range(30)) + "/"
        if p.number == 21:
            made.nothing(f"{student}_assignsubmission_onlinetext{tail}/onlinetext.html", student)
            continue
        if p.number == 31:
            inner = zipped({"a/b/01_mdi.ipynb": notebook_of(p)})
            made.nothing(f"{front}/all.zip", student, zipped({"really.zip": inner}))
            made.expected[student] = f"by {p.login}, version 1"
            continue
        made.hand_in(f"{front}/{folder}{p.file}", student, p)
        if p.number % 5 == 0:
            made.files[f"{student}_assignsubmission_onlinetext{tail}/onlinetext.html"] = b"hello"
        if p.number % 6 == 0:
            made.files[f"{front}/{folder}.ipynb_checkpoints/01_mdi-checkpoint.ipynb"] = untouched()
            made.files[f"{front}/{folder}.DS_Store"] = b"\0"
            made.files[f"{front}/{folder}exercise_01_mdi (new).ipynb"] = untouched()
    return made


def moodle_flat() -> Made:
    """The same without folders."""
    made = Made()
    for p in people():
        student = f"{p.full}_{p.id}"
        if p.number == 21:
            path = f"{student}_assignsubmission_onlinetext_onlinetext.html"
            made.nothing(path, student)
        else:
            made.hand_in(f"{student}_assignsubmission_file_{p.file}", student, p)
    return made


def brightspace() -> Made:
    """`12345-67890 - Ada Lovelace - Oct 3, 2026 1159 PM/`, several attempts, and index.html."""
    made = Made({"index.html": b"<html>"})
    for p in people():
        student = f"{p.full}_{p.id}"
        front = f"{p.id}-67890 - {p.full} - Oct {p.number % 9 + 1}, 2026 1159 PM"
        if p.number == 21:
            made.nothing(f"{front}/report.pdf", student)
            continue
        made.hand_in(f"{front}/{p.file}", student, p)
        if p.number % 8 == 0:
            front = f"{p.id}-67890 - {p.full} - Oct 12, 2026 {p.number % 9 + 1}05 AM"
            made.hand_in(f"{front}/{p.file}", student, p, version=2)
    return made


def blackboard() -> Made:
    """`Exercise 01_ada99_attempt_2026-10-03-11-59-00_name.ipynb` with a .txt beside it."""
    made = Made()
    for p in people():
        student = f"s_{p.number}" if p.number % 4 == 0 else p.login
        for version in (1, 2) if p.number % 10 == 9 else (1,):
            front = f"Exercise 01_{student}_attempt_2026-10-{version:02d}-11-59-00"
            made.files[f"{front}.txt"] = f"Name: {p.full} ({student})\n".encode()
            if p.number == 21:
                made.expected[student] = None
            else:
                made.hand_in(f"{front}_{p.file}", student, p, version)
    return made


def classroom() -> Made:
    """Loose files: `Ada Lovelace - name.ipynb` as Classroom makes copies, and its like."""
    made = Made()
    for p in people():
        student = f"{p.first} {p.login}"
        names = (
            f"{student} - 01_mdi.ipynb",
            f"01_mdi - {student}.ipynb",
            f"{student}_01_mdi.ipynb",
        )
        if p.number == 21:
            made.nothing(f"{student}.docx", student)
        else:
            made.hand_in(names[p.number % 3], student, p)
    return made


def exchange() -> Made:
    """JupyterHub's inbound folder: `ada+01_mdi+2026-10-03 11:59:00.000000 UTC+random/`."""
    made = Made()
    for p in people():
        for version in (1, 2) if p.number % 6 == 1 else (1,):
            front = f"{p.login}+01_mdi+2026-10-{version:02d} 11:59:00.000000 UTC+x{version}"
            made.files[f"{front}/timestamp.txt"] = b"2026-10-03 11:59:00.000000 UTC"
            made.hand_in(f"{front}/{p.file}", p.login, p, version)
    return made


def submitted() -> Made:
    """nbgrader's own folder after `nbgrader collect`."""
    made = Made()
    for p in people():
        made.files[f"submitted/{p.login}/01_mdi/timestamp.txt"] = b"2026"
        made.hand_in(f"submitted/{p.login}/01_mdi/{p.file}", p.login, p)
    return made


def plain() -> Made:
    """One folder per student, in one folder around them all, as a Mac compresses it."""
    made = Made()
    for p in people():
        folder = f"Class of 2026/{p.full} {p.id}"
        student = f"{p.full} {p.id}"
        if p.number == 21:
            made.nothing(f"{folder}/nothing.txt", student)
        else:
            made.hand_in(f"{folder}/{p.file}", student, p)
        made.files[f"__MACOSX/Class of 2026/{p.full} {p.id}/._{p.file}"] = b"\0\5\x16\7"
    made.files["Class of 2026/.DS_Store"] = b"\0"
    return made


EXPORTS: dict[str, Callable[[], Made]] = {
    make.__name__: make
    for make in (
        *(canvas, moodle, moodle_flat, brightspace, blackboard),
        *(classroom, exchange, submitted, plain),
    )
}
