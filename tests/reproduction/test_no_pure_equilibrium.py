import itertools
import json
from copy import deepcopy
from fractions import Fraction

import numpy as np
import pytest

import fedpact as fp
from reproduction.no_pure_equilibrium import draw_any, draw_ring
from reproduction.page import conclusions_of, plot_of

pytestmark = pytest.mark.slow

EXPERIMENT = "no-pure-equilibrium"
SMALL = {"seeds": 6, "starts": 1, "agents": [2, 3], "moves": [0.0, 0.01], "parts": 2}
THIRDS = [[Fraction(a, 3), Fraction(b, 3), Fraction(3 - a - b, 3)] for a in range(4) for b in range(4 - a)]


def chance_to_miss(masses, agent, m, epsilon, is_bad):
    """With all labelings possible a target is missed where the points that nobody saw are too heavy."""
    n = len(masses[0])
    missed = 0
    for unseen in itertools.product((0, 1), repeat=n):
        if not is_bad(sum(mass for mass, out in zip(masses[agent], unseen, strict=True) if out), epsilon):
            continue
        inside = [x for x in range(n) if not unseen[x]]
        for some in range(len(inside) + 1):
            for also in itertools.combinations(inside, some):
                gone = [x for x in range(n) if unseen[x] or x in also]
                left = np.prod(
                    [(1 - sum(row[x] for x in gone)) ** int(k) for row, k in zip(masses, m, strict=True)]
                )
                missed += (-1) ** some * left
    return missed


def pure_equilibria(masses, epsilon, delta, most, is_bad=lambda error, epsilon: error > epsilon):
    """Every profile in which nobody can do with less and nobody misses its target, by trying them all."""
    met = {
        m: [chance_to_miss(masses, i, m, epsilon, is_bad) <= delta for i in range(len(masses))]
        for m in itertools.product(range(most + 1), repeat=len(masses))
    }

    def is_least(m, i):
        return m[i] == 0 or not met[(*m[:i], m[i] - 1, *m[i + 1 :])][i]

    return [list(m) for m, fine in met.items() if all(fine) and all(is_least(m, i) for i in range(len(m)))]


RING = [[Fraction(a, 3) for a in row] for row in ((1, 2, 0), (0, 1, 2), (2, 0, 1))]


def test_the_search_agrees_with_trying_all_profiles_in_fractions(found):
    third = Fraction(1, 3)
    strict, loose = found["results"]["readings"]
    assert strict["equilibria"] == pure_equilibria(RING, third, 2 * third, 2) == []
    at_least = pure_equilibria(RING, third, 2 * third, 2, is_bad=lambda error, epsilon: error >= epsilon)
    assert loose["equilibria"] == at_least
    assert len(at_least) == 4
    assert strict["is_complete"]
    assert loose["is_complete"]


def test_every_start_goes_round_and_every_step_is_a_best_response(found):
    fed = fp.examples.no_pure_equilibrium()
    assert [row["order"] for row in found["results"]["dynamics"]] == ["round-robin", "simultaneous"]
    for row in found["results"]["dynamics"]:
        assert row["cycling"] == row["starts"] == 8 == sum(some["starts"] for some in row["cycles"])
        for some in row["cycles"]:
            after = [*some["cycle"][1:], some["cycle"][0]]
            for m, then in zip(some["cycle"], after, strict=True):
                responses = fp.game.best_response(fed, m).tolist()
                moved = [i for i in range(3) if m[i] != then[i]]
                assert all(then[i] == responses[i] for i in moved)
                assert moved if row["order"] == "round-robin" else then == responses


def test_the_mixed_equilibrium_is_the_one_that_the_package_finds(found):
    row, mixed = found["results"]["readings"][0], fp.mixed_equilibrium(fp.examples.no_pure_equilibrium())
    shares = {name: {int(m): share for m, share in mix.items()} for name, mix in row["mixed"].items()}
    assert shares == mixed.strategies
    assert (row["expected_cost"], row["regret"]) == (mixed.expected_cost, mixed.largest_regret)


def test_two_agents_always_have_one(found):
    row = found["results"]["frequencies"][0]
    assert (row["agents"], row["drawn"], row["none"], row["unknown"]) == (2, 6, 0, 0)
    assert "of 6 federations of 2 agents 0 have no pure equilibrium, as is proved" in conclusions_of(found)


def test_what_is_drawn_is_counted_as_trying_all_profiles_counts(found):
    ring = next(row for row in found["results"]["frequencies"] if row.get("move") == 0.01 and row["own"] == 0.3)
    anything = next(row for row in found["results"]["frequencies"] if row.get("agents") == 3)
    for row, draw_one in ((ring, draw_ring), (anything, draw_any)):
        feds = [draw_one(row, seed) for seed in range(row["drawn"])]
        needs = [max(fp.game.standalone(fed).values()) for fed in feds]
        assert max(needs) < 30
        few = [fed for fed, most in zip(feds, needs, strict=True) if most <= 5]
        assert few
        for fed in few:
            masses, most = fed.evidence.distributions.tolist(), max(fp.game.standalone(fed).values())
            wanted = pure_equilibria(masses, float(fed.epsilon[0]), fed.delta, most)
            assert [list(m) for m in fp.equilibria(fed).profiles] == wanted
    assert (ring["none"], anything["none"]) == (6, 0)


def test_of_all_tables_in_thirds_as_many_have_none_as_trying_all_profiles_in_fractions_says(kept):
    whole = next(row for row in kept["results"]["frequencies"] if row["part"] == "tables")
    assert (whole["parts"], whole["drawn"], whole["interval"]) == (3, len(THIRDS) ** 3, None)
    third, none = Fraction(1, 3), 0
    for places in itertools.combinations_with_replacement(range(len(THIRDS)), 3):  # the order does not matter
        masses = [THIRDS[place] for place in places]
        if not pure_equilibria(masses, third, 2 * third, 2):  # nobody needs more than two samples alone
            none += len(set(itertools.permutations(places)))
    assert whole["none"] == none > 0


def rounded(value):
    """The last digits of a mixed equilibrium depend on the processor."""
    return json.loads(json.dumps(value), parse_float=lambda digits: round(float(digits), 9))


def test_what_is_kept_is_what_the_command_computes(found, kept):
    assert rounded(kept["results"]["readings"]) == rounded(found["results"]["readings"])
    for row in found["results"]["frequencies"]:
        if row.get("move") == 0.0:
            assert row in kept["results"]["frequencies"]
    assert all(row["unknown"] == 0 for row in kept["results"]["frequencies"])


def test_more_seeds_leave_those_before_as_they_are(run):
    assert run(seeds=7)["seeds"]["count"] == 7
    first, again = (draw_any({"agents": 3, "points": 3, "epsilon": [0.1, 0.2], "delta": [0.3, 0.4],
                              "concentration": 0.5}, seed) for seed in (4, 4))  # fmt: skip
    assert first.fingerprint == again.fingerprint


def test_sentences_follow_the_numbers(found):
    entry = deepcopy(found)
    entry["results"]["readings"][0]["equilibria"] = [[1, 1, 1]]
    entry["results"]["frequencies"][0]["none"] = 2
    entry["results"]["frequencies"][0]["unknown"] = 1
    said = "\n".join(conclusions_of(entry))
    assert "1 pure equilibria, (1, 1, 1); the search is complete: not what the theorem says" in said
    assert "of 6 federations of 2 agents 2 have no pure equilibrium, against the proof" in said
    assert "of 1 federations it is not known whether there is one" in said


def test_the_drawing_has_a_bar_for_every_kind(found):
    axes = plot_of(found).axes[0]
    assert len(axes.get_yticklabels()) == len(found["results"]["frequencies"]) == 7
    assert axes.get_yticklabels()[-1].get_text() == "3 agents, all masses in multiples of 1/2"
