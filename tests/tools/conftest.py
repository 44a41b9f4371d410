"""What the tests of the site share: the site, built once, whichever process needs it first."""

import os
import time
from pathlib import Path

import pytest

from course_lib.tools import site
from course_lib.tools.system import ROOT

PATIENCE = 600  # seconds, for another process that builds it


@pytest.fixture(scope="session")
def built(tmp_path_factory) -> Path:
    """The folder of the course's site, one for all processes of a run."""
    base = tmp_path_factory.getbasetemp()
    place = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "site"
    folder, ended = place / "pages", place / "ended"
    try:
        place.mkdir()
    except FileExistsError:
        deadline = time.monotonic() + PATIENCE
        while not ended.exists() and time.monotonic() < deadline:
            time.sleep(0.1)
        assert (folder / "index.html").exists(), "another process could not build the site"
        return folder
    try:
        site.build(ROOT, folder)
    finally:
        ended.touch()
    return folder
