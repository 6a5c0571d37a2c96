"""Explanations that follow from the fields: words where there are some, else the keys."""

from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

import pytest

from fedpact.coded import Refusal
from fedpact.explain import explain, generic, to_text
from fedpact.explain.generic import list_rows, say_refusal
from fedpact.explain.words import Words
from fedpact.result import Shown


class Verdict(StrEnum):
    FINE = "fine"
    POOR = "poor"


@dataclass(frozen=True, slots=True, kw_only=True)
class Bill(Shown):
    DERIVED: ClassVar = ("double",)

    paid: dict[str, int]
    verdict: dict[str, Verdict]
    status: Verdict
    total: float
    name: str = "north"
    missing: float | None = None

    @property
    def double(self) -> float:
        return 2 * self.total


def bill(**changed):
    values = {"paid": {"a": 3}, "verdict": {"a": Verdict.FINE}, "status": Verdict.POOR, "total": 1.5}
    return Bill(**values | changed)


@pytest.fixture
def words(monkeypatch):
    """Give the kind some words."""
    texts = {}
    own = generic.words_of
    monkeypatch.setattr(generic, "words_of", lambda kind: Words(texts) if kind == "bill" else own(kind))
    return texts


def test_words_say_what_fields_and_codes_are_called(words):
    words |= {
        "title": "Bill of {name}",
        "status.poor": "too little was paid",
        "sentences.all": "Twice that is {double}.",
        "fields.agent": "who",
        "fields.paid": "money",
        "verdict.fine": "all is well",
    }
    assert to_text(explain(bill())).splitlines() == [
        "Bill of north: Too little was paid.",
        "total 1.5, double 3",
        "who  money  verdict",
        "a        3  all is well",
        "Twice that is 3.",
    ]


def test_what_the_headline_says_is_not_said_again(words):
    words |= {"headline": "In all {total:.2f}."}
    said = explain(bill())
    assert said.headline == "In all 1.50."
    assert {fact.label: fact.is_in_headline for fact in said.facts} == {"total": True, "double": False}


def test_without_words_the_keys_will_do(words):
    words |= {"status.poor": ""}
    said = explain(bill(paid={"a": 3, "b": 4}))
    assert (said.title, said.headline) == ("Bill", "")
    assert [column.title for column in said.tables[0].columns] == ["agent", "paid", "verdict"]
    assert said.tables[0].rows == (("a", 3, "fine"), ("b", 4, None))


def test_a_status_without_words_is_our_own_mistake(words):
    with pytest.raises(KeyError):
        explain(bill())


def test_some_columns_can_be_asked_for():
    table = list_rows(bill(), Words({}), "verdict", "agent", "no such")
    assert ([column.title for column in table.columns], table.rows) == (["verdict", "agent"], (("fine", "a"),))


@pytest.mark.parametrize(
    ("refusal", "said"),
    [
        (
            Refusal(code="capacity", agents=("a", "b")),
            "No plan exists: even with everybody at capacity, a and b still miss",
        ),
        (Refusal(code="certainty", agents=("a",)), "a tolerates no error"),
        (Refusal(code="no-plan-found", pair=("x", "y")), "'y' survives too often when 'x' is the truth."),
        (Refusal(code="no-plan"), "No plan exists."),
        (Refusal(code="not-optimal", values={"cost": 5.0, "lower_bound": 4.0}), "costs 5, the optimum at least 4"),
        (Refusal(code="not-applicable"), "cannot be applied"),
    ],
)
def test_refusals_name_whom_they_concern(refusal, said):
    assert said in say_refusal(refusal)


def test_a_kind_may_say_a_refusal_in_words_of_its_own():
    own = Words({"refusal.no-plan": "{rule} has no plan."})
    assert say_refusal(Refusal(code="no-plan"), own, rule="vcg") == "vcg has no plan."
