import json

import pytest

import fedpact as fp


@pytest.fixture(scope="module")
def found():
    steps = []
    maps = fp.experiments.reproduce_obliviousness(
        [20, 130, 400], [7, 41], parts=3, progress=lambda *at: steps.append(at)
    )
    assert steps == [(done, 33) for done in range(1, 34)]
    return maps


def test_the_map_of_the_pac_objective(found):
    status = {point.m: point.status.name for point in found.pac.points}
    assert status[20, 20] == status[130, 20] == status[130, 130] == "HOLDS"
    assert status[400, 20] == status[400, 400] == "TOO_LARGE"
    assert found.pac.stated == (pytest.approx(104.05, abs=5e-3), None)
    assert found.pac.corrected == pytest.approx((129.0, 356.6), abs=0.05)


def test_the_map_of_the_expected_objective(found):
    at = {point.m: point for point in found.expected.points}
    assert (at[7, 7].reached, at[7, 7].reached_by_paper) == (8, 6)
    assert (at[7, 41].reached, at[7, 41].status.name) == (0, "NOT_BUILT")
    assert found.expected.stated == pytest.approx((2.83, 41.59), abs=5e-3)
    assert found.expected.corrected[1] == pytest.approx(40.54, abs=5e-3)


def test_no_report_of_the_search_raises_the_other_entry(found):
    assert (found.search.reports, found.search.highest_other) == (20, 7)
    assert found.search.highest_own > 7


def test_it_survives_json_and_is_drawn(found):
    assert fp.experiments.ObliviousnessMap.from_dict(json.loads(json.dumps(found.to_dict()))) == found
    figure = found.plot()
    assert [axes.get_title() for axes in figure.axes] == [
        "pac, H = 18, epsilon = 0.01",
        "expected, H = 8, epsilon = 0.1",
        "expected, the paper's construction",
    ]
    holds = figure.axes[0].lines[0]
    assert sorted(zip(holds.get_xdata(), holds.get_ydata(), strict=True)) == [
        (20, 20), (20, 130), (130, 20), (130, 130),
    ]  # fmt: skip


@pytest.mark.parametrize("grids", [([], [7], 3), ([130], [], 3), ([130], [7], 0), ([1.5], [7], 3)])
def test_bad_parameters_are_refused(grids):
    with pytest.raises(fp.FederationError, match=r"pac|parts"):
        fp.experiments.reproduce_obliviousness(grids[0], grids[1], parts=grids[2])
