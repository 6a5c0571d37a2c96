"""Many worlds, and what is said of them."""

import pytest

from fedpact.errors import FederationError
from fedpact.protocol.operator import operator
from fedpact.protocol.simulator import soak as module
from fedpact.protocol.simulator.soak import FaultsSoak, FaultsStatus, reproduce_faults
from mutate import mutate


def test_a_soak_adds_up_its_worlds_wherever_they_are_simulated(monkeypatch):
    monkeypatch.setattr(module, "_CHUNK", 4)
    done = []
    here = reproduce_faults(10, lambda *counts: done.append(counts), first=5)
    assert done == [(4, 10), (8, 10), (10, 10)]
    assert here.worlds == sum(here.ended.values()) == 10
    assert (here.is_complete, here.status) == (True, FaultsStatus.PASSED)
    assert here.tally["paid"] > 10
    assert reproduce_faults(10, first=5, workers=2) == here


def test_a_soak_round_trips():
    seen = reproduce_faults(2)
    assert FaultsSoak.from_dict(seen.to_dict()) == seen


def test_a_failed_world_is_named_and_the_others_go_on(monkeypatch):
    mutate(monkeypatch, operator, 'if kind != "pay" or key is None:', "if True:")
    seen = reproduce_faults(3)
    assert (seen.worlds, seen.status) == (3, FaultsStatus.FAILED)
    assert [one.seed for one in seen.failed] == [0, 1, 2]
    assert "is not signed" in seen.failed[0].why
    assert FaultsSoak.from_dict(seen.to_dict()) == seen


def test_interrupted_it_answers_with_what_is_done(monkeypatch):
    monkeypatch.setattr(module, "_CHUNK", 1)

    def stop(done, total):
        if done == 2:
            raise KeyboardInterrupt

    seen = reproduce_faults(5, stop)
    assert (seen.worlds, seen.is_complete) == (2, False)


@pytest.mark.parametrize("options", [{"seeds": 0}, {"first": -1}, {"workers": 0}])
def test_what_cannot_be_simulated_is_said(options):
    with pytest.raises(FederationError, match=next(iter(options))):
        reproduce_faults(**{"seeds": 1, **options})
