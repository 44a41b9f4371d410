"""What an answer says whatever its names and layout: a digest of its syntax tree.

Two answers with one digest differ at most in names of their own, comments, docstrings, annotations
and layout. That is no proof of anything: who writes the only sensible line writes everybody's.
Students' texts are read in the box, like all else about them.
"""

import ast
import hashlib
from collections.abc import Iterator
from dataclasses import dataclass

MAX_SIZE, MAX_DEPTH = 20_000, 200  # nodes of a tree that is looked at, and one below the other
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
SCOPES = (ast.Module, ast.ClassDef, *FUNCTIONS, *COMPREHENSIONS)
CAPTURES = (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)
NOT_SAID = {"annotation", "returns", "ctx", "kind", "type_comment", "type_params"}
NAMES = {ast.Name: "id", ast.arg: "arg", ast.Global: "names", ast.Nonlocal: "names"}
NAMES |= dict.fromkeys((*DEFINITIONS, *CAPTURES), "name")


@dataclass(frozen=True)
class Form:
    """A digest of an answer, empty if there is nothing to compare, and how much it says."""

    digest: str = ""
    size: int = 0  # nodes of its tree


class _TooMuchError(ValueError):
    """A tree that no person's answer has."""


def form_of(tree: ast.Module) -> Form:
    """The form of what a cell defines.

    Left out are imports, bare expressions such as a call to try it out, and blanks as they were
    handed out (`...`).
    """
    body = [s for s in tree.body if not isinstance(s, ast.Import | ast.ImportFrom | ast.Expr)]
    reading = _Reading()
    try:
        words = list(reading.words(ast.Module(body=body, type_ignores=[]), 0))
    except (_TooMuchError, RecursionError):
        return Form()
    digest = hashlib.sha256("\0".join(words).encode("utf-8", "replace")).hexdigest()
    size = reading.size - 1  # without the cell itself
    return Form(digest[:32], size) if size else Form()


class _Reading:
    """One walk through a tree; names that it binds are numbered as they appear."""

    def __init__(self):
        self.numbers: dict[tuple[int, str], int] = {}
        self.scopes: list[tuple[int, set[str]]] = []
        self.size = 0

    def words(self, node: ast.AST, depth: int) -> Iterator[str]:
        """A part of the tree in words."""
        self.size += 1
        if depth > MAX_DEPTH or self.size > MAX_SIZE:
            raise _TooMuchError
        if isinstance(node, ast.AnnAssign):
            node = ast.Assign(targets=[node.target], value=node.value)
        yield f"({type(node).__name__}"
        if isinstance(node, DEFINITIONS):
            yield self._name(node.name)  # it belongs to those around
        if isinstance(node, SCOPES):
            self.scopes.append((self.size, _bound(node)))
        for field, value in ast.iter_fields(node):
            if field not in NOT_SAID and not (field == "name" and isinstance(node, DEFINITIONS)):
                yield from self._field(node, field, value, depth)
        if isinstance(node, SCOPES):
            self.scopes.pop()
        yield ")"

    def _field(self, node: ast.AST, field: str, value, depth: int) -> Iterator[str]:
        parts = value if isinstance(value, list) else [value]
        yield field
        for part in parts:
            if isinstance(part, ast.AST):
                if not _says_nothing(part):
                    yield from self.words(part, depth + 1)
            elif NAMES.get(type(node)) == field and part is not None:
                yield self._name(part)
            else:
                yield f"{type(part).__name__} {part!r}"

    def _name(self, name: str) -> str:
        """A number for a name that the cell binds itself; others are said as they are."""
        for scope, bound in reversed(self.scopes):
            if name in bound:
                return f"#{self.numbers.setdefault((scope, name), len(self.numbers))}"
        return name


def _says_nothing(part: ast.AST) -> bool:
    """Whether a part is a docstring, another bare constant, or a blank."""
    if isinstance(part, ast.Expr):
        return isinstance(part.value, ast.Constant)
    sets = isinstance(part, ast.Assign | ast.AnnAssign)
    return sets and isinstance(part.value, ast.Constant) and part.value.value is ...


def _bound(scope: ast.AST) -> set[str]:
    """The names that a cell, a class, a function or a comprehension binds for itself."""
    names = set()
    if isinstance(scope, FUNCTIONS):
        names = {part.arg for part in ast.walk(scope.args) if isinstance(part, ast.arg)}
    waiting = _where_bound(scope)
    while waiting:
        node = waiting.pop()
        if isinstance(node, DEFINITIONS) or (isinstance(node, CAPTURES) and node.name):
            names.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        if not isinstance(node, SCOPES):
            waiting += ast.iter_child_nodes(node)
    return names


def _where_bound(scope: ast.AST) -> list[ast.AST]:
    if isinstance(scope, COMPREHENSIONS):
        return [generator.target for generator in scope.generators]
    return list(scope.body) if isinstance(scope.body, list) else [scope.body]
