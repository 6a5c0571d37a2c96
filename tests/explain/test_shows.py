"""Every public result shows itself, whatever its agents are called."""

import json
from dataclasses import replace
from functools import cache
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from xml.etree import ElementTree

import numpy as np
import pytest

import fedpact as fp
from fedpact.coded import Refusal
from fedpact.explain import explain, to_text
from fedpact.result import Shown
from fedpact.rows import columns_of

NASTY = "<script>alert(\"x\")</script> & 'sons'"
TAGS = {"div", "p", "strong", "br", "table", "thead", "tfoot", "tbody", "tr", "th", "td", "svg", "rect"}
ATTRIBUTES = {"style", "scope", "width", "height", "fill", "opacity", "aria-hidden", "colspan"}
SLUG = NASTY.replace("/", "")


@cache
def base():
    """A federation with a nasty name in it, a run of it, and what else many results come from."""
    labels, clinics = [[0, 0], [0, 1], [1, 0], [1, 1]], [[0.8, 0.2], [0.2, 0.8]]
    names = [NASTY, "bob"]
    fed = fp.Federation.from_table(labels, clinics, epsilon=0.1, delta=0.05, names=names, name=NASTY)
    made = TemporaryDirectory()
    folder = Path(made.name) / SLUG
    folder.mkdir()
    ledger = fp.protocol.Ledger.create(folder / "ledger.sqlite")
    keys = fp.protocol.make_keys(folder / "keys", [NASTY])
    outcome = fp.protocol.run(fed, teacher="h2", method="tree", ledger=ledger)
    said = np.random.default_rng(0).random((4, 60)) < 0.3
    candidates = fp.sites.CandidateList.from_names([NASTY, "b", "c", "d"])
    predicted = fp.sites.Predicted(labels=said.astype(int), candidates=candidates, classes=(0, 1))
    report = fp.report(predicted, name=NASTY)
    return SimpleNamespace(
        made=made,
        keys=keys,
        fed=fed,
        plan=fp.plan(fed),
        ledger=ledger,
        outcome=outcome,
        folder=folder,
        predicted=predicted,
        report=report,
    )


def teardown_module():
    if base.cache_info().currsize:
        base().ledger.close()
        base().made.cleanup()


def rename(result):
    """The same result with another name for its first agent."""
    text = json.dumps(result.to_dict()).replace("agent-1", json.dumps(NASTY)[1:-1])
    return type(result).from_dict(json.loads(text))


@cache
def lie():
    return rename(fp.audit(fp.examples.pwyc_not_dominant(), n_misreports=60).witness)


def mix():
    half = dict.fromkeys((NASTY, "bob"), 0.5)
    return fp.game.MixedEquilibrium(
        strategies={name: {0: 0.5, 14: 0.5} for name in half}, probability_met=half, expected_cost=14.0,
        expected_contributions=half, regret=half, worth=half, considered={}, method="every-profile",
        status=fp.game.MixedStatus.APPROXIMATE,
    )  # fmt: skip


def audit():
    witness = lie()
    found = fp.audit(base().fed, "pwyc", n_misreports=8)
    return replace(found, ex_post=replace(found.ex_post, gain=witness.gain, witness=witness))


def check_books():
    problem = fp.protocol.BooksProblem(entry=1, run="r", code="not-opened", values={"run": NASTY})
    return replace(fp.protocol.check_books(base().ledger), problems=(problem,), wrong=1)


CASES = {
    fp.Federation: lambda: base().fed,
    fp.Plan: lambda: base().plan,
    fp.Verification: lambda: fp.verify(base().fed, [1, 1]),
    fp.Equilibria: lambda: fp.equilibria(base().fed),
    fp.game.MixedEquilibrium: mix,
    fp.game.Dynamics: lambda: fp.best_response_dynamics(base().fed),
    fp.game.Regret: lambda: fp.game.regret(base().fed, [14, 14]),
    fp.Settlement: lambda: fp.settle(base().fed, base().plan),
    fp.Audit: audit,
    fp.mechanism.Witness: lie,
    fp.mechanism.RuleComparison: lambda: fp.mechanism.RuleComparison(
        rows=(fp.mechanism.RuleRow(rule="vcg", pivot=None, refusal=Refusal(code="capacity", agents=(NASTY,))),),
        method="lp",
        is_complete=False,
        name=NASTY,
    ),
    fp.Comparison: lambda: fp.compare(base().fed),
    fp.Frontier: lambda: fp.frontier(base().fed, epsilon=[0.1, 0.3]),
    fp.planning.ShadowPrices: lambda: fp.planning.shadow_prices(base().fed),
    fp.Share: lambda: fp.share(base().fed),
    fp.mechanism.ContributionCheck: lambda: fp.check_contribution(base().report, base().predicted.labels[:, :30]),
    fp.mechanism.PowerCurve: lambda: fp.mechanism.contribution_power(base().report, [10, 30]),
    fp.Realizability: lambda: fp.realizability({NASTY: (base().predicted.labels, [0] * 60)}),
    fp.mechanism.Obliviousness: lambda: rename(
        fp.mechanism.obliviousness(fp.examples.singletons(epsilon=0.01), m=[130, 130])
    ),
    fp.planning.Cover: lambda: fp.planning.cover({NASTY: range(10)}, "thresholds", 0.2),
    fp.planning.CoverPlan: lambda: fp.planning.plan_cover(
        {NASTY: range(10)}, "thresholds", epsilon=0.2, delta=0.1
    ),
    fp.planning.Selection: lambda: fp.select(base().fed, "h2"),
    fp.planning.Forecast: lambda: fp.forecast(base().fed, runs=2),
    fp.planning.Divergence: lambda: fp.planning.divergence(base().fed),
    fp.planning.Summary: lambda: fp.planning.summarise(base().fed),
    fp.planning.FileCheck: lambda: fp.check(f"{NASTY}.toml"),
    fp.Report: lambda: base().report,
    fp.sites.Predicted: lambda: base().predicted,
    fp.protocol.Pact: lambda: fp.protocol.make_pact(base().fed),
    fp.protocol.RunOutcome: lambda: base().outcome,
    fp.protocol.Statement: lambda: fp.protocol.statements_of(base().ledger)[0],
    fp.protocol.LedgerCheck: lambda: fp.protocol.verify_ledger(base().folder / "ledger.sqlite"),
    fp.protocol.BooksCheck: check_books,
    fp.protocol.KeySet: lambda: base().keys,
    fp.protocol.KeysCheck: lambda: fp.protocol.check_keys(base().keys.folder),
    fp.protocol.Labelling: lambda: fp.protocol.Labelling(
        wanted=3, labelled=1, added=1, site=NASTY, folder=".", run="r", file=None
    ),
}  # fmt: skip
each_result = pytest.mark.parametrize("kind", CASES, ids=lambda kind: kind.__name__)


@cache
def result_of(kind):
    return CASES[kind]()


@pytest.mark.flower
def test_no_public_result_is_forgotten():
    parts = (
        fp, fp.costs, fp.game, fp.mechanism, fp.planning, fp.sites, fp.protocol
    )  # fmt: skip
    public = {getattr(part, name) for part in parts for name in part.__all__}
    assert {kind for kind in public if isinstance(kind, type) and issubclass(kind, Shown)} == set(CASES)


@each_result
def test_html_is_well_formed_and_lets_no_name_through(kind):
    result = result_of(kind)
    assert type(result) is kind
    html = result._repr_html_()
    for element in ElementTree.fromstring(html).iter():
        assert element.tag in TAGS
        assert set(element.attrib) <= ATTRIBUTES
    assert escape(NASTY) in html or escape(SLUG) in html


@each_result
def test_print_shows_the_same_words(kind):
    result = result_of(kind)
    text = str(result)
    assert text == to_text(explain(result)) != repr(result)
    assert NASTY in text or SLUG in text


@each_result
def test_tables_and_frames_have_a_value_in_every_column(kind):
    result = result_of(kind)
    for table in explain(result).tables:
        assert all(len(row) <= len(table.columns) for row in table.rows)
    columns, frame = columns_of(result), result.to_dataframe()
    assert frame.shape == (len(columns[0].values), len(columns))
    types = {int: "Int64", float: "float64", bool: "boolean", str: "string"}
    assert [str(one) for one in frame.dtypes] == [types[column.kind] for column in columns]


@each_result
def test_showing_changes_nothing_of_what_is_written_down(kind):
    result = result_of(kind)
    assert not hasattr(result, "__dict__")
    if hasattr(kind, "from_dict"):
        again = kind.from_dict(json.loads(json.dumps(result.to_dict())))
        assert again.to_dict() == result.to_dict()
        assert str(again) == str(result)
