"""Hospitals and digits: a cell per draw, class and epsilon gives what planning for all of them at once gives."""

import csv
import json
import os
from copy import deepcopy
from pathlib import Path

import numpy as np
import pytest

import fedpact as fp
from reproduction.data.private_points import FILE, load_digit_sites, load_hospitals
from reproduction.page import conclusions_of, plot_of, tables_of
from reproduction.private_planning import plan_privately
from reproduction.sweep import reproduce

pytestmark = pytest.mark.slow

pytest.importorskip("sklearn")
FEATURES = [
    "age",
    "sex",
    "cp",
    "trestbps",
    "chol",
    "fbs",
    "restecg",
    "thalach",
    "exang",
    "oldpeak",
    "slope",
    "ca",
    "thal",
]
RESULTS = Path(__file__).parents[2] / "docs" / "results"
SMALL = {"candidates": [12, 6], "epsilon": [0.3, 0.4]}
ASKED = {"delta": 0.05, "confidence": 0.95, "method": "tree", "seed": 0}


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    store = tmp_path_factory.mktemp("store")

    def run(name="digits", data=None, quick=False, **changes):
        options = {"data": data, "quick": quick, "changes": SMALL | changes}
        return reproduce(name, store=store, workers=1, **options)

    return run


@pytest.fixture(scope="module")
def small(run):
    return run()


@pytest.fixture(scope="module")
def patients(tmp_path_factory):
    """A folder with the patients of two hospitals, ill where they are old."""
    rng, folder = np.random.default_rng(0), tmp_path_factory.mktemp("patients")
    with (folder / FILE).open("w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["hospital", *FEATURES, "num"])
        for place in range(120):
            points = rng.integers(1, 90, len(FEATURES))
            table.writerow([("north", "south")[place % 2], *points, int(points[0] + 9 * rng.normal() > 45)])
    return str(folder)


def plans(found):
    return [one for one in found["results"]["runs"] for one in one["plans"]]


def test_digits_are_shared_out_unevenly_and_planned_for(small):
    data = load_digit_sites(np.random.default_rng(0))
    shares = [np.bincount(own.labels, minlength=10) / len(own.labels) for own in data.private.values()]
    assert min(data.sizes.values()) >= 15
    assert max(share.max() for share in shares) > 0.2
    assert [run["H"] for run in small["results"]["runs"]] == [12, 6]
    for one in small["results"]["runs"]:
        assert one["public_points"] == len(data.public.labels)
        assert [site["points"] for site in one["sites"]] == list(data.sizes.values())
    assert all(one["plan"]["cost"] > 0 for one in plans(small))
    assert small["data"] == "scikit-learn's digits, shared out among five sites"


def test_cells_are_what_planning_for_all_at_once_gives(small):
    data = load_digit_sites(np.random.default_rng(0))
    for one in small["results"]["runs"]:
        assert one == plan_privately(data, candidates=one["H"], epsilon=[0.3, 0.4], **ASKED)
    assert small["results"]["epsilon"] == [0.3, 0.4]


def test_every_seed_is_a_draw_of_its_own(run, small):
    two = run(seeds=2)
    assert two["results"]["runs"][:2] == small["results"]["runs"]
    assert [one["seed"] for one in two["results"]["runs"]] == [0, 0, 1, 1]
    sites = [[site["points"] for site in one["sites"]] for one in two["results"]["runs"]]
    assert sites[0] == sites[1] != sites[2]
    assert tables_of(two)[0].rows[-1][:4] == ["1", "6", "0.4", "0.95"]


def test_hospitals_are_read_from_a_folder(run, patients):
    found = run("hospitals", patients, epsilon=[0.3])
    data = load_hospitals(patients, np.random.default_rng(0))
    first = found["results"]["runs"][0]
    assert {site["name"]: site["points"] for site in first["sites"]} == data.sizes == {"north": 45, "south": 45}
    assert first == plan_privately(data, candidates=12, epsilon=[0.3], **ASKED)
    assert found["data"].startswith("heart_disease_4hospitals.csv")


@pytest.mark.skipif("FEDPACT_DATA" not in os.environ, reason="FEDPACT_DATA names no folder of data")
def test_the_hospitals_themselves(run):
    found = run("hospitals", os.environ["FEDPACT_DATA"], candidates=[20], epsilon=[0.3])
    assert [(site["name"], site["points"]) for site in found["results"]["runs"][0]["sites"]] == [
        ("cleveland", 227),
        ("hungarian", 220),
        ("switzerland", 92),
        ("va_long_beach", 150),
    ]
    assert plans(found)[1]["has_capacities"]


@pytest.mark.parametrize("name", ["hospitals", "digits"])
def test_what_is_kept_is_paid_what_it_costs_and_within_what_sites_have(name):
    kept = json.loads((RESULTS / f"{name}.json").read_text())
    for one in kept["results"]["runs"]:
        have = {site["name"]: site["points"] for site in one["sites"]}
        for each in one["plans"]:
            assert each["has_capacities"]
            wanted = each["plan"]["contributions"]
            assert each["settlement"]["payments"] == {site: float(count) for site, count in wanted.items()}
            assert all(count <= have[site] for site, count in wanted.items())
            assert sum(wanted.values()) == each["plan"]["cost"] >= each["plan"]["lower_bound"]
    costs = [one["plan"]["cost"] for one in plans(kept)]
    assert all(plain < sure for plain, sure in zip(costs[::2], costs[1::2], strict=True))


def test_sentences_follow_the_numbers(small):
    def cost(H, epsilon, confidence):
        runs = [one for one in small["results"]["runs"] if one["H"] == H]
        return next(
            one["plan"]["cost"]
            for one in runs[0]["plans"]
            if (one["epsilon"], one["confidence"]) == (epsilon, confidence)
        )

    ratios = [cost(H, epsilon, 0.95) / cost(H, epsilon, None) for H in (12, 6) for epsilon in (0.3, 0.4)]
    said = "\n".join(conclusions_of(small))
    assert f"makes plans {min(ratios):.1f} to {max(ratios):.1f} times as dear" in said
    # (1 - 0.3)^16 * 12 <= 0.05, and no fewer will do
    assert f"with 12 candidates: {16 * 5} at epsilon 0.3, with reports {cost(12, 0.3, 0.95):g}" in said
    assert "nobody would be better off alone" in said
    entry = deepcopy(small)
    first = entry["results"]["runs"][0]["plans"][0]
    first["has_capacities"] = False
    first["settlement"] |= {
        "leaving": ["site-2"],
        "utility_alone": first["settlement"]["utility_alone"] | {"site-3": 0},
    }
    said = "\n".join(conclusions_of(entry))
    assert "1 plans ask a site for more labels than it has private points" in said
    assert (
        "site-2 would be better off alone; alone the target is out of reach for site-3 with 12 candidates" in said
    )


def test_samples_with_and_without_confidence_are_drawn(small):
    (axes,) = plot_of(small).axes
    assert [label.get_text() for label in axes.get_yticklabels()][:2] == ["site-1", "site-1, confident"]
    plain, sure = (one["plan"]["contributions"] for one in small["results"]["runs"][0]["plans"][2:4])
    widths = [bar.get_width() for bar in axes.patches]
    assert widths[::2] == list(plain.values())
    assert widths[1::2] == list(sure.values())


def test_without_data_hospitals_run_only_quickly_and_on_digits(run, small):
    with pytest.raises(fp.FederationError, match="without data there is only --quick, on digits"):
        run("hospitals")
    quick = run("hospitals", quick=True)
    assert quick["results"]["runs"] == small["results"]["runs"]
    assert (quick["data"], quick["results"]["data"]) == (small["data"], "digits")
