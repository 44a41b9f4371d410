"""JupyterLab in the workbook: with our kernel and settings, where it was left, for us alone."""

import json
import socket
import subprocess
import sys
import time
from argparse import Namespace
from pathlib import Path
from types import SimpleNamespace
from urllib.request import urlopen

import pytest

from course_lib.tools import cli, lab

QUIETLY = Namespace(no_browser=True, port=8888, ip="127.0.0.1")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def in_lab(workbook: Path, home: Path, code: str) -> str:
    """What `code` prints with the variables JupyterLab gets, in a given home."""
    environment = {**lab.environment(workbook), "HOME": str(home)}
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_a_kernel_in_the_home_of_the_learner_does_not_take_the_place_of_ours(tmp_path):
    stale = tmp_path / ".local" / "share" / "jupyter" / "kernels" / "python3"
    stale.mkdir(parents=True)
    (stale / "kernel.json").write_text('{"argv": ["false"], "display_name": "stale"}')
    code = "from jupyter_client.kernelspec import find_kernel_specs as f; print(f()['python3'])"
    assert in_lab(tmp_path, tmp_path, code).startswith(sys.prefix)


def test_the_question_about_news_is_switched_off(tmp_path):
    code = (
        "from jupyter_server.services.config import ConfigManager as C; import json;"
        "print(json.dumps(C(config_dir_name='labconfig').get('default_setting_overrides')))"
    )
    settings = json.loads(in_lab(tmp_path, tmp_path, code))
    assert settings["@jupyterlab/apputils-extension:notification"]["fetchNews"] == "false"


def test_notebooks_are_saved_without_widgets_that_could_not_be_shown_again(tmp_path):
    code = (
        "from jupyter_server.serverapp import ServerApp; import os;"
        "app = ServerApp(); app.initialize([], find_extensions=False, new_httpserver=False);"
        "print(app.contents_manager.pre_save_hook.__name__)"
    )
    assert in_lab(tmp_path, tmp_path, code).endswith("without_live_views")


def test_kernels_are_told_where_the_workbook_is(tmp_path):
    assert lab.environment(tmp_path)["COURSE_WORKBOOK"] == str(tmp_path)


def test_only_this_machine_can_reach_the_lab_unless_asked():
    parser, _ = cli._parser(["lab"])
    assert parser.parse_args(["lab"]).ip == "127.0.0.1"


@pytest.fixture
def small_course(tmp_path, monkeypatch):
    """A course with one lesson, and a lab that only says how it would start."""
    monkeypatch.setattr(lab, "MATERIAL", tmp_path)
    monkeypatch.setattr(lab, "WORKBOOK", tmp_path / "workbook")
    started = []
    monkeypatch.setattr(lab, "_become", lambda *args: started.append(args) or 0)
    lesson = {"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    (tmp_path / "notebooks").mkdir()
    (tmp_path / "notebooks" / "01_mdi.ipynb").write_text(json.dumps(lesson))
    return SimpleNamespace(root=tmp_path, started=started)


def test_the_lab_opens_on_the_first_notebook_of_the_workbook(small_course, capsys):
    assert lab.run(QUIETLY) == 0
    ((command, environment, folder),) = small_course.started
    assert "--LabApp.default_url=/lab/tree/01_mdi.ipynb" in command
    assert folder == small_course.root / "workbook"
    assert (folder / "01_mdi.ipynb").exists()
    assert str(folder) in capsys.readouterr().out


def test_lesson_00_comes_first_once_it_exists(small_course):
    lesson = small_course.root / "notebooks" / "01_mdi.ipynb"
    lesson.with_name("00_six_questions.ipynb").write_text(lesson.read_text())
    lab.run(QUIETLY)
    assert "--LabApp.default_url=/lab/tree/00_six_questions.ipynb" in small_course.started[0][0]


def test_the_lab_opens_where_it_was_left(small_course):
    lab.run(QUIETLY)
    tabs = Path(small_course.started[0][1]["JUPYTERLAB_WORKSPACES_DIR"])
    tabs.mkdir(parents=True)
    (tabs / "default-37a8.jupyterlab-workspace").write_text("{}")
    lab.run(QUIETLY)
    assert "--LabApp.default_url=/lab" in small_course.started[1][0]


def test_without_lessons_the_lab_says_how_to_make_them(small_course, capsys):
    (small_course.root / "notebooks" / "01_mdi.ipynb").unlink()
    assert lab.run(QUIETLY) == 1
    assert "./course build" in capsys.readouterr().err


def test_a_copy_without_all_files_is_told_to_be_made_whole(small_course, capsys, monkeypatch):
    monkeypatch.setattr(lab, "originals", lambda material: [])
    monkeypatch.setattr(lab, "is_clone", lambda: False)
    assert lab.run(QUIETLY) == 1
    assert "copy the whole folder (with pyproject.toml)" in capsys.readouterr().err


def test_a_workbook_that_cannot_be_written_gets_its_sentence(small_course, capsys):
    (small_course.root / "workbook").write_text("a file is in the way")
    assert lab.run(QUIETLY) == 1
    assert "cannot be written" in capsys.readouterr().err


def test_jupyterlab_starts_in_the_workbook_and_answers(tmp_path):
    port = free_port()
    (tmp_path / "home").mkdir()
    environment = {**lab.environment(tmp_path), "HOME": str(tmp_path / "home")}
    args = Namespace(no_browser=True, port=port, ip="127.0.0.1")
    with open(tmp_path / "log", "w+") as log:
        server = subprocess.Popen(
            lab.command(args, tmp_path, "/lab/tree/01_mdi.ipynb"),
            env=environment,
            cwd=tmp_path,
            stderr=log,
        )
        try:
            assert "version" in answer(f"http://127.0.0.1:{port}/api", server)
        finally:
            server.terminate()
            server.wait(timeout=60)
    said = (tmp_path / "log").read_text()
    assert f"http://127.0.0.1:{port}/lab/tree/01_mdi.ipynb?token=" in said
    assert "Traceback" not in said and "[W" not in said


def answer(url: str, server: subprocess.Popen, seconds: float = 240) -> dict:
    end = time.monotonic() + seconds
    while time.monotonic() < end and server.poll() is None:
        try:
            with urlopen(url, timeout=5) as reply:
                return json.load(reply)
        except OSError:
            time.sleep(0.1)
    pytest.fail("JupyterLab did not answer")
