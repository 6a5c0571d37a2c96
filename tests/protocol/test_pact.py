import json
from dataclasses import replace

import pytest

from carrier import key_of, small_federation
from fedpact.describe.candidate_list import CandidateList
from fedpact.describe.examples import alice_bob
from fedpact.describe.federation import Federation
from fedpact.describe.files import save
from fedpact.errors import FederationError
from fedpact.protocol.canonical import from_canonical, to_canonical
from fedpact.protocol.pact import PATIENCE, Pact, check_site_names, load_pact, make_pact, with_keys

KEYS = {name: key_of(name).public for name in ("north", "south", "east")}


@pytest.mark.parametrize(
    "terms",
    [
        {},
        {"rule": "none", "method": "lp"},
        {"fee": {"north": 1, "south": 2, "east": "1/3"}, "patience": {"report": 3}, "retry": "1/2"},
        {"keys": KEYS, "operator": key_of("operator").public},
        {"candidates": CandidateList.from_names("vwxyz")},
    ],
    ids=["plain", "rule", "fees", "keys", "candidates"],
)
def test_a_pact_comes_back_from_the_ledger_as_it_was(terms):
    pact = make_pact(
        small_federation(cost={"north": {"quadratic": [1, 2]}, "south": 2, "east": 3}, capacity=50), **terms
    )
    assert Pact.from_dict(pact.to_dict()) == pact
    assert Pact.from_dict(from_canonical(to_canonical(pact.to_dict()), most=10**6)) == pact
    assert Pact.from_dict(json.loads(json.dumps(pact.to_dict()))) == pact


def test_what_is_not_said_is_agreed_on_anyway():
    pact = make_pact(small_federation())
    assert (pact.rule, pact.method, pact.confidence, pact.fee) == ("pwyc", "auto", None, None)
    assert pact.patience == PATIENCE
    assert pact.candidates == CandidateList.from_names(["none", "x1", "x2", "x3", "x4"])
    assert make_pact(small_federation(), patience={"report": 5}).patience == {**PATIENCE, "report": 5}
    assert make_pact(small_federation(), patience=5).patience == dict.fromkeys(PATIENCE, 5)


WRONG = {
    "method-exact": ({"method": "exact"}, "method 'exact' needs the joint structure, which reports do not hold"),
    "method": ({"method": "fast"}, "method must be one of "),
    "confidence": (
        {"confidence": 0.9},
        "confidence is about rates counted on points; the masses of a table are exact",
    ),
    "rule": ({"rule": "pwic"}, "rule must be one of pwyc, none"),
    "rule-vcg": ({"rule": "vcg"}, "rule 'vcg' cannot pay in a run: it needs a proved optimum"),
    "fee-of-another-rule": ({"rule": "none", "fee": 1}, "fee belongs to rule pwyc; the rule is 'none'"),
    "fee-of-nobody": ({"fee": {"north": 1}}, "fee"),
    "fee": ({"fee": "much"}, "fee must be a number or a fraction"),
    "level-0": ({"false_alarm_rate": 0}, "false_alarm_rate must lie strictly between 0 and 1; it is 0"),
    "level-1": ({"false_alarm_rate": 1}, "false_alarm_rate must lie strictly between 0 and 1; it is 1"),
    "retry-0": ({"retry": 0}, "retry must be above 0 seconds; it is 0"),
    "retry-nan": ({"retry": float("nan")}, "retry must be a finite number; it is nan"),
    "patience-0": ({"patience": 0}, "patience for 'report' must be above 0 seconds; it is 0"),
    "patience-below-0": ({"patience": {"pay": -1}}, "patience for 'pay' must be above 0 seconds; it is -1"),
    "patience-endless": ({"patience": float("inf")}, "patience for 'report' must be a finite number; it is inf"),
    "patience-for-nothing": ({"patience": {"reprot": 1}}, "'reprot' is none: did you mean 'report'?"),
    "keys-of-a-stranger": (
        {"keys": {**KEYS, "noth": "x"}},
        "keys name 'noth', who is not in the federation; did you",
    ),
    "keys-missing": ({"keys": {"north": KEYS["north"]}}, "keys must be one for every site; 'south' has none"),
    "keys-twice": ({"keys": {**KEYS, "east": KEYS["north"]}}, "keys must be different; two sites have the same"),
    "keys-malformed": ({"keys": {**KEYS, "east": "12ab"}}, "the key of 'east' must be 64 hexadecimal digits"),
    "operator-malformed": ({"operator": "12ab"}, "the operator's key must be 64 hexadecimal digits"),
}


@pytest.mark.parametrize("kind", WRONG)
def test_terms_that_cannot_be(kind):
    terms, line = WRONG[kind]
    with pytest.raises(FederationError) as caught:
        make_pact(small_federation(), **terms)
    assert line in str(caught.value)
    assert "\n" not in str(caught.value)


def test_two_sites_with_one_name():
    with pytest.raises(FederationError, match="agent names must differ; 'north' is used twice"):
        small_federation(names=["north", "south", "north"])


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("L" * 201, "at most 200 characters"),
        ("a" + chr(10) + "b", "one line of plain text"),
        ("a" + chr(0), "one line of plain text"),
        (chr(27) + "[31mred", "one line of plain text"),
        (chr(0x202E) + "htron", "one line of plain text"),
        (chr(0xD800), "one line of plain text"),
        ("Zu" + chr(0x308) + "rich", "different names"),
    ],
    ids=["long", "lines", "nul", "terminal", "turned", "half", "twins"],
)
def test_names_that_messages_or_people_would_stumble_over(name, why):
    with pytest.raises(FederationError, match=why):
        make_pact(small_federation(names=["Z" + chr(0xFC) + "rich", "south", name]))


def test_names_may_be_in_any_script():
    names = [
        "\u5317\u4eac",
        "\U0001f469\u200d\u2695\ufe0f",
        "../o'neil <b>",
        "\u05e6\u05e4\u05d5\u05df",
        "L" * 200,
    ]
    assert make_pact(small_federation(names=names[:3])).names == tuple(names[:3])
    check_site_names(tuple(names))


def test_candidates_are_those_of_the_evidence():
    fed = Federation.from_predictions({"a": [[0, 1], [1, 1]]}, cost=1, epsilon=0.1, delta=0.1)
    assert make_pact(fed).candidates.names == fed.evidence.hypotheses
    assert make_pact(fed, confidence="19/20").confidence == 0.95


def test_other_keys():
    pact = with_keys(make_pact(alice_bob()), {"alice": KEYS["north"], "bob": KEYS["south"]}, KEYS["east"])
    assert (pact.keys["bob"], pact.operator) == (KEYS["south"], KEYS["east"])
    assert pact.agent("bob").name == "bob"
    with pytest.raises(FederationError, match="'bob' has none"):
        with_keys(pact, {"alice": KEYS["north"]}, KEYS["east"])


NETWORK = """
delta = 0.05
epsilon = 0.1
[[agents]]
name = "north"
cost = 2
report = "not-there.npz"
[[agents]]
name = "south"
epsilon = "1/5"
capacity = 40
"""


def test_a_pact_of_a_file_whose_sites_are_still_to_report(tmp_path):
    file = tmp_path / "network.toml"
    file.write_text(NETWORK)
    pact = load_pact(file, fee={"north": 1, "south": 0}, patience=60)
    assert (pact.name, pact.names, pact.delta) == ("network", ("north", "south"), 0.05)
    assert [agent.epsilon for agent in pact.agents] == [0.1, 0.2]
    assert [agent.capacity for agent in pact.agents] == [None, 40]
    assert [agent.cost(3) for agent in pact.agents] == [6, 3]
    assert (pact.candidates, pact.fee, pact.patience["pay"]) == (None, {"north": 1, "south": 0}, 60)
    file.write_text('name = "coast"' + NETWORK)
    assert load_pact(file).name == "coast"
    assert load_pact(file, confidence=0.9).confidence == 0.9


def test_a_pact_of_a_whole_federation_file_is_that_of_the_federation(tmp_path):
    """But for the candidates, which the sites name when they report."""
    fed = small_federation(name="coast")
    save(fed, tmp_path / "fed.json")
    expected = replace(make_pact(fed, rule="none"), candidates=None)
    assert load_pact(tmp_path / "fed.json", rule="none") == expected


def test_terms_that_a_file_cannot_have(tmp_path):
    file = tmp_path / "network.toml"
    file.write_text(NETWORK)
    with pytest.raises(FederationError, match="rule 'vcg' cannot pay in a run"):
        load_pact(file, rule="vcg")
    with pytest.raises(FederationError, match="fee"):
        load_pact(file, fee={"noth": 1})


@pytest.mark.parametrize("fee", ["1e308", -1e17, {"alice": 2e12, "bob": 0}])
def test_fees_beyond_any_budget_are_refused_before_anybody_labels(fee):
    with pytest.raises(FederationError, match="fee must be at most 1,000,000,000,000 either way"):
        make_pact(alice_bob(), fee=fee)


@pytest.mark.parametrize("assumed", [{"noise": 0.05}, {"assume": "agnostic"}])
def test_a_run_is_for_a_candidate_that_is_right(assumed):
    fed = alice_bob().replace(**assumed)
    with pytest.raises(FederationError, match=r"^a run assumes that some candidate is right"):
        make_pact(fed)
