"""Rules side by side: each has its words, its row, its chart, and the lies that were found against it."""

import pytest

import fedpact as fp
from fedpact.explain import explain, to_html, to_text
from fedpact.explain.phrases import name_rule, say_rule
from fedpact.explain.words import words_of
from fedpact.mechanism.audit.compare_rules import settle_rules
from fedpact.mechanism.audit.result import Scenario
from fedpact.mechanism.payment.rule import Truthful
from fedpact.mechanism.payment.rules import VARIANTS

FED = fp.examples.pwyc_not_dominant()


def test_every_rule_has_a_name_and_a_meaning():
    assert len({name_rule(rule, pivot) for rule, pivot in VARIANTS}) == len(VARIANTS)
    assert len({say_rule(rule, pivot) for rule, pivot in VARIANTS}) == len(VARIANTS)


@pytest.mark.parametrize("codes", [Truthful, Scenario])
def test_every_code_of_an_audit_has_its_words(codes):
    assert all(f"{codes.__name__.lower()}.{code}" in words_of("audit") for code in codes)


def test_what_every_rule_pays():
    said = explain(settle_rules(FED, fp.plan(FED)))
    (table,) = said.tables
    assert [str(row[0]) for row in table.rows] == [name_rule(*variant) for variant in VARIANTS]
    refused = [row for row in table.rows if len(row) < len(table.columns)]
    assert ["agent-2" in str(row[-1]) for row in refused] == [True]
    assert len(said.charts) == len(VARIANTS) - len(refused)
    assert 'colspan="5"' in to_html(said)


def test_what_was_found_against_every_rule():
    found = fp.mechanism.compare_rules(FED, n_misreports=20)
    rules, verdicts, *witnesses = explain(found).tables
    assert len(rules.rows) == len(verdicts.rows) == len(VARIANTS)
    lies = [row.audit for row in found.rows if row.audit is not None and row.audit.witness is not None]
    assert len(witnesses) == len(lies) > 0
    for table, seen in zip(witnesses, lies, strict=True):
        assert table.is_folded
        assert len(table.rows) == sum(one.witness is not None for one in seen.findings)
    assert "Threshold prices" in to_text(explain(found))
