"""What is still to be filled in: the `...` that an exercise was handed out with."""

import ast
import dis
import inspect
import textwrap
from collections.abc import Callable, Iterator
from types import CodeType, FunctionType

from course_lib.lessons.values import Other, encode

OPEN = encode(...)[1]  # what a blank becomes as a plain value


def is_blank(answer) -> bool:
    """Whether the answer is the untouched placeholder, or a dictionary of nothing else.

    >>> is_blank(...), is_blank({"a": ..., "b": ...}), is_blank({"a": ..., "b": "DI"})
    (True, True, False)
    """
    if isinstance(answer, dict):
        return bool(answer) and all(value is Ellipsis for value in answer.values())
    return answer is None or answer is Ellipsis


def open_blanks(answer) -> int:
    """How many blanks a function still has.

    An ellipsis that is an index, as in ``x[..., 0]``, or an annotation is no blank, as far as
    the source can be read.

    Examples
    --------
    >>> open_blanks(lambda x: x)
    0
    """
    loaded = _loaded(answer.__code__) if isinstance(answer, FunctionType) else 0
    if not loaded:
        return 0
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(answer)))
    except (OSError, TypeError, SyntaxError, ValueError):
        return loaded
    return sum(isinstance(n, ast.Constant) and n.value is ... for n in _nodes(tree))


def _loaded(code: CodeType) -> int:
    """How often the compiled code makes use of an ellipsis, inner functions included."""
    inner = (const for const in code.co_consts if isinstance(const, CodeType))
    own = sum(instruction.argval is Ellipsis for instruction in dis.get_instructions(code))
    return own + sum(map(_loaded, inner))


def _nodes(tree: ast.AST) -> Iterator[ast.AST]:
    """A node and all below it, but for indices and annotations."""
    yield tree
    for name, part in ast.iter_fields(tree):
        if name not in ("slice", "annotation", "returns"):
            for child in part if isinstance(part, list) else [part]:
                if isinstance(child, ast.AST):
                    yield from _nodes(child)


def is_stub(answer: Callable) -> bool:
    """Whether a function has blanks or does nothing, with or without a docstring."""

    def empty(): ...

    def documented():
        """Like an untouched exercise."""

    untouched = {empty.__code__.co_code, documented.__code__.co_code}
    is_idle = isinstance(answer, FunctionType) and answer.__code__.co_code in untouched
    return is_idle or open_blanks(answer) > 0


def open_places(value) -> int:
    """How many places of a plain value are blanks.

    >>> from course_lib.lessons.values import plain
    >>> open_places(plain({"a": 1, "b": ..., "c": [...]}))
    2
    """
    if isinstance(value, Other):
        return int(value.text == OPEN)
    if isinstance(value, dict):
        return sum(map(open_places, value.values()))
    return sum(map(open_places, value)) if isinstance(value, list | tuple | frozenset) else 0
