"""A selector refuses a state that it did not write, in one line."""

import copy

import numpy as np
import pytest

import fedpact as fp

RNG = np.random.default_rng(0)
SAYS = {"north": RNG.integers(0, 2, (6, 30)), "south": RNG.integers(0, 2, (6, 20))}
WORDS = {site: np.where(own == 1, "ill", "well") for site, own in SAYS.items()}
TERMS = {
    "agnostic": (SAYS, {"assume": "agnostic"}),
    "one": (SAYS, {"assume": "agnostic", "scope": "one", "weights": {"h1": 2, "h3": 1}}),
    "in-turn": (SAYS, {"assume": "agnostic", "weights": "chosen-before"}),
    "stream": (SAYS, {"assume": "agnostic", "confidence": 0.9}),
    "noisy": (WORDS, {"assume": "noisy", "noise": 0.1}),
    "realizable": (WORDS, {}),
    "implied-free": (SAYS, {"ask": "implied-free"}),
}
VALUES = (None, -1, 10**6, 2**70, "x", "ill", "south", [], {}, [0], [0, 1], 1.5, True, 0, 1, float("nan"))


def begin(case):
    says, options = TERMS[case]
    fed = fp.Federation.from_predictions(says, epsilon=0.1, delta=0.1)
    return fed, fp.Selector(fed, **options), {site: says[site][0] for site in says}


def places(entry, before=()):
    yield before
    for key, value in entry.items() if isinstance(entry, dict) else enumerate(entry):
        if isinstance(value, dict | list):
            yield from places(value, (*before, key))
        else:
            yield (*before, key)


def harm(entry, rng):
    """Change, leave out or repeat one value of a state."""
    entry = copy.deepcopy(entry)
    listed = [place for place in places(entry) if place]
    *path, last = listed[rng.integers(len(listed))]
    inside = entry
    for key in path:
        inside = inside[key]
    if rng.random() < 0.2:
        del inside[last]
    elif rng.random() < 0.2 and isinstance(inside, list):
        inside.insert(last, copy.deepcopy(inside[last]))
    else:
        inside[last] = VALUES[rng.integers(len(VALUES))]
    return entry


@pytest.mark.parametrize("case", TERMS)
def test_a_broken_state_is_read_or_refused_in_one_line(case):
    fed, selector, truth = begin(case)
    for _ in range(4):
        for site, points in selector.ask(3).items():
            selector.tell(site, points[:-1], truth[site][points[:-1]]) if points[1:] else None
    state, rng, lines = selector.to_dict(), np.random.default_rng(1), []
    for _ in range(150):
        try:
            found = fp.Selector.from_dict(fed, harm(state, rng))
            found.ask(2)
            found.result()
        except fp.FedpactError as error:
            lines.append(str(error))
    assert len(lines) > 50
    assert "\n" not in "".join(lines)


def test_told_and_pending_are_what_was_asked():
    _, selector, truth = begin("realizable")
    asked = selector.ask(5)
    (site, points), *_ = asked.items()
    selector.tell(site, points[:1], truth[site][points[:1]])
    assert selector.told[site] == {points[0]: truth[site][points[0]]}
    assert [*selector.told[site], *selector.pending.get(site, [])] == points


def test_a_candidate_of_which_nothing_is_expected_never_drops_another():
    fed, _, truth = begin("noisy")
    weights = dict.fromkeys(fed.hypotheses[:2], 1)
    selector = fp.Selector(fed, assume="noisy", noise=0.1, weights=weights)
    while asked := selector.ask(4):
        for site, points in asked.items():
            selector.tell(site, points, truth[site][points])
    assert selector.result().chosen["north"] == "h1"
