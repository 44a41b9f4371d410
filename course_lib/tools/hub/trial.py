"""The recipe's hub on this machine only, for tests and measurements.

    with TrialHub(folder, course) as hub:
        ada = Student(hub.url, "ada")

The configuration is the recipe's, with five things replaced: addresses on free ports of the
loopback interface, an authenticator that lets in whoever comes, a spawner that needs no accounts,
folders below `folder`, and the path of the proxy. Students get the edition in the folder `course`,
by the packages of this environment. Leaving the block ends every process of the hub.
"""

import importlib.util
import os
import random
import shutil
import socket
import subprocess
import sys
from contextlib import ExitStack, closing, suppress
from pathlib import Path

from course_lib.learner.ways import install
from course_lib.tools.browser import end_family, wait_for_answer
from course_lib.tools.system import ROOT

RECIPE = Path(__file__).with_name("jupyterhub_config.py")
EXTRAS = "hub,instructor,tests"  # what a trial, its users and their browsers need
PROXY = "configurable-http-proxy"
INSTALL = f"npm install --prefix build/proxy {PROXY}"
CHANGES = """
load_subconfig({recipe!r})
c = get_config()
c.JupyterHub.bind_url = "http://127.0.0.1:{port}"
c.JupyterHub.hub_bind_url = "http://127.0.0.1:{hub_port}"
c.ConfigurableHTTPProxy.api_url = "http://127.0.0.1:{proxy_port}"
c.ConfigurableHTTPProxy.command = [{proxy!r}]
c.ConfigurableHTTPProxy.pid_file = {folder!r} + "/proxy.pid"
c.JupyterHub.authenticator_class = "dummy"
c.JupyterHub.spawner_class = "simple"
c.SimpleLocalProcessSpawner.home_dir_template = {folder!r} + "/homes/{{username}}"
c.Spawner.args = {args!r}
c.JupyterHub.cleanup_servers = True
c.JupyterHub.db_url = "sqlite:///" + {folder!r} + "/jupyterhub.sqlite"
c.JupyterHub.cookie_secret_file = {folder!r} + "/cookie_secret"
"""


def find_proxy() -> str | None:
    """The proxy that JupyterHub needs: on the path, or where npm puts it for us."""
    own = ROOT / "build" / "proxy" / "node_modules" / ".bin"
    return shutil.which(PROXY) or shutil.which(PROXY, path=str(own))


def hub_trouble() -> str | None:
    """Why no hub can be started here, with the line that fixes it; None if one can."""
    if os.name == "nt":
        return "JupyterHub does not run on Windows. Use WSL 2."
    if importlib.util.find_spec("jupyterhub") is None:
        line = install(["jupyterhub"], EXTRAS, "bench hub")
        return f"JupyterHub is missing. To install all that a hub's bench needs: {line}"
    if find_proxy() is None:
        return f"{PROXY} is missing. With nodejs and npm installed: {INSTALL}"
    return None


class TrialHub:
    """A running hub, as a context manager.

    Parameters
    ----------
    folder : path
        Where the homes of the users and all files of the hub are put.
    course : path, default=ROOT
        The course that students get; as in the recipe, the student edition.
    timeout : float, default=90
        Seconds to wait for the hub to answer.
    """

    def __init__(self, folder, course=ROOT, *, timeout: float = 90):
        self.folder, self.course = Path(folder).resolve(), Path(course).resolve()
        self.timeout = timeout
        self.url = self.process = None
        self._running = ExitStack()

    def __enter__(self) -> "TrialHub":
        if trouble := hub_trouble():
            raise RuntimeError(trouble)
        with ExitStack() as stack:
            self._start(stack)
            self._running = stack.pop_all()
        return self

    def __exit__(self, *_error) -> None:
        self._running.close()

    def home(self, name: str) -> Path:
        """The home folder of a user."""
        return self.folder / "homes" / name

    def log(self) -> str:
        """What the hub, its proxy and all servers have written so far."""
        return (self.folder / "hub.log").read_text(encoding="utf-8", errors="replace")

    def _start(self, stack: ExitStack) -> None:
        (self.folder / "homes").mkdir(parents=True, exist_ok=True)
        port, self._hub_port = _quiet_port(), _quiet_port()
        self.url = f"http://127.0.0.1:{port}"
        config = self.folder / "trial_config.py"
        config.write_text(_changes(self.folder, port, self._hub_port), encoding="utf-8")
        with (self.folder / "hub.log").open("wb") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-P", "-m", "jupyterhub", f"--config={config}"],
                cwd=self.folder,
                env=_environment() | {"PYTHONPATH": str(self.course)},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,  # Ctrl-C reaches us alone, and we end the hub
            )
        stack.callback(self._end_orphans)
        stack.callback(end_family, self.process, patience=60)
        health = f"{self.url}/hub/health"
        wait_for_answer("JupyterHub", health, self.process, self.timeout, self.log)

    def _end_orphans(self) -> None:
        """End what a hub that died has left; they all know its port. An orderly hub leaves none."""
        import psutil

        for process in psutil.process_iter():
            with suppress(psutil.Error):
                told = [process.environ().get("JUPYTERHUB_API_URL", ""), *process.cmdline()]
                if any(f"127.0.0.1:{self._hub_port}/" in word for word in told):
                    process.kill()


def _changes(folder: Path, port: int, hub_port: int) -> str:
    """What the trial replaces in the recipe, as a configuration that loads it first."""
    return CHANGES.format(
        recipe=str(RECIPE),
        port=port,
        hub_port=hub_port,
        proxy_port=_quiet_port(),
        proxy=find_proxy(),
        folder=str(folder),
        args=["--allow-root"] if os.geteuid() == 0 else [],
    )


def _quiet_port() -> int:
    """A free port below those that systems hand out, so that no kernel gets it before the hub."""
    while True:
        port = random.randrange(20_000, 32_000)
        with closing(socket.socket()) as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port


def _environment() -> dict[str, str]:
    """The environment without the user's Jupyter and course settings."""
    private = ("JUPYTER", "COURSE", "CONFIGPROXY", "IPYTHON", "NBGRADER")
    return {name: value for name, value in os.environ.items() if not name.startswith(private)}
