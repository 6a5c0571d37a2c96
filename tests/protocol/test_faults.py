"""Any site may die, answer late, twice, garbage, or for another, at every step; and what comes of it."""

import base64
import io
import zipfile
from dataclasses import dataclass, field, replace

import numpy as np
import pytest

from carrier import (
    OPERATOR,
    PATIENCE,
    Carrier,
    ListLedger,
    check_books,
    forge,
    kept_plan,
    key_of,
    plan_by,
    run_over,
    run_with,
    small_federation,
    start,
    with_test_keys,
)
from fedpact.coded import coded
from fedpact.describe.candidate_list import CandidateList
from fedpact.describe.report_files import to_bytes
from fedpact.describe.reports import Report
from fedpact.explain.phrases import say_reason
from fedpact.protocol.canonical import to_canonical
from fedpact.protocol.keys.signing import sign_value
from fedpact.protocol.ledger.store import Ledger
from fedpact.protocol.ledger.verify import verify_ledger
from fedpact.protocol.messages import Contributed, Evaluated, Receipt, Reported
from fedpact.protocol.operator.operator import resume_run
from fedpact.protocol.operator.run_state import Gone, RunStatus
from fedpact.protocol.site.simulated_sites import simulate_sites
from fedpact.protocol.site.site import make_site_report

VICTIM, OTHER = "north", "south"
H = 5


def zeros(m, length=H):
    return Contributed(m=m, mistakes=np.zeros(length, dtype=np.int64))


def lie(ask, site):
    """What somebody would say in a site's place: well formed, and wrong."""
    match ask.step:
        case "report":
            return Reported(report=to_bytes(make_site_report(site)), pool=None)
        case "contribute":
            return zeros(ask.body["total"])
        case "evaluate":
            return Evaluated(n=10, mistakes=10)
    return Receipt(statement="0" * 64)


class Harm:
    """Does one thing to the requests of one step to one site; what is not lasting is done to the first."""

    def __init__(self, step, fault, victim=VICTIM):
        self.step, self.fault, self.victim = step, fault, victim
        self.operator, self.count = None, 0

    def __call__(self, carrier, outgoing):
        if (outgoing.site, outgoing.step) != (self.victim, self.step):
            return None
        self.count += 1
        is_harmed = self.count == 1 or self.fault in ("die", "late")
        return getattr(self, f"_{self.fault}")(carrier, outgoing) if is_harmed else None

    def _die(self, carrier, outgoing):
        return []

    def _late(self, carrier, outgoing):
        return [(PATIENCE + 0.01, carrier.answer(outgoing))] if self.count == 1 else []

    def _duplicate(self, carrier, outgoing):
        return [(delay, carrier.answer(outgoing)) for delay in (0.1, 0.1, 0.15)]

    def _garbage(self, carrier, outgoing):
        return [(0.1, b"\0" + carrier.answer(outgoing)[1:])]

    def _impersonate(self, carrier, outgoing):
        ask = next(ask for ask in self.operator.state.open if ask.site == self.victim)
        body = lie(ask, carrier.sites[self.victim])
        return [
            (0.04, forge(self.operator.state, ask, body, key=key_of(OTHER))),
            (0.05, forge(self.operator.state, ask, body, key=key_of(OTHER), site=OTHER)),
            (0.1, carrier.answer(outgoing)),
        ]


@dataclass(frozen=True)
class Case:
    step: str
    fault: str
    gone: dict = field(default_factory=dict)
    refused: tuple = ()
    unreached: tuple = ()

    @property
    def id(self):
        return f"{self.step}-{self.fault}"


def late_at(step):
    return Gone(step=step, code="late", values={"seconds": 60.0})


def lost(step):
    return {VICTIM: late_at(step)}


def late(step):
    return (coded("given-up", site="north", request=f"{step}/north/1"),)


NOT_JSON = (coded("malformed", detail="not JSON"),)
FORGED = (coded("not-signed", site="north"), coded("not-asked", site="south"))
CASES = [
    Case("report", "die", lost("report")),
    Case("report", "late", lost("report"), late("report")),
    Case("report", "duplicate"),
    Case("report", "garbage", refused=NOT_JSON),
    Case("report", "impersonate", refused=FORGED),
    Case("contribute", "die", lost("contribute")),
    Case("contribute", "late", lost("contribute"), late("contribute")),
    Case("contribute", "duplicate"),
    Case("contribute", "garbage", refused=NOT_JSON),
    Case("contribute", "impersonate", refused=FORGED),
    Case("evaluate", "die", lost("evaluate")),
    Case("evaluate", "late", lost("evaluate"), late("evaluate")),
    Case("evaluate", "duplicate"),
    Case("evaluate", "garbage", refused=NOT_JSON),
    Case("evaluate", "impersonate", refused=FORGED),
    Case("pay", "die", unreached=(VICTIM,)),
    Case("pay", "late", unreached=(VICTIM,)),
    Case("pay", "duplicate"),
    Case("pay", "garbage", refused=NOT_JSON),
    Case("pay", "impersonate", refused=FORGED),
]


@pytest.fixture(scope="module")
def unharmed():
    return run_with()[0]


def run_harmed(harm, fed=None, ledger=None, **terms):
    """Run with a harm that may look at the operator."""
    fed, ledger = fed or small_federation(), ListLedger() if ledger is None else ledger
    sites = with_test_keys(simulate_sites(fed, teacher="none", seed=1))
    harm.operator = start(fed, sites, ledger, **terms)
    carrier = Carrier(sites, harm)
    outcome = run_over(harm.operator, carrier)
    return outcome, list(ledger.entries()), carrier


def whys(entries, kind):
    return tuple(coded(entry.body["code"], **entry.body["values"]) for entry in entries if entry.kind == kind)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_fault_matrix(case, tmp_path, unharmed):
    fed, harm = small_federation(), Harm(case.step, case.fault)
    with Ledger.create(tmp_path / "books.db") as ledger:
        outcome, entries, carrier = run_harmed(harm, ledger=ledger)
    assert harm.count
    assert verify_ledger(tmp_path / "books.db").is_intact
    assert outcome.status is RunStatus.FINISHED
    assert outcome.gone == case.gone
    assert whys(entries, "refuse") == case.refused
    assert harm.operator.state.unreached == set(case.unreached)
    assert outcome.met == {name: None if name in case.gone else True for name in fed.names}
    assert outcome.hypothesis == "none"
    assert not outcome.withheld
    assert check_books(entries, fed) == outcome.contributions
    _check_plans(case, entries, outcome, unharmed)
    if not {"report", "contribute"} & {why.step for why in case.gone.values()}:
        assert outcome.contributions == unharmed.contributions
        assert outcome.payments == unharmed.payments
    if case.fault in ("duplicate", "impersonate"):
        assert outcome.refusals == len(case.refused)
        assert len(carrier.asked) == len({outgoing.data for outgoing in carrier.asked}), "nothing is sent again"


def _check_plans(case, entries, outcome, unharmed):
    """Who is gone before the choice is planned around, and what others have given is kept."""
    plans = [entry.body["plan"]["contributions"] for entry in entries if entry.kind == "plan"]
    assert len(plans) == 1 + (case.step == "contribute" and bool(case.gone))
    assert outcome.plan.contributions == plans[-1]
    assert plans[0] == (unharmed.plan.contributions if not case.gone or case.step != "report" else plans[0])
    if case.gone and case.step in ("report", "contribute"):
        assert not plans[-1].get(VICTIM)
        assert VICTIM not in outcome.payments
        assert outcome.contributions[VICTIM] == 0
        if len(plans) == 2:
            assert plans[0][OTHER] > 0
            assert all(plans[1][name] >= count for name, count in plans[0].items() if name != VICTIM)


def test_who_gives_and_then_dies_is_paid_for_what_it_gave():
    """North never contributes; then south is asked for more and dies: what it gave counts and is paid."""

    class Deaths(Harm):
        def __call__(self, carrier, outgoing):
            self.count += 1
            number = outgoing.data.count(b"contribute/south/2")
            is_north = (outgoing.site, outgoing.step) == ("north", "contribute")
            return [] if is_north or number else None

    outcome, entries, _ = run_harmed(Deaths("contribute", "die"))
    first, second, third = [entry.body["plan"]["contributions"] for entry in entries if entry.kind == "plan"]
    assert 0 < first["south"] < second["south"]
    assert third["south"] == first["south"] == outcome.contributions["south"]
    assert outcome.payments["south"] == 2 * first["south"]
    assert outcome.gone == dict.fromkeys(("north", "south"), late_at("contribute"))
    statement = next(e.body["statement"] for e in entries if e.kind == "pay" and e.body["site"] == "south")
    assert statement["left"] == {"step": "contribute", "code": "late", "values": {"seconds": 60.0}}
    assert outcome.status is RunStatus.FINISHED
    assert outcome.met["east"]
    check_books(entries, small_federation())


def test_without_a_plan_the_run_stops_with_a_sentence_and_is_resumed():
    fed = small_federation(capacity=[None, 4, 4])
    ledger = ListLedger()
    harm = Harm("contribute", "die")
    outcome, entries, carrier = run_harmed(harm, fed=fed, ledger=ledger)
    assert outcome.status is RunStatus.STOPPED
    assert outcome.why.code == "no-plan"
    assert list(outcome.why.values["without"]) == ["north"]
    assert outcome.why.values["refusal"]["code"] == "capacity"
    assert not outcome.payments
    assert entries[-1].kind == "stop"
    carrier.harm = None
    again = run_over(plan_by(kept_plan, resume_run(ledger, now=carrier.now, key=OPERATOR)), carrier)
    assert again.status is RunStatus.FINISHED
    assert not again.gone
    check_books(list(ledger.entries()), fed)
    undisturbed = run_with(fed=fed)[0]
    assert (again.contributions, again.payments) == (undisturbed.contributions, undisturbed.payments)
    ledger.check()


def test_a_site_whose_refusal_is_mended_takes_part_after_a_resume():
    """A refusal binds nobody; else a stopped run could never be brought to its end."""
    fed, ledger = small_federation(capacity=[None, 4, 4]), ListLedger()
    sites = with_test_keys(simulate_sites(fed, teacher="none", seed=1))
    others = CandidateList.from_names(["none", "x1", "x2", "x3", "y4"])
    wrong = replace(sites["north"].pool, predicted=replace(sites["north"].pool.predicted, candidates=others))
    carrier = Carrier({**sites, "north": replace(sites["north"], pool=wrong)})
    outcome = run_over(start(fed, sites, ledger), carrier)
    assert outcome.status is RunStatus.STOPPED
    assert (outcome.gone["north"].step, outcome.gone["north"].code) == ("report", "refused")
    assert outcome.gone["north"].values["detail"].startswith("the federation compares candidates with the")
    carrier.sites["north"] = replace(carrier.sites["north"], pool=sites["north"].pool)
    again = run_over(plan_by(kept_plan, resume_run(ledger, now=carrier.now, key=OPERATOR)), carrier)
    assert again.status is RunStatus.FINISHED
    assert not again.gone


@pytest.mark.parametrize("step", ["report", "contribute", "evaluate", "pay"])
def test_if_everybody_dies_the_run_ends(step):
    outcome, entries, _ = run_harmed(Everybody(step))
    assert outcome.status is (RunStatus.STOPPED if step in ("report", "contribute") else RunStatus.FINISHED)
    if outcome.status is RunStatus.STOPPED:
        assert outcome.why.code == "nobody-left"
        assert [gone["code"] for gone in outcome.why.values["without"].values()] == ["late"] * 3
    check_books(entries, small_federation())


class Everybody(Harm):
    def __init__(self, step):
        super().__init__(step, "die")

    def __call__(self, carrier, outgoing):
        return [] if outgoing.step == self.step else None


def envelope(state, ask, body, **changes):
    """A message in plain values, for what the typed ones cannot say."""
    value = {"protocol": 1, "run": state.run, "request": ask.request, "site": ask.site, "step": ask.step}
    return {**value, "body": body, **changes}


def signed(state, ask, body, **changes):
    return to_canonical(sign_value(key_of(ask.site), envelope(state, ask, body, **changes)))


def as_report(data, pool=None):
    return {"report": base64.b64encode(data).decode(), "pool": pool}


def report_bytes(site="north", n=10, counts=None, names=("none", "x1", "x2", "x3", "x4"), n_classes=2):
    pairs = len(names) * (len(names) - 1) // 2
    made = Report(
        name=site,
        n=n,
        n_classes=n_classes,
        counts=np.array([4] * pairs if counts is None else counts),
        candidates=CandidateList.from_names(names),
    )
    return to_bytes(made)


def bomb():
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("counts.npy", bytes(2**27))
    return buffer.getvalue()


STRANGE = {
    "not-json": lambda state, ask: b"north has 3 samples",
    "empty": lambda state, ask: b"",
    "not-canonical": lambda state, ask: b" " + signed(state, ask, {"m": 1, "mistakes": [0] * H}),
    "huge": lambda state, ask: b"0" * (2**27 + 1),
    "deep": lambda state, ask: b"[" * 100_000 + b"]" * 100_000,
    "nan": lambda state, ask: signed(state, ask, {"m": 1, "mistakes": [0] * H}).replace(b":1,", b":NaN,", 1),
    "not-a-table": lambda state, ask: b"[1,2,3]",
    "other-protocol": lambda state, ask: signed(state, ask, {"m": 1, "mistakes": [0] * H}, protocol=2),
    "more-keys": lambda state, ask: signed(state, ask, {"m": 1, "mistakes": [0] * H}, example=[0.5]),
    "no-such-step": lambda state, ask: signed(state, ask, {"m": 1, "mistakes": [0] * H}, step="give"),
    "unsigned": lambda state, ask: forge(state, ask, zeros(1)),
    "signed-by-another": lambda state, ask: forge(state, ask, zeros(1), key=key_of(OTHER)),
    "signed-by-the-operator": lambda state, ask: forge(state, ask, zeros(1), key=OPERATOR),
    "changed": lambda state, ask: signed(state, ask, {"m": 1, "mistakes": [0] * H}).replace(b'"m":1', b'"m":2'),
    "another-run": lambda state, ask: forge(state, ask, zeros(1), key=key_of(VICTIM), run="0" * 16),
    "anothers-request": lambda state, ask: forge(
        state, ask, zeros(1), key=key_of(VICTIM), request=f"contribute/{OTHER}/1"
    ),
    "a-request-that-is-none": lambda state, ask: forge(
        state, ask, zeros(1), key=key_of(VICTIM), request=f"contribute/{VICTIM}/7"
    ),
    "another-step": lambda state, ask: forge(
        state, ask, Evaluated(n=1, mistakes=0), key=key_of(VICTIM), step="evaluate"
    ),
    "a-stranger": lambda state, ask: forge(state, ask, zeros(1), site="west"),
    "types": lambda state, ask: signed(state, ask, {"m": "1", "mistakes": [0] * H}),
    "truth-values": lambda state, ask: signed(state, ask, {"m": True, "mistakes": [False] * H}),
    "fractions": lambda state, ask: signed(state, ask, {"m": 1.5, "mistakes": [0] * H}),
    "negative": lambda state, ask: signed(state, ask, {"m": 3, "mistakes": [-1] * H}),
    "negative-m": lambda state, ask: signed(state, ask, {"m": -3, "mistakes": [0] * H}),
    "above-m": lambda state, ask: signed(state, ask, {"m": 3, "mistakes": [4] * H}),
    "beyond-2^53": lambda state, ask: signed(state, ask, {"m": 2**60, "mistakes": [0] * H}),
    "more-in-the-body": lambda state, ask: signed(state, ask, {"m": 1, "mistakes": [0] * H, "labels": [1]}),
    "no-body": lambda state, ask: signed(state, ask, None),
}
"""What is no answer of the site's to that request: noted, and the operator goes on waiting for the true one."""


class Says(Harm):
    """Something else arrives before the site's own answer."""

    def __init__(self, step, say):
        super().__init__(step, None)
        self.say = say

    def __call__(self, carrier, outgoing):
        if (outgoing.site, outgoing.step) != (VICTIM, self.step) or self.count:
            return None
        self.count = 1
        ask = next(ask for ask in self.operator.state.open if ask.site == VICTIM)
        return [(0.05, self.say(self.operator.state, ask)), (0.1, carrier.answer(outgoing))]


@pytest.mark.parametrize("kind", STRANGE)
def test_what_is_no_answer_is_noted_and_changes_nothing(kind, unharmed):
    outcome, entries, _ = run_harmed(Says("contribute", STRANGE[kind]))
    assert not outcome.gone
    assert outcome.refusals == 1
    (why,) = whys(entries, "refuse")
    said = say_reason(why.code, why.values)
    assert 0 < len(said) <= 600
    assert said.isprintable()
    assert (outcome.contributions, outcome.payments) == (unharmed.contributions, unharmed.payments)
    check_books(entries, small_federation())


UNUSABLE = {
    "wrong-H": (
        "contribute",
        {"m": 1, "mistakes": [0] * 4},
        coded("wrong-length", expected=5, found=4),
    ),
    "no-counts": (
        "contribute",
        {"m": 1, "mistakes": []},
        coded("wrong-length", expected=5, found=0),
    ),
    "more-than-asked": (
        "contribute",
        {"m": 999, "mistakes": [0] * H},
        "too-many-samples",
    ),
    "refuses": ("contribute", {"refused": "we are closed"}, coded("refused", detail="we are closed")),
    "other-receipt": ("pay", {"statement": "0" * 64}, coded("other-statement")),
    "another-name": ("report", as_report(report_bytes("south")), coded("report-of-another", name="south")),
    "a-long-name": ("report", as_report(report_bytes("n" * 100_000)), "report-of-another"),
    "other-candidates": (
        "report",
        as_report(report_bytes(names=("none", "x1", "x2", "x3", "y4"))),
        coded("other-candidates", detail="candidate 5 is 'x4' in one and 'y4' in the other"),
    ),
    "fewer-candidates": (
        "report",
        as_report(report_bytes(names=("none", "x1", "x2"))),
        coded("other-candidates", detail="one has 5 candidates and the other 3"),
    ),
    "impossible-counts": (
        "report",
        as_report(report_bytes(counts=[9] + [1] * 9)),
        "unusable: report: the counts are those of no data set: 'none' and 'x1' cannot differ",
    ),
    "odd-counts": (
        "report",
        as_report(report_bytes(counts=[3] * 10)),
        "unusable: report: the counts are those of no data set",
    ),
    "more-samples-than-points": (
        "report",
        as_report(report_bytes(), pool=11),
        coded("pool-too-large", pool=11, n=10),
    ),
    "not-a-report": ("report", as_report(b"PK not really"), "unusable: report: not a fedpact report"),
    "zip-bomb": (
        "report",
        as_report(bomb()),
        "unusable: report: not a fedpact report: it unpacks to far more than a report",
    ),
}
"""What a site says under its own signature and cannot be used: it is gone, and why."""


@pytest.mark.parametrize("kind", UNUSABLE)
def test_who_says_what_cannot_be_used_is_gone(kind):
    step, body, why = UNUSABLE[kind]
    harm = Says(step, lambda state, ask: signed(state, ask, body))
    outcome, entries, _ = run_harmed(harm)
    (said,) = whys(entries, "gone")
    if isinstance(why, str):
        assert f"{said.code}: {said.values.get('detail')}".startswith(why)
    else:
        assert said == why
    assert all(len(str(value)) <= 500 for value in said.values.values())
    assert outcome.status is RunStatus.FINISHED
    assert set(outcome.gone) == (set() if step == "pay" else {VICTIM})
    assert harm.operator.state.unreached == ({VICTIM} if step == "pay" else set())
    assert whys(entries, "refuse") in ((), late(step))
    check_books(entries, small_federation())


def test_a_refusal_is_cut_and_cannot_garble_a_terminal():
    harm = Says("contribute", lambda state, ask: signed(state, ask, {"refused": "\x1b[2J\n" + "x" * 1_900}))
    outcome, _, _ = run_harmed(harm)
    detail = outcome.gone["north"].values["detail"]
    assert detail.startswith("\\x1b[2J\\nxxx")
    assert len(detail) <= 500


def test_a_report_has_one_spelling_in_base64():
    """Else the ledger would hold another text than the one that the site signed."""
    data = report_bytes() + b"\0"
    while len(data) % 3 == 0:
        data += b"\0"
    text = base64.b64encode(data).decode()
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    body, pad = text.rstrip("="), len(text) - len(text.rstrip("="))
    stray = body[:-1] + letters[letters.index(body[-1]) + 1] + "=" * pad
    assert base64.b64decode(stray, validate=True) == data
    harm = Says("report", lambda state, ask: signed(state, ask, {"report": stray, "pool": None}))
    outcome, entries, _ = run_harmed(harm)
    (why,) = whys(entries, "refuse")
    assert (why.code, why.values["detail"].endswith("without stray bits")) == ("malformed", True)
    assert not outcome.gone


def test_strangers_cannot_fill_the_ledger():
    class Flood(Harm):
        def __call__(self, carrier, outgoing):
            self.count += 1
            noise = [(0.05, b"%d" % number) for number in range(1_200)] if self.count == 1 else []
            return [*noise, (0.1, carrier.answer(outgoing))]

    outcome, _, _ = run_harmed(Flood("report", None))
    assert outcome.refusals == 1_000
    assert outcome.status is RunStatus.FINISHED


def test_a_second_answer_that_differs_is_noted_and_the_first_counts(unharmed):
    class Again(Harm):
        def _duplicate(self, carrier, outgoing):
            ask = next(ask for ask in self.operator.state.open if ask.site == VICTIM)
            other = forge(self.operator.state, ask, zeros(1), key=key_of(VICTIM))
            return [(0.1, carrier.answer(outgoing)), (0.1, other)]

    harm = Again("contribute", "duplicate")
    outcome, entries, _ = run_harmed(harm)
    assert whys(entries, "refuse") == (coded("answered-differently", site="north", request="contribute/north/1"),)
    assert outcome.contributions == unharmed.contributions


def test_a_site_that_labels_less_than_it_was_asked_for_is_planned_around():
    fed = small_federation()
    sites = with_test_keys(simulate_sites(fed, teacher="none", seed=1))
    sites["north"] = replace(sites["north"], most=3)
    outcome, operator, _ = run_with(sites=sites)
    plans = [entry.body["plan"]["contributions"] for entry in operator.ledger.kept if entry.kind == "plan"]
    assert plans[0]["north"] > 3
    assert plans[1]["north"] == 3 == outcome.contributions["north"]
    assert outcome.payments["north"] == 3
    assert not outcome.gone
    assert outcome.status is RunStatus.FINISHED
    check_books(operator.ledger.kept, fed)


def test_a_site_that_claims_that_nobody_is_ever_wrong_is_not_paid():
    """No candidate is wrong on dozens of samples, although every sample shows that one of them is."""

    class Liar(Harm):
        def __call__(self, carrier, outgoing):
            if (outgoing.site, outgoing.step) != (VICTIM, "contribute"):
                return None
            ask = next(ask for ask in self.operator.state.open if ask.site == VICTIM)
            return [(0.1, forge(self.operator.state, ask, zeros(ask.body["total"]), key=key_of(VICTIM)))]

    fed = small_federation(epsilon=0.02, delta=1e-6)
    outcome, entries, _ = run_harmed(Liar("contribute", None), fed=fed, false_alarm_rate=0.01)
    assert outcome.contributions[VICTIM] > 20
    assert set(outcome.withheld) == {VICTIM}
    assert outcome.payments[VICTIM] == 0
    statement = next(e.body["statement"] for e in entries if e.kind == "pay" and e.body["site"] == VICTIM)
    assert statement["withheld"] == outcome.contributions[VICTIM]
    assert statement["why"] == outcome.withheld[VICTIM]
    assert not statement["verified"]
    assert outcome.payments[OTHER] == 2 * outcome.contributions[OTHER]
    check_books(entries, fed)
