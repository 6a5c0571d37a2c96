import pytest

import fedpact as fp
from fedpact.describe.interrupts import ends_search, on_interrupt
from fedpact.game import pure_equilibria
from fedpact.mechanism.audit.search import MisreportSearch
from fedpact.planning import exact


def interrupt(*_, **__):
    raise KeyboardInterrupt


def test_a_search_alone_answers_with_what_it_has(monkeypatch):
    fed = fp.examples.singletons()
    assert fp.plan(fed, "exact", progress=interrupt).status is fp.planning.PlanStatus.INTERRUPTED
    monkeypatch.setattr(MisreportSearch, "run", interrupt)
    assert not fp.audit(fed).is_complete
    monkeypatch.setattr(pure_equilibria, "_search_boxes", interrupt)
    assert not fp.equilibria(fed).is_complete


def test_one_of_several_ends_them_all(monkeypatch):
    fed = fp.examples.singletons()
    monkeypatch.setattr(MisreportSearch, "run", interrupt)
    monkeypatch.setattr(pure_equilibria, "_search_boxes", interrupt)
    for search in (
        lambda: fp.plan(fed, "exact", progress=interrupt),
        lambda: fp.audit(fed),
        lambda: fp.equilibria(fed),
    ):
        with pytest.raises(KeyboardInterrupt), on_interrupt("raise"):
            search()
    assert ends_search() == (KeyboardInterrupt,)


@pytest.mark.parametrize("ask", [fp.compare, lambda fed: fp.web.export_html(fed)])
def test_a_comparison_and_a_report_do_not_go_on(ask, monkeypatch):
    monkeypatch.setattr(pure_equilibria, "_search_boxes", interrupt)
    with pytest.raises(KeyboardInterrupt):
        ask(fp.examples.alice_bob())
    assert ends_search() == (KeyboardInterrupt,)


def test_a_frontier_ends_at_the_first_interrupt(monkeypatch):
    monkeypatch.setattr(exact, "_explore", interrupt)
    with pytest.raises(KeyboardInterrupt):
        fp.frontier(fp.examples.singletons(), epsilon=[0.05, 0.1], method="exact")
