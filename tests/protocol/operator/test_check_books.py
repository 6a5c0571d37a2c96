import copy
import time
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fedpact.coded import Coded, coded
from fedpact.describe.candidate_list import CandidateList
from fedpact.describe.examples import alice_bob
from fedpact.describe.federation import Federation
from fedpact.describe.reports import Report
from fedpact.errors import BrokenLedgerError, LedgerError
from fedpact.mechanism.sample_checks.result import ContributionStatus
from fedpact.protocol.canonical import digest_of_value
from fedpact.protocol.drive import InProcess, drive
from fedpact.protocol.keys.signing import SigningKey, sign_value
from fedpact.protocol.ledger.export import export_ledger
from fedpact.protocol.operator.check_books import BooksStatus, RunBooks, check_books
from fedpact.protocol.operator.operator import resume_run, start_run
from fedpact.protocol.pact import make_pact, name_run, with_keys
from fedpact.protocol.runs import carry_out, memory_ledger, run
from fedpact.protocol.site.simulated_sites import give_keys, simulate_sites
from simulation.simulate_world import FailedSeedError, simulate_world

REFUSED = {"code": "refused", "values": {"detail": "no"}}


def make_books(fed=None, *, own=None, teacher="xA", **terms):
    """A finished run with keys that the test knows: the ledger's entries as kind and body, the operator's key."""
    ledger, fed = memory_ledger(), fed or alice_bob()
    made = simulate_sites(fed, teacher=teacher)
    sites, key, public = give_keys(
        {name: replace(site, **(own or {}).get(name, {})) for name, site in made.items()}
    )
    pact = make_pact(fed, method="tree", keys=public, operator=key.public, **terms)
    with InProcess(sites, clock=lambda: 1e9) as transport:
        drive(start_run(ledger, pact, now=1e9, key=key), transport, lambda: 1e9)
    return [(entry.kind, entry.body) for entry in ledger.entries()], key, ledger


@pytest.fixture(scope="module")
def honest():
    return make_books(fee=0.5)


def write(items, name="run"):
    ledger = memory_ledger()
    ledger.append_all(items, run=name, at=1e9)
    return ledger


def find(items, kind, which=0, **wanted):
    """Where the entry of a kind is."""
    places = [
        place
        for place, (own, body) in enumerate(items)
        if own == kind and all(body.get(key) == value for key, value in wanted.items())
    ]
    return places[which]


def test_an_honest_run_is_sound(honest):
    items, _, ledger = honest
    found = check_books(ledger)
    assert found.problems == ()
    assert found.status is BooksStatus.SOUND
    answers = sum(kind == "answer" for kind, _ in items)
    assert (found.signatures, found.unsigned) == (answers + 2, 0)
    assert (found.payments, found.followed, found.paid) == (2, 2, 4.0)
    assert (found.runs, found.closed) == (1, 1)


@pytest.mark.parametrize("rule", ["pwyc", "none", "equal-split", "proportional"])
def test_amounts_follow_from_the_rule(rule):
    items, key, ledger = make_books(rule=rule)
    found = check_books(ledger)
    assert (found.problems, found.payments, found.followed) == ((), 2, 2)
    items[find(items, "settle")][1]["settlement"]["payments"]["alice"] += 1
    paid_more(items, key)
    found = check_books(write(items, ledger.last("open").run))
    assert found.followed == 1
    keys = [problem.values.get("key") for problem in found.problems]
    assert {"settlement.payments.alice", "statement.amount"} <= set(keys)


def test_without_keys_only_the_chain_stands_for_what_was_said():
    ledger, fed = memory_ledger(), alice_bob()
    carry_out(start_run(ledger, make_pact(fed, method="tree"), now=1e9), simulate_sites(fed, teacher="xA"))
    found = check_books(ledger)
    assert (found.problems, found.signatures, found.unsigned) == ((), 0, 10)
    assert found.status is BooksStatus.UNSIGNED


def test_a_ledger_may_be_empty_or_have_several_runs(tmp_path):
    ledger = memory_ledger()
    assert check_books(ledger).status is BooksStatus.EMPTY
    for _ in range(2):
        run(alice_bob(), teacher="xA", method="tree", ledger=ledger)
    found = check_books(ledger)
    assert (found.runs, found.closed, found.payments, found.wrong) == (2, 2, 4, 0)
    assert check_books(export_ledger(ledger, tmp_path / "a.json")) == found


def test_what_is_no_run_is_left_alone_and_what_is_none_of_a_run_is_not(honest):
    items, _, ledger = honest
    note = ("note", {"text": "lunch"})
    assert check_books(write([note, note])).status is BooksStatus.EMPTY
    found = check_books(write([items[0], note], ledger.last("open").run))
    assert list_problems(found) == [coded("unknown-kind", found="'note'")]


def test_a_broken_chain_is_not_audited(honest, tmp_path):
    _, _, ledger = honest
    path = export_ledger(ledger, tmp_path / "a.json")
    path.write_bytes(path.read_bytes().replace(b'"fee":0.5', b'"fee":0.4', 1))
    with pytest.raises(BrokenLedgerError):
        check_books(path)
    with pytest.raises(LedgerError, match="there is no ledger"):
        check_books(tmp_path / "nowhere")


def alice_answer(items):
    return find(items, "answer", request="contribute/alice/1")


def more_samples(items, key):
    """The operator writes more than alice said."""
    items[alice_answer(items)][1]["body"]["m"] += 1


def another_digest(items, key):
    items[alice_answer(items)][1]["digest"] = "0" * 64


def an_answer_of_another(items, key):
    mine, hers = find(items, "answer", request="contribute/bob/1"), alice_answer(items)
    items[mine] = ("answer", {**items[hers][1], "request": "contribute/bob/1"})


def no_signature(items, key):
    items[alice_answer(items)][1]["signature"] = None


def an_answer_to_nothing(items, key):
    items[alice_answer(items)][1]["request"] = "contribute/alice/9"


def answered_twice(items, key):
    place = alice_answer(items)
    items.insert(place, copy.deepcopy(items[place]))


def asked_twice(items, key):
    place = find(items, "ask", request="contribute/alice/1")
    again = copy.deepcopy(items[place][1])
    items.insert(place + 1, ("ask", {**again, "request": "contribute/alice/2"}))


def asked_again_under_the_same_name(items, key):
    place = find(items, "ask", request="evaluate/alice/1")
    items.insert(place, copy.deepcopy(items[place]))


def asked_beyond_the_plan(items, key):
    items[find(items, "ask", request="contribute/alice/1")][1]["body"]["total"] += 5


def a_stranger_is_asked(items, key):
    place = find(items, "ask", request="contribute/alice/1")
    items.insert(place, ("ask", {**items[place][1], "site": "mallory", "request": "contribute/mallory/1"}))


def asked_when_gone(items, key):
    place = find(items, "ask", request="evaluate/alice/1")
    items.insert(
        place, ("gone", {"site": "alice", "step": "evaluate", "code": "late", "values": {"seconds": 60.0}})
    )


def another_choice(items, key):
    body = items[find(items, "choose")][1]
    body["index"] = max(range(len(body["mistakes"])), key=body["mistakes"].__getitem__)


def other_mistakes(items, key):
    items[find(items, "choose")][1]["mistakes"][0] += 1


def flagged_and_paid(items, key):
    items[find(items, "choose")][1]["checks"]["alice"]["is_flagged"] = True


def withheld_without_a_flag(items, key):
    items[find(items, "choose")][1]["withheld"]["alice"] = "because"


def never_checked(items, key):
    del items[find(items, "choose")][1]["checks"]["alice"]


def sign_again(items, place, key, **changes):
    statement = {**items[place][1]["statement"], **changes}
    statement.pop("signature")
    items[place] = ("pay", {**items[place][1], "statement": sign_value(key, statement)})


def paid_twice(items, key):
    place = find(items, "pay", site="alice")
    items.insert(place, copy.deepcopy(items[place]))


def paid_more(items, key):
    place = find(items, "pay", site="alice")
    sign_again(items, place, key, amount=items[place][1]["statement"]["amount"] + 0.01)


def settled_and_paid_more(items, key):
    items[find(items, "settle")][1]["settlement"]["payments"]["alice"] += 1
    paid_more(items, key)


def paid_for_more(items, key):
    sign_again(items, find(items, "pay", site="alice"), key, contributed=4)


def another_cost(items, key):
    sign_again(items, find(items, "pay", site="alice"), key, labelling=9.0)


def flagged_for_no_reason(items, key):
    """An operator that would rather not pay: everything it writes goes together, but nothing is wrong."""
    body, why = items[find(items, "choose")][1], "flagged"
    body["checks"]["alice"]["is_flagged"], body["withheld"]["alice"] = True, why
    sign_again(items, find(items, "pay", site="alice"), key, amount=0.0, withheld=2.5, why=why)
    items[find(items, "close")][1]["paid"] -= 2.5
    items[:] = items[: find(items, "ask", step="pay")]


def secretly_withheld(items, key):
    sign_again(items, find(items, "pay", site="alice"), key, withheld=2.5)


def a_reason_that_is_none(items, key):
    sign_again(items, find(items, "pay", site="alice"), key, why="because")


def another_pact(items, key):
    sign_again(items, find(items, "pay", site="alice"), key, pact_digest="0" * 64)


def signed_by_another(items, key):
    sign_again(items, find(items, "pay", site="alice"), SigningKey.generate())


def a_statement_for_another(items, key):
    mine = items[find(items, "pay", site="bob")][1]["statement"]
    items[find(items, "pay", site="alice")][1]["statement"] = mine


def a_stranger_is_paid(items, key):
    items.insert(find(items, "pay"), ("pay", {"site": "mallory", "statement": items[find(items, "pay")][1]}))


def not_paid(items, key):
    del items[find(items, "pay", site="alice")]


def closed_with_another_sum(items, key):
    items[find(items, "close")][1]["paid"] += 1


def after_the_close(items, key):
    items.append(("ask", items[find(items, "ask")][1]))


def opened_twice(items, key):
    items.insert(1, copy.deepcopy(items[0]))


def not_opened(items, key):
    del items[0]


def planned_below_what_was_given(items, key):
    place = find(items, "plan")
    lower = copy.deepcopy(items[place])
    lower[1]["plan"]["contributions"]["alice"] = 1
    items.insert(find(items, "choose"), lower)


def no_report(items, key):
    """Without a report nobody could check what alice gave."""
    items[:] = [item for item in items if item[1].get("request") != "report/alice/1"]


def never_chosen(items, key):
    del items[find(items, "choose")]


def chosen_first(items, key):
    """Whatever is contributed after the choice was never checked."""
    kind, body = items.pop(find(items, "choose"))
    body = {**body, "m": 0, "checks": {}, "withheld": {}, "mistakes": [0] * len(body["mistakes"])}
    items.insert(find(items, "ask", step="contribute"), (kind, body))


def chosen_twice(items, key):
    place = find(items, "choose")
    items.insert(place, copy.deepcopy(items[place]))


def chosen_before_all_gave(items, key):
    items[:] = [item for item in items if item[1].get("request") != "contribute/bob/1"]


def another_hypothesis(items, key):
    items[find(items, "choose")][1]["hypothesis"] = "another"


def another_finding(items, key):
    items[find(items, "choose")][1]["checks"]["alice"]["suspicious"] += 1


def other_terms(items, key):
    """The operator writes itself a pact with a higher fee, and all that follows from it."""
    pact = items[0][1]["pact"]
    pact["fee"]["alice"] += 1
    bill = items[find(items, "settle")][1]["settlement"]
    bill["payments"]["alice"], bill["fees"]["alice"], bill["recovered"] = 1.5, 1.5, 2.0
    sign_again(items, find(items, "pay", site="bob"), key, pact_digest=digest_of_value(pact))
    sign_again(
        items, find(items, "pay", site="alice"), key, pact_digest=digest_of_value(pact), amount=1.5, fee=1.5
    )
    items[:] = items[: find(items, "ask", step="pay")]


def settled_with_another_fee(items, key):
    items[find(items, "settle")][1]["settlement"]["fees"]["alice"] = 9.0


def settled_for_another_contribution(items, key):
    items[find(items, "settle")][1]["settlement"]["contributions"]["alice"] = 9


def settled_by_another_rule(items, key):
    items[find(items, "settle")][1]["settlement"]["rule"] = "none"


def another_spend(items, key):
    items[find(items, "settle")][1]["settlement"]["spend"] += 1


def settled_twice(items, key):
    place = find(items, "settle")
    items.insert(place, copy.deepcopy(items[place]))


def settled_before_the_evaluation(items, key):
    items.insert(find(items, "choose") + 1, items.pop(find(items, "settle")))


def one_is_not_settled_with(items, key):
    """Bob would owe its fee."""
    bill = items[find(items, "settle")][1]["settlement"]
    for table in ("payments", "fees", "contributions", "labelling"):
        del bill[table]["bob"]
    del items[find(items, "pay", site="bob")]


def another_fee_in_the_statement(items, key):
    sign_again(items, find(items, "pay", site="alice"), key, fee=99.0)


def another_evaluation_in_the_statement(items, key):
    sign_again(items, find(items, "pay", site="alice"), key, evaluation=None)


def gone_though_it_answered(items, key):
    items.insert(
        find(items, "choose"),
        ("gone", {"site": "alice", "step": "contribute", **REFUSED}),
    )


def given_up_early(items, key):
    place = find(items, "answer", request="evaluate/alice/1")
    items[place] = ("gone", {"site": "alice", "step": "evaluate", "code": "late", "values": {"seconds": 600.0}})


def too_little_time(items, key):
    items[find(items, "ask", request="contribute/alice/1")][1]["deadline"] -= 1000


def too_small_a_plan(items, key):
    plan = items[find(items, "plan")][1]["plan"]
    plan["contributions"]["bob"], plan["cost"] = 0, 3.0


def a_plan_of_another_cost(items, key):
    items[find(items, "plan")][1]["plan"]["cost"] = 1.0


def a_plan_below_its_bound(items, key):
    items[find(items, "plan")][1]["plan"]["lower_bound"] = 1e6


def a_plan_by_another_method(items, key):
    items[find(items, "plan")][1]["plan"]["method"] = "lp"


def half_a_sample(items, key):
    items[find(items, "plan")][1]["plan"]["contributions"]["bob"] = 2.5


def other_candidates(items, key):
    items[find(items, "ask", request="report/alice/1")][1]["body"]["candidates"] = "0" * 16


def another_deficit(items, key):
    items[find(items, "settle")][1]["settlement"]["deficit"] = 0.0


def a_sum_that_is_no_number(items, key):
    items[find(items, "close")][1]["paid"] = "4.0"


def a_plan_without_bob(items, key):
    del items[find(items, "plan")][1]["plan"]["contributions"]["bob"]


def planned_after_the_choice(items, key):
    items.insert(find(items, "choose") + 1, copy.deepcopy(items[find(items, "plan")]))


def planned_before_all_had_reported(items, key):
    late = items.pop(find(items, "answer", request="report/alice/1"))
    items.insert(find(items, "plan") + 1, late)


def went_on_after_a_stop(items, key):
    items.insert(find(items, "choose"), ("stop", {"code": "no-plan", "values": {}}))


def stopped_after_the_choice(items, key):
    items.insert(find(items, "choose") + 1, ("stop", {"code": "no-plan", "values": {}}))


def evaluated_another(items, key):
    items[find(items, "ask", request="evaluate/alice/1")][1]["body"]["index"] += 1


def closed_at_once(items, key):
    items[1:] = [("close", {"paid": 0.0})]


def a_statement_that_is_not_sent(items, key):
    items[:] = [item for item in items if item[1].get("request") != "pay/alice/1"]


def list_problems(found):
    """What does not hold, whichever entry shows it."""
    return [coded(problem.code, **problem.values) for problem in found.problems]


def other(what, key, found, expected):
    return coded("other-value", what=what, key=key, found=found, expected=expected)


def not_due(what, due):
    return coded("not-due", what=what, due=due)


FRAUDS = {
    more_samples: coded("other-digest", site="alice"),
    another_digest: coded("other-digest", site="alice"),
    an_answer_of_another: coded("not-signed", site="bob"),
    no_signature: coded("not-signed", site="alice"),
    an_answer_to_nothing: coded("answer-to-nothing"),
    answered_twice: coded("answered-twice", request="contribute/alice/1"),
    asked_twice: not_due("ask contribute alice", "ask contribute bob"),
    asked_again_under_the_same_name: not_due("ask evaluate alice", "ask evaluate bob"),
    asked_beyond_the_plan: other("ask contribute alice", "body.total", "8", "3"),
    a_stranger_is_asked: not_due("ask contribute mallory", "ask contribute alice"),
    asked_when_gone: not_due("ask evaluate alice", "ask evaluate bob"),
    another_choice: other("choose", "index", "1", "2"),
    other_mistakes: other("choose", "mistakes", "[4, 5, 0, 2]", "[3, 5, 0, 2]"),
    flagged_and_paid: other("choose", "checks.alice.is_flagged", "True", "False"),
    withheld_without_a_flag: other("choose", "withheld", "['alice']", "[]"),
    never_checked: other("choose", "checks", "['bob']", "['alice', 'bob']"),
    paid_twice: not_due("pay alice", "pay bob"),
    paid_more: other("pay alice", "statement.amount", "2.51", "2.5"),
    settled_and_paid_more: other("settle", "settlement.payments.alice", "3.5", "2.5"),
    paid_for_more: other("pay alice", "statement.contributed", "4", "3"),
    another_cost: other("pay alice", "statement.labelling", "9.0", "3.0"),
    flagged_for_no_reason: other("choose", "checks.alice.is_flagged", "True", "False"),
    secretly_withheld: other("pay alice", "statement.withheld", "2.5", "0.0"),
    a_reason_that_is_none: other("pay alice", "statement.why", "'because'", "None"),
    another_pact: coded("other-value", what="pay alice", key="statement.pact_digest"),
    signed_by_another: coded("statement-not-signed", site="alice"),
    a_statement_for_another: other("pay alice", "statement.site", "'bob'", "'alice'"),
    a_stranger_is_paid: not_due("pay mallory", "pay alice"),
    not_paid: not_due("ask pay alice", "pay alice"),
    closed_with_another_sum: other("close", "paid", "5.0", "4.0"),
    after_the_close: coded("after-close"),
    opened_twice: coded("opened-twice"),
    not_opened: coded("not-opened"),
    planned_below_what_was_given: not_due("plan", "choose"),
    no_report: not_due("plan", "ask report alice"),
    never_chosen: not_due("settle", "choose"),
    chosen_first: not_due("choose", "ask contribute alice"),
    chosen_twice: not_due("choose", "ask evaluate alice"),
    chosen_before_all_gave: not_due("choose", "ask contribute bob"),
    another_hypothesis: other("choose", "hypothesis", "'another'", "'xA'"),
    another_finding: other("choose", "checks.alice.suspicious", "1", "0"),
    other_terms: coded("other-name"),
    settled_with_another_fee: other("settle", "settlement.fees.alice", "9.0", "0.5"),
    settled_for_another_contribution: other("settle", "settlement.contributions.alice", "9", "3"),
    settled_by_another_rule: other("settle", "settlement.rule", "'none'", "'pwyc'"),
    another_spend: other("settle", "settlement.spend", "6.0", "5.0"),
    settled_twice: not_due("settle", "pay alice"),
    settled_before_the_evaluation: not_due("settle", "ask evaluate alice"),
    one_is_not_settled_with: other("settle", "settlement.payments", "['alice']", "['alice', 'bob']"),
    another_fee_in_the_statement: other("pay alice", "statement.fee", "99.0", "0.5"),
    another_evaluation_in_the_statement: coded("other-value", what="pay alice", key="statement.evaluation"),
    gone_though_it_answered: coded("owed-nothing", site="alice", step="contribute"),
    given_up_early: coded("given-up-early", site="alice"),
    too_little_time: other("ask contribute alice", "deadline", "1000603800.0", "1000604800.0"),
    too_small_a_plan: coded("plan-target", site="bob"),
    a_plan_of_another_cost: coded("plan-cost", cost=5.0),
    a_plan_below_its_bound: coded("plan-cost", cost=5.0),
    a_plan_by_another_method: coded("plan-terms", key="method"),
    half_a_sample: coded("malformed", kind="plan"),
    other_candidates: coded("other-value", what="ask report alice", key="body.candidates"),
    another_deficit: other("settle", "settlement.deficit", "0.0", "4.0"),
    a_sum_that_is_no_number: other("close", "paid", "'4.0'", "4.0"),
    a_plan_without_bob: coded("plan-of-others"),
    planned_after_the_choice: not_due("plan", "ask evaluate alice"),
    planned_before_all_had_reported: not_due("plan", "answer report/alice/1"),
    went_on_after_a_stop: not_due("stop", "choose"),
    stopped_after_the_choice: not_due("stop", "ask evaluate alice"),
    evaluated_another: other("ask evaluate alice", "body.index", "3", "2"),
    closed_at_once: not_due("close", "ask report alice"),
    a_statement_that_is_not_sent: not_due("close", "ask pay alice"),
}


def test_an_intact_chain_of_wrong_entries_is_found_out(honest):
    items, key, ledger = honest
    for fraud, problem in FRAUDS.items():
        changed = copy.deepcopy(items)
        fraud(changed, key)
        found = check_books(write(changed, ledger.last("open").run))
        assert found.status is BooksStatus.WRONG
        told = [one.values for one in found.problems if one.code == problem.code]
        assert any(problem.values.items() <= values.items() for values in told), (fraud.__name__, found.problems)


def test_a_receipt_for_another_statement_is_found_out(honest):
    items, _, ledger = honest
    changed = copy.deepcopy(items)
    body = changed[find(changed, "answer", request="pay/alice/1")][1]
    body["body"] = {"statement": "0" * 64}
    body["digest"] = digest_of_value(body["body"])
    found = check_books(write(changed, ledger.last("open").run))
    refused = coded("not-acceptable", site="alice", why="other-statement")
    assert list_problems(found) == [coded("not-signed", site="alice"), refused]


def test_problems_name_their_entry_and_are_counted_beyond_the_first_hundred(honest):
    items, _, ledger = honest
    strange = [("answer", {"request": "none", "digest": "", "body": {}, "signature": None})] * 150
    found = check_books(write([items[0], *strange], ledger.last("open").run))
    assert (found.wrong, len(found.problems)) == (150, 100)
    assert [problem.entry for problem in found.problems[:2]] == [2, 3]


PLAIN = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"]), max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("abc", max_size=2), inner, max_size=3),
    max_leaves=5,
)


def paths_in(value, path=()):
    yield path
    if isinstance(value, dict):
        for key in value:
            yield from paths_in(value[key], (*path, key))
    elif isinstance(value, list):
        for place in range(min(len(value), 4)):
            yield from paths_in(value[place], (*path, place))


def put(value, path, new):
    if not path:
        return new
    value[path[0]] = put(value[path[0]], path[1:], new)
    return value


@pytest.mark.slow
@settings(max_examples=300)
@given(data=st.data())
def test_whatever_stands_in_an_entry_the_audit_comes_to_an_end(honest, data):
    items, _, ledger = honest
    entries = list(ledger.entries())
    place = data.draw(st.integers(0, len(items) - 1))
    path = data.draw(st.sampled_from(list(paths_in(items[place][1]))))
    body = put(copy.deepcopy(items[place][1]), path, data.draw(PLAIN))
    books = RunBooks()
    for number, entry in enumerate(entries):
        found = books.read(type(entry)(**{**entry.to_dict(), "body": body}) if number == place else entry)
        assert all(isinstance(problem, Coded) for problem in found)


SIGNED = {"answer": ("body", "signature", "request"), "pay": ("statement", "site")}


@pytest.mark.slow
@settings(max_examples=200)
@given(data=st.data())
def test_no_signed_value_can_be_changed(honest, data):
    """Whatever a site or the operator put its name to: any other value there is a problem."""
    items, _, ledger = honest
    entries = list(ledger.entries())
    place = data.draw(st.sampled_from([at for at, (kind, _) in enumerate(items) if kind in SIGNED]))
    kind, body = items[place]
    paths = [path for path in paths_in(body) if path and path[0] in SIGNED[kind]]
    changed = put(copy.deepcopy(body), data.draw(st.sampled_from(paths)), data.draw(PLAIN))
    if digest_of_value(changed) == digest_of_value(body):
        return
    books, problems = RunBooks(), []
    for number, entry in enumerate(entries):
        kept = type(entry)(**{**entry.to_dict(), "body": changed}) if number == place else entry
        problems += books.read(kept)
    assert problems


def test_the_books_of_simulated_runs_are_audited_too(monkeypatch):
    monkeypatch.setattr(RunBooks, "read", lambda self, entry: [coded("paid-twice", site="x")])
    with pytest.raises(FailedSeedError, match="paid-twice"):
        simulate_world(0)


def test_who_gives_nothing_bears_its_share_all_the_same():
    """An operator that leaves a friend out of the settlement lets the others bear more."""
    items, key, ledger = make_books(alice_bob().replace(cost=[1, 100]), rule="equal-split")
    assert items[find(items, "plan")][1]["plan"]["contributions"]["bob"] == 0
    bill = items[find(items, "settle")][1]["settlement"]
    for table in ("payments", "fees", "contributions", "labelling"):
        del bill[table]["bob"]
    bill["payments"]["alice"], bill["fees"]["alice"] = 0.0, bill["labelling"]["alice"]
    del items[find(items, "pay", site="bob")]
    sign_again(items, find(items, "pay", site="alice"), key, amount=0.0, fee=bill["labelling"]["alice"])
    found = check_books(write(items[: find(items, "ask", step="pay")], ledger.last("open").run))
    assert other("settle", "settlement.payments", "['alice']", "['alice', 'bob']") in list_problems(found)


def test_a_run_is_opened_when_the_one_before_is_finished(honest):
    items, _, _ = honest
    ledger = memory_ledger()
    for number in range(2):
        pact = {**items[0][1]["pact"], "name": f"run {number}"}
        ledger.append("open", {"pact": pact}, run=name_run(pact, previous=ledger.head, at=1e9), at=1e9)
    problems = check_books(ledger).problems
    assert [problem.entry for problem in problems] == [2]
    assert problems[0].code == "opened-early"


def test_a_flag_that_is_taken_from_a_liar_is_found_out():
    """Two candidates differ on half of alice's points; it says nine in ten."""
    labels = np.tile([[0, 0], [0, 1]], (1, 200))
    fed = Federation.from_predictions(
        {"alice": labels, "bob": labels}, epsilon=0.1, delta=1e-20, cost=[1, 100], hypotheses=["never", "odd"]
    )
    claimed = Report(
        name="alice",
        n=400,
        n_classes=2,
        counts=np.array([360]),
        candidates=CandidateList.from_names(["never", "odd"]),
    )
    items, key, ledger = make_books(fed, own={"alice": {"report": claimed}}, teacher="odd")
    assert (check_books(ledger).problems, check_books(ledger).paid) == ((), 0.0)
    body, place = items[find(items, "choose")][1], find(items, "pay", site="alice")
    check = body["checks"]["alice"]
    check["is_flagged"], check["status"], body["withheld"] = False, ContributionStatus.CONSISTENT.value, {}
    statement = items[place][1]["statement"]
    said = {**statement["check"], "status": check["status"]}
    sign_again(items, place, key, amount=statement["withheld"], withheld=0.0, why=None, verified=True, check=said)
    found = check_books(write(items[: find(items, "ask", step="pay")], ledger.last("open").run))
    assert list_problems(found)[0] == other("choose", "checks.alice.status", "'consistent'", "'flagged'")


def test_a_run_that_stopped_for_reports_that_differ_and_went_on_is_sound():
    fed = alice_bob()
    sites, key, public = give_keys(simulate_sites(fed, teacher="xA"))
    others = CandidateList.from_names(["nowhere", "xB", "xA", "other"])
    odd = replace(sites["bob"].pool, predicted=replace(sites["bob"].pool.predicted, candidates=others))
    pact = replace(with_keys(make_pact(fed, method="tree"), public, key.public), candidates=None)
    ledger = memory_ledger()
    operator = start_run(ledger, pact, now=time.time(), key=key)
    stopped = carry_out(operator, {**sites, "bob": replace(sites["bob"], pool=odd)})
    difference = "candidate 4 is 'xA+xB' in one and 'other' in the other"
    detail = f"'alice' and 'bob' have different candidates: {difference}"
    assert stopped.why == coded("candidates-differ", detail=detail)
    assert check_books(ledger).problems == ()
    again = carry_out(resume_run(ledger, now=time.time(), key=key), sites)
    assert (again.contributions, again.hypothesis) == ({"alice": 3, "bob": 2}, "xA")
    assert check_books(ledger).is_sound


def test_the_order_of_names_in_a_settlement_means_nothing():
    """Canonical JSON sorts the names, and honest books of which two sites would rather leave were called wrong."""
    fed = Federation.from_table(
        [[0, 0, 0], [0, 0, 1], [0, 1, 0], [1, 0, 0]],
        [["1/12", "6/12", "5/12"], ["3/9", "1/9", "5/9"], ["1/5", "3/5", "1/5"]],
        epsilon=0.3,
        delta=0.1,
        names=["south", "north", "east"],
        cost=[0.1, 0.7, 0.21],
    )
    items, _, ledger = make_books(fed, teacher="h1", rule="none")
    assert items[find(items, "settle")][1]["settlement"]["leaving"] == ["south", "east"]
    assert check_books(ledger).problems == ()


def test_nothing_follows_from_a_plan_that_is_none(honest):
    """A negative number of samples went on to the next decision, and ended in a warning of numpy."""
    items, _, ledger = honest
    changed = copy.deepcopy(items)
    changed[find(changed, "plan")][1]["plan"]["contributions"]["alice"] = -3
    found = check_books(write(changed, ledger.last("open").run))
    assert "plan-samples" in [problem.code for problem in found.problems]
    assert found.status is BooksStatus.WRONG
