"""The files that other machines read: GitHub's workflow, a container, Binder; read as they do."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from course_lib.learner import conditions
from course_lib.tools import cli, lab
from course_lib.tools.system import ROOT
from course_lib.tools.workbook import originals

WORKFLOW = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text(encoding="utf-8"))
JOBS = WORKFLOW["jobs"]
DOCKERFILE = (ROOT / ".devcontainer/Dockerfile").read_text(encoding="utf-8")
CONTAINER = json.loads((ROOT / ".devcontainer/devcontainer.json").read_text(encoding="utf-8"))
PYTHONS = [f"3.{n}" for n in range(conditions.OLDEST[1], conditions.NEWEST[1] + 1)]


def understood(line: str) -> bool:
    """Whether a shell finds what a line calls: a script of ours, or a command of the course."""
    program, *rest = shlex.split(re.sub(r"\$\{\{.*?\}\}", "", line))
    if program != "python":
        return os.access(ROOT / program, os.X_OK)
    script, *arguments = rest
    assert script == "course"
    parser, module = cli._parser(arguments)
    unknown = parser.parse_known_args(arguments)[1]
    return module is not None and (not unknown or getattr(module, "PASSES_ON", False))


# ---- GitHub -------------------------------------------------------------------------------


@pytest.mark.parametrize("job", JOBS)
def test_each_step_of_the_workflow_can_be_run(job):
    steps = JOBS[job]["steps"]
    lines = [step["run"] for step in steps if "run" in step and "if" not in step]
    assert lines and all(map(understood, lines))
    actions = [step["uses"] for step in steps if "uses" in step]
    assert all(re.fullmatch(r"actions/[\w-]+@v\d+", action) for action in actions)


def test_the_quick_tests_run_on_three_systems_and_every_supported_python():
    matrix = JOBS["quick"]["strategy"]["matrix"]
    assert matrix["python"] == PYTHONS
    assert [name.partition("-")[0] for name in matrix["machine"]] == ["ubuntu", "macos", "windows"]
    assert JOBS["quick"]["runs-on"] == "${{ matrix.machine }}"


def test_all_tests_run_with_the_oldest_and_the_newest_python():
    assert JOBS["full"]["strategy"]["matrix"]["python"] == [PYTHONS[0], PYTHONS[-1]]
    assert JOBS["full"]["steps"][-1]["run"].startswith(".ci/run")


def test_a_line_that_nobody_understands_is_noticed():
    assert not understood(".ci/walk")
    assert not understood("python course doctor --colour")
    with pytest.raises(SystemExit):
        understood("python course lap")


# ---- the container ------------------------------------------------------------------------


def instructions() -> list[tuple[str, str]]:
    """The instructions of the Dockerfile, with continued lines joined."""
    lines = [line for line in DOCKERFILE.splitlines() if line and not line.startswith("#")]
    joined = re.sub(r"\\\n\s*", "", "\n".join(lines)).splitlines()
    return [(word, rest) for word, _, rest in (line.partition(" ") for line in joined)]


def test_the_dockerfile_has_only_instructions_that_docker_knows():
    known = {"FROM", "RUN", "USER", "WORKDIR", "COPY", "EXPOSE", "CMD"}
    assert instructions()[0][0] == "FROM"
    assert {word for word, _ in instructions()} == known


def test_the_image_has_a_python_that_the_course_supports():
    images = [rest for word, rest in instructions() if word == "FROM"]
    found = re.fullmatch(r"python:(3\.\d+)-slim AS base", images[0])
    assert found[1] in PYTHONS and images[1:] == ["base AS course"]


def test_the_container_makes_the_environment_and_opens_the_lab_as_an_ordinary_user():
    given = dict(instructions())
    assert understood(given["RUN"].rpartition("&& ")[2])
    assert understood(shlex.join(json.loads(given["CMD"])))
    assert given["USER"] in given["COPY"] and given["USER"] in given["WORKDIR"]
    assert given["EXPOSE"] == port()


def port() -> str:
    parser, _ = cli._parser(["lab"])
    return str(parser.parse_args(["lab"]).port)


def test_the_development_container_is_the_first_part_of_the_same_image():
    build = CONTAINER["build"]
    assert (ROOT / ".devcontainer" / build["dockerfile"]).is_file()
    assert (ROOT / ".devcontainer" / build["context"]).resolve() == ROOT
    assert f"AS {build['target']}" in DOCKERFILE
    assert CONTAINER["remoteUser"] == dict(instructions())["USER"]
    assert understood(CONTAINER["postCreateCommand"])
    assert CONTAINER["forwardPorts"] == [int(port())]


def test_no_dockerfile_lies_where_binder_would_prefer_it():
    """Binder builds a Dockerfile at the top in place of environment.yml."""
    assert not (ROOT / "Dockerfile").exists()
    assert not any((ROOT / name).exists() for name in ("binder", ".binder"))


# ---- Binder -------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """A home in which the course lies, as on Binder."""
    home = tmp_path_factory.mktemp("home")
    for name in ("course_lib", "notebooks", "exercises"):
        shutil.copytree(ROOT / name, home / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "postBuild", "start"):
        shutil.copy(ROOT / name, home)
    return home


def ran(home: Path, *command: str) -> str:
    """What one of Binder's scripts prints; its `python` is this one, with the course of `home`."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = {**os.environ, "PATH": path, "HOME": str(home), "PYTHONPATH": str(home)}
    done = subprocess.run(
        command, cwd=home, env=environment, capture_output=True, text=True, encoding="utf-8"
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_binder_finds_the_workbook_filled(home):
    ran(home, "./postBuild")
    assert len(list((home / "workbook").rglob("*.ipynb"))) == len(originals(ROOT))
    page = (ROOT / "solutions" / "running.md").read_text(encoding="utf-8")
    assert (home / re.search(r"urlpath=lab/tree/([\w/.]+)", page)[1]).exists()


def test_binder_starts_its_server_with_the_variables_of_the_lab(home):
    code = "import os; print(os.environ['COURSE_WORKBOOK']); print(os.environ['JUPYTER_PATH'])"
    workbook, path = ran(home, "./start", sys.executable, "-c", code).splitlines()
    settings = home / lab.SETTINGS.relative_to(ROOT)
    assert workbook == str(home / "workbook") and str(settings) in path.split(os.pathsep)
