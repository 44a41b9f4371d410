"""Students who mean well: right, wrong, lost, and odd in the ways that happen every year."""

from course_lib.tools.bench.students import HALVES, WRONG_LOG, stub
from students.kit import ALL, EVERYTHING, TASKS, Notebook, Simulated

RIGHT_LOG = WRONG_LOG.replace("np.log(", "np.log2(")
MAGICS = """
%matplotlib inline
import matplotlib.pyplot as plt
from IPython.display import HTML, display
%time sum(range(10))
!echo from the shell
display(HTML("<b>shown</b>"))
fig, ax = plt.subplots(figsize=(2, 1))
ax.plot([1, 2]);
"""
SEEDS = """
import locale, os, random, time
locale.setlocale(locale.LC_ALL, "C")
os.environ["TZ"] = "Asia/Tokyo"
time.tzset()
np.random.seed(1)
random.seed(1)
np.seterr(all="raise")
np.set_printoptions(precision=1)
"""


def untouched(notebook: Notebook) -> Notebook:
    for task in TASKS:
        notebook.answer(task, stub(task))
    return notebook


def without_marks(notebook: Notebook) -> Notebook:
    """As some editors save it: the cells keep their ids, nbgrader's marks are gone."""
    for cell in notebook.cells:
        cell["metadata"] = {}
    return notebook


def reordered(notebook: Notebook) -> Notebook:
    cells = notebook.cells
    first = notebook.index("task-01-1")
    cells.append(cells.pop(first))
    cells.append(cells.pop(notebook.index("task-01-2")))
    return notebook


def other_lesson(notebook: Notebook) -> Notebook:
    for cell in notebook.cells:
        marks = cell["metadata"].get("nbgrader")
        if marks:
            marks["grade_id"] = cell["id"] = marks["grade_id"].replace("-01-", "-02-")
    return notebook


def with_pictures(notebook: Notebook) -> Notebook:
    data = {"image/png": "A" * 20_000_000}
    output = {"output_type": "display_data", "data": data, "metadata": {}}
    notebook.first("1 + 1").cells[0]["outputs"] = [output]
    return notebook


def edited_check(notebook: Notebook) -> Notebook:
    where = notebook.index("check-01-2")
    notebook.cells[where]["source"] = "helper = 7  # I needed room\ncheck('01.2', lambda *a: 1)"
    return notebook


FRACTIONS = """
from fractions import Fraction
def decrease(left, right):
    def gini(counts):
        return 1 - sum(Fraction(int(n), int(sum(counts))) ** 2 for n in counts)
    parent = [int(a) + int(b) for a, b in zip(left, right)]
    share = Fraction(int(sum(left)), sum(parent))
    return gini(parent) - share * gini(left) - (1 - share) * gini(right)
"""
REVERSED = "    given, left = left, left[:]\n    given.reverse()\n"
SPOILING = FRACTIONS.replace("    parent =", f"{REVERSED}    parent =")
SORTING = """
def best_threshold(x, y):
    x.sort()
    middles = (x[1:] + x[:-1]) / 2
    return max(middles, key=lambda middle: impurity_decrease(y, x <= middle))
"""
IN_OTHER_CONTAINERS = """
import array, collections
import pandas as pd
def forest_mdi(forest):
    values = np.mean([tree_mdi(tree) for tree in forest.estimators_], axis=0)
    kinds = [collections.deque, lambda v: array.array("d", v), lambda v: pd.Series(v, dtype=object)]
    forest_mdi.calls = getattr(forest_mdi, "calls", 0) + 1
    return kinds[forest_mdi.calls % 3](values)
"""


OWN_THRESHOLD = """
def best_threshold(x, y):
    best, found = -1, None
    xs = sorted(x)
    for low, high in zip(xs, xs[1:]):
        t = (low + high) / 2
        d = impurity_decrease(y, x <= t)
        if d > best:
            best, found = d, t
    return found
"""
OWN_TREE = """
def tree_mdi(tree):
    t = tree.tree_
    n, i = t.weighted_n_node_samples, t.impurity
    imp = np.zeros(tree.n_features_in_)
    for k in range(t.node_count):
        l, r = t.children_left[k], t.children_right[k]
        if l == -1:
            continue
        imp[t.feature[k]] += (n[k] * i[k] - n[l] * i[l] - n[r] * i[r]) / n[0]
    return imp
"""


def on_my_own(notebook: Notebook) -> Notebook:
    """The two longest answers are the student's own; the others are as anybody writes them."""
    return notebook.answer("01.3", OWN_THRESHOLD).answer("01.4", OWN_TREE)


def renamed(notebook: Notebook) -> Notebook:
    """The model solution with other names, comments and layout."""
    for cell in notebook.cells:
        if cell["id"].startswith("task-01"):
            source = "".join(cell["source"])
            for old, new in (("values", "vals"), ("nodes", "t_"), ("mixed", "m_")):
                source = source.replace(old, new)
            cell["source"] = f"# my own work\n{source}\n\n"
    return notebook


STUDENTS = [
    Simulated("solved", lambda n: n),
    Simulated("renamed", renamed),
    Simulated("on_my_own", on_my_own),
    Simulated("fractions", lambda n: n.answer("01.2", FRACTIONS)),
    Simulated("containers", lambda n: n.answer("01.5", IN_OTHER_CONTAINERS)),
    Simulated("untouched", untouched, dict.fromkeys(TASKS, "not attempted")),
    Simulated(
        "slips",
        lambda n: n.answer("01.1", WRONG_LOG).answer("01.2", HALVES),
        {"01.1": "not yet", "01.2": "not yet"},
        slips={"01.1": "natural logarithm", "01.2": "children weighted equally"},
    ),
    Simulated(
        "spoils",
        lambda n: n.answer("01.2", SPOILING).answer("01.3", SORTING),
        {"01.2": "not yet", "01.3": "not yet"},
        slips={"01.2": "changes its argument", "01.3": "y left behind"},  # by its values, if known
    ),
    Simulated("magics", lambda n: n.after("01.1", MAGICS)),
    Simulated("seeds", lambda n: n.after("01.1", SEEDS)),
    Simulated("stdin", lambda n: n.after("01.2", "name = input('Your name? ')")),
    Simulated(
        "raises",
        lambda n: n.answer("01.1", "def entropy(c):\n    return c.total"),
        {"01.1": "error"},
    ),
    Simulated(
        "syntax", lambda n: n.answer("01.3", "def best_threshold(x, y) return x"), {"01.3": "error"}
    ),
    Simulated(
        "no_return",
        lambda n: n.answer("01.1", "def entropy(counts):\n    p = counts"),
        {"01.1": "not yet"},
    ),
    Simulated("not_a_function", lambda n: n.answer("01.2", "decrease = 0.25"), {"01.2": "not yet"}),
    Simulated(
        "copied_stub",
        lambda n: n.duplicate("01.1", stub("01.1")),
        notes=("2 cells answer task 01.1",),
    ),
    Simulated(
        "second_thought",
        lambda n: n.duplicate("01.1", WRONG_LOG, above=True),
        notes=("2 cells answer task 01.1",),
    ),
    Simulated(
        "worse_thought",
        lambda n: n.duplicate("01.1", WRONG_LOG),
        {"01.1": "not yet"},
        notes=("2 cells answer task 01.1",),
    ),
    Simulated("overwrites_later", lambda n: n.last("entropy = decrease = best_threshold = None")),
    Simulated(
        "deleted",
        lambda n: n.remove("task-01-4", "check-01-7"),
        {"01.4": "missing"},
        notes=("01.4 is missing",),
    ),
    Simulated("reordered", reordered, notes=("not in their order",)),
    Simulated("edited_check", edited_check, notes=("Edited checks: 01.2",)),
    Simulated("without_marks", without_marks, notes=("recognised by their ids",)),
    Simulated("utf16", lambda n: n.to_bytes().decode().encode("utf-16"), notes=("utf-16",)),
    Simulated(
        "latin1",
        lambda n: n.first('name = "Zoë"').to_bytes().replace(b"\\u00eb", b"\xeb"),
        notes=("Latin-1",),
    ),
    Simulated("empty", lambda n: b"", EVERYTHING, notes=("empty",)),
    Simulated("nothing", lambda n: None, EVERYTHING, notes=("No notebook",)),
    Simulated(
        "picture",
        lambda n: b"\x89PNG\r\n" + bytes(range(256)),
        EVERYTHING,
        notes=("not a notebook",),
    ),
    Simulated("a_list", lambda n: b"[1, 2, 3]", EVERYTHING, notes=("not a notebook",)),
    Simulated("cut_off", lambda n: n.to_bytes()[:-200], EVERYTHING, notes=("not a notebook",)),
    Simulated("other_lesson", other_lesson, EVERYTHING, notes=("cells of lesson 02",)),
    Simulated("large", with_pictures),
    Simulated(
        "too_large",
        lambda n: n.to_bytes() + b" " * 51_000_000,
        EVERYTHING,
        notes=("larger than 50 MB",),
    ),
]
assert STUDENTS[0].points == ALL
