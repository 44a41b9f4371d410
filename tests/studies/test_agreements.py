"""Agreements in a thousand trees: what is stored is what explaining the forests gives."""

import json

import numpy as np
import pytest
from depth import at_most

from course_lib.studies import agreements
from course_lib.studies.agreements import (
    CANDIDATES,
    SAMPLES,
    simulate_agreements,
    stored_agreements,
    write_agreements,
)


@pytest.mark.parametrize("sample", SAMPLES[: at_most(1, 1, 2)])
def test_a_stored_part_is_what_the_forest_gives(sample):
    """The smallest trees, one image of each digit; images are stored two by two."""
    found = simulate_agreements(64, sample, n_each=1)
    for pair, values in stored_agreements(64, sample).items():
        np.testing.assert_allclose(values[::2], found[pair], atol=6e-5)


def test_every_forest_is_stored_with_twenty_correlations_of_each_pair():
    for K in CANDIDATES:
        for sample in SAMPLES:
            stored = stored_agreements(K, sample)
            assert len(stored) == 3
            for values in stored.values():
                assert values.shape == (20,) and np.all((values > 0) & (values < 1))


def test_the_file_is_written_as_it_is_read(tmp_path, monkeypatch):
    monkeypatch.setattr(agreements, "CANDIDATES", (8,))
    monkeypatch.setattr(agreements, "simulate_agreements", lambda K, sample: {sample: [K / 3]})
    write_agreements(tmp_path / "stored.json")
    stored = json.loads((tmp_path / "stored.json").read_text())
    assert stored == {f"K=8 {sample}": {sample: [2.6667]} for sample in SAMPLES}
