"""Drawn federations are what they say, and what agents see of them comes from their own distributions."""

import numpy as np
import pytest

import fedpact as fp
from reproduction.simulated_federations import FAMILIES, draw_sites, draw_truth


@pytest.mark.parametrize("family", FAMILIES)
def test_truths_vary_in_every_size(family):
    rng = np.random.default_rng(0)
    truths = [draw_truth(rng, family) for _ in range(60)]
    assert {truth.k for truth in truths} == {2, 3, 4}
    assert {truth.delta for truth in truths} == {0.05, 0.1}
    assert {float(epsilon) for truth in truths for epsilon in truth.epsilon} == {0.05, 0.1, 0.2}
    given = [truth.H_given for truth in truths]
    assert 5 <= min(given) < 8 < 20 < max(given) <= 30
    assert {int(truth.evidence.labels.max()) + 1 for truth in truths} == {2, 3, 5}


def test_thresholds_rise_along_a_line():
    truth = draw_truth(np.random.default_rng(1), "thresholds")
    assert (np.diff(truth.evidence.labels, axis=1) >= 0).all()


def test_later_checkpoints_differ_less_from_what_most_say():
    rng = np.random.default_rng(2)
    first, last = [], []
    for _ in range(40):
        labels = draw_truth(rng, "checkpoints").evidence.labels
        common = np.array([np.bincount(column).argmax() for column in labels.T])
        first.append((labels[0] != common).mean())
        last.append((labels[-1] != common).mean())
    assert np.mean(last) < 0.1 < np.mean(first)


def test_sites_see_their_own_points():
    truth = fp.examples.alice_bob()
    sites = draw_sites(np.random.default_rng(3), truth, 20_000)
    assert sites.names == truth.names
    assert (sites.epsilon == truth.epsilon).all()
    assert sites.delta == truth.delta
    assert np.abs(fp.planning.disagreement(sites) - fp.planning.disagreement(truth)).max() < 0.02
