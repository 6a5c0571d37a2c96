import contextlib
import json
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

from carrier import OPERATOR, key_of, small_federation, with_test_keys
from fedpact.candidates.predicted import Predicted
from fedpact.coded import coded
from fedpact.describe.candidate_list import CandidateList
from fedpact.describe.report_files import from_bytes
from fedpact.errors import MessageError
from fedpact.protocol.canonical import digest_of_value, to_canonical
from fedpact.protocol.keys.signing import sign_value
from fedpact.protocol.messages import (
    Contributed,
    Evaluated,
    Pending,
    Receipt,
    Refused,
    Request,
    read_answer,
    write_request,
)
from fedpact.protocol.site.annotations import MISSING
from fedpact.protocol.site.pool import Pool, draw
from fedpact.protocol.site.simulated_sites import simulate_sites
from fedpact.protocol.site.site import HeldOut, Site, read_hello
from fedpact.protocol.site.site_store import FolderStore, MemoryStore

NORTH = with_test_keys(simulate_sites(small_federation(), teacher="none", seed=1))["north"]
KEYS = {"north": key_of("north").public}


@pytest.fixture
def site():
    return replace(NORTH, store=type(NORTH.store)())


def finite(**changes):
    """A site with 10 points of its own, on the half of which one candidate is wrong."""
    labels = np.array([[0] * 10, [0, 1] * 5])
    own = Predicted(labels=labels, candidates=CandidateList.from_names(["never", "odd"]), classes=(0, 1))
    given = {"name": "north", "pool": Pool(predicted=own), "labeller": lambda places: labels[0][places], "seed": 4}
    return Site(**{**given, **changes})


def ask(site, step, number=1, key=OPERATOR, run="r", to="north", **body):
    request = Request(run=run, request=f"{step}/{to}/{number}", site=to, step=step, body=body)
    return site.answer(write_request(request, key if site.operator else None))


def said(site, step, number=1, **body):
    return read_answer(ask(site, step, number, **body), KEYS if site.key else {}).body


def test_a_request_is_answered_once_and_the_same_each_time(tmp_path):
    """The labeller is not asked again either, in another process too."""
    asked = []
    first = finite(
        labeller=lambda places: asked.append(places) or np.zeros(len(places)), store=FolderStore(tmp_path)
    )
    answer = ask(first, "contribute", have=0, total=4)
    again = finite(labeller=lambda places: pytest.fail("asked again"), store=FolderStore(tmp_path), seed=99)
    assert ask(again, "contribute", have=0, total=4) == answer
    assert len(asked) == 1


def test_samples_go_on_where_they_ended_and_none_is_given_twice():
    labelled = []
    site = finite(labeller=lambda places: labelled.extend(places.tolist()) or np.zeros(len(places)), seed=None)
    for number, (have, total) in enumerate([(0, 3), (3, 4), (4, 10)], 1):
        assert said(site, "contribute", number, have=have, total=total).m == total - have
    assert sorted(labelled) == list(range(10))
    assert said(site, "contribute", 4, have=10, total=12).m == 0, "there are no more"
    for have, total in ((0, 3), (9, 12), (12, 14)):
        refused = said(site, "contribute", 5, have=have, total=total)
        assert isinstance(refused, Refused)
        assert refused.why == f"asked for samples {have + 1} to {total}; 10 were given already, under another name"
    assert len(labelled) == 10


def test_runs_do_not_know_of_each_other():
    site = finite()
    for run in ("one", "two"):
        body = read_answer(ask(site, "contribute", run=run, have=0, total=10), {}).body
        assert (body.m, body.mistakes.tolist()) == (10, [0, 5])


def test_mistakes_are_counted_on_what_was_drawn():
    site = finite()
    body = said(site, "contribute", have=0, total=5)
    places = draw(site.pool, 0, 5, seed=4)
    assert body.mistakes.tolist() == [0, int((places % 2).sum())]


def test_a_site_labels_no_more_than_it_is_willing_to():
    site = finite(most=3)
    assert said(site, "contribute", 1, have=0, total=5).m == 3
    assert said(site, "contribute", 2, have=3, total=5).m == 0


def test_labels_that_are_not_there_yet_are_waited_for():
    labels = np.full(10, MISSING)
    site = finite(labeller=lambda places: labels[places])
    waiting = said(site, "contribute", have=0, total=5)
    assert isinstance(waiting, Pending)
    assert waiting.why == "5 of 5 samples have no label yet"
    wanted = site.store.load("r")["wanted"]
    assert wanted == sorted(draw(site.pool, 0, 5, seed=4).tolist())
    labels[wanted[:2]] = 0
    assert said(site, "contribute", have=0, total=5).why == "3 of 5 samples have no label yet"
    labels[wanted] = 0
    assert isinstance(said(site, "contribute", have=0, total=5), Contributed)
    assert site.store.load("r")["wanted"] == []


def test_a_refusal_is_not_kept():
    """What was wrong may be mended; then the same request is answered."""
    site = finite(labeller=lambda places: np.zeros(1))
    assert isinstance(said(site, "contribute", have=0, total=5), Refused)
    mended = replace(site, labeller=lambda places: np.zeros(len(places)))
    assert said(mended, "contribute", have=0, total=5).m == 5


def test_requests_that_are_not_for_this_site(site):
    with pytest.raises(MessageError, match="this is site 'north', and the request is for 'south'"):
        ask(site, "report", to="south", candidates=None)
    for key in (None, key_of("north")):
        with pytest.raises(MessageError, match="not signed by the operator of this federation"):
            ask(site, "report", key=key, candidates=None)
    with pytest.raises(MessageError, match="not JSON"):
        site.answer(b"hello")
    assert site.store.load("r") == {}


@pytest.mark.parametrize(
    ("step", "body", "why"),
    [
        ("contribute", {}, "have must be a whole number from 0"),
        ("contribute", {"have": 0}, "total must be a whole number from 0"),
        ("contribute", {"have": 0, "total": -1}, "total must be a whole number from 0"),
        ("contribute", {"have": 0, "total": 1.5}, "total must be a whole number from 0"),
        ("contribute", {"have": False, "total": 3}, "have must be a whole number from 0"),
        ("evaluate", {"index": 2}, "there are 2 candidates, and number 3 was chosen"),
        ("evaluate", {"index": None}, "index must be a whole number from 0"),
        ("pay", {}, "the statement is not about this site"),
        ("pay", {"statement": {"site": "south"}}, "the statement is not about this site"),
        ("pay", {"statement": {"site": "north", "run": "before"}}, "the statement is about another run"),
        (
            "report",
            {"candidates": "0" * 16},
            "the federation compares candidates with the fingerprint 0000000000000000",
        ),
    ],
)
def test_what_cannot_be_done_is_refused(step, body, why):
    refused = said(finite(), step, **body)
    assert isinstance(refused, Refused)
    assert refused.why.startswith(why)


def test_reports(site):
    fingerprint = site.pool.predicted.candidates.fingerprint
    body = said(site, "report", candidates=fingerprint)
    report = from_bytes(body.report)
    assert (body.pool, report.name, report.n, report.H) == (None, "north", 10, 5)
    assert report.counts[:4].tolist() == [4, 3, 2, 1]
    assert said(finite(), "report").pool == 10
    assert from_bytes(said(finite(minimum_count=6), "report").report).counts.tolist() == [0]
    own = replace(report, minimum_count=0)
    assert from_bytes(said(replace(NORTH, report=own, store=type(NORTH.store)()), "report").report).n == 10


def test_evaluation():
    held = HeldOut(predicted=np.array([[0, 0, 0], [1, 0, 1]]), labels=np.array([0, 0, 1]))
    assert said(finite(held_out=held), "evaluate", index=1) == Evaluated(n=3, mistakes=1)
    weighted = replace(held, weights=np.array([5, 1, 2]))
    assert said(finite(held_out=weighted), "evaluate", index=1) == Evaluated(n=8, mistakes=5)
    assert said(finite(), "evaluate", index=1) == Evaluated(n=0, mistakes=0)


def test_one_outcome_is_evaluated_in_a_run():
    """Else an operator could ask for every candidate, or for models made to tell the held-out samples apart."""
    held = HeldOut(predicted=np.array([[0, 0, 1], [0, 1, 1]]), labels=np.array([0, 1, 0]))
    site = finite(held_out=held)
    first = said(site, "evaluate", 1, index=0)
    assert isinstance(said(site, "evaluate", 2, index=1), Refused)
    assert said(site, "evaluate", 1, index=0) == first
    assert isinstance(said(site, "evaluate", 1, run="another", index=1), Evaluated)


def test_a_statement_is_kept_and_must_be_signed(site):
    statement = {"site": "north", "run": "r", "amount": 3.0}
    for unsigned in (statement, sign_value(key_of("south"), statement)):
        refused = said(site, "pay", 1, statement=unsigned)
        assert refused.why == "the statement is not signed by the operator of this federation"
    signed = sign_value(OPERATOR, statement)
    assert said(site, "pay", 2, statement=signed) == Receipt(statement=digest_of_value(signed))
    assert site.store.load("r")["statement"] == signed


def test_hello(site):
    challenge, unsigned = b"c" * 32, replace(site, key=None)
    reply = site.hello(challenge)
    assert read_hello(reply, challenge, ["north"], KEYS) == "north"
    assert read_hello(unsigned.hello(challenge), challenge, ["north"], {}) == "north"
    assert read_hello(reply, b"d" * 32, ["north"], KEYS) == coded("node-other-greeting", site="north")
    other = {"north": key_of("south").public}
    assert read_hello(reply, challenge, ["north"], other) == coded("node-other-key", site="north")
    said = read_hello(unsigned.hello(challenge), challenge, ["north"], KEYS)
    assert said == coded("node-not-signed", site="north")
    assert read_hello(reply, challenge, ["south"], KEYS) is None
    for data in (b"", b"[]", b"{}", b"1", to_canonical({"challenge": challenge.hex(), "site": 3}), b"x" * 20_000):
        assert read_hello(data, challenge, ["north"], KEYS) is None
    with pytest.raises(MessageError):
        read_answer(reply, KEYS)


def test_a_site_without_a_seed_keeps_the_one_it_has_drawn(tmp_path):
    """Else a second request would draw from another order, and label a point twice."""
    store = FolderStore(tmp_path)
    said(finite(seed=None, store=store), "contribute", 1, have=0, total=5)
    seed = store.load("r")["seed"]
    said(finite(seed=None, store=store), "contribute", 2, have=5, total=6)
    assert store.load("r")["seed"] == seed
    assert int(seed) > 2**64
    assert json.dumps(seed) not in ask(finite(seed=None, store=store), "contribute", 2, have=5, total=6).decode()


def test_a_site_that_dies_while_it_labels_asks_for_the_same_labels_again(tmp_path):
    wanted = []

    def look_up(places):
        wanted.append(places.tolist())
        if len(wanted) == 1:
            raise KeyboardInterrupt
        return np.zeros(len(places))

    with pytest.raises(KeyboardInterrupt):
        ask(finite(seed=None, store=FolderStore(tmp_path), labeller=look_up), "contribute", have=0, total=5)
    assert (
        said(finite(seed=None, store=FolderStore(tmp_path), labeller=look_up), "contribute", have=0, total=5).m
        == 5
    )
    assert wanted[0] == wanted[1]


@pytest.mark.parametrize("total", [1_000_001, 2**53])
def test_a_site_draws_no_more_than_its_memory_holds(site, total):
    """An operator could ask for 64 petabytes of independent draws."""
    assert "1,000,000 are drawn in a run at the most" in said(site, "contribute", have=0, total=total).why
    assert said(site, "contribute", 2, have=0, total=3).m == 3


@pytest.mark.parametrize("kind", ["memory", "folder"])
def test_of_two_requests_at_once_for_the_same_samples_one_is_refused(kind, tmp_path):
    """Both were answered, for four and for five samples, and the difference was the fifth sample's mistakes."""
    both = threading.Barrier(2)

    def slow(places):
        with contextlib.suppress(threading.BrokenBarrierError):
            both.wait(timeout=0.3)
        return np.zeros(len(places), dtype=int)

    store = MemoryStore() if kind == "memory" else FolderStore(tmp_path / "kept")
    site = finite(labeller=slow, store=store, seed=None)
    with ThreadPoolExecutor(2) as pool:
        answers = [pool.submit(said, site, "contribute", n, have=0, total=3 + n).result for n in (1, 2)]
        found = [answer() for answer in answers]
    assert sorted(type(body).__name__ for body in found) == ["Contributed", "Refused"]
    given = next(body.m for body in found if isinstance(body, Contributed))
    assert said(site, "contribute", 3, have=given, total=8).m == 8 - given
