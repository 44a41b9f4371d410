"""What a worker reads, draws and counts, whoever runs it; the walls are in `test_box.py`."""

import base64
import io
import json
import pickle
import time
from contextlib import nullcontext

import pytest

from course_lib.grading import running
from course_lib.grading.box import ForkServer, Limits
from course_lib.grading.drawing import draw
from course_lib.grading.marking import read_in_box
from course_lib.grading.notebook import Action, Released, make_schedule
from course_lib.grading.reading import UnreadableError, names_in, read_cells
from course_lib.grading.running import Run
from course_lib.lessons import exercise, exercises, numbers
from course_lib.tools.bench.students import NAME, Notebook
from course_lib.tools.system import ROOT

pytestmark = pytest.mark.container


@pytest.fixture(scope="module")
def server():
    server = ForkServer()
    yield server
    server.close()


# Reading


@pytest.mark.parametrize(
    "source",
    [
        "\n" * 300_000,
        "   \t" * 50_000 + "%",
        "+".join("1" * 1500),
        "(" * 5_000,
        "-" * 50_000 + "1",
        "x = [" + "1," * 1_000_000 + "]",
        "x" + ".x" * 50_000,
        "import " + ".".join("a" * 60_000),
        "\ud800",
    ],
    ids=lambda source: repr(source[:12]),
)
def test_reading_takes_no_longer_than_the_text_is_long(server, source):
    content = Notebook.solved().to_bytes()
    data = json.loads(content)
    data["cells"].append({"cell_type": "code", "metadata": {}, "source": source})
    start = time.process_time()
    session, cells, notes = read_in_box(server, [], json.dumps(data).encode(), Limits())
    session.end()
    assert len(cells) == len(data["cells"]) and notes == []
    assert time.process_time() - start < 3.0, "and nothing of it is slow outside"
    assert [cell.source for cell in cells[:-1]] == [c.source for c in read_cells(content)[0]]
    assert cells[-1].source == source.replace("\ud800", "?")


def test_a_file_that_takes_too_much_to_read_is_unreadable_and_that_is_all(server):
    deep = b'{"cells": ' + b'{"a":' * 90_000 + b"1" + b"}" * 90_000 + b"}"
    wide = b'{"cells": [' + b"1e5," * 400_000 + b"1]}"
    for content, limits in ((deep, Limits()), (wide, Limits(memory=2**24))):
        with pytest.raises(UnreadableError):
            read_in_box(server, [], content, limits)


# Drawing and counting

HOMES = ("numpy", "pandas", "sklearn", "scipy", "functools", "builtins", "course_lib.worlds")


def addresses(packed: str) -> set[tuple[str, str]]:
    """Module and name of all that a packed case is made of, functions included."""
    found = set()

    class Noting(pickle.Unpickler):
        def find_class(self, module, name):
            found.add((module, name))
            return super().find_class(module, name)

    Noting(io.BytesIO(base64.b64decode(packed))).load()
    return found


def test_no_argument_carries_the_code_of_an_answer():
    """A case is data; a function among its arguments is named, and stands where cases are given."""
    for each in (task for number in numbers() for task in exercises(number) if task.is_function):
        for packed in draw(each, 3).calls["packed"]:
            modules = {module for module, _ in addresses(packed)}
            foreign = {module for module in modules if not module.startswith(HOMES)}
            assert foreign <= {"course_lib.lessons.given"}, (each.id, foreign)


class Spending:
    """A session in which a look at an answer takes five seconds, or hangs."""

    used = 0.0

    def __init__(self, answer):
        self.answer = answer

    def ask(self, seconds, *, do, **message):
        if do == "show":
            self.used += 5.0
            if self.answer is None:
                raise TimeoutError
        return self.answer if do == "show" else {}


@pytest.mark.parametrize(
    ("answer", "processes", "used"),
    [({"answers": []}, 1, 0.0), ({"answers": []}, 2, 5.0), (None, 1, 5.0)],
)
def test_what_explains_costs_no_time_in_the_first_process_unless_it_hangs(answer, processes, used):
    released = Released.read(ROOT / "exercises" / NAME / f"{NAME}.ipynb", "01")
    made = make_schedule(released, read_cells(Notebook.solved().to_bytes())[0])
    run = Run(made, Limits(), {"01.1": draw(exercise("01.1"), 7)}, {}, processes=processes)
    session = Spending(answer)
    with pytest.raises(running._BoxLostError) if answer is None else nullcontext():
        running._keep(session, run, Action(3, keep="01.1"))
    assert session.used == used


@pytest.mark.parametrize(
    ("source", "used"),
    [
        ("def f(X, y=g):\n    z = X + w\n    return lambda q: z + q + r", {"g", "w", "r"}),
        ("total += 1\nx = [k for k in rows if k]", {"total", "rows"}),
        ("class A:\n    b = c\n    def d(self): return e", {"c", "e"}),
        ("await x\nprint(y)", {"x", "y", "print"}),
        ("%timeit f(x)\ny", {"y"}),
        ("def broken(:", set()),
    ],
)
def test_a_cell_uses_the_names_that_it_expects_to_be_there(source, used):
    """Not those that a function has for itself."""
    assert names_in(source).used == used
