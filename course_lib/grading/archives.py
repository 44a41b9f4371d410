"""Files in folders and archives, and which exercise a notebook is; no link is followed.

Everything that opens a student's archive or looks into a file goes through `list_files`,
`contents` and `File`, which are plain data: nothing is unpacked to disk, and a limited process can
do it. An archive is a file like others until somebody asks for its contents: whose it is, is known
by then.
"""

import io
import os
import re
import stat
import zipfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from pathlib import Path

MAX_FILES, MAX_OWN = 500_000, 20_000  # in one export, in one student's archive or folder
MAX_ARCHIVE, MAX_NESTED = 100 * 2**20, 3  # bytes of an archive in an archive, and how deep
MAX_LOOK, MAX_START = 50 * 2**20, 1024  # bytes searched for grade ids, and for the first brace
ENCRYPTED = 0x1  # among the flags of an archive's entry
MAX_MARKS = 20_000  # cells of exercises in a file
LINK = "It is a link; links are not followed."
OUTSIDE = "The archive's entry leads out of the archive; it was refused."
TOO_MANY = f"There are more than {MAX_OWN} files; the others were not looked at."
LOCKED = "The archive is locked with a password; ask for one without."
ODD = "It is not an ordinary file."
_MARKS = re.compile(
    rb'"(?:grade_id|id)"\s{0,8}:\s{0,8}"(?:task|check|written)-([0-9A-Za-z]{1,8})-[0-9A-Za-z]{1,8}"'
)


class SubmissionsError(ValueError):
    """The submissions as a whole cannot be read."""


class UnreadableFileError(OSError):
    """A file that cannot be read; the message says why."""


@dataclass(frozen=True)
class File:
    """A file in a folder, an archive, or an archive in an archive: where it is and how to read it.

    `source` leads to it: a path of this machine, then the entry of each archive on the way.
    """

    parts: tuple[str, ...]
    source: tuple[str, ...] = ()
    refused: str = ""  # why it must not be read

    @property
    def is_archive(self) -> bool:
        return not self.refused and self.source[-1].lower().endswith(".zip")

    def read(self, limit: int) -> bytes:
        """At most `limit` bytes of it; whatever is wrong with it is an UnreadableFileError."""
        if self.refused:
            raise UnreadableFileError(self.refused)
        try:
            if len(self.source) == 1:
                return _read_path(self.source[0], limit)
            with _archive(self.source[:-1]).open(self.source[-1]) as file:
                return file.read(limit)
        except Exception as error:  # a damaged archive has many ways to fail
            raise UnreadableFileError(
                f"The file cannot be read ({type(error).__name__})."
            ) from None

    def lessons(self, limit: int = MAX_LOOK) -> tuple[Counter, int]:
        """How many cells of each lesson's exercise it has, and how many bytes were looked at."""
        start = self.read(MAX_START)
        if not start.lstrip(b"\xef\xbb\xbf\xff\xfe\0 \t\r\n").startswith(b"{"):
            return Counter(), len(start)
        content = self.read(limit)
        looked = len(content)
        if content.startswith((b"\xff\xfe", b"\xfe\xff")):
            content = content.replace(b"\0", b"")
        marks = list(islice(_MARKS.finditer(content), MAX_MARKS + 1))
        if len(marks) > MAX_MARKS:
            raise UnreadableFileError("It has more marks of cells than any notebook.")
        return Counter(mark[1].decode() for mark in marks), looked


def list_files(root: Path, *, ignore: Path | None = None) -> list[File]:
    """All files of a folder or archive, archives within as they are, in a fixed order."""
    if root.is_dir():
        found = _in_folder(root, ignore)
    elif root.is_file() and zipfile.is_zipfile(root):
        found = contents(File((), (str(root),)), MAX_FILES)
    else:
        raise SubmissionsError(
            f"{root} is neither a folder nor a zip file. Give the folder that holds one folder per "
            f"student, or the zip file from your learning platform."
        )
    files, counts = [], Counter()
    for file in found:
        place = file.parts[:2] if len(file.parts) > 2 else file.parts[:1]
        counts[place] += 1
        if len(file.parts) > 2 and counts[place] == MAX_OWN:
            files.append(File((*place, "..."), refused=TOO_MANY))
        elif len(file.parts) <= 2 or counts[place] < MAX_OWN:
            files.append(file)
        if len(files) > MAX_FILES:
            most = "/".join(counts.most_common(1)[0][0])
            raise SubmissionsError(
                f"{root} has more than {MAX_FILES} files, most of them in {most}. If it is the "
                f"right one, take them out, and try again."
            )
    if files and files[0].refused and files[0].parts == ():
        raise SubmissionsError(f"{root}: {files[0].refused}")
    return files


def _in_folder(root: Path, ignore: Path | None) -> Iterator[File]:
    waiting: list[tuple[str, tuple[str, ...]]] = [(str(root), ())]
    while waiting:
        path, parts = waiting.pop()
        try:
            entries = sorted(os.scandir(path), key=lambda entry: os.fsencode(entry.name))
        except OSError:
            yield File(parts, refused="The folder cannot be read.")
            continue
        if not entries and parts:
            yield File((*parts, ""), refused="The folder is empty.")
        folders = []
        for entry in entries:
            here = (*parts, entry.name)
            if entry.is_symlink():
                yield File(here, refused=LINK)
            elif entry.is_dir(follow_symlinks=False):
                if ignore is None or Path(entry.path) != ignore:
                    folders.append((entry.path, here))
            elif not entry.is_file(follow_symlinks=False):
                yield File(here, refused=ODD)
            else:
                yield File(here, (entry.path,))
        waiting += reversed(folders)


def contents(archive: File, room: int) -> Iterator[File]:
    """The files of an archive, as many as there is room for; what is wrong with it is refused."""
    parts, source = archive.parts, archive.source
    try:
        infos = {info.filename: info for info in _archive(source).infolist()}
    except UnreadableFileError as error:
        yield File(parts, refused=str(error))
        return
    except Exception as error:
        yield File(parts, refused=f"The zip file is damaged ({type(error).__name__}).")
        return
    if not infos:
        yield File(parts, refused="The zip file is empty.")
    parents = {name.rstrip("/").rpartition("/")[0] + "/" for name in infos}
    for number, (name, info) in enumerate(sorted(infos.items())):
        if number >= room:
            yield File((*parts, "..."), refused=TOO_MANY)
            return
        shown = _as_utf8(info)
        inner = tuple(p for p in re.split(r"[/\\]", shown) if p not in ("", ".")) or ("?",)
        here = (*parts, *inner)
        if not _stays(name):
            yield File((*parts, "/".join(name.split("/")[:-1]), inner[-1]), refused=OUTSIDE)
        elif info.is_dir():
            if name not in parents:
                yield File((*here, ""), refused="The folder is empty.")
        elif stat.S_ISLNK(info.external_attr >> 16):
            yield File(here, refused=LINK)
        elif info.flag_bits & ENCRYPTED:
            yield File(here, refused=LOCKED)
        else:
            yield File(here, (*source, name))


def unpacked_bytes(archive: File) -> int:
    """How much had to be unpacked to open an archive: nothing, unless it lies in another one."""
    return 0 if len(archive.source) == 1 else len(_archive(archive.source).fp.getbuffer())


def _as_utf8(info: zipfile.ZipInfo) -> str:
    """An entry's name; Canvas and Macs write UTF-8 without saying so."""
    if info.flag_bits & 0x800:
        return info.filename
    try:
        return info.filename.encode("cp437").decode("utf-8")
    except UnicodeError:
        return info.filename


def _stays(name: str) -> bool:
    parts = re.split(r"[/\\]", name)
    drive = re.match(r"[A-Za-z]:", name)
    return not name.startswith(("/", "\\")) and ".." not in parts and not drive


@lru_cache(maxsize=4)
def _archive(source: tuple[str, ...]) -> zipfile.ZipFile:
    """An archive, opened once; one that lies in another is held in memory."""
    if len(source) == 1:
        return zipfile.ZipFile(source[0])
    if len(source) > MAX_NESTED:
        raise UnreadableFileError(f"The zip file lies in more than {MAX_NESTED - 1} others.")
    with _archive(source[:-1]).open(source[-1]) as file:
        content = file.read(MAX_ARCHIVE + 1)
    if len(content) > MAX_ARCHIVE:
        raise UnreadableFileError(f"The zip file is larger than {MAX_ARCHIVE // 2**20} MB.")
    return zipfile.ZipFile(io.BytesIO(content))


def _read_path(path: str, limit: int) -> bytes:
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | os.O_NONBLOCK)
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError("not an ordinary file")
        return file.read(limit)
