"""What do you mean, important? The helper library behind the lessons.

Its packages are the walk of the data: `worlds` (data whose truth is known), `models`, `measures`,
`studies`, `plots`, `widgets`, and for whoever learns, `learner`. A lesson imports what it means:
``from course_lib.measures import mdi``. Every measure returns a result that says which of the six
questions it answers.
"""

from collections.abc import Callable, Mapping
from importlib import import_module

__version__ = "2.0.0"


def exports(package: str, names: Mapping[str, str]) -> tuple[Callable, Callable, list[str]]:
    """`__getattr__`, `__dir__` and `__all__` of a package that finds its names on first use.

    `names` leads from a module, below the package or by its full name, to what it gives.
    """
    home = {
        name: module if module.startswith("course_lib.") else f"{package}.{module}"
        for module, listed in names.items()
        for name in listed.split()
    }

    def find(name: str):
        if name not in home:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        found = getattr(import_module(home[name]), name)
        vars(import_module(package))[name] = found
        return found

    return find, lambda: sorted(home), sorted(home)


PACKAGES = ("worlds", "models", "measures", "studies", "plots", "widgets", "learner")
_find, _, _ = exports(__name__, {"learner.dialogue": "ask"})
__all__ = ["ask", *PACKAGES]


def __getattr__(name: str):
    return import_module(f"{__name__}.{name}") if name in PACKAGES else _find(name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
