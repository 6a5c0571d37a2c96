from dataclasses import replace

import numpy as np
import pytest

from carrier import OPERATOR, check_books, key_of, run_with, small_federation, with_test_keys
from fedpact.describe.candidate_list import CandidateList
from fedpact.describe.examples import alice_bob
from fedpact.errors import FederationError, LedgerError
from fedpact.protocol.keys.signing import SigningKey
from fedpact.protocol.ledger.export import export_ledger
from fedpact.protocol.ledger.store import Ledger
from fedpact.protocol.ledger.verify import verify_ledger
from fedpact.protocol.operator.operator import read_run, start_run
from fedpact.protocol.operator.outcome import count_mistakes
from fedpact.protocol.operator.run_state import Gone, RunStatus
from fedpact.protocol.pact import make_pact
from fedpact.protocol.runs import memory_ledger, read_outcome, resume, run
from fedpact.protocol.site.simulated_sites import simulate_sites

FED = small_federation()
KEYS = {name: key_of(name).public for name in FED.names}
STRANGE = SigningKey.from_seed(b"5" * 32)
SIGNED = {"keys": KEYS, "key": OPERATOR, "false_alarm_rate": 1e-6}


def made(**options):
    return with_test_keys(simulate_sites(FED, **{"teacher": "none", "seed": 1, **options}))


def test_a_run_in_threads_comes_to_the_same_as_one_step_by_step(tmp_path):
    expected = run_with(seed=5)[0]
    with Ledger.create(tmp_path / "books.db") as ledger:
        outcome = run(FED, ledger=ledger, seed=5, teacher="none", false_alarm_rate=1e-6)
        entries = list(ledger.entries())
    for key in ("hypothesis", "contributions", "payments", "met", "gone", "withheld", "refusals", "status"):
        assert getattr(outcome, key) == getattr(expected, key)
    assert outcome.plan.to_dict() == expected.plan.to_dict()
    check_books(entries, FED)
    assert verify_ledger(tmp_path / "books.db", head=outcome.ledger).is_intact
    assert len(entries[0].body["pact"]["keys"]) == 3, "keys are made if there are none"


def test_a_run_with_keys_of_their_own():
    outcome = run(FED, made(), **SIGNED)
    assert outcome.status is RunStatus.FINISHED
    assert not outcome.gone
    assert (
        run(FED, simulate_sites(FED, teacher="none"), key=OPERATOR, false_alarm_rate=1e-6).status
        is RunStatus.FINISHED
    )


def test_the_seed_decides():
    """Of made up sites: teacher and samples."""
    seen = {(run(FED, seed=seed, false_alarm_rate=1e-6).hypothesis) for seed in range(4)}
    assert len(seen) > 1
    with pytest.raises(FederationError, match="seed must be a whole number >= 0; it is -1"):
        run(FED, seed=-1)
    with pytest.raises(FederationError, match="teacher must be one of the hypotheses; it is 'nine'"):
        run(FED, teacher="nine")


def another(name, **changes):
    return {**made(), name: replace(made()[name], **changes)}


WRONG = {
    "a-site-is-missing": (
        {name: site for name, site in made().items() if name != "east"},
        "sites must hold every agent of the federation; 'east' is not there",
    ),
    "a-stranger": (
        {**made(), "noth": replace(made()["north"], name="noth")},
        "sites name 'noth', who is not in the federation; did you mean 'north'?",
    ),
    "one-name-twice": (
        {**made(), "east": made()["north"]},
        "sites must be by their names; 'east' is called 'north'",
    ),
    "a-site's-key": (
        another("south", key=STRANGE),
        f"site 'south' signs with the key {STRANGE.public[:16]}...; "
        f"the pact names the key {KEYS['south'][:16]}...",
    ),
    "no-key": (
        another("south", key=None),
        f"site 'south' does not sign; the pact names the key {KEYS['south'][:16]}...",
    ),
    "the-operator's-key": (
        another("south", operator=KEYS["north"]),
        f"site 'south' answers only an operator with the key {KEYS['north'][:16]}...; the pact's is "
        f"{OPERATOR.public[:16]}...",
    ),
}


@pytest.mark.parametrize("kind", WRONG)
def test_sites_that_cannot_take_part_are_named_before_anything_is_sent(kind):
    sites, line = WRONG[kind]
    ledger = memory_ledger()
    with pytest.raises(FederationError) as caught:
        run(FED, sites, ledger=ledger, **SIGNED)
    assert str(caught.value) == line
    assert len(ledger) == 0


def test_an_operator_without_its_key():
    with pytest.raises(
        LedgerError, match="the operator's key is not the one that the pact names; give the key of"
    ):
        run(FED, made(), keys=KEYS, operator=OPERATOR.public)
    with pytest.raises(FederationError, match="answers only an operator with the key"):
        run(FED, made(), keys=KEYS)


def test_another_class_is_refused_at_the_site_and_stands_in_the_outcome():
    north = made()["north"]
    other = CandidateList.from_names(["none", "x1", "x2", "x3", "x5"])
    own = replace(north.pool, predicted=replace(north.pool.predicted, candidates=other))
    outcome = run(FED, another("north", pool=own), **SIGNED)
    expected = CandidateList.from_names(["none", "x1", "x2", "x3", "x4"]).fingerprint
    detail = (
        f"the federation compares candidates with the fingerprint {expected}, and those of 'north' have "
        f"{other.fingerprint}: 5 candidates, 'none' first; use the same files in the same order"
    )
    assert outcome.gone["north"] == Gone(step="report", code="refused", values={"detail": detail})
    assert outcome.status is RunStatus.FINISHED


def test_a_labeller_that_raises_is_named_in_the_log_and_its_site_is_given_up(caplog):
    def look_up(places):
        raise LookupError("the archive is closed")

    outcome = run(FED, another("north", labeller=look_up), **SIGNED, patience={"contribute": 2}, retry=0.2)
    assert outcome.gone["north"] == Gone(step="contribute", code="late", values={"seconds": 2.0})
    lines = [record.getMessage() for record in caplog.records]
    assert lines == ["site 'north' fails at 'contribute': LookupError: the archive is closed"]


def test_a_labeller_that_returns_too_few_labels():
    outcome = run(FED, another("north", labeller=lambda places: np.zeros(2, dtype=int)), **SIGNED)
    detail = "10 samples were to be labelled, and 2 labels came"
    assert outcome.gone["north"] == Gone(step="contribute", code="refused", values={"detail": detail})


def test_a_finished_run_stays_finished(tmp_path):
    path = tmp_path / "books.db"
    with Ledger.create(path) as ledger:
        first = run(FED, made(), ledger=ledger, **SIGNED)
        length = len(ledger)
    again = resume(path, made(), key=OPERATOR)
    assert again == first
    with Ledger.open(path) as ledger:
        assert len(ledger) == length


def test_resume_needs_the_same_key_the_same_sites_and_a_run(tmp_path):
    path = tmp_path / "books.db"
    with Ledger.create(path) as ledger:
        start_run(
            ledger,
            make_pact(FED, keys=KEYS, operator=OPERATOR.public, false_alarm_rate=1e-6),
            now=0.0,
            key=OPERATOR,
        )
    for key in (None, key_of("north")):
        with pytest.raises(LedgerError, match="the operator's key is not the one that the pact names"):
            resume(path, made(), key=key)
    with pytest.raises(
        FederationError, match="sites must hold every agent of the federation; 'east' is not there"
    ):
        resume(path, {name: site for name, site in made().items() if name != "east"}, key=OPERATOR)
    with pytest.raises(FederationError, match="site 'east' does not sign"):
        resume(path, another("east", key=None), key=OPERATOR)
    with Ledger.open(path) as ledger:
        assert len(ledger) == 1, "nothing was written by those who could not go on"
    assert resume(path, made(), key=OPERATOR).status is RunStatus.FINISHED
    with pytest.raises(LedgerError, match="the ledger has no run to resume; start one"):
        resume(memory_ledger(), made())
    with pytest.raises(LedgerError, match="there is no ledger at"):
        resume(tmp_path / "none.db", made())


def test_a_ledger_has_one_run_at_a_time_and_several_after_each_other():
    ledger = memory_ledger()
    pact = make_pact(FED, false_alarm_rate=1e-6)
    opened = start_run(ledger, pact, now=0.0)
    with pytest.raises(
        LedgerError, match=f"run '{opened.state.run}' of this ledger is not finished; resume it, abandon"
    ):
        run(FED, ledger=ledger)
    assert resume(ledger, simulate_sites(FED, teacher="none", seed=1)).status is RunStatus.FINISHED
    again = run(FED, ledger=ledger, teacher="none", seed=1, false_alarm_rate=1e-6)
    assert again.status is RunStatus.FINISHED
    assert again.run != opened.state.run


def test_what_came_of_a_run_keeps_its_mistakes_by_site_and_is_read_from_an_export_too(tmp_path):
    with Ledger.create(tmp_path / "run.ledger") as ledger:
        outcome = run(alice_bob(), teacher="xA", method="tree", ledger=ledger)
        export_ledger(ledger, tmp_path / "run.json")
        state = read_run(ledger)
    assert read_outcome(tmp_path / "run.json") == read_outcome(tmp_path / "run.ledger") == outcome
    kept = outcome.counts
    assert (kept.chosen, kept.samples, kept.epsilon) == ("xA", {"alice": 3, "bob": 2}, {"alice": 0.1, "bob": 0.1})
    assert kept.candidates == ("nowhere", "xB", "xA", "xA+xB")
    assert {site: own[2] for site, own in kept.mistakes.items()} == {"alice": 0, "bob": 0}
    assert kept.mistakes["bob"] == tuple(state.mistakes["bob"])
    unnamed = replace(state, pact=replace(state.pact, candidates=None), mistakes={"bob": state.mistakes["bob"]})
    assert count_mistakes(unnamed).candidates == kept.candidates
    assert count_mistakes(unnamed).mistakes["alice"] == (0, 0, 0, 0)
    assert count_mistakes(replace(unnamed, reports={})).candidates == ("h1", "h2", "h3", "h4")
    assert count_mistakes(replace(state, mistakes={})) is None


def test_a_ledger_without_a_run_has_no_outcome(tmp_path):
    with Ledger.create(tmp_path / "run.ledger"):
        pass
    with pytest.raises(LedgerError, match="a run must begin with its pact"):
        read_outcome(tmp_path / "run.ledger")
