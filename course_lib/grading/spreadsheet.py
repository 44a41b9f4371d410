"""Tables as a spreadsheet reads them: no cell is a formula, no file is rewritten in vain."""

import csv
import io
from collections.abc import Iterable
from pathlib import Path

from course_lib.files import write_if_changed


def neutral(value) -> str:
    """A text that no spreadsheet takes for a formula; distinct texts stay distinct.

    >>> neutral("=1+1"), neutral("ada")
    ("'=1+1", 'ada')
    """
    text = str(value)
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "'", "\t", "\r")) else text


def write_table(path: Path, header: Iterable[str], rows: Iterable[Iterable]) -> None:
    """Write a table as CSV; its rows are written as they are, so that texts must be neutral."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    write_if_changed(path, buffer.getvalue())
