"""`./course test --oldest`: the same run, with the oldest scikit-learn that pyproject allows."""

import hashlib
import runpy
import subprocess
import sys
import tomllib
from pathlib import Path

from course_lib.tools.system import ROOT


def run_there(arguments: list[str], root: Path = ROOT) -> int:
    """Run `./course test` with these arguments in an environment with the oldest scikit-learn."""
    if (python := prepare(root)) is None:
        print(
            f"The environment with {constraints(root)[-1]} could not be made; the lines above say "
            f"why. This is Python {sys.version_info[0]}.{sys.version_info[1]}; if it is newer than "
            "that scikit-learn, delete .venv and repeat with an older one: "
            "python3.11 course test --oldest",
            file=sys.stderr,
        )
        return 1
    print(f"With {constraints(root)[-1]}, in build/oldest:", flush=True)
    return subprocess.call([str(python), "-P", "-m", "course_lib", "test", *arguments], cwd=root)


def prepare(root: Path = ROOT) -> Path | None:
    """The Python of that environment, made if what is wanted has changed; None if that failed."""
    folder = root / "build" / "oldest"
    python = folder / Path(sys.executable).relative_to(sys.prefix)
    stamp, wanted = folder / "course.txt", fingerprint(root)
    if stamp.exists() and stamp.read_text(encoding="utf-8") == wanted:
        return python
    limits = root / "build" / "oldest.txt"
    limits.parent.mkdir(exist_ok=True)
    limits.write_text("\n".join(constraints(root)) + "\n", encoding="utf-8")
    print(f"Making the environment in build/oldest, with {constraints(root)[-1]}.", flush=True)
    for step in steps(folder, python, limits, course(root)):
        if subprocess.call([sys.executable, "-m", "uv", *step], cwd=root):
            return None
    stamp.write_text(wanted, encoding="utf-8")
    return python


def steps(folder: Path, python: Path, limits: Path, what: str) -> list[list[str]]:
    """What uv is asked to do: make, install, and look whether all requirements are met."""
    install = ["pip", "install", "--python", str(python), "--compile-bytecode"]
    install += ["--only-binary", "scikit-learn", "-c", str(limits), "-e", what]
    return [
        ["venv", "--quiet", "--clear", "--python", sys.executable, str(folder)],
        install,
        ["pip", "check", "--python", str(python)],
    ]


def constraints(root: Path = ROOT) -> list[str]:
    """The lines of the lock; the last one is scikit-learn in its lower bound of pyproject.toml."""
    from packaging.requirements import Requirement

    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    bounds = {Requirement(line).name: line for line in project["dependencies"]}
    lock = (root / "requirements.lock").read_text(encoding="utf-8").splitlines()
    others = [line for line in lock if Requirement(line).name != "scikit-learn"]
    return [*others, bounds["scikit-learn"].replace(">=", "==")]


def course(root: Path = ROOT) -> str:
    """The course with the groups that `./course test` needs, as they are named there."""
    return f".[{','.join(runpy.run_path(str(root / 'course'))['GROUPS']['test'])}]"


def fingerprint(root: Path = ROOT) -> str:
    """Whatever changes it, a new lock or a moved folder, calls for making it again."""
    project = (root / "pyproject.toml").read_text(encoding="utf-8")
    parts = [str(root), sys.version, course(root), project, *constraints(root)]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()
