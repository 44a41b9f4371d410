"""Which names belong to a cell that failed when it was last run: an old value is not praised.

A notebook keeps the old function when the cell with the new one has a typing error. IPython tells
after each cell how it went; where there is no IPython, nothing is known and nothing is said.
"""

import ast
import re
import sys
from types import CodeType, TracebackType

DEFINED = re.compile(
    r"^\s*(?:(?:async +)?def +(\w+)|class +(\w+)|(\w+) *(?:\[[^\]\n]*\] *)?(?::[^=\n]+)?=(?!=))",
    re.M,
)


class CellWatch:
    """Hears of each cell before and after it is run."""

    def __init__(self):
        self.failed: set[str] = set()  # names whose newest definition did not come about
        self.source = ""  # of the cell that is running

    def before(self, info) -> None:
        """Note the cell that is about to run; called by IPython."""
        self.source = info.raw_cell or ""

    def after(self, result) -> None:
        """Note which of the names that the cell defines are now old; called by IPython."""
        source = getattr(result.info, "raw_cell", None) or ""
        self.source = ""
        names = defined_names(source)
        lost = set() if result.success else _lost_names(source, result)
        self.failed = (self.failed - names) | lost

    def stale_names(self, exercise: str, answer=None) -> list[str]:
        """The names in the running cell's call of `check` whose cell failed the last time.

        Those count, too, that the answer itself uses: a helper may be the old one.
        """
        return sorted((checked_names(self.source, exercise) | used_names(answer)) & self.failed)


def used_names(answer) -> set[str]:
    """The names outside itself that a function looks up, its inner functions included.

    >>> used_names(lambda x: len(x) + sum(abs(y) for y in x)) >= {"len", "sum", "abs"}
    True
    """
    codes, names = [getattr(answer, "__code__", None)], set()
    while codes:
        code = codes.pop()
        if isinstance(code, CodeType):
            names.update(code.co_names)
            codes += code.co_consts
    return names


def defined_names(source: str, since: int = 0) -> set[str]:
    """The names that code defines in its outermost statements from line `since` on.

    Code that cannot be parsed is searched for lines that look like a definition.

    >>> sorted(defined_names("def f(x):\\n    y = 1\\na = b = 2\\nprint(a)"))
    ['a', 'b', 'f']
    >>> sorted(defined_names("def f(x:\\n    return x\\nshare = ="))
    ['f', 'share']
    """
    try:
        statements = ast.parse(source).body
    except (SyntaxError, ValueError):
        return {name for found in DEFINED.findall(source) for name in found if name}
    return {
        name
        for statement in statements
        if statement.end_lineno >= since
        for name in _names_of(statement)
    }


def _names_of(statement: ast.stmt) -> set[str]:
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return {statement.name}
    nodes = () if isinstance(statement, ast.Expr) else ast.walk(statement)
    return {name.id for node in nodes for name in _stored(node)}


def _stored(node: ast.AST) -> list[ast.Name]:
    """The name that a node stores to; of ``answer["b"] = 1`` that is answer."""
    if not isinstance(getattr(node, "ctx", None), ast.Store):
        return []
    while isinstance(node, ast.Subscript | ast.Attribute):
        node = node.value
    return [node] if isinstance(node, ast.Name) else []


def checked_names(source: str, exercise: str) -> set[str]:
    """The names that code hands to `check` as the answer to an exercise.

    >>> checked_names('check("01.1", entropy)', "01.1")
    {'entropy'}
    """
    try:
        calls = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
    except (SyntaxError, ValueError):
        return set()
    answers = [
        part
        for call in calls
        if call.args and getattr(call.args[0], "value", None) == exercise
        for part in [*call.args[1:], *(keyword.value for keyword in call.keywords)]
    ]
    return {n.id for answer in answers for n in ast.walk(answer) if isinstance(n, ast.Name)}


def _lost_names(source: str, result) -> set[str]:
    """Of a cell that failed, the names that it defines where it failed or after that."""
    error = result.error_in_exec
    if error is None:  # it did not even begin
        return defined_names(source)
    return defined_names(source, since=_line_of_the_cell(error.__traceback__))


def _line_of_the_cell(trace: TracebackType | None) -> int:
    """The line of the cell's own statement that was running when the error came."""
    while trace:
        frame = trace.tb_frame
        if frame.f_globals.get("__name__") == "__main__" and frame.f_code.co_name == "<module>":
            return trace.tb_lineno
        trace = trace.tb_next
    return 0


watch = CellWatch()


def watch_cells() -> None:
    """Let IPython, if it runs here, tell of its cells."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    if shell is None:
        return
    for event, hear in (("pre_run_cell", watch.before), ("post_run_cell", watch.after)):
        if hear not in shell.events.callbacks[event]:
            shell.events.register(event, hear)
