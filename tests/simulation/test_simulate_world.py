"""The protocol in simulated worlds: whatever goes wrong, its rules hold; and a seed is a world."""

from dataclasses import asdict, replace

import pytest

from fedpact.protocol.operator.run_state import RunStatus
from simulation.event_queue import NO_FAULTS
from simulation.simulate_world import simulate_world

THEMES = {
    "network": replace(NO_FAULTS, loss=0.3, duplicate=0.3, late=0.2, garbage=0.3, replay=0.3, impersonation=0.3),
    "server": replace(
        NO_FAULTS, server_crash=0.05, full_disk=0.05, unknown_write=0.05, zombie=0.1, confusion=0.2, clock=0.3
    ),
    "sites": replace(NO_FAULTS, site_crash=0.15, death=0.6, short=1.0, lie=1.0, folly=0.5),
}
FOUND = (130, 564)
"""Worlds in which a rule was once broken: a plan that was read back was paid by place, not by name."""


@pytest.mark.parametrize("seeds", [range(10), FOUND, pytest.param(range(10, 120), marks=pytest.mark.slow)])
def test_in_worlds_where_everything_goes_wrong_every_rule_holds(seeds):
    for seed in seeds:
        assert simulate_world(seed).status in (RunStatus.FINISHED, RunStatus.STOPPED)


@pytest.mark.slow
@pytest.mark.parametrize("theme", THEMES)
def test_in_worlds_where_one_thing_goes_wrong_more_often_every_rule_holds(theme):
    seen = [simulate_world(seed, THEMES[theme]) for seed in range(1000, 1020)]
    struck = {fault for one in seen for fault, times in one.tally.items() if times}
    wanted = {name for name, most in asdict(THEMES[theme]).items() if most} - {"lie", "short"}
    assert wanted <= struck


def test_where_nothing_goes_wrong_everybody_is_paid_and_nobody_is_refused():
    for seed in range(15):
        seen = simulate_world(seed, NO_FAULTS)
        assert seen.status is RunStatus.FINISHED
        assert not any(seen.tally[name] for name in ("gone", "stops", "refusals", "resumes", "withheld"))


def test_a_seed_makes_the_same_world_every_time():
    for seed in range(3):
        first, second = simulate_world(seed), simulate_world(seed)
        assert first == second


def test_worlds_differ():
    seen = [simulate_world(seed) for seed in range(8)]
    assert len({one.head for one in seen}) == 8
    assert {one.runs for one in seen} == {1, 2, 3}
