"""The same promises for root and for an ordinary user: the same tests, run as the other one."""

import sys

import pytest
from people import as_the_other, folder_for_anybody, is_root

from course_lib.tools.system import ROOT

pytestmark = pytest.mark.container


@pytest.mark.parametrize("module", ["test_box.py", "test_class.py", "test_watch.py"])
def test_the_other_kind_of_user_finds_the_same(module):
    with folder_for_anybody() as folder:
        done = as_the_other(
            [
                *(sys.executable, "-m", "pytest", "-q", "-x", f"tests/grading/{module}"),
                *("-p", "no:cacheprovider", "--basetemp", str(folder / "pytest")),
            ],
            folder,
        )
    assert done.returncode == 0, (is_root(), str(ROOT), done.stdout[-3000:], done.stderr[-1000:])
