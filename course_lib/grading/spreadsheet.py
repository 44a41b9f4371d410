"""Tables as spreadsheets read and write them: no cell is a formula, nothing is written in vain."""

import csv
import io
import re
import threading
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from course_lib.files import write_if_changed

DELIMITERS = ",;\t"
BOM = "\ufeff"
# Where a cell may begin: quotes keep a text with commas whole, but not if it is cut at semicolons.
_FORMULA = re.compile(r"(^|[;\t\n\"])([ \u00a0]*)([=+\-@'＝＋－＠])")
_LIMIT = threading.Lock()


class TableError(ValueError):
    """A file that is no table."""


def visible(text: str) -> str:
    """A text without characters that steer a terminal or turn the reading direction.

    >>> visible("a\\x1b[31m")
    'a␛[31m'
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return "".join(c if c in "\n\t" or c.isprintable() or c == "\xad" else _shown(c) for c in text)


def _shown(c: str) -> str:
    if ord(c) < 0x20:
        return chr(0x2400 + ord(c))
    if unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp") or unicodedata.bidirectional(c) in (
        *("LRE", "RLE", "LRO", "RLO", "PDF"),
        *("LRI", "RLI", "FSI", "PDI"),
    ):
        return "␡" if c == "\x7f" else "\ufffd"
    return c


def neutral(value) -> str:
    """A text that no spreadsheet takes for a formula, wherever it cuts it into cells.

    Distinct texts stay distinct, as long as their characters are visible.

    >>> neutral("=1+1"), neutral("ada"), neutral("a;=1")
    ("'=1+1", 'ada', "a;'=1")
    """
    return _FORMULA.sub(r"\1\2'\3", visible(str(value)))


@dataclass(frozen=True)
class Table:
    """A table as text: the names of its columns, its rows, and how its file was written."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    delimiter: str = ","
    bom: bool = False
    encoding: str = "utf-8"

    def write(self, path: Path) -> None:
        """Write the table with the same delimiter and encoding, where that has all its letters."""
        how = {"delimiter": self.delimiter, "bom": self.bom, "encoding": self.encoding}
        write_table(path, self.header, self.rows, **how)


def read_table(path: Path) -> Table:
    """Read a table whatever a spreadsheet or platform has made of it, with fields of any length.

    UTF-8, UTF-16 and Windows' own encoding; commas, semicolons or tabs between columns.
    """
    content = path.read_bytes()
    if content.startswith((b"PK", b"\xd0\xcf")):
        raise TableError("It is a spreadsheet's own format, not CSV.")
    text, encoding = _decoded(content)
    text = text.lstrip(BOM)
    if separator := re.match(r"\s*sep=(.)\r?\n", text):
        text = text[separator.end() :]
    first = next((line for line in text.splitlines() if line.strip()), "")
    delimiter = max(DELIMITERS, key=re.sub(r'"[^"]*"', "", first).count)
    with _LIMIT:  # the limit is the whole process's
        before = csv.field_size_limit(2**31 - 1)
        try:
            rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))
        except csv.Error as error:
            raise TableError(f"It is no table ({error}).") from None
        finally:
            csv.field_size_limit(before)
    rows = [tuple(row) for row in rows if any(cell.strip() for cell in row)]
    if not rows:
        raise TableError("It is empty.")
    bom = content.startswith((b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff"))
    width = max(map(len, rows))
    rows = [row + ("",) * (width - len(row)) for row in rows]
    return Table(rows[0], tuple(rows[1:]), delimiter, bom, encoding)


def _decoded(content: bytes) -> tuple[str, str]:
    """The text of a file, and the encoding in which it is written."""
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return content.decode("utf-16", "replace"), "utf-16"
    for encoding in ("utf-8", "cp1252"):
        try:
            return content.decode(encoding), encoding
        except UnicodeDecodeError:
            continue
    return content.decode("latin-1"), "latin-1"


def write_table(
    path: Path,
    header: Iterable[str],
    rows: Iterable[Iterable],
    *,
    delimiter: str = ",",
    bom: bool = False,
    encoding: str = "utf-8",
) -> None:
    """Write a table as CSV; its rows are written as they are, so that texts must be neutral.

    Where the encoding lacks a letter of it, UTF-8 that says so takes its place.
    """
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n", delimiter=delimiter)
    writer.writerow(header)
    writer.writerows(rows)
    text = buffer.getvalue()
    try:
        content = text.encode(encoding)
        mark = BOM.encode() if bom and encoding == "utf-8" else b""  # UTF-16 has its own
    except UnicodeEncodeError:
        content, mark = text.encode(), BOM.encode()
    write_if_changed(path, mark + content)
