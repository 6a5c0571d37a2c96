import threading

import pytest

import fedpact as fp
from fedpact.describe.progress import all_cores, compiled, ends_search, on_interrupt, parallel_map
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
    monkeypatch.setattr(exact, "_open_box", interrupt)
    with pytest.raises(KeyboardInterrupt):
        fp.frontier(fp.examples.singletons(), epsilon=[0.05, 0.1], method="exact")


@pytest.mark.parametrize("parts", [0, 1, 3, 4, 100])
def test_results_come_in_order(parts):
    assert list(parallel_map(lambda part: part * part, range(parts))) == [part * part for part in range(parts)]


def test_few_parts_start_no_thread():
    assert set(parallel_map(lambda _: threading.get_ident(), range(3))) == {threading.get_ident()}


def test_many_parts_are_worked_on_by_threads():
    assert threading.get_ident() not in set(parallel_map(lambda _: threading.get_ident(), range(40)))


def test_what_has_not_begun_when_the_reader_leaves_is_not_done():
    begun = []
    with all_cores(1000) as spread:
        hold = threading.Event()

        def work(part):
            begun.append(part)
            hold.wait(10)

        spread(work, range(1000))
        threading.Timer(0.2, hold.set).start()
    assert len(begun) < 1000


def test_a_loop_of_no_file_is_compiled_and_not_kept():
    scope = {}
    exec("def add_up(n):\n    total = 0\n    for i in range(n):\n        total += i\n    return total", scope)
    add_up = compiled(scope["add_up"])
    assert add_up(101) == 5050
    assert add_up.signatures
    assert not add_up.stats.cache_path
