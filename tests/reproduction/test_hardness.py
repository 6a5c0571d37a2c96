import itertools
from copy import deepcopy

import numpy as np
import pytest

import fedpact as fp
from reproduction.hardness import cover_greedily, draw_members, find_smallest_cover, give_each_set_an_agent
from reproduction.page import conclusions_of, plot_of

pytestmark = pytest.mark.slow

EXPERIMENT = "hardness"
SMALL = {"seeds": 3, "sizes": [[4, 4], [5, 6]], "agent_sizes": [[6, 6], [12, 9]], "deltas": [0.05, 0.9]}


def is_covered(members, chosen):
    return bool(members[list(chosen)].any(axis=0).all())


def try_all_covers(members):
    sets = range(len(members))
    return next(
        size for size in sets if any(is_covered(members, some) for some in itertools.combinations(sets, size + 1))
    ) + 1  # fmt: skip


@pytest.mark.parametrize("size", [[1, 1], [4, 4], [8, 6], [12, 9]])
def test_the_integer_program_finds_what_trying_all_covers_finds(size):
    smallest = [try_all_covers(draw_members(seed, size, 0.3)) for seed in range(8)]
    assert [find_smallest_cover(draw_members(seed, size, 0.3)) for seed in range(8)] == smallest
    assert all(cover_greedily(draw_members(seed, size, 0.3)) >= least for seed, least in enumerate(smallest))
    assert size == [1, 1] or len(set(smallest)) > 1


def test_greedy_takes_more_sets_where_it_is_known_to():
    wider = np.array([[1, 1, 1, 1, 0, 0, 0, 0], [0, 0, 0, 0, 1, 1, 1, 1], [0, 1, 1, 1, 0, 1, 1, 1]], dtype=bool)
    assert (find_smallest_cover(wider), cover_greedily(wider)) == (2, 3)


@pytest.mark.parametrize("delta", [0.01, 0.5, 0.99])
@pytest.mark.parametrize("seed", range(4))
def test_with_one_agent_per_set_contributions_are_enough_if_and_only_if_they_cover(seed, delta):
    members = draw_members(seed, [5, 5], 0.35)
    fed = give_each_set_an_agent(members, delta)
    both = set()
    for m in itertools.product((0, 1), repeat=5):
        is_enough = fp.verify(fed, list(m)).is_feasible
        assert is_enough == is_covered(members, np.flatnonzero(m))
        both.add(is_enough)
    assert both == {True, False}


def test_exact_plans_are_as_large_as_the_smallest_covers(found):
    rows = found["results"]["rows"]
    assert [(row["elements"], row["sets"], row["delta"]) for row in rows] == [
        (4, 4, None), (5, 6, None), (6, 6, 0.05), (6, 6, 0.9), (12, 9, 0.05), (12, 9, 0.9),
    ]  # fmt: skip
    for row in rows:
        assert row["instances"] == row["agree"] == row["proved"] == 3
        density = 0.5 if row["delta"] is None else 0.25
        sizes = [try_all_covers(draw_members(seed, [row["elements"], row["sets"]], density)) for seed in range(3)]
        assert row["cover"] == pytest.approx(np.mean(sizes))
        assert all(ratio["mean"] >= 1 for ratio in row["ratios"].values())
        assert row["right"] == row["asked"]
    assert rows[0]["asked"] == 3 * 6  # 8^6 < 10^6 < 8^7
    assert rows[2]["asked"] == 0
    assert "the reduction holds on every one" in conclusions_of(found)[0]


def test_the_ratios_are_those_of_the_plans(found):
    row = found["results"]["rows"][4]
    feds = [give_each_set_an_agent(draw_members(seed, [12, 9], 0.25), 0.05) for seed in range(3)]
    covers = [fp.plan(fed, "exact").cost for fed in feds]
    for method in ("lp", "union", "tree"):
        ratios = [fp.plan(fed, method).cost / cover for fed, cover in zip(feds, covers, strict=True)]
        assert row["ratios"][method] == {"mean": pytest.approx(np.mean(ratios)), "most": max(ratios)}


def test_what_is_kept_holds_on_every_instance_and_is_what_the_command_computes(run, kept):
    assert all(row["instances"] == row["agree"] == row["proved"] > 0 for row in kept["results"]["rows"])
    assert all(row["right"] == row["asked"] for row in kept["results"]["rows"])
    seeds = kept["settings"]["seeds"]
    again = run(seeds=seeds, sizes=[[4, 4]], agent_sizes=[[6, 6]], deltas=[0.05])["results"]["rows"]
    assert again == [
        kept["results"]["rows"][0],
        next(row for row in kept["results"]["rows"] if row["delta"] == 0.05),
    ]


def test_sentences_follow_the_numbers(found):
    entry = deepcopy(found)
    entry["results"]["rows"][0]["agree"] = 2
    entry["results"]["rows"][1]["right"] -= 4
    said = conclusions_of(entry)
    assert "in 5 of 6 instances" in said[0]
    assert "the reduction is not shown" in said[0]
    assert "not in 4 of them" in said[1]


def test_the_drawing_shows_work_and_cost(found):
    work, cost = plot_of(found).axes
    assert work.lines[0].get_ydata() == pytest.approx(
        [row["boxes"]["mean"] for row in found["results"]["rows"] if row["delta"] == 0.05]
    )
    assert [line.get_label() for line in cost.lines] == ["lp", "union", "tree", "greedy", "smallest cover"]
