"""Mount points are read as they were written, and can be narrowed to fewer controls."""

from base64 import b64decode

import pytest
from markupsafe import Markup

from course_lib.tools.mounts import Mount, mount_in, mounts_of
from course_lib.tools.site.alive import narrowed
from course_lib.widgets import noise_explorer
from course_lib.widgets.states import States, stored_states


def test_a_mount_point_is_read_as_it_was_written():
    spec = {"name": "a</script>b", "place": {"n": 1}}
    mount = Mount("explorer", spec, Markup("<p>Still.</p>"), {"stored": 'with "quotes"'})
    assert mount_in(mount.html) == mount
    assert mount_in("<p>No mount point.</p>") is None


def test_the_mount_points_of_a_notebook_come_in_order():
    html = [Mount("form", {"id": k}).html for k in range(2)]
    outputs = [{"data": {"text/html": [one]}} for one in html] + [{"text": "printed"}]
    cells = [{"outputs": outputs}, {"source": "text"}]
    assert [mount.spec["id"] for mount in mounts_of({"cells": cells})] == [0, 1]


@pytest.fixture
def whole(monkeypatch) -> Mount:
    monkeypatch.setenv("COURSE_BUILD", "1")
    return mount_in(noise_explorer()._repr_mimebundle_()["text/html"])


def test_an_explorer_with_fixed_controls_shows_what_the_whole_one_shows_there(whole):
    mount = narrowed(whole, {"levels": "all differ", "n": "800"}, {"goal": "Try."})
    assert [control["name"] for control in mount.spec["controls"]] == ["depth", "measure"]
    assert mount.spec["goal"] == "Try."
    states, all_states = States(b64decode(mount.attributes["states"])), stored_states("noise")
    assert len(states) == 10
    for depth in range(5):
        for measure in range(2):
            there = all_states.shown(all_states.number([5, 3, depth, measure]))
            assert states.shown(states.number([depth, measure])) == there
    start = mount.spec["place"]
    first = states.shown(states.number([start["depth"], start["measure"]]))
    assert mount.spec["shown"] == first | {"place": start}
