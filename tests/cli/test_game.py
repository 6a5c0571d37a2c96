"""``fedpact game`` as a user meets it."""

import json
import re

import pytest

import fedpact as fp


def test_equilibria_cheapest_first_then_prices_and_whose_targets_are_dear(fedpact):
    code, out, _ = fedpact("game", "alice-bob")
    lines = out.splitlines()
    assert code == 0
    assert "alice-bob: There are 6 pure equilibria" in lines[0]
    assert re.search("cheapest plan 5, price of stability .* 1, price of anarchy .* 2.8", lines[2])
    assert lines[5].split() == ["alice:", "2,", "bob:", "3", "5", "1", "none"]
    assert lines[-2].split()[-3:] == ["14", "2.8", "none"]
    assert lines[1] == "Assumed: some candidate agrees with every label."
    assert "9 more than the best plan: bob +12, alice -3" in lines[-1]


def test_none_exists_is_an_answer(fedpact):
    code, out, _ = fedpact("game", "no-pure-equilibrium", "--mixed", "--dynamics")
    assert code == 0
    assert "No pure equilibrium exists: every profile was searched" in out
    assert "expected cost 0.75, found by McLennan-Tourky" in out
    assert "these dynamics never settle" in out
    assert "The cycle has 6 profiles" in out


@pytest.mark.slow
def test_json_is_the_dictionaries_of_the_results(fedpact):
    code, out, _ = fedpact("game", "alice-bob", "--mixed", "--dynamics", "--start", "bob=3", "--json")
    fed = fp.examples.alice_bob()
    entry = json.loads(out)
    assert code == 0
    assert entry.pop("mixed") == json.loads(json.dumps(fp.mixed_equilibrium(fed).to_dict()))
    assert entry.pop("dynamics") == fp.best_response_dynamics(fed, start=[0, 3]).to_dict()
    assert entry == fp.equilibria(fed).to_dict()


def test_who_cannot_meet_its_target_alone_is_named(fedpact, tmp_path):
    fed = fp.Federation.from_table(
        [[0, 0], [0, 1], [1, 0], [1, 1]], [[0.8, 0.2], [0.2, 0.8]], epsilon=0.1, delta=0.05, capacity=[4, None]
    )
    fed.save(tmp_path / "small.toml")
    code, out, _ = fedpact("game", str(tmp_path / "small.toml"))
    assert code == 0
    assert "agent-1 needs 14 samples alone; its capacity is 4" in out
    assert "4 pure equilibria" in out


def test_an_equilibrium_that_misses_targets_has_no_price(fedpact, tmp_path):
    fed = fp.Federation.from_table(
        [[0, 0], [0, 1], [1, 0], [1, 1]], [[0.8, 0.2], [0.2, 0.8]], epsilon=0.1, delta=0.05, capacity=1
    )
    fed.save(tmp_path / "tiny.toml")
    code, out, _ = fedpact("game", str(tmp_path / "tiny.toml"))
    assert code == 0
    assert "nobody contributes" in out
    assert "agent-1 and agent-2" in out
    assert "No plan meets every target, so equilibria have no price" in out


def test_a_search_cut_short_says_how_far_it_came(fedpact):
    code, out, _ = fedpact("game", "singletons(12)", "--time-limit", "0")
    assert code == 0
    assert "The search stopped early" in out
    assert "of all profiles were searched" in out


@pytest.mark.parametrize("words", [(), ("--dynamics", "--order", "simultaneous")])
def test_the_plot_is_that_of_the_dynamics_if_they_are_asked_for(fedpact, tmp_path, words):
    target = tmp_path / "game.svg"
    code, _, _ = fedpact("game", "alice-bob", *words, "--plot", str(target))
    assert code == 0
    assert ("samples of alice" in target.read_text()) == bool(words)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--order", "loud"), "order must be one of round-robin, random, simultaneous"),
        (("--dynamics", "--start", "carol=2"), "m names 'carol'"),
        (("--dynamics", "--seed", "-1"), "seed must be a whole number >= 0"),
        (("--worth", "3"), "worth must be above"),
        (("--max-count", "0"), "max_count must be 1 or more"),
        (("--time-limit", "-1"), "time_limit must be 0 or more"),
    ],
)
def test_bad_requests_are_one_line(fedpact, words, said):
    code, _, err = fedpact("game", "alice-bob", *words)
    assert code == 1
    assert said in err
    assert err.count("\n") == 1
