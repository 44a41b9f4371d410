"""What an exercise is: how its cases are drawn, the reference, the slips, the hints, the points.

The same declaration serves the notebook, with a public seed, and grading, with a secret one; there
is no second, hidden test. A case is plain JSON, and `inputs` turns it into arguments, so that only
JSON has to cross into the place where a stranger's answer runs.
"""

import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Real

import numpy as np
import pandas as pd

PUBLIC_SEED = 2027

ALLOWED = (  # what an answer may import; whatever else it uses is noted for the lecturer
    *("numpy", "pandas", "scipy", "sklearn", "matplotlib", "IPython"),
    *("math", "statistics", "random", "itertools", "functools", "operator", "collections"),
    *("typing", "dataclasses", "fractions", "decimal", "copy", "warnings", "time"),
)

Case = dict  # plain JSON


@dataclass(frozen=True)
class Slip:
    """A characteristic wrong answer, as a function of the same arguments, and what to say to it."""

    name: str
    answer: Callable
    hint: str
    behind: str = ""  # the misconception it may come from, such as "M1"


@dataclass(frozen=True)
class Exercise:
    """One graded task.

    `reference` is the answer if it is a function; a task that asks for a value has no `draw`, and
    its reference is called without arguments.
    """

    id: str
    title: str
    points: int
    expects: str  # what is expected, in words
    reference: Callable
    hints: tuple[str, ...]
    slips: tuple[Slip, ...]
    draw: Callable[[np.random.Generator], Case] | None = None
    inputs: Callable[[Case], tuple] = lambda case: tuple(case.values())
    describe: Callable[[Case], str] = lambda case: ", ".join(f"{k} = {v}" for k, v in case.items())
    n_cases: int = 4
    rtol: float = 1e-6
    atol: float = 1e-9
    allowed: tuple[str, ...] = ALLOWED

    @property
    def is_function(self) -> bool:
        """Whether the answer is a function, called on every case, or a single value."""
        return self.draw is not None

    def cases(self, seed: int = PUBLIC_SEED) -> list[Case]:
        """The cases that this seed gives; a value has one case without content."""
        if not self.is_function:
            return [{}]
        rng = np.random.default_rng([seed, zlib.crc32(self.id.encode())])
        return [self.draw(rng) for _ in range(self.n_cases)]

    def arguments(self, case: Case) -> tuple:
        """Fresh arguments for one case."""
        return self.inputs(case) if self.is_function else ()

    def agrees(self, got, wanted) -> bool:
        """Whether an answer equals another up to the exercise's tolerances."""
        return same(got, wanted, rtol=self.rtol, atol=self.atol)

    def slip_behind(self, answers: Sequence, cases: Sequence[Case]) -> Slip | None:
        """The slip that explains all the answers and differs from the reference somewhere."""
        return next((slip for slip in self.slips if self._explains(slip, answers, cases)), None)

    def _explains(self, slip: Slip, answers: Sequence, cases: Sequence[Case]) -> bool:
        with np.errstate(all="ignore"):
            slipped = [slip.answer(*self.arguments(case)) for case in cases]
        return all(self.agrees(a, s) for a, s in zip(answers, slipped, strict=True))


def same(got, wanted, *, rtol: float, atol: float) -> bool:
    """Equality up to tolerance of numbers, texts, arrays, tables, sequences and mappings.

    The type of `wanted` decides: where it is a number, only a number can be the same.
    """
    if isinstance(wanted, pd.DataFrame | pd.Series):
        got = got.to_numpy() if isinstance(got, pd.DataFrame | pd.Series) else got
        return same(got, wanted.to_numpy(), rtol=rtol, atol=atol)
    if isinstance(wanted, bool | np.bool_ | str):
        return isinstance(got, bool | np.bool_ | str) and got == wanted
    if isinstance(wanted, Real):
        return _same_number(got, float(wanted), rtol, atol)
    if isinstance(wanted, Mapping):
        return (
            isinstance(got, Mapping)
            and set(got) == set(wanted)
            and all(same(got[key], wanted[key], rtol=rtol, atol=atol) for key in wanted)
        )
    if isinstance(wanted, set | frozenset):
        return isinstance(got, set | frozenset | list | tuple) and set(got) == set(wanted)
    if isinstance(wanted, np.ndarray) and wanted.dtype.kind in "biuf":
        return _same_array(got, wanted, rtol, atol)
    return (
        isinstance(got, list | tuple | np.ndarray | pd.Index)
        and len(got) == len(wanted)
        and all(same(g, w, rtol=rtol, atol=atol) for g, w in zip(got, wanted, strict=True))
    )


def _same_number(got, wanted: float, rtol: float, atol: float) -> bool:
    if isinstance(got, np.ndarray) and got.ndim == 0:
        got = got.item()
    if isinstance(got, bool | np.bool_) or not isinstance(got, Real):
        return False
    return bool(np.isclose(float(got), wanted, rtol=rtol, atol=atol, equal_nan=True))


def _same_array(got, wanted: np.ndarray, rtol: float, atol: float) -> bool:
    try:
        got = np.asarray(got, dtype=float)
    except (TypeError, ValueError):
        return False
    return got.shape == wanted.shape and bool(
        np.allclose(got, wanted, rtol=rtol, atol=atol, equal_nan=True)
    )
