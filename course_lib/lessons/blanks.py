"""What is still to be filled in: the `...` of an exercise, or what nbgrader puts there."""

import ast
import dis
import inspect
import textwrap
from collections.abc import Callable, Iterator
from types import CodeType, FunctionType

from course_lib.lessons.values import Other, encode

OPEN = encode(...)[1]  # what a blank becomes as a plain value
STUB = "NotImplementedError"  # what nbgrader's blanks raise, unless told otherwise


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

    A blank is an ellipsis, or nbgrader's ``raise NotImplementedError()``. As far as the source can
    be read, an ellipsis that is an index, as in ``x[..., 0]``, or an annotation is none, nor is one
    that only holds a place, as in ``p = ...`` above ``p = 1 / 2``.

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
    if not _defines(tree, answer):  # the source of something else that is called "<string>" too
        return loaded
    return sum(isinstance(n, ast.Constant) and n.value is ... or _is_stub(n) for n in _nodes(tree))


def _defines(tree: ast.AST, answer: FunctionType) -> bool:
    defined = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
    names = {getattr(n, "name", "<lambda>") for n in ast.walk(tree) if isinstance(n, defined)}
    return answer.__code__.co_name in names


def _loaded(code: CodeType) -> int:
    """How many blanks the compiled code has at least, inner functions included."""
    inner = (const for const in code.co_consts if isinstance(const, CodeType))
    used = [*dis.get_instructions(code)]
    ellipses = sum(each.argval is Ellipsis for each in used)
    stubs = sum(each.opname.startswith("LOAD") and STUB in each.argrepr for each in used)
    return max(ellipses, stubs) + sum(map(_loaded, inner))


def _nodes(tree: ast.AST) -> Iterator[ast.AST]:
    """A node and all below it, but for indices, annotations and what holds a place."""
    yield tree
    for name, part in ast.iter_fields(tree):
        if name not in ("slice", "annotation", "returns"):
            children = part if isinstance(part, list) else [part]
            for k, child in enumerate(children):
                if isinstance(child, ast.AST) and not _holds_the_place(child, children[k + 1 :]):
                    yield from _nodes(child)


def _holds_the_place(statement: ast.AST, after: list) -> bool:
    """Whether a statement only makes a name known, and the answer or its stub comes below it."""
    if not isinstance(statement, ast.Assign):
        return False
    names = [*map(ast.dump, statement.targets)]
    below = ([*map(ast.dump, each.targets)] for each in after if isinstance(each, ast.Assign))
    return names in below or any(map(_is_stub, after[:1]))


def _is_stub(node: ast.AST) -> bool:
    return isinstance(node, ast.Raise) and STUB in ast.dump(node)


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
