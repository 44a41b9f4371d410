"""A class on a hub: the recipe says one thing everywhere, and a small class works on a real hub."""

import json
import subprocess
import sys
import threading
from pathlib import Path

import psutil
import pytest
import yaml
from traitlets.config import PyFileConfigLoader

from course_lib import lessons
from course_lib.tools import bench, lab
from course_lib.tools.bench import hub as bench_hub
from course_lib.tools.bench.hub import Figures, report
from course_lib.tools.hub import __main__ as server
from course_lib.tools.hub import classroom, trial
from course_lib.tools.hub.classroom import Seat, check_ran, hold, is_own, make_repository, seating
from course_lib.tools.hub.student import Student
from course_lib.tools.hub.visitor import link_to_pull
from course_lib.tools.release import make_edition
from course_lib.tools.system import ROOT

FOLDER = ROOT / "course_lib" / "tools" / "hub"
RECIPE = (FOLDER / "README.md").read_text(encoding="utf-8")
VALUES = yaml.safe_load((FOLDER / "kubernetes.yaml").read_text(encoding="utf-8"))


@pytest.fixture
def config():
    return PyFileConfigLoader("jupyterhub_config.py", path=str(FOLDER)).load_config()


# ---- the configuration -------------------------------------------------------------------


def test_each_student_gets_the_server_that_fills_the_workbook(config):
    assert config.Spawner.cmd == [sys.executable, "-P", "-m", "course_lib.tools.hub"]
    assert config.Spawner.default_url == "/lab/tree/workbook"


def test_the_recipe_lets_in_accounts_of_the_server_and_nobody_by_default(config):
    assert config.JupyterHub.authenticator_class == "pam"
    assert config.PAMAuthenticator.allowed_groups == {"students", "lecturers"}
    assert "allow_all" not in config.PAMAuthenticator and "allow_all" not in config.Authenticator


def test_only_this_machine_reaches_the_hub_and_servers_outlive_it(config):
    assert config.JupyterHub.bind_url.startswith("http://127.0.0.1:")
    assert config.JupyterHub.cleanup_servers is False


def test_the_culler_may_stop_servers_and_no_more(config):
    (service,), (role,) = config.JupyterHub.services, config.JupyterHub.load_roles
    assert role["services"] == [service["name"]]
    assert not any("admin" in scope or "access" in scope for scope in role["scopes"])


def test_limits_are_enforced_by_a_spawner_that_can(config):
    """LocalProcessSpawner only tells the student what the limit is."""
    assert config.JupyterHub.spawner_class == "systemd"
    assert config.Spawner.mem_limit and config.Spawner.cpu_limit


@pytest.mark.hub
def test_every_setting_is_one_that_jupyterhub_knows(config):
    from jupyterhub.app import JupyterHub
    from jupyterhub.auth import PAMAuthenticator
    from jupyterhub.proxy import ConfigurableHTTPProxy
    from jupyterhub.spawner import Spawner
    from systemdspawner import SystemdSpawner

    known = [JupyterHub, PAMAuthenticator, ConfigurableHTTPProxy, Spawner, SystemdSpawner]
    known = {found.__name__: found.class_traits(config=True) for found in known}
    unknown = [f"{c}.{name}" for c, traits in config.items() for name in traits.keys() - known[c]]
    assert unknown == []


def test_kubernetes_says_the_same_as_the_one_server(config):
    student = VALUES["singleuser"]
    assert student["cmd"][1:] == config.Spawner.cmd[1:]
    assert student["defaultUrl"] == config.Spawner.default_url
    assert student["extraEnv"] == config.Spawner.environment
    assert student["memory"]["limit"] == config.Spawner.mem_limit
    assert student["cpu"]["limit"] == config.Spawner.cpu_limit
    timeout = f"--timeout={VALUES['cull']['timeout']}"
    assert timeout in config.JupyterHub.services[0]["command"]


def test_on_kubernetes_students_work_on_their_disk_and_not_in_the_image():
    home = VALUES["singleuser"]["storage"]["homeMountPath"]
    assert VALUES["hub"]["config"]["KubeSpawner"]["notebook_dir"] == home
    target = RECIPE.split("--target-repo-dir ")[1].split()[0]
    assert not Path(target).is_relative_to(home)


def test_the_recipe_names_the_version_of_the_chart_that_the_values_are_for():
    head = (FOLDER / "kubernetes.yaml").read_text(encoding="utf-8").partition("\n\n")[0]
    assert "version 4.4" in head and "--version 4.4" in RECIPE


def test_the_image_that_is_deployed_is_the_one_that_was_pushed():
    image = VALUES["singleuser"]["image"]
    assert f"--image-name {image['name']}:{image['tag']} " in RECIPE
    assert f"docker push {image['name']}:{image['tag']}\n" in RECIPE


@pytest.mark.parametrize("guide", ["README.md", "solutions/running.md"])
def test_both_guides_lead_to_the_recipe(guide):
    text, link = (ROOT / guide).read_text(encoding="utf-8"), "course_lib/tools/hub/README.md"
    assert link in text


def test_the_recipe_gives_the_limits_that_the_configuration_sets(config):
    assert f"`mem_limit` {config.Spawner.mem_limit}" in RECIPE
    assert f"{VALUES['cull']['timeout'] // 60} minutes" in RECIPE


# ---- a student's server ------------------------------------------------------------------


@pytest.fixture
def course(tmp_path):
    cell = {"cell_type": "code", "source": "1", "outputs": [], "metadata": {}}
    lesson = {"cells": [cell | {"execution_count": 1}], "metadata": {}, "nbformat": 4}
    path = tmp_path / "course" / "notebooks" / "01_mdi.ipynb"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(lesson | {"nbformat_minor": 5}))
    return tmp_path / "course"


def test_the_first_start_fills_a_workbook_that_only_its_owner_reads(course, tmp_path):
    news = server.prepare(course, tmp_path / "home" / "workbook")
    assert (tmp_path / "home" / "workbook" / "01_mdi.ipynb").exists()
    assert (tmp_path / "home" / "workbook").stat().st_mode & 0o777 == 0o700
    assert news == ["Put into your workbook: 01_mdi.ipynb."]


def test_a_later_start_overwrites_nothing_of_the_students(course, tmp_path):
    server.prepare(course, tmp_path / "workbook")
    mine = tmp_path / "workbook" / "01_mdi.ipynb"
    mine.write_text(mine.read_text().replace('"1"', '"my own"'))
    lesson = course / "notebooks" / "01_mdi.ipynb"
    lesson.write_text(lesson.read_text().replace('"1"', '"moved on"'))
    before = mine.read_bytes()
    server.prepare(course, tmp_path / "workbook")
    assert mine.read_bytes() == before
    assert "moved on" in (tmp_path / "workbook" / "01_mdi (new).ipynb").read_text()


def test_a_home_that_cannot_be_written_keeps_nobody_out(course, tmp_path):
    (tmp_path / "workbook").write_text("a file is in the way")
    (sentence,) = server.prepare(course, tmp_path / "workbook")
    assert "could not be brought up to date" in sentence and "Make room" in sentence


@pytest.fixture
def started(monkeypatch, tmp_path):
    """What the server would become, with an empty home."""
    found = {}
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("COURSE_WORKBOOK", raising=False)
    monkeypatch.setattr(
        server.os, "execve", lambda path, words, env: found.update(words=words, env=env)
    )
    return found


def test_the_server_is_jupyterhubs_with_the_arguments_of_the_hub(started, tmp_path):
    server.main(["--port=1234"])
    assert started["words"][:4] == [sys.executable, "-P", "-m", "jupyterhub.singleuser"]
    assert started["words"][4:] == [*lab.encryption(), "--port=1234"]
    assert started["env"]["COURSE_WORKBOOK"] == str(tmp_path / "workbook")
    found = {path.stem for path in (tmp_path / "workbook").glob("[0-9][0-9]_*.ipynb")}
    assert found == {lesson.name for lesson in lessons.available()}


def test_a_hub_may_put_the_workbook_elsewhere(started, monkeypatch, tmp_path):
    monkeypatch.setenv("COURSE_WORKBOOK", str(tmp_path / "elsewhere"))
    server.main([])
    assert started["env"]["COURSE_WORKBOOK"] == str(tmp_path / "elsewhere")
    assert (tmp_path / "elsewhere" / "01_mdi.ipynb").exists()


# ---- the measurement ---------------------------------------------------------------------


def test_neighbours_predict_differently_and_two_have_a_browser():
    places = seating(6, "01", browsers=2)
    assert [place.way for place in places] == ["browser", "nbgitpuller"] + ["HTTP"] * 4
    predictions = [(place.guess, place.confidence) for place in places]
    assert all(a != b for a, b in zip(predictions, predictions[1:], strict=False))
    assert len({place.name for place in places}) == 6


@pytest.mark.parametrize("lesson", ["00", "05"])
def test_any_lesson_can_be_run(lesson):
    (place,) = seating(1, lesson)
    assert place.notebook.startswith(f"workbook/{lesson}_") and place.prediction == f"{lesson}.1"


def test_a_class_without_users_is_refused():
    with pytest.raises(ValueError, match="at least one user, got --users 0"):
        seating(0)


def figures(name="user01", **changes):
    values = dict(way="HTTP", ready=5.0, run=9.0, idle=100.0, after=250.0, peak=256.0, core=8.0)
    return Figures(name, **{**values, "own": True, **changes})


def test_the_sizing_goes_by_the_largest_user():
    text = report(
        [figures(), figures("user02", peak=512.0)], {"megabytes": 100, "cores": 2, "lesson": "01"}
    )
    assert "0.50 GB per user" in text and "20 students 11 GB" in text
    assert "All together: 868 MB" in text and "2 users at once, 2 cores" in text


@pytest.mark.parametrize(("own", "code"), [(True, 0), (False, 1)])
def test_progress_that_is_not_the_users_own_fails_the_run(monkeypatch, capsys, tmp_path, own, code):
    class_ = [figures(own=own)], {"megabytes": 100, "cores": 2, "lesson": "01"}
    monkeypatch.setattr(bench_hub, "hub_trouble", lambda: None)
    monkeypatch.setattr(bench_hub, "measure", lambda *_, **__: class_)
    monkeypatch.setattr(bench_hub.signal, "signal", lambda *_: None)
    args = bench_arguments("hub", "--json", str(tmp_path / "hub.json"))
    assert bench_hub.run(args) == code
    assert ("yes" if own else "NO") in capsys.readouterr().out
    assert json.loads((tmp_path / "hub.json").read_text())["users"][0]["peak"] == 256


def bench_arguments(*words):
    import argparse

    parser = argparse.ArgumentParser()
    bench.add_arguments(parser)
    return parser.parse_args(words)


def test_without_the_proxy_one_line_says_how_to_get_it(monkeypatch, capsys):
    monkeypatch.setattr(trial.importlib.util, "find_spec", lambda name: name)
    monkeypatch.setattr(trial, "find_proxy", lambda: None)
    assert bench_hub.run(bench_arguments("hub")) == 1
    assert "npm install --prefix build/proxy" in capsys.readouterr().err
    with pytest.raises(RuntimeError, match="npm install"):
        trial.TrialHub("nowhere").__enter__()


def test_without_jupyterhub_one_line_says_how_to_get_it(monkeypatch):
    monkeypatch.setattr(trial.importlib.util, "find_spec", lambda name: None)
    monkeypatch.delenv("CONDA_PREFIX", raising=False)
    assert trial.hub_trouble().endswith("install all that a hub's bench needs: ./course bench hub")
    monkeypatch.setenv("CONDA_PREFIX", sys.prefix)
    line = f"conda run --prefix {sys.prefix} python -m pip install -c"
    assert (
        f"needs: {line}" in trial.hub_trouble() and "[hub,instructor,tests]" in trial.hub_trouble()
    )


def test_a_proxy_that_npm_put_into_the_folder_is_found(monkeypatch, tmp_path):
    own = tmp_path / "build" / "proxy" / "node_modules" / ".bin" / trial.PROXY
    own.parent.mkdir(parents=True)
    own.touch(mode=0o755)
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr(trial, "ROOT", tmp_path)
    assert trial.find_proxy() == str(own)


@pytest.mark.parametrize(
    ("count", "outputs", "fault"),
    [(None, [], "1 cells"), (1, [{"output_type": "error", "evalue": "boom"}], "boom")],
)
def test_a_notebook_that_did_not_run_to_the_end_is_refused(tmp_path, count, outputs, fault):
    cell = {"cell_type": "code", "execution_count": count, "outputs": outputs}
    (tmp_path / "a.ipynb").write_text(json.dumps({"cells": [cell]}))
    with pytest.raises(RuntimeError, match=fault):
        check_ran(tmp_path / "a.ipynb")


def test_who_fails_is_named_and_not_those_who_waited_in_vain(monkeypatch):
    class Broken(Seat):
        def _by_http(self, gate):
            if self.place.name == "user02":
                raise RuntimeError("user02 cannot come")
            return classroom._wait_twice(gate)

    seats = [Broken(None, place) for place in seating(3)]
    with pytest.raises(RuntimeError, match="user02 cannot come"):
        hold(None, seats)
    assert threading.active_count() < 20


def test_what_an_interrupted_run_left_behind_is_ended():
    code = (
        "import psutil, subprocess, sys; from course_lib.tools.bench.hub import end_children;"
        "child = subprocess.Popen([sys.executable, '-c', 'input()'], stdin=subprocess.PIPE);"
        "end_children(); print(psutil.pid_exists(child.pid))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=240)
    assert done.stdout.strip() == "False"


def test_a_server_that_fails_to_start_is_named(monkeypatch):
    student = Student("http://127.0.0.1:1", "ada")
    monkeypatch.setattr(student, "_send", lambda *_: b"")
    failed = [{"message": "Starting"}, {"failed": True, "message": "the disk is full"}]
    monkeypatch.setattr(student, "_events", lambda address: iter(failed))
    with pytest.raises(RuntimeError, match="server of ada did not start: the disk is full"):
        student.start()


# ---- a real hub --------------------------------------------------------------------------


@pytest.fixture(scope="module")
def hub(tmp_path_factory):
    """A hub for which a lecturer has made the student edition, as the recipe says."""
    course = make_edition(tmp_path_factory.mktemp("course"))
    with trial.TrialHub(tmp_path_factory.mktemp("hub"), course) as hub:
        yield hub


@pytest.mark.hub
def test_two_users_run_lesson_01_and_each_keeps_their_own_progress(hub):
    places = seating(2)
    results, memory = hold(hub, [Seat(hub, place) for place in places])
    assert all(seconds > 0 for user in results.values() for seconds in user)
    for place, neighbour in zip(places, reversed(places), strict=True):
        assert is_own(hub, place, neighbour)
        assert memory["idle"][place.name] < memory["after"][place.name] < 2**30
    assert "Traceback" not in hub.log()


@pytest.mark.hub
def test_a_link_hands_out_lessons_and_an_update_leaves_the_students_work_alone(hub, tmp_path):
    repository = make_repository(hub.course, tmp_path / "handout")
    student = Student(hub.url, "ada")
    student.log_in()
    student.start()
    student.pull(repository, "handout")
    is_there = f"import course_lib; assert course_lib.__file__.startswith({str(hub.course)!r})"
    assert student.run("handout/01_mdi.ipynb", first=is_there) > 20
    assert student.run("handout/exercises/exercise_01_mdi.ipynb") > 5
    mine = hub.home("ada") / "handout" / "glossary.md"
    mine.write_text("My own words.")
    (tmp_path / "handout" / "news.md").write_text("New.")
    (tmp_path / "handout" / "glossary.md").write_text("Moved on.")
    commit = ["git", "-c", "user.name=L", "-c", "user.email=l@example.org", "commit", "-qam", "n"]
    subprocess.run(["git", "add", "."], cwd=tmp_path / "handout", check=True)
    subprocess.run(commit, cwd=tmp_path / "handout", check=True)
    student.pull(repository, "handout")
    assert (hub.home("ada") / "handout" / "news.md").read_text() == "New."
    assert mine.read_text() == "My own words."
    with pytest.raises(RuntimeError, match="nbgitpuller"):
        student.pull((tmp_path / "nowhere").as_uri(), "nowhere")
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        student.run("workbook/01_mdi.ipynb", first="1 / 0")


@pytest.mark.hub
def test_an_interruption_leaves_no_process_behind(tmp_path):
    with pytest.raises(KeyboardInterrupt), trial.TrialHub(tmp_path) as hub:
        family = [psutil.Process(hub.process.pid)]
        family += family[0].children(recursive=True)
        raise KeyboardInterrupt
    assert len(family) > 1
    assert not any(process.is_running() for process in family)


@pytest.mark.hub
def test_a_hub_that_is_killed_leaves_no_process_behind(tmp_path):
    with trial.TrialHub(tmp_path) as hub:
        family = psutil.Process(hub.process.pid).children(recursive=True)
        hub.process.kill()
        hub.process.wait()
        assert any(process.is_running() for process in family)
    _, alive = psutil.wait_procs(family, timeout=60)
    assert alive == []


@pytest.mark.hub
def test_a_hub_that_does_not_start_shows_its_last_words(tmp_path, monkeypatch):
    monkeypatch.setattr(trial, "CHANGES", "raise SystemExit('no hub today')")
    with pytest.raises(RuntimeError, match="no hub today"):
        trial.TrialHub(tmp_path).__enter__()


def test_the_recipe_shows_the_link_that_was_tried():
    link = link_to_pull("https://git.example.org/lessons", "lessons/01_mdi.ipynb")
    assert f"https://hub.example.org{link}" in RECIPE
