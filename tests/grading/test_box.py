"""The walls of the box, from inside; `test_both_users.py` runs this as both kinds of user."""

import json
import platform
import re
import time
from dataclasses import replace
from pathlib import Path

import pytest
from depth import LEVEL
from people import IS_OTHER
from students.kit import Notebook

from course_lib.grading import box, canary, confine, engine
from course_lib.grading.box import BoxError, ForkServer, Limits
from course_lib.grading.drawing import draw
from course_lib.grading.marking import mark, read_in_box
from course_lib.grading.notebook import Released
from course_lib.grading.places import NICE
from course_lib.grading.wire import ChannelClosedError
from course_lib.lessons import editions, exercise
from course_lib.tools.bench.students import NAME
from course_lib.tools.system import ROOT

pytestmark = pytest.mark.container
same_for_every_user = pytest.mark.skipif(
    IS_OTHER and LEVEL != "long", reason="is the same for every user, and long"
)


@pytest.fixture(scope="module", autouse=True)
def patient():
    """A machine may be busy with other tests; how long a box may take to start is not the point."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(box, "PATIENCE", 600.0)
        yield


@pytest.fixture(scope="module")
def server(patient):
    server = ForkServer()
    yield server
    server.close()


def ran(server, source: str, *, limits: Limits | None = None, seconds: float = 20.0) -> dict:
    with server.start([], limits or Limits()) as session:
        return session.ask(seconds, do="cell", source=source)


def test_the_canary_finds_no_way_out(server, tmp_path):
    assert canary.escapes(server, Limits(), [tmp_path, ROOT / "solutions"]) == []


def test_the_box_holds_without_the_second_user_that_root_can_give(tmp_path, monkeypatch):
    monkeypatch.setattr(box, "_others_can_read", lambda: False)
    server = ForkServer()
    try:
        assert canary.escapes(server, Limits(), [tmp_path, ROOT / "solutions"]) == []
        assert ran(server, "import os\nprint(os.getuid())")["output"] == [{"text": "1000\n"}]
    finally:
        server.close()


@pytest.mark.parametrize(
    ("hole", "found"),
    [
        (("--bind", "{solutions}", "{solutions}"), "read .*solutions"),
        (("--setenv", "SECRET", "1"), "saw the environment"),
        (("--ro-bind", "{lessons}", "{lessons}"), "found answers"),
    ],
)
def test_the_canary_finds_a_hole_and_nothing_is_graded(monkeypatch, hole, found):
    places = {"solutions": ROOT / "solutions", "lessons": box.LIBRARY / "lessons"}
    extra = tuple(word.format(**places) for word in hole)
    original = box.command
    monkeypatch.setattr(box, "command", lambda d, **k: original(d, **k | {"extra": extra}))
    private = (str(places["solutions"]),)
    answer = engine.work(job(Notebook.solved().to_bytes(), private=private))
    engine._close_server()
    assert isinstance(answer, engine.BatchError)
    assert re.search(found, str(answer)), answer
    assert not [path for path in places["solutions"].iterdir() if "canary" in path.name]


def job(content: bytes, **changes) -> engine.Job:
    """A submission as a worker gets it."""
    made = engine.Job(
        student="ada",
        lesson="01",
        name=NAME,
        content=content,
        files={},
        notes=[],
        released=(ROOT / "exercises" / NAME / f"{NAME}.ipynb").read_bytes(),
        seed=7,
        limits=Limits(),
        contained=True,
        private=(),
    )
    return replace(made, **changes)


def test_a_box_that_cannot_be_built_is_an_error_that_says_why(monkeypatch):
    original = box.command
    monkeypatch.setattr(
        box, "command", lambda d, **k: original(d, **k | {"extra": ("--ro-bind", "/nowhere", "/x")})
    )
    with pytest.raises(BoxError, match="nowhere|broke down|started"):
        ForkServer().wait()


def test_a_box_that_ends_before_its_first_message_is_an_error_that_says_why(monkeypatch):
    def gone(*_):
        raise ChannelClosedError("broken pipe")

    monkeypatch.setattr(box, "send", gone)
    with pytest.raises(BoxError, match="could not be started: broken pipe"):
        ForkServer()


def test_the_fork_server_starts_without_environment_and_descriptors(server):
    environment = Path(f"/proc/{server.process.pid}/environ").read_bytes()
    assert environment == b""
    reply = ran(
        server,
        "import os\n"
        "def is_open(d):\n"
        "    try:\n        os.fstat(d)\n        return True\n"
        "    except OSError:\n        return False\n"
        "print([d for d in range(256) if is_open(d)])",
    )
    descriptors = json.loads(reply["output"][0]["text"])
    assert descriptors[:3] == [0, 1, 2] and len(descriptors) <= 5


def test_memory_of_all_processes_together_is_limited(server):
    source = """
import os, time
for _ in range(5):
    if os.fork() == 0:
        block = bytearray(120 * 2**20)
        block[::4096] = b"x" * len(block[::4096])
        time.sleep(60)
time.sleep(60)
"""
    with server.start([], Limits(memory=2**29)) as session:
        start = time.monotonic()
        with pytest.raises(ChannelClosedError):
            session.ask(20, do="cell", source=source)
        assert session.end() == "memory" and time.monotonic() - start < 45


@pytest.mark.parametrize(
    "source",
    [
        "bytearray(8 * 2**30)",
        "open('big', 'wb').write(bytes(80 * 2**20))",
        "open('/usr/x', 'w')",
        "import os; os.setuid(0)",
        "import ctypes; assert ctypes.CDLL(None).unshare(0x10000000) == 0",
        "import ctypes; assert ctypes.CDLL(None).memfd_create(b'x', 0) >= 0",
        "[__import__('os').dup(0) for _ in range(1000)]",
    ],
)
def test_what_a_student_may_not_do_fails_there_and_then(server, source):
    assert ran(server, source)["error"]


@pytest.mark.parametrize("call", confine.REFUSED)
def test_a_refused_system_call_fails_with_eperm(server, call):
    import pyseccomp

    number = pyseccomp.resolve_syscall(pyseccomp.Arch.NATIVE, call)
    source = f"""
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
print(libc.syscall({number}, 0, 0, 0, 0, 0, 0), ctypes.get_errno())
"""
    assert ran(server, source)["output"] == [{"text": "-1 1\n"}]


def test_clone_makes_no_namespaces_and_still_makes_processes(server):
    import pyseccomp

    clone, clone3 = (
        pyseccomp.resolve_syscall(pyseccomp.Arch.NATIVE, name) for name in ("clone", "clone3")
    )
    source = f"""
import ctypes, os, threading
libc = ctypes.CDLL(None, use_errno=True)
for flag in {confine.NAMESPACES}:
    print(libc.syscall({clone}, flag | 17, 0, 0, 0, 0), ctypes.get_errno())
print(libc.syscall({clone3}, 0, 0), ctypes.get_errno())
if (child := os.fork()) == 0:
    os._exit(3)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
thread = threading.Thread(target=print, args=("a thread",))
thread.start()
thread.join()
"""
    refused = "-1 1\n" * len(confine.NAMESPACES)
    assert ran(server, source)["output"] == [{"text": f"{refused}-1 38\n3\na thread\n"}]


@pytest.mark.skipif(platform.machine() != "x86_64", reason="x32 numbers are of x86_64")
def test_the_second_door_to_the_same_calls_ends_the_process(server):
    source = "import ctypes\nctypes.CDLL(None).syscall(0x40000000 | 272, 0x10000000)"
    with pytest.raises(ChannelClosedError):
        ran(server, source)


def test_processes_are_limited(server):
    source = """
import os, time
children = 0
try:
    for _ in range(200):
        if os.fork() == 0:
            time.sleep(30)
            os._exit(0)
        children += 1
except OSError:
    pass
print(children)
"""
    with server.start([], Limits(processes=20)) as session:
        try:
            reply = session.ask(20, do="cell", source=source)
            assert int(reply["output"][0]["text"]) <= 24
        except ChannelClosedError:
            assert session.end() == "processes"


def test_one_student_sees_nothing_of_the_one_before(server):
    ran(server, "import numpy\nnumpy.spoiled = 1\nopen('note', 'w').write('x')")
    reply = ran(server, "import numpy, os\nprint(hasattr(numpy, 'spoiled'), os.listdir('.'))")
    assert reply["output"][0]["text"] == "False ['.tmp']\n"


# What one student does to the next


def text_of(reply: dict) -> str:
    assert reply["error"] is None, reply["error"]
    return "".join(part["text"] for part in reply["output"])


def test_nothing_can_be_closed_opened_or_left_for_the_next(server):
    ran(
        server,
        """
import os
for place in ("/dev", "/", "/proc", "/usr", "/dev/null", "/dev/pts"):
    for act in (lambda: os.chmod(place, 0), lambda: open(place + "/left", "w").write("x")):
        try:
            act()
        except OSError:
            pass
""",
    )
    found = text_of(
        ran(
            server,
            """
import os
print(oct(os.stat("/dev").st_mode)[-3:], os.path.exists("/dev/left"), open("/dev/null").read())
""",
        )
    )
    assert found == "755 False \n"


def test_every_mount_is_read_only_but_the_students_own(server):
    source = """
with open("/proc/self/mountinfo") as file:
    rows = [line.split() for line in file]
print(sorted({row[4] for row in rows if "rw" in row[5].split(",")}))
"""
    open_places = set(json.loads(text_of(ran(server, source)).replace("'", '"')))
    assert open_places <= {"/student", "/tmp", "/dev/shm"}


def test_signals_and_priorities_for_a_whole_group_reach_nobody_else(server):
    with pytest.raises(ChannelClosedError):
        ran(
            server,
            "import os\n"
            "for which in (os.PRIO_PROCESS, os.PRIO_PGRP, os.PRIO_USER):\n"
            "    os.setpriority(which, 0, 19)\n"
            "os.kill(0, 9)",
        )
    source = "import os\nprint(os.getpriority(os.PRIO_PROCESS, 0), os.getsid(0) == os.getpgid(0))"
    assert text_of(ran(server, source)) == f"{NICE} True\n"


def test_every_process_of_a_submission_stands_back_alike_and_in_one_session(server):
    source = """
import os
def tried(action):
    try:
        return action()
    except OSError as error:
        return error.errno
if (child := os.fork()) == 0:
    os._exit(os.getpriority(os.PRIO_PROCESS, 0))
status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
print(status, tried(lambda: os.nice(-1)), tried(os.setsid))
"""
    assert text_of(ran(server, source)) == f"{NICE} 1 1\n"


def test_a_port_or_a_hidden_socket_carries_nothing_to_the_next(server):
    hides = "import socket\ns = socket.socket(socket.AF_UNIX)\ns.bind(chr(0) + 'x')\ns.listen()"
    with server.start([], Limits()) as one:
        text_of(one.ask(20, do="cell", source=hides))
    assert text_of(ran(server, hides + "\nprint('free')")) == "free\n"
    shown = "print([line.split(':')[0].strip() for line in open('/proc/net/dev') if ':' in line])"
    assert text_of(ran(server, shown)) == "['lo']\n"


@pytest.mark.parametrize("family", [3, 9, 16, 17, 38, 40])
def test_a_socket_that_leads_around_the_network_of_the_box_is_refused(server, family):
    source = f"import socket\nsocket.socket({family}, socket.SOCK_STREAM)"
    assert ran(server, source)["error"]["kind"] == "PermissionError"


def test_locks_on_parts_of_a_file_are_granted_and_not_kept(server):
    source = """
import fcntl, os, sqlite3
with open("locked", "w") as file:
    for k in range(1000):
        fcntl.lockf(file, fcntl.LOCK_EX, 1, 2 * k)
    if (child := os.fork()) == 0:
        with open("locked", "w") as other:
            fcntl.lockf(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os._exit(0)
print(os.waitpid(child, 0)[1], sqlite3.connect("x.db").execute("select 1").fetchone())
"""
    assert text_of(ran(server, source)) == "0 (1,)\n"


# The files of the machine are the same for all


def test_a_lock_on_a_whole_file_is_granted_and_not_kept(server):
    source = """
import fcntl, os
files = [open(os.__file__) for _ in range(2)]
print([fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB) for file in files])
"""
    assert text_of(ran(server, source)) == "[None, None]\n"


@pytest.mark.parametrize("lease", ["F_WRLCK", "F_RDLCK"])
def test_nobody_can_make_others_wait_for_a_file(server, lease):
    """The kernel lets the owner of a file do so, which an ordinary user's students are."""
    source = "import fcntl\nopen('own', 'w').close()\nfile = open('own')\n"
    source += f"fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.{lease})"
    assert ran(server, source)["error"]["kind"] == "PermissionError"


def test_nobody_is_told_when_others_open_a_file(server):
    source = "import fcntl, os\nfcntl.fcntl(os.open('/usr', 0), fcntl.F_NOTIFY, fcntl.DN_ACCESS)"
    assert ran(server, source)["error"]["kind"] == "PermissionError"


def test_whether_a_file_is_in_memory_cannot_be_asked_nor_changed(server):
    source = """
import os
file = os.open(os.__file__, os.O_RDONLY)
os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
print(os.preadv(file, [bytearray(1)], 0))
os.preadv(file, [bytearray(1)], 0, os.RWF_NOWAIT)
"""
    reply = ran(server, source)
    assert reply["error"]["kind"] == "PermissionError"
    assert reply["output"][0]["text"] == "1\n"


# Memory, by every way


def test_memory_that_is_shared_and_unmapped_is_refused(server):
    source = """
import mmap, os
for what in (lambda: mmap.mmap(-1, 4096), lambda: mmap.mmap(os.open("/dev/zero", os.O_RDWR), 4096)):
    try:
        what()
        print("got it")
    except OSError:
        print("refused")
private = mmap.mmap(-1, 4096, flags=mmap.MAP_PRIVATE)
print(len(private))
"""
    assert text_of(ran(server, source)) == "refused\nrefused\n4096\n"


def test_many_sockets_count_as_the_memory_they_can_hold(server):
    source = """
import os, socket, time
for _ in range(8):
    if os.fork() == 0:
        held = [socket.socketpair() for _ in range(100)]
        time.sleep(60)
time.sleep(60)
"""
    with server.start([], Limits(memory=2**28)) as session:
        with pytest.raises(ChannelClosedError):
            session.ask(20, do="cell", source=source)
        assert session.end() == "memory"


def test_larger_buffers_are_refused(server):
    source = "from socket import *\nsocketpair()[0].setsockopt(SOL_SOCKET, SO_SNDBUF, 9**6)"
    assert ran(server, source)["error"]["kind"] == "PermissionError"


# No answer is there


def test_no_module_object_or_file_of_the_box_knows_an_answer(server):
    source = """
import gc, os, sys
import course_lib
from course_lib.learner import check, hint, model_answer
print([name for name in sys.modules if "lessons.lesson" in name or "judgement" in name])
print([o for o in gc.get_objects() if type(o).__name__ in ("Exercise", "Slip", "AnswerKey")])
home = os.path.dirname(course_lib.__file__)
files = [name for _, _, names in os.walk(home) for name in names]
print([name for name in files if name.startswith(("lesson_", "pretest"))])
print(sorted(os.listdir(home + "/lessons")), os.listdir(home + "/learner"))
print(check("01.1", lambda counts: 0), check.__globals__.get("lessons"), hint("01.1"))
for name in ("lessons.lesson_01", "lessons.judgement", "tools.cli", "learner.checks"):
    try:
        __import__("course_lib." + name)
        print(name)
    except ImportError:
        pass
"""
    lines = text_of(ran(server, source)).splitlines()
    assert lines[:3] == ["[]", "[]", "[]"]
    shown = ["__init__.py", *editions.BOX["lessons"]]
    assert lines[3] == f"{sorted(shown)} ['__init__.py']"
    assert lines[4].startswith("(check says nothing") and " None " in lines[4] and len(lines) == 5


def test_secret_calls_remember_no_public_ones_and_the_notebook_no_secret_ones(server):
    drawn = draw(exercise("01.2"), 5)
    source = "seen = []\ndef decrease(left, right):\n    seen.append(left)\n    return len(seen)"
    with server.start(["01.2"], Limits()) as session:
        text_of(session.ask(20, do="cell", source=source))
        session.ask(20, do="keep", task="01.2", answer="decrease")
        shown = session.ask(20, do="show", answer="decrease", **drawn.calls)
        reply = session.call("01.2", 20, drawn.calls)
        assert shown["answers"] == reply["answers"] == [["int", k] for k in (1, 2, 3, 4)]
        assert text_of(session.ask(20, do="cell", source="print(len(seen))")) == "4\n"


def test_chance_goes_on_in_the_notebook_as_if_no_answer_had_been_asked(server):
    """Cells that rely on the global generators get the same numbers as in Jupyter."""
    draws = "import random\nimport numpy as np\nprint(random.random(), np.random.random())"
    answer = "def gini(counts):\n    return random.random() + np.random.random()"
    calls = draw(exercise("01.1"), 5).calls
    texts = []
    for asks in (False, True):
        with server.start(["01.1"], Limits()) as session:
            text_of(session.ask(20, do="cell", source=f"{draws}\n{answer}"))
            replies = [
                session.ask(20, do="show", answer="gini", **calls) for _ in range(2 if asks else 0)
            ]
            texts.append(text_of(session.ask(20, do="cell", source=draws)))
    assert texts[0] == texts[1] and replies[0] == replies[1] != {}


LEAVES_FILES = """
import os
here = os.getcwd()
def seen(*arguments):
    found = []
    for folder in (here, "/dev/shm"):
        path = folder + "/leak"
        found.append(open(path).read() if os.path.exists(path) else "")
        open(path, "a").write(repr(arguments) + "|")
    raise ValueError(" ".join(found))
entropy = decrease = seen
"""


def test_the_call_that_explains_finds_no_file_of_a_secret_call(server):
    """Neither of its own task nor of another one: all explaining is done before."""
    released = Released.read(ROOT / "exercises" / NAME / f"{NAME}.ipynb", "01")
    notebook = Notebook.solved()
    for task in ("01.1", "01.2"):
        notebook.answer(task, LEAVES_FILES)
    content, seed = notebook.to_bytes(), 7
    result = mark(server, released, "eve", content, files={}, seed=seed, limits=Limits())
    for name in ("01.1", "01.2"):
        task, secret = exercise(name), draw(exercise(name), seed).key
        messages = " ".join(each.message for each in result.tasks)
        public = {repr(task.arguments(case)) for case in task.cases()}
        shown = any(case in messages for case in public)
        assert shown or name != "01.1", "the next call does see what an earlier one left"
        assert not [a for a in map(repr, secret.arguments) if a not in public and a in messages]


KEEPS_FOR_LATER = """
import os
from collections.abc import Set
kept = os.getcwd() + "/kept"
def entropy(counts):
    open(kept, "w").write(repr(counts))
    p = np.array([c for c in counts if c]) / sum(counts)
    return -(p * np.log2(p)).sum()
class Lazy(Set):
    def __iter__(self):
        yield open(kept).read() if os.path.exists(kept) else "nothing"
    def __len__(self):
        return 1
    def __contains__(self, item):
        return True
"""


def test_a_value_that_is_looked_at_late_has_seen_no_secret_case(server):
    released = Released.read(ROOT / "exercises" / NAME / f"{NAME}.ipynb", "01")
    notebook = Notebook.solved().answer("01.1", KEEPS_FOR_LATER)
    notebook.answer("01.7", "same_tree = Lazy()")
    content, seed = notebook.to_bytes(), 7
    result = mark(server, released, "eve", content, files={}, seed=seed, limits=Limits())
    first, *_, last = result.tasks
    assert first.outcome == "correct" and "Your answer is {" in last.message
    public = {repr(case["counts"]) for case in exercise("01.1").cases()}
    assert [case for case in public if case in last.message], "it does see what calls have left"
    secret = {repr(case["counts"]) for case in draw(exercise("01.1"), seed).key.cases} - public
    assert not [case for case in secret if case in last.message]


ENDS_IN_SECRET = """
import os
calls = os.getcwd() + "/calls"
def decrease(left, right):
    open(calls, "a").write("x")
    if os.path.getsize(calls) > 4:
        os._exit(1)
    return 0.0
"""


def test_another_process_of_a_submission_gets_other_cases(server, monkeypatch):
    """What one was given may be known to the next, by ways that cannot be closed."""
    given, call = [], box.Session.call

    def noting(self, task, seconds, calls, *, last=True):
        if task == "01.2" and last:
            given.append(tuple(calls["packed"]))
        return call(self, task, seconds, calls, last=last)

    monkeypatch.setattr(box.Session, "call", noting)
    released = Released.read(ROOT / "exercises" / NAME / f"{NAME}.ipynb", "01")
    content = Notebook.solved().answer("01.2", ENDS_IN_SECRET).to_bytes()
    result = mark(server, released, "eve", content, files={}, seed=7, limits=Limits())
    assert [task.outcome for task in result.tasks[:3]] == ["correct", "died", "correct"]
    assert len(given) == len(set(given)) > 1


@same_for_every_user
@pytest.mark.parametrize(
    ("line", "outcome"), [("while True: pass", "timeout"), ("os._exit(0)", "died")]
)
def test_an_answer_that_hangs_or_dies_takes_no_other_answer_with_it(server, line, outcome):
    """Not even one that comes later and was read in the same process."""
    released = Released.read(ROOT / "exercises" / NAME / f"{NAME}.ipynb", "01")
    answer = f"import os\ndef decrease(left, right):\n    {line}"
    content, limits = Notebook.solved().answer("01.2", answer).to_bytes(), Limits(task_seconds=1.0)
    result = mark(server, released, "eve", content, files={}, seed=7, limits=limits)
    first, second, *others = (task.outcome for task in result.tasks)
    assert second == outcome and {first, *others} == {"correct"}


POOL = """
from concurrent.futures import ThreadPoolExecutor
pool = ThreadPoolExecutor(1)
def entropy(counts, old=entropy):
    return pool.submit(old, counts).result()
"""
USES_POOL = """
def decrease(left, right, old=decrease):
    return pool.submit(old, left, right).result()
"""


@same_for_every_user
def test_an_answer_whose_helpers_a_copy_cannot_have_is_right_all_the_same(server):
    """A thread that a call has started is not there in the copies that are made after it."""
    released = Released.read(ROOT / "exercises" / NAME / f"{NAME}.ipynb", "01")
    notebook = Notebook.solved()
    one, two = ("".join(notebook.cells[notebook.index(f"task-01-{k}")]["source"]) for k in (1, 2))
    notebook.answer("01.1", f"{one}\n{POOL}")
    notebook.answer("01.2", f"{two}{USES_POOL}")
    limits, content = Limits(task_seconds=2.0), notebook.to_bytes()
    result = mark(server, released, "ann", content, files={}, seed=7, limits=limits)
    assert {task.outcome for task in result.tasks} == {"correct"}


OWN_CELLS = """
from numpy import *
TABLE = {}
TABLE["axis"] = 0
from time import process_time as now
end = now() + 0.4
while now() < end: pass
"""
LEANS = (
    "\ndef decrease(left, right, old=decrease):\n    assert TABLE['axis'] == 0 and array([1]).sum()"
)


@same_for_every_user
@pytest.mark.parametrize(("line", "outcome"), [("while True: pass", "timeout"), ("E(0)", "died")])
def test_however_many_answers_hang_or_die_the_others_are_graded(server, line, outcome):
    """With all cells there are, however long those take, and what they define in whatever way."""
    released = Released.read(ROOT / "exercises" / NAME / f"{NAME}.ipynb", "01")
    bad = {"01.1": "entropy", "01.4": "tree_mdi", "01.5": "forest_mdi", "01.6": "share_removed"}
    notebook = Notebook.solved().first(OWN_CELLS + "from os import _exit as E")
    for task, name in bad.items():
        notebook.answer(task, f"def {name}(*arguments):\n    {line}")
    solved = "".join(notebook.cells[notebook.index("task-01-2")]["source"])
    notebook.answer("01.2", f"{solved}{LEANS}\n    return old(left, right)")
    limits = Limits(task_seconds=1.0, submission_seconds=12.0)
    content = notebook.to_bytes()
    result = mark(server, released, "eve", content, files={}, seed=7, limits=limits)
    found = [task.outcome for task in result.tasks]
    assert found == [outcome, "correct", "correct", *[outcome] * 3, "correct"]


@same_for_every_user
@pytest.mark.parametrize(
    "line",
    [
        "del X, variety",
        "import pandas\npandas.DataFrame({'a': [1]}).query('a in @variety')",
        "class Keep:\n    shares = shares",
        "import __main__; __main__.shares",
        "from __main__ import mdi",
        "gini.__globals__['forest']",
        "assert _ is not None",
        "assert 'shares' in dir()",
    ],
)
def test_who_uses_what_a_cell_defines_that_only_shows_something_has_it(server, line):
    """Also in ways that the text does not tell: then the run fails, and is made again with all."""
    released = Released.read(ROOT / "exercises" / NAME / f"{NAME}.ipynb", "01")
    notebook = Notebook.solved()
    solved = "".join(notebook.cells[notebook.index("task-01-7")]["source"])
    content = notebook.answer("01.7", f"{line}\n{solved}").to_bytes()
    result = mark(server, released, "ann", content, files={}, seed=7, limits=Limits())
    assert {task.outcome for task in result.tasks} == {"correct"}


# Reading


@pytest.mark.parametrize("n_bytes", [0, 2**21])
def test_where_a_notebook_was_read_it_runs_and_nothing_is_left_of_the_reading(server, n_bytes):
    """A large one is read by a copy, which takes along the memory that it needed."""
    looks = "import glob, resource\n"
    looks += "print(len(glob.glob('/proc/[0-9]*')))\n"  # the first process, and the student's
    looks += "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss > 0, 'cells' in dir())"
    content = Notebook.solved().to_bytes() + b" " * n_bytes
    session, cells, _ = read_in_box(server, ["01.1"], content, Limits())
    with session:
        by_copy = str(n_bytes > 0)
        assert text_of(session.ask(20, do="cell", source=looks)).split() == ["2", by_copy, "False"]
        text_of(session.ask(20, do="cell", source="gini = lambda counts: 0.25"))
        session.ask(20, do="keep", task="01.1", answer="gini")
        reply = session.call("01.1", 20, draw(exercise("01.1"), 5).calls)
    assert cells and {value for _, value in reply["answers"]} == {0.25}


# Time


def test_time_is_what_a_task_takes_itself_and_not_what_it_waits_for_others(server, monkeypatch):
    """Many neighbours share its processors; a task that computes half a second is let go on."""
    import multiprocessing

    monkeypatch.setattr(box, "WALL", 60.0)  # however busy the machine is with other tests
    neighbours = [multiprocessing.Process(target=_busy, daemon=True) for _ in range(4)]
    for neighbour in neighbours:
        neighbour.start()
    try:
        with server.start([], Limits()) as session:
            source = "from time import process_time as t\nend = t() + 0.5\nwhile t() < end: pass"
            start = time.monotonic()
            reply = session.ask(0.75, do="cell", source=source)
            assert reply["error"] is None and time.monotonic() - start > 0.5
            assert session.used < 1.0
    finally:
        for neighbour in neighbours:
            neighbour.kill()


def _busy() -> None:
    while True:
        pass


def test_only_a_request_that_takes_longer_is_looked_at(monkeypatch):
    """Most take a few milliseconds, and each look reads the files of all processes."""
    asked, now = [], [0.0]
    monkeypatch.setattr(box.time, "monotonic", lambda: now[0])

    def spent():
        asked.append(now[0])
        return 10.0 + 0.1 * now[0]  # of its own; the rest goes to others

    clock = box.Clock(spent, 1.0)
    assert 0 < clock() <= box.SHORT
    now[0] = 0.03
    assert clock.used == 0.03 and not asked
    now[0] = 0.05
    assert clock() == pytest.approx(0.95) and asked == [0.05]
    now[0] = 1.2
    assert clock.used == pytest.approx(box.SHORT + 0.115, abs=0.04)
    assert clock() > 0
    now[0] = 9.0
    with pytest.raises(TimeoutError):
        clock()


@pytest.mark.parametrize("source", ["while True: pass", "import time; time.sleep(60)"])
def test_whoever_takes_too_long_is_stopped_busy_or_asleep(server, source):
    with server.start([], Limits()) as session:
        start = time.monotonic()
        with pytest.raises(TimeoutError):
            session.ask(1.0, do="cell", source=source)
        assert session.used >= 0.9 and time.monotonic() - start < box.WALL * 1.0 + 30


def test_whoever_only_seems_to_wait_for_a_processor_is_stopped_too(server):
    """A parent whose child has not yet become another program counts as busy, and uses nothing."""
    source = "import ctypes, time\nif ctypes.CDLL(None).vfork() == 0:\n    time.sleep(600)"
    with server.start([], Limits()) as session:
        with pytest.raises((TimeoutError, ChannelClosedError)):
            session.ask(1.0, do="cell", source=source)


def test_a_sender_of_nonsense_is_cut_off(server):
    source = (
        "import gc, socket, struct\n"
        "s = next(o for o in gc.get_objects() if isinstance(o, socket.socket))\n"
        "body = b'[' + b'[],' * 4_000_000 + b'[]]'\n"
        "s.sendall(struct.pack('!I', len(body)) + body)"
    )
    with pytest.raises(ChannelClosedError):
        ran(server, source)


def test_two_processors_can_be_used(server):
    source = """
import numpy as np
from sklearn.inspection import permutation_importance
from sklearn.linear_model import LinearRegression
X = np.arange(40.0).reshape(20, 2) % 7
shares = permutation_importance(LinearRegression().fit(X, X[:, 0]), X, X[:, 0], n_jobs=2)
print(len(shares.importances_mean))
"""
    assert text_of(ran(server, source, seconds=60)) == "2\n"
