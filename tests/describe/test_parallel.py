import threading

import pytest

from fedpact.describe.parallel import all_cores, parallel_map


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
