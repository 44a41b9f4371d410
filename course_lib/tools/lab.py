"""`./course lab`: the learner's workbook, opened in JupyterLab."""

import argparse
import os
import subprocess
import sys
from pathlib import Path

import zmq

from course_lib.learner.ways import call, is_clone, is_windows
from course_lib.tools.system import MATERIAL, WORKBOOK
from course_lib.tools.workbook import hand_out, originals

SETTINGS = Path(__file__).with_name("jupyter")  # no news, pages rendered, the course's extension
TABS = Path(".jupyter", "workspaces")  # in the workbook: what was open when JupyterLab stopped


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `./course lab`."""
    parser.add_argument("--no-browser", action="store_true", help="print the address, open nothing")
    parser.add_argument("--port", type=int, default=8888, help="default 8888, or the next free one")
    parser.add_argument("--ip", default="127.0.0.1", help="default 127.0.0.1: this machine only")


def run(args: argparse.Namespace) -> int:
    """Bring the workbook up to date and become JupyterLab."""
    workbook = WORKBOOK
    places = list(originals(MATERIAL))
    if not places:
        print(_how_to_get_lessons(), file=sys.stderr)
        return 1
    try:
        news = hand_out(MATERIAL, workbook)
    except OSError as error:
        print(
            f"The workbook cannot be written ({error.strerror}: {error.filename}). Free some disk "
            f"space, or make the folder writable: {_make_writable(workbook)}",
            file=sys.stderr,
        )
        return 1
    for line in news:
        print(line)
    print(f"Your lessons are in {workbook}. JupyterLab starts; stop it with Ctrl-C.", flush=True)
    page = _where_to_begin(workbook, places)
    return _become(command(args, workbook, page), environment(workbook), workbook)


def _how_to_get_lessons() -> str:
    if is_clone():
        return f"There are no lessons in {MATERIAL}. To make them: {call('build')}"
    return (
        f"There are no lessons in {MATERIAL}. The course was copied here without all of its files: "
        f"copy the whole folder (with pyproject.toml), clone it anew, or install the package again."
    )


def _make_writable(folder: Path) -> str:
    if is_windows():
        return f'icacls "{folder}" /grant "{os.environ.get("USERNAME", "*")}:F" /T'
    return f"chmod -R u+w {folder}"


def _where_to_begin(workbook: Path, places: list[str]) -> str:
    """JupyterLab with the tabs that were open last time; the first time, the first notebook."""
    if any((workbook / TABS).glob("*")):
        return "/lab"
    first = next((place for place in places if (workbook / place).exists()), "")
    return f"/lab/tree/{first}"


def command(args: argparse.Namespace, workbook: Path, page: str) -> list[str]:
    """How JupyterLab is started: in the workbook, on a page of it, quietly."""
    return [
        *(sys.executable, "-P", "-m", "jupyterlab"),
        f"--ServerApp.root_dir={workbook}",
        f"--LabApp.default_url={page}",
        f"--ServerApp.ip={args.ip}",
        f"--ServerApp.port={args.port}",
        "--Application.log_level=ERROR",  # the address is printed all the same
        *encryption(),
        *(["--no-browser"] if args.no_browser else []),
        *(["--allow-root"] if not is_windows() and os.geteuid() == 0 else []),
    ]


def encryption() -> list[str]:
    """The argument that keeps other users of the machine from listening to kernels, if it can."""
    return ["--KernelManager.transport_encryption=auto"] if zmq.has("curve") else []


def environment(workbook: Path) -> dict[str, str]:
    """The variables JupyterLab and its kernels see.

    JUPYTER_PATH begins with this environment, so that a kernel called python3 in the learner's
    home cannot take the place of ours; the course's extension of JupyterLab lies in its settings.
    The open tabs are kept with the workbook.
    """
    ours = Path(sys.prefix, "share", "jupyter")
    own = {"JUPYTER_PATH": [ours, SETTINGS], "JUPYTER_CONFIG_PATH": [SETTINGS]}
    paths = {
        name: os.pathsep.join(filter(None, [*map(str, folders), os.environ.get(name)]))
        for name, folders in own.items()
    }
    return {
        **os.environ,
        **paths,
        "JUPYTER_PREFER_ENV_PATH": "1",
        "JUPYTERLAB_WORKSPACES_DIR": str(workbook / TABS),
        "COURSE_WORKBOOK": str(workbook),
    }


def _become(command: list[str], environment: dict[str, str], folder: Path) -> int:
    if not is_windows():
        os.chdir(folder)
        os.execve(command[0], command, environment)
    with subprocess.Popen(command, env=environment, cwd=folder) as server:
        while server.poll() is None:
            try:
                server.wait()
            except KeyboardInterrupt:  # JupyterLab got it too and asks whether to stop
                continue
        return server.returncode
