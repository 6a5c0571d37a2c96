"""``fedpact reproduce faults`` as a user meets it."""

import json

import fedpact as fp
from fedpact.protocol.operator import operator
from mutate import mutate


def test_worlds_are_counted(fedpact):
    code, out, _ = fedpact("reproduce", "faults", "--seeds", "3", "--workers", "1")
    assert code == 0
    assert "3 worlds" in out
    assert fp.protocol.FaultsStatus.PASSED.value in out
    code, out, _ = fedpact("reproduce", "faults", "--seeds", "2", "--first", "7", "--workers", "1", "--json")
    assert (code, json.loads(out)) == (0, fp.protocol.reproduce_faults(2, first=7).to_dict())


def test_a_seed_is_replayed_line_by_line(fedpact):
    code, out, _ = fedpact("reproduce", "faults", "--replay", "3")
    seen = fp.protocol.simulate_world(3)
    assert code == 0
    assert out.splitlines()[: len(seen.events)] == list(seen.events)
    assert seen.head[:16] in out


def test_a_seed_that_fails_is_named_and_replayed(fedpact, monkeypatch):
    mutate(monkeypatch, operator, 'if kind != "pay" or key is None:', "if True:")
    code, out, _ = fedpact("reproduce", "faults", "--seeds", "1", "--workers", "1")
    assert code == 1
    assert "seed 0: InvariantError: the statement of" in out
    code, out, err = fedpact("reproduce", "faults", "--replay", "0")
    assert code == 1
    assert "server 1 starts" in out
    assert "is not signed" in err


def test_what_cannot_be_simulated_is_said(fedpact):
    for words, said in ((("--seeds", "0"), "seeds must"), (("--replay", "-1"), "seed must")):
        code, _, err = fedpact("reproduce", "faults", *words)
        assert code == 1
        assert said in err
