"""What the tests of the site share: the site, built once."""

from pathlib import Path

import pytest

from course_lib.tools import site
from course_lib.tools.system import ROOT


@pytest.fixture(scope="session")
def built(tmp_path_factory) -> Path:
    """The folder of the course's site."""
    folder = tmp_path_factory.mktemp("site") / "pages"
    site.build(ROOT, folder)
    return folder
