"""Compare a lesson's sentences with what its own cells compute, while the build runs them."""

import ast
from dataclasses import dataclass, field

from course_lib.lessons.ties import Tie
from course_lib.tools.sources import cell_name

ASK = (
    "__import__('course_lib.lessons.ties', fromlist=['objection']).objection({words!r}, ({value}))"
)
SECONDS = 60


@dataclass
class _Open:
    """A tie, the cells after which it may hold, and what was wrong with it so far."""

    tie: Tie
    cell: int
    after: list[int]
    wrong: list[str] = field(default_factory=list)
    holds: bool = False


class Comparison:
    """Which of a notebook's ties hold.

    A sentence may speak of what the cell above it has computed or of what the next one will: its
    tie must hold after one of the two. A tie in a code cell must hold after that cell.
    """

    def __init__(self, notebook, ties):
        code = [k for k, cell in enumerate(notebook.cells) if cell.cell_type == "code"]
        self._cells = notebook.cells
        self._open = [
            _Open(tie, number, _neighbours(number, code))
            for number, found in enumerate(ties)
            for tie in found
        ]

    async def after(self, client, *, cell_index: int, **_) -> None:
        """Ask the kernel for the ties that may hold now; `client` talks to it."""
        asked = [one for one in self._open if cell_index in one.after and not one.holds]
        if not asked:
            return
        expressions = {
            str(k): ASK.format(words=one.tie.words, value=one.tie.expression)
            for k, one in enumerate(asked)
        }
        reply = await client.execute(
            "", silent=True, user_expressions=expressions, reply=True, timeout=SECONDS
        )
        for k, one in enumerate(asked):
            wrong = _objection(reply["content"]["user_expressions"][str(k)])
            one.holds = not wrong
            one.wrong.append(wrong)

    def problems(self, path: str) -> list[str]:
        """One sentence for each tie that did not hold."""
        return [
            f"{cell_name(path, one.cell + 1, self._cells[one.cell])}: "
            f"{one.tie.refused(one.wrong[-1] if one.wrong else 'was never computed')}"
            for one in self._open
            if not one.holds
        ]


def _neighbours(number: int, code: list[int]) -> list[int]:
    """The cell itself if it is code; else the code cells before and after it."""
    if number in code:
        return [number]
    return [k for k in code if k < number][-1:] + [k for k in code if k > number][:1]


def _objection(reply: dict) -> str:
    if reply["status"] != "ok":
        return f"fails with {reply['ename']}: {reply['evalue']}"
    return ast.literal_eval(reply["data"]["text/plain"])
