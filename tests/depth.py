"""How deep a run goes: `./course test` is full, `--quick` and `--long` say what they are."""

import os

LEVELS = ("quick", "full", "long")
LEVEL = os.environ.get("COURSE_TESTS", "full")


def at_most(*numbers: int) -> int:
    """The number for this run, of those for a quick, a full and a long one."""
    return dict(zip(LEVELS, numbers, strict=True))[LEVEL]
