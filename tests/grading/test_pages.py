"""The pages in a real browser: nothing of a submission runs, the lecturer sees the class."""

from pathlib import Path

import pytest
from students.kit import NAME

from course_lib.grading.classpage import class_page
from course_lib.grading.feedback import feedback_page
from course_lib.grading.marking import unreadable
from course_lib.grading.notebook import Released
from course_lib.grading.tables import summary
from course_lib.grading.written import Marks
from course_lib.tools.system import ROOT, find_chromium

pytestmark = pytest.mark.browser


BAD = '<script>document.title = "owned"</script><img src=x onerror="document.title=\'owned\'">'


@pytest.fixture(scope="module")
def pages(tmp_path_factory) -> dict[str, Path]:
    """A feedback page and a class page full of hostile text."""
    released = Released.read(ROOT / "exercises" / NAME / f"{NAME}.ipynb", "01")
    result = unreadable(released, [BAD]) | {"student": BAD, "contained": True, "key": ""}
    for task in result["tasks"]:
        task |= {"outcome": "not yet", "code": BAD, "message": BAD, "output": [{"text": BAD}]}
    folder = tmp_path_factory.mktemp("pages")
    texts = {
        "feedback": feedback_page(result, Marks()),
        "class": class_page([summary(result)] * 3, Marks()),
    }
    for name, text in texts.items():
        (folder / f"{name}.html").write_text(text, encoding="utf-8")
    return {name: folder / f"{name}.html" for name in texts}


def test_nothing_runs_and_nothing_is_fetched(pages):
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=find_chromium(), args=["--no-sandbox"])
        for path in pages.values():
            page, requests = browser.new_page(), []
            page.on("request", lambda request, seen=requests: seen.append(request.url))
            page.goto(path.as_uri())
            page.wait_for_timeout(200)
            assert page.title() != "owned" and requests == [path.as_uri()]
            assert page.locator("img").count() == 0
        assert page.locator("svg[role=img]").count() == 2, "the class page has its pictures"
        browser.close()
