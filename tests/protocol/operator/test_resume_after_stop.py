"""A run that stopped is resumed when its sites are back: what was wrong before must not be wrong for ever."""

from dataclasses import replace

import numpy as np
import pytest

from carrier import OPERATOR, with_test_keys
from fedpact.describe.examples import alice_bob
from fedpact.protocol.ledger.entry import NOTHING_BEFORE, make_entry
from fedpact.protocol.messages import Contributed, Refused, Request, read_answer, write_request
from fedpact.protocol.operator.check_books import check_books
from fedpact.protocol.operator.run_state import replay
from fedpact.protocol.pact import make_pact
from fedpact.protocol.runs import memory_ledger, resume, run
from fedpact.protocol.site.simulated_sites import simulate_sites

ASKED = {"request": "contribute/bob/1", "site": "bob", "step": "contribute", "body": {"have": 0, "total": 3}}
SHORT = {"request": "contribute/bob/1", "digest": "0", "body": {"m": 1, "mistakes": [0, 0, 1, 1]}}


def chain(*kinds_and_bodies):
    entries, previous = [], NOTHING_BEFORE
    for seq, (kind, body) in enumerate(kinds_and_bodies, start=1):
        made = make_entry(seq=seq, at=float(seq), run="r", kind=kind, body=body, previous=previous)
        entries.append(made)
        previous = made.hash
    return entries


@pytest.mark.parametrize(
    ("before", "exhausted"), [([], {"bob"}), ([("stop", {"code": "no-plan", "values": {}})], set())]
)
def test_who_could_give_no_more_is_asked_again_after_a_stop_only(before, exhausted):
    pact = {"pact": make_pact(alice_bob()).to_dict()}
    begun = [("open", pact), ("ask", {**ASKED, "deadline": 60.0}), ("answer", {**SHORT, "signature": None})]
    state = replay(chain(*begun, *before, ("resume", {})))
    assert state.exhausted == exhausted
    assert state.contributed == {"bob": 1}


def test_a_site_that_refused_does_not_refuse_for_ever():
    """What was wrong at the site can be put right; a refusal that is remembered would be repeated after that."""
    site = simulate_sites(alice_bob(), teacher="xA")["alice"]
    request = Request(run="r", request="contribute/alice/1", site="alice", step="contribute", body=ASKED["body"])
    own, is_broken = site.labeller, [True]
    object.__setattr__(site, "labeller", lambda places: np.zeros(0, int) if is_broken[0] else own(places))
    data = write_request(request)
    assert isinstance(read_answer(site.answer(data), {}).body, Refused)
    is_broken[0] = False
    given = site.answer(data)
    assert isinstance(read_answer(given, {}).body, Contributed)
    assert site.answer(data) == given


def test_a_report_that_could_not_be_used_is_asked_for_again_once_it_is_mended():
    """What a site answered once it says again, so the request has another name."""
    fed = alice_bob()
    sites = with_test_keys(simulate_sites(fed, teacher="xA"))
    hiding = {name: replace(site, minimum_count=5) for name, site in sites.items()}
    ledger = memory_ledger()
    first = run(fed, hiding, ledger=ledger, method="tree", minimum_count=1, key=OPERATOR)
    assert (first.status, {one.code for one in first.gone.values()}) == ("stopped", {"hides-too-much"})
    mended = {name: replace(site, minimum_count=0) for name, site in hiding.items()}
    again = resume(ledger, mended, key=OPERATOR)
    assert (again.status, again.contributions) == ("finished", {"alice": 3, "bob": 2})
    assert check_books(ledger).is_sound
