"""Importing once what all that comes later needs: in a worker, and in the box for its forks."""

import gc
from collections.abc import Iterable
from importlib import import_module


def preload(modules: Iterable[str]) -> None:
    """Import these for good; one that is not there is left out."""
    gc.disable()  # what is imported stays, so there is nothing to look for on the way
    for name in modules:
        try:
            import_module(name)
        except ImportError:
            continue
    gc.freeze()
    gc.enable()
