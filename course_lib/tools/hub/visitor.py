"""A student of a hub in a real browser, who sees and clicks what a student sees and clicks."""

import json
import time
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import urlencode

from course_lib.tools.browser import NO_CELL_IS_RUNNING, browser_page

SETTINGS = ".jupyter/lab/user-settings/@jupyterlab/notebook-extension/tracker.jupyterlab-settings"


def link_to_pull(repository: str, notebook: str, *, branch: str = "main") -> str:
    """The part of an nbgitpuller link after the hub's address: fetch, then open the notebook.

    Examples
    --------
    >>> link_to_pull("https://example.org/lessons", "lessons/01_mdi.ipynb")
    '/hub/user-redirect/git-pull?repo=https%3A%2F%2Fexample.org%2Flessons&branch=main&urlpath=lab%2Ftree%2Flessons%2F01_mdi.ipynb'
    """
    query = {"repo": repository, "branch": branch, "urlpath": f"lab/tree/{notebook}"}
    return f"/hub/user-redirect/git-pull?{urlencode(query)}"


class Visitor:
    """One user of a hub with a browser of their own, as a context manager.

    Parameters
    ----------
    url : str
        The hub's address.
    name : str
    home : path
        The user's home on the hub; the profile of the browser and a setting are put there.
    timeout : float, default=300
        Seconds to wait for anything.
    """

    def __init__(self, url: str, name: str, home: Path, *, timeout: float = 300):
        self.url, self.name, self.home, self.timeout = url, name, Path(home), timeout
        self._open = ExitStack()

    def __enter__(self) -> "Visitor":
        settings = self.home / SETTINGS
        settings.parent.mkdir(parents=True)
        settings.write_text(
            json.dumps({"windowingMode": "none"}), encoding="utf-8"
        )  # keep all cells in the page
        self.page = self._open.enter_context(browser_page(self.home / ".browser", self.timeout))
        return self

    def __exit__(self, *_error) -> None:
        self._open.close()

    def arrive(self) -> float:
        """Log in, which starts the server; seconds from the click to the list of lessons."""
        self.page.goto(f"{self.url}/hub/login")
        self.page.fill("#username_input", self.name)
        self.page.fill("#password_input", "any")
        begin = time.perf_counter()
        self.page.click("#login_submit")
        self.page.locator(".jp-DirListing-item").filter(has_text="01_mdi.ipynb").wait_for()
        return time.perf_counter() - begin

    def open(self, address: str) -> None:
        """Follow a link and wait for the notebook behind it and for its kernel."""
        self.page.goto(f"{self.url}{address}")
        self.page.wait_for_selector(".jp-NotebookPanel .jp-Cell")
        self.page.get_by_text("| Idle").wait_for()

    def run_all(self) -> float:
        """Run all cells by the menu; seconds until none is running or waiting."""
        begin = time.perf_counter()
        self.page.get_by_role("menuitem", name="Run", exact=True).first.click()
        self.page.get_by_role("menuitem", name="Run All Cells", exact=True).click()
        self.page.wait_for_timeout(500)
        self.page.wait_for_function(NO_CELL_IS_RUNNING)
        return time.perf_counter() - begin

    def commit(self, prediction: str, option: str) -> None:
        """Choose an option in the form of a prediction, be fairly sure, and commit it."""
        cells = self.page.locator(".jp-NotebookPanel:not(.lm-mod-hidden) .jp-CodeCell")
        form = cells.filter(has_text=f'predict("{prediction}")')
        form.get_by_label(option).check()
        form.get_by_label("fairly sure (75 %)").check()
        form.get_by_role("button", name="Commit").click()
        form.get_by_text(f"Committed: {option}").wait_for()

    def save(self) -> None:
        """Save the notebook by the keyboard, and wait until it is on disk."""
        self.page.locator(".jp-NotebookPanel:not(.lm-mod-hidden) .jp-Cell").first.click()
        self.page.keyboard.press("Control+s")
        self.page.wait_for_function("() => !document.querySelector('.jp-mod-dirty')")
        self.page.wait_for_timeout(1000)
