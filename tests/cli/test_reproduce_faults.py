"""``fedpact reproduce faults`` as a user meets it."""

import json

import pytest

import fedpact as fp
from fedpact.experiments.faults_page import PASSED
from fedpact.protocol.operator import operator
from mutate import mutate


@pytest.fixture
def faults(fedpact, tmp_path):
    return lambda *words: fedpact("reproduce", "faults", "--store", str(tmp_path), "--workers", "1", *words)


def test_worlds_are_counted(faults, tmp_path):
    code, out, _ = faults("--seeds", "3")
    assert code == 0
    assert "3 worlds" in out
    assert PASSED in out
    code, out, _ = faults("--seeds", "2", "--set", "first=7", "--json")
    found = fp.experiments.reproduce("faults", seeds=2, changes={"first": 7}, workers=1, store=tmp_path)
    assert (code, json.loads(out)["results"]) == (0, found.results)


def test_its_parameters_are_shown(faults):
    assert faults("--show-settings")[1] == fp.experiments.show_settings("faults")


def test_a_seed_is_replayed_line_by_line(fedpact):
    code, out, _ = fedpact("reproduce", "faults", "--replay", "3")
    seen = fp.protocol.simulate_world(3)
    assert code == 0
    assert out.splitlines()[: len(seen.events)] == list(seen.events)
    assert seen.head[:16] in out


def test_a_seed_that_fails_is_named_and_replayed(faults, fedpact, monkeypatch):
    mutate(monkeypatch, operator, 'if kind != "pay" or key is None:', "if True:")
    code, out, _ = faults("--seeds", "1")
    assert code == 1
    assert "seed 0: InvariantError: the statement of" in out
    code, out, err = fedpact("reproduce", "faults", "--replay", "0")
    assert code == 1
    assert "server 1 starts" in out
    assert "is not signed" in err


def test_what_cannot_be_simulated_is_said(fedpact):
    for words, said in (
        (("--seeds", "0"), "seeds must"),
        (("--replay", "-1"), "seed must"),
        (("--replay", "1", "--seeds", "3"), "--seeds is about many worlds; leave it out, or leave out --replay"),
        (("--replay", "1", "--set", "first=3"), "--set is about many worlds"),
        (("--replay", "1", "--seeds", "0"), "--seeds is about many worlds"),
        (("--replay", "1", "--engine", "ray"), "--engine is about many worlds"),
    ):
        code, _, err = fedpact("reproduce", "faults", *words)
        assert code == 1
        assert said in err
