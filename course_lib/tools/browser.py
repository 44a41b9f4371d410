"""A real JupyterLab in a real browser, for the tests and the measurements that need one.

    with Lab(folder) as lab:
        notebook = lab.open_notebook("01_mdi.ipynb")
        notebook.run_all()
        notebook.outputs(3)

JupyterLab runs on a free port of this machine only, with settings of its own in a temporary folder:
it neither reads nor changes those of the user. Leaving the block ends every process it started.
"""

import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from course_lib.tools.system import CHROMIUMS, find_chromium

CHROMIUM_FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
SETTINGS = {
    "apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
    "apputils-extension/themes": {"theme": "JupyterLab Light"},
    "notebook-extension/tracker": {"windowingMode": "none"},  # keep every cell in the page
}

KERNEL_IS_IDLE = """() => {
    const context = window.jupyterapp?.shell.currentWidget?.sessionContext;
    const kernel = context?.isReady && context.session?.kernel;
    return kernel && kernel.connectionStatus === 'connected' && kernel.status === 'idle';
}"""
NO_CELL_IS_RUNNING = """() => ![...document.querySelectorAll('.jp-InputArea-prompt')]
    .some(prompt => prompt.textContent.includes('*'))"""


@contextmanager
def browser_page(
    profile, timeout: float = 90, size=(1280, 900), scale: float = 1, touch: bool = False
) -> Iterator:
    """An empty page of a browser that keeps its profile in the folder `profile`, a new one.

    Pictures of it have `scale` times as many pixels as its `size`. With `touch` it is a phone's.

    The page is playwright's: https://playwright.dev/python/docs/api/class-page
    """
    from playwright.sync_api import sync_playwright

    chromium = find_chromium()
    if chromium is None:
        raise RuntimeError(
            f"No chromium found; looked for {', '.join(CHROMIUMS)}. Install chromium, or name its "
            f"path in the environment variable COURSE_CHROMIUM."
        )
    with sync_playwright() as driver:
        context = driver.chromium.launch_persistent_context(
            str(profile),
            executable_path=chromium,
            headless=True,
            args=list(CHROMIUM_FLAGS),
            viewport={"width": size[0], "height": size[1]},
            device_scale_factor=scale,
            has_touch=touch,
            is_mobile=touch,
        )
        with closing(context):
            context.set_default_timeout(timeout * 1000)
            yield context.pages[0] if context.pages else context.new_page()


class Lab:
    """JupyterLab over a folder and a browser looking at it, as a context manager.

    Parameters
    ----------
    root : path
        The folder that JupyterLab shows.
    dark : bool, default=False
        Use the dark theme.
    timeout : float, default=90
        Seconds to wait for anything.
    environment : mapping, default=None
        Further variables for JupyterLab and its kernels.
    **window
        The `size` and `scale` of `browser_page`.
    """

    def __init__(
        self, root, *, dark: bool = False, timeout: float = 90, environment=None, **window
    ):
        self.root, self.dark, self.timeout = Path(root).resolve(), dark, timeout
        self.environment, self.window = environment or {}, window
        self.port = self.url = self.page = None
        self._running = ExitStack()

    def __enter__(self) -> "Lab":
        with ExitStack() as stack:
            folder = TemporaryDirectory(prefix="course-lab-", ignore_cleanup_errors=True)
            home = Path(stack.enter_context(folder))
            self._start_server(home, stack)
            self.page = stack.enter_context(
                browser_page(home / "browser", self.timeout, **self.window)
            )
            self._running = stack.pop_all()
        return self

    def __exit__(self, *_error) -> None:
        self._running.close()

    def open_notebook(self, path: str) -> "NotebookPage":
        """Open a notebook, given by its path below the root, and wait for its kernel."""
        self.page.goto(f"{self.url}/lab/tree/{path}?reset")
        notebook = NotebookPage(self.page, self.timeout)
        notebook.wait_ready()
        return notebook

    def log(self) -> str:
        """What JupyterLab has written so far."""
        return self._log.read_text(encoding="utf-8", errors="replace")

    def _start_server(self, home: Path, stack: ExitStack) -> None:
        self._log, self.port = home / "lab.log", _free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        _write_settings(home / "settings", self.dark)
        with self._log.open("wb") as log:
            server = subprocess.Popen(
                _server_command(self.root, self.port),
                cwd=self.root,
                env=_environment(home) | self.environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        stack.callback(end_family, server)
        wait_for_answer("JupyterLab", f"{self.url}/api/status", server, self.timeout, self.log)


class NotebookPage:
    """The notebook that is open in the browser; `page` is playwright's, for everything else."""

    def __init__(self, page, timeout: float = 90):
        self.page, self.timeout = page, timeout

    def wait_ready(self) -> None:
        """Wait until the notebook is shown and its kernel is idle."""
        self.page.wait_for_selector(".jp-NotebookPanel .jp-Cell")
        self.page.wait_for_function(KERNEL_IS_IDLE)

    def run_all(self) -> None:
        """Run all cells as the menu does, and wait until they have run."""
        self.page.evaluate("() => window.jupyterapp.commands.execute('notebook:run-all-cells')")
        self.wait_idle()

    def run_cell(self, number: int) -> None:
        """Run one cell with the keyboard, and wait until it has run."""
        self.cell(number).locator(".jp-InputArea-editor, .jp-InputArea").first.click()
        self.page.keyboard.press("Control+Enter")
        self.wait_idle()

    def wait_idle(self) -> None:
        """Wait until no cell is running or queued."""
        self.page.wait_for_function(NO_CELL_IS_RUNNING)
        self.page.wait_for_function(KERNEL_IS_IDLE)

    def cell(self, number: int):
        """The cell at a position, counted from 0, as a locator."""
        return self.page.locator(".jp-NotebookPanel .jp-Notebook .jp-Cell").nth(number)

    def outputs(self, number: int) -> list[str]:
        """The texts of the outputs of a cell."""
        return self.cell(number).locator(".jp-OutputArea-output").all_inner_texts()

    def save(self) -> None:
        """Save the notebook."""
        self.page.evaluate("() => window.jupyterapp.commands.execute('docmanager:save')")

    def screenshot(self, path, *, cell: int | None = None) -> None:
        """Save what is shown, or one cell of it, as PNG."""
        target = self.page if cell is None else self.cell(cell)
        target.screenshot(path=str(path))


def _free_port() -> int:
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def _server_command(root: Path, port: int) -> list[str]:
    return [
        sys.executable,
        "-m",
        "jupyterlab",
        "--no-browser",
        "--allow-root",
        "--ServerApp.ip=127.0.0.1",
        f"--ServerApp.port={port}",
        "--ServerApp.port_retries=0",
        f"--ServerApp.root_dir={root}",
        "--IdentityProvider.token=",
        "--PasswordIdentityProvider.hashed_password=",
        "--LabApp.expose_app_in_browser=True",
        "--LabApp.news_url=None",
    ]


def _environment(home: Path) -> dict[str, str]:
    """The environment without the user's Jupyter settings, and with the course importable."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("JUPYTER")}
    return kept | {
        "JUPYTER_CONFIG_DIR": str(home / "config"),
        "JUPYTER_DATA_DIR": str(home / "data"),
        "JUPYTER_RUNTIME_DIR": str(home / "runtime"),
        "JUPYTERLAB_SETTINGS_DIR": str(home / "settings"),
        "JUPYTERLAB_WORKSPACES_DIR": str(home / "workspaces"),
        "IPYTHONDIR": str(home / "ipython"),
    }


def _write_settings(folder: Path, dark: bool) -> None:
    for name, settings in SETTINGS.items():
        if dark and "theme" in settings:
            settings = {"theme": "JupyterLab Dark"}
        path = folder / "@jupyterlab" / f"{name}.jupyterlab-settings"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(settings), encoding="utf-8")


def wait_for_answer(
    name: str, url: str, server: subprocess.Popen, timeout: float, log: Callable[[], str]
) -> None:
    """Return when a server answers; raise its last words if it ends, or takes too long."""
    deadline = time.monotonic() + timeout
    while time.monotonic() < deadline and server.poll() is None:
        try:
            with urllib.request.urlopen(url, timeout=5):
                return
        except OSError:
            time.sleep(0.1)
    raise RuntimeError(
        f"{name} did not answer at {url} within {timeout:g} s. Its last words:\n{log()[-3000:]}"
    )


def end_family(server: subprocess.Popen, patience: float = 15) -> None:
    """End a server and all that it started, by their process ids."""
    import psutil

    try:
        family = psutil.Process(server.pid).children(recursive=True)
    except psutil.NoSuchProcess:
        family = []
    server.terminate()
    try:
        server.wait(patience)
    except subprocess.TimeoutExpired:
        server.kill()
        server.wait()
    _, alive = psutil.wait_procs(family, timeout=2)
    for process in alive:
        process.kill()
    psutil.wait_procs(alive, timeout=5)
