"""What a report may be: the checked site does not set the strength of its check, nor the operator's bill."""

import io
import time
import tracemalloc
import warnings
import zipfile

import numpy as np
import pytest

from carrier import run_with, small_federation, with_test_keys
from fedpact.describe.candidate_list import CandidateList
from fedpact.describe.report_files import count_candidates, to_bytes
from fedpact.describe.reports import Report
from fedpact.errors import FederationError
from fedpact.protocol.messages import Reported
from fedpact.protocol.operator.operator import check_body, start_run
from fedpact.protocol.operator.reasons import NotAcceptedError, Why, reason_of
from fedpact.protocol.operator.run_state import RunStatus
from fedpact.protocol.pact import make_pact
from fedpact.protocol.runs import memory_ledger
from fedpact.protocol.site.simulated_sites import simulate_sites


def operator_of(fed, **terms):
    operator = start_run(memory_ledger(), make_pact(fed, **terms), now=0.0)
    operator.advance(0.0)
    return operator


def report_of(H, **terms):
    counts = np.zeros(H * (H - 1) // 2, dtype=np.int64)
    return Report(**({"name": "north", "n": 60, "n_classes": 2, "counts": counts} | terms))


def refuse(operator, report):
    return refuse_bytes(operator, to_bytes(report))


def refuse_bytes(operator, data):
    ask = next(ask for ask in operator.state.open if ask.site == "north")
    with pytest.raises((NotAcceptedError, FederationError)) as refused:
        check_body(operator.state, ask, Reported(report=data, pool=None))
    return reason_of(refused.value, Why.UNUSABLE)


@pytest.mark.parametrize("is_known", [True, False])
def test_a_report_on_thousands_of_candidates_is_refused_before_it_is_read(is_known):
    fed = small_federation()
    candidates = CandidateList.from_names([f"c{h}" for h in range(4)]) if is_known else None
    operator = operator_of(fed, candidates=candidates)
    if not is_known:
        object.__setattr__(operator.state.pact, "candidates", None)
    large = report_of(11_500)
    assert count_candidates(to_bytes(large)) == 11_500
    tracemalloc.start()
    began = time.monotonic()
    why = refuse(operator, large)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert why.code == ("other-number-of-candidates" if is_known else "too-many-candidates")
    assert peak < 1.2e9, "that of making the report; reading it took four times as much"
    assert time.monotonic() - began < 60


def zipped(**members):
    """An archive of parts, each the bytes of one, under names as they are given."""
    buffer = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, data in members.items():
                archive.writestr(name.replace("_npy", ".npy"), data)
    return buffer.getvalue()


def array_of(H):
    buffer = io.BytesIO()
    np.save(buffer, np.zeros(H * (H - 1) // 2, dtype=np.int64))
    return buffer.getvalue()


LONG = b"\x93NUMPY\x02\x00" + (2**26 - 100).to_bytes(4, "little") + b" " * (2**26 - 200)
NO_REPORTS = {
    "nothing": b"",
    "no archive": b"x" * 100,
    "half a header": zipped(counts_npy=array_of(3)[:40]),
    "a header of 64 MB": zipped(counts_npy=LONG),
    "a decoy": zipped(counts_npy=array_of(3), counts=array_of(1500)),
    "two axes": zipped(counts_npy=b"\x93NUMPY\x01\x00" + array_of(3)[8:].replace(b"(3,)", b"(1, 3)", 1)),
}


@pytest.mark.parametrize("kind", NO_REPORTS)
def test_what_does_not_say_its_size_is_refused_before_it_is_read(kind):
    tracemalloc.start()
    with pytest.raises(FederationError, match=r"^report: not a fedpact report"):
        count_candidates(NO_REPORTS[kind])
    assert tracemalloc.get_traced_memory()[1] < 2e7
    tracemalloc.stop()
    fed = small_federation()
    why = refuse_bytes(operator_of(fed), NO_REPORTS[kind])
    assert why.code == "unusable"


def test_a_part_by_its_plain_name_is_the_one_that_is_read():
    assert count_candidates(zipped(counts=array_of(7))) == 7


LIMITS = {
    "minimum_count": ({"minimum_count": 11}, {}, "hides-too-much"),
    "n + 1": ({"minimum_count": 61}, {"minimum_count": 20}, "hides-too-much"),
    "n_classes": ({"n_classes": 3}, {"n_classes": 2}, "too-many-classes"),
}


@pytest.mark.parametrize("kind", LIMITS)
def test_a_site_does_not_weaken_its_own_check(kind):
    said, terms, code = LIMITS[kind]
    assert refuse(operator_of(small_federation(), **terms), report_of(4, **said)).code == code


def test_what_the_pact_allows_is_accepted():
    fed = small_federation()
    sites = with_test_keys(simulate_sites(fed))
    for site in sites.values():
        object.__setattr__(site, "minimum_count", 2)
    outcome, _, _ = run_with(sites=sites, minimum_count=2, n_classes=2)
    assert outcome.status is not RunStatus.STOPPED
    assert outcome.gone == {}
