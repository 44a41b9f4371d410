"""Which way the course came to this machine, and so how it is called and mended here.

There are three: a clone, in which `./course` makes its own environment; a conda environment, in
which the owner installs; a package, which has the lessons but not their sources.
"""

import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]  # of a clone; of a package, whatever is beside it


def is_clone() -> bool:
    """Whether the library lies in the repository, with the sources of everything."""
    return (ROOT / "pyproject.toml").is_file()


def conda() -> str | None:
    """The folder of the conda environment that this is, if it is one."""
    prefix = os.environ.get("CONDA_PREFIX")
    return prefix if prefix and Path(prefix) == Path(sys.prefix) else None


def is_windows() -> bool:
    """Whether terminals here speak another language."""
    return os.name == "nt"


def call(command: str) -> str:
    """The line that runs a command of the course in a terminal.

    >>> call("lab")  # doctest: +SKIP
    './course lab'
    """
    if not makes_its_own():
        return f"python -m course_lib {command}".strip()
    return f"{'py course' if is_windows() else './course'} {command}".strip()


def makes_its_own() -> bool:
    """Whether the course makes and mends its environment itself, each time it is called."""
    return is_clone() and not conda()


def install(packages: list[str], extra: str, command: str) -> str:
    """The line that installs packages which a command lacks, or the whole group they belong to."""
    if makes_its_own():
        return call(command) if extra else f"{call(command)}   (after deleting the folder .venv)"
    what, prefix = " ".join(packages), quoted(conda() or "")
    if conda() and is_clone():
        if not extra:
            return f"conda env update --prefix {prefix} --file {quoted(ROOT / 'environment.yml')}"
        lock = quoted(ROOT / "requirements.lock")
        what = f"-c {lock} -e {quoted(f'{ROOT}[{extra}]')}"
    return f"{_pip_install()} {what}"


def install_as_in(lock: Path, packages: list[str]) -> str:
    """The line that gives packages the versions of a lock, and leaves all others as they are."""
    if makes_its_own():
        return install(packages, "", "lab")
    return f"{_pip_install()} -c {quoted(lock)} {' '.join(packages)}"


def _pip_install() -> str:
    prefix = conda()
    return f"{f'conda run --prefix {quoted(prefix)} ' if prefix else ''}python -m pip install"


def quoted(path) -> str:
    """A path as it is typed in a terminal."""
    return f'"{path}"' if set(str(path)) & set(" []()&") else str(path)
