"""A written answer wherever it stands: in its cell, in parts of it, or in new cells beside it."""

import hashlib
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

from course_lib.grading.forms import Form
from course_lib.grading.reading import MAX_SOURCE, Cell, Names
from course_lib.lessons.cells import THEIR_WRITE_HERE, WRITE_HERE

MAX_SAID, LONG_ENOUGH = 5, 100  # cells that are named, and letters of a paragraph that is compared
_LETTERS = re.compile(r"[^\W_]+")
# What stands in the cell of an exercise or of its solution and is nobody's words.
_HANDED_OUT = (WRITE_HERE, THEIR_WRITE_HERE, "### BEGIN SOLUTION", "### END SOLUTION")


@dataclass(frozen=True)
class Page:
    """The cells of a submission, as far as a person will read them."""

    cells: list[Cell]
    marked: list[str]  # the grade ids of what was handed out, in its order
    fresh: set[int]  # the cells with a text that was not handed out

    def answer(self, own: str, task: str) -> tuple[str, list[str]]:
        """The answer that belongs into the cell with this grade id, and notes on where it was.

        All copies of the cell count, as JupyterLab makes them when it splits one, and the new text
        below them up to the next cell with a mark; if there is none, the new text above.
        """
        mine = [k for k, cell in enumerate(self.cells) if cell.grade_id == own]
        places = self.fresh & set(mine)
        for start in mine or self._last_before(own):
            places |= set(self._text_in(range(start + 1, len(self.cells))))
        if mine and not places:
            places = set(self._text_in(range(mine[0] - 1, -1, -1)))
        notes = [] if mine else [f"The cell of the written answer {task} is missing."]
        notes += self._said(task, sorted(places), mine)
        texts = dict.fromkeys(self.cells[k].source.strip() for k in sorted(places))
        return "\n\n".join(texts)[:MAX_SOURCE], notes

    def _last_before(self, own: str) -> list[int]:
        """The last cell that was handed out before the one with this grade id."""
        earlier = self.marked[: self.marked.index(own)]
        return [k for k, cell in enumerate(self.cells) if cell.grade_id in earlier][-1:]

    def _text_in(self, places: Iterable[int]) -> Iterable[int]:
        """New text in these places, as far as no cell with a mark is met."""
        for k in places:
            if self.cells[k].grade_id in self.marked:
                return
            if k in self.fresh and self._is_prose(k):
                yield k

    def _is_prose(self, k: int) -> bool:
        """Whether a cell may be prose: also a code cell that is no Python, or only a comment."""
        return self.cells[k].kind != "code" or self.cells[k].names == Names()

    def _said(self, task: str, places: list[int], mine: list[int]) -> list[str]:
        if len(places) > 1:
            return [f"The written answer {task} was put together from {_cells(places)}."]
        if places:
            return (
                [] if places[0] in mine else [f"The written answer {task} is in {_cells(places)}."]
            )
        strays = [k for k in sorted(self.fresh) if self.cells[k].kind != "code"]
        strays = [k for k in strays if self.cells[k].grade_id not in self.marked]
        empty = f"The written answer {task} is empty; there is text in {_cells(strays)}."
        return [empty] if strays else []


def form_of_text(text: str) -> Form:
    """A digest of a paragraph's letters and digits in one case, empty if they are few."""
    for handed_out in _HANDED_OUT:
        text = text.replace(handed_out, "")
    plain = unicodedata.normalize("NFKD", "".join(_LETTERS.findall(text)))  # slow with many accents
    said = "".join(_LETTERS.findall(plain.casefold()))
    digest = hashlib.sha256(said.encode("utf-8", "replace")).hexdigest()[:32]
    return Form(digest, len(said)) if len(said) >= LONG_ENOUGH else Form()


def _cells(places: list[int]) -> str:
    shown = ", ".join(str(k + 1) for k in places[:MAX_SAID])
    more = f" and {len(places) - MAX_SAID} more" if len(places) > MAX_SAID else ""
    return f"{'cell' if len(places) == 1 else 'cells'} {shown}{more}"
