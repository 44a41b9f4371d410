"""What an exercise is: how its cases are drawn, the reference, the slips, the hints, the points.

The same declaration serves the notebook, with a public seed, and grading, with a secret one; there
is no second, hidden test. A case is plain JSON, and `inputs` turns it into arguments, so that only
JSON has to cross into the place where a stranger's answer runs.
"""

import zlib
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, field
from inspect import signature

import numpy as np

PUBLIC_SEED = 2027

ALLOWED = (  # what an answer may import; whatever else it uses is noted for the lecturer
    *("numpy", "pandas", "scipy", "sklearn", "matplotlib", "IPython"),
    *("math", "statistics", "random", "itertools", "functools", "operator", "collections"),
    *("typing", "dataclasses", "fractions", "decimal", "copy", "warnings", "time"),
)

Case = dict  # plain JSON


def turn(rng: np.random.Generator) -> int:
    """How many cases were drawn before this one, so that each kind of case gets its turn."""
    rng.spawn(1)
    return rng.bit_generator.seed_seq.n_children_spawned - 1


@dataclass(frozen=True, eq=False)
class Stored:
    """The answers to the public cases, in place of the function that gave them."""

    values: tuple


@dataclass(frozen=True)
class Slip:
    """A characteristic wrong answer, as a function of the same arguments, and what to say to it."""

    name: str
    answer: Callable | Stored | None  # None if it is known by something else than its values
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
    reference: Callable | Stored
    hints: tuple[str, ...]
    slips: tuple[Slip, ...]
    draw: Callable[[np.random.Generator], Case] | None = None
    inputs: Callable[[Case], tuple] = lambda case: tuple(case.values())
    describe: Callable[[Case], str] = lambda case: ", ".join(f"{k} = {v}" for k, v in case.items())
    n_cases: int = 4
    always: tuple[Case, ...] = field(default=(), hash=False)  # cases of every seed, before others
    rtol: float = 1e-6
    atol: float = 1e-9
    allowed: tuple[str, ...] = ALLOWED
    blanks: int = 1  # how many `...` it is handed out with

    @property
    def is_function(self) -> bool:
        """Whether the answer is a function, called on every case, or a single value."""
        return self.draw is not None

    def cases(self, seed: int = PUBLIC_SEED) -> list[Case]:
        """The cases that this seed gives; a value has one case without content."""
        if not self.is_function:
            return [{}]
        rng = np.random.default_rng([seed, zlib.crc32(self.id.encode())])
        return [*deepcopy(self.always), *(self.draw(rng) for _ in range(self.n_cases))]

    def arguments(self, case: Case) -> tuple:
        """Fresh arguments for one case."""
        return self.inputs(deepcopy(case)) if self.is_function else ()

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names that the task gives to its arguments."""
        return tuple(signature(self.reference).parameters)

    def named(self, arguments: tuple) -> list[tuple[str, object]]:
        """Arguments with the names that the task gives them."""
        return list(zip(self.parameters, arguments, strict=False))
