"""Averaging by what the ledger says, not by what sites say."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fedpact.errors import FederationError, MessageError, ProtocolError
from fedpact.training import SoftmaxModel, TorchModel, Weights, initial_weights, train_locally
from fedpact.training.averaging import average_weights, check_weights, fed_avg, rng_of_round

SITES = st.dictionaries(
    st.text(min_size=1, max_size=4),
    st.tuples(
        st.integers(0, 10**6),
        st.lists(st.floats(-1e6, 1e6, allow_nan=False), min_size=3, max_size=3),
    ),
    min_size=1,
    max_size=6,
).filter(lambda sites: any(m for m, _ in sites.values()))


def weights_of(values, kind=np.float64):
    return Weights({"W": np.array(values[:2], dtype=kind), "b": np.array(values[2], dtype=kind)})


@given(SITES)
def test_the_mean_is_that_of_fractions(sites):
    m = {site: count for site, (count, _) in sites.items()}
    mean = average_weights({site: weights_of(values) for site, (_, values) in sites.items()}, m)
    for place, found in enumerate([*mean["W"].tolist(), float(mean["b"])]):
        exact = sum(Fraction(values[place]) * count for count, values in sites.values()) / sum(m.values())
        largest = max(abs(values[place]) for _, values in sites.values())
        assert abs(Fraction(found) - exact) <= 1e-14 * largest


@given(SITES)
def test_the_order_of_answers_does_not_matter(sites):
    own = {site: weights_of(values) for site, (_, values) in sites.items()}
    m = {site: count for site, (count, _) in sites.items()}
    assert average_weights(dict(reversed(own.items())), dict(reversed(m.items()))) == average_weights(own, m)


@given(st.lists(st.integers(0, 1000), min_size=1, max_size=5).filter(any), st.floats(-1e300, 1e300))
def test_what_all_agree_on_stays_what_it_is(counts, value):
    own = weights_of([value, value / 3, -value])
    m = {str(site): count for site, count in enumerate(counts)}
    mean = average_weights(dict.fromkeys(m, own), m)
    assert all(np.array_equal(mean[name], own[name]) for name in own.names)


def test_single_precision_is_summed_in_double_and_stays_single():
    own = {"a": weights_of([1e8, 0, 0], np.float32), "b": weights_of([1, 0, 0], np.float32)}
    mean = average_weights(own, {"a": 1, "b": 3})
    assert mean["W"].dtype == np.float32
    assert mean["W"][0] == np.float32((1e8 + 3) / 4)


def test_sites_without_samples_or_answers_have_no_say():
    own = {"a": weights_of([1, 2, 3]), "b": weights_of([9, 9, 9])}
    assert average_weights(own, {"a": 5, "b": 0, "c": 7}) == own["a"]
    garbage = {"a": own["a"], "b": Weights({"x": np.zeros(9)})}
    assert average_weights(garbage, {"a": 5, "b": 0}) == own["a"]


SENT = Weights({"W": np.zeros(2), "scale": np.ones(1)}, ("scale",))
GARBAGE = {
    "names": (Weights({"V": np.zeros(2), "scale": np.ones(1)}), "'V' stands where 'W' should"),
    "more": (
        Weights({"W": np.zeros(2), "scale": np.ones(1), "x": np.ones(1)}),
        "there are 3 arrays where 2 should be",
    ),
    "shape": (SENT.replace({"W": np.zeros((2, 1))}), "'W' is float64 (2, 1) and should be float64 (2,)"),
    "kind": (SENT.replace({"W": np.zeros(2, np.float32)}), "'W' is float32 (2,) and should be float64 (2,)"),
    "constant": (SENT.replace({"scale": np.full(1, 2.0)}), "'scale' is a public constant, and was changed"),
    "no-weights": ({"W": [0, 0]}, "must be Weights; they are a dict"),
}


@pytest.mark.parametrize(("garbage", "message"), GARBAGE.values(), ids=GARBAGE)
def test_garbage_is_refused_by_the_name_of_its_site(garbage, message):
    for refuse in (
        lambda: check_weights("north", garbage, SENT),
        lambda: average_weights({"north": garbage, "south": SENT}, {"north": 1, "south": 1}, like=SENT),
    ):
        with pytest.raises(MessageError) as caught:
            refuse()
        assert str(caught.value).startswith("weights of site 'north'")
        assert message in str(caught.value)


def test_values_that_are_not_finite_never_become_weights():
    with pytest.raises(FederationError, match="weights 'W' must be finite"):
        SENT.replace({"W": np.array([np.nan, 0])})
    huge = {"a": weights_of([1.7e308, 0, 0]), "b": weights_of([-1.7e308, 0, 0])}
    with pytest.raises(FederationError, match="weights 'W' must be finite"):
        average_weights(huge, {"a": 1, "b": 1})


@pytest.mark.parametrize(
    ("m", "message"),
    [
        ({"a": 1}, "m must say how many samples site 'b' contributed"),
        ({"a": 0, "b": 0}, "m must be above 0 at some site"),
        ({"a": 0, "b": 0, "c": 3}, "those of a site with m above 0; there is none"),
        ({"a": -1, "b": 2}, "m of site 'a' must be a whole number >= 0; it is -1"),
        ({"a": 0.5, "b": 2}, "m of site 'a' must be a whole number >= 0; it is 0.5"),
        ([1, 2], "m must give the samples of every site by name"),
    ],
)
def test_refuses_m(m, message):
    own = {"a": weights_of([1, 2, 3]), "b": weights_of([9, 9, 9])}
    with pytest.raises(FederationError, match=message):
        average_weights(own, m)


def make_sites(rng, sizes, d=5):
    """Sites of different sizes that see different classes most."""
    data = {}
    for place, size in enumerate(sizes):
        labels = np.where(rng.random(size) < 0.7, place % 3, rng.integers(3, size=size))
        data[f"site-{place}"] = rng.normal(size=(size, d)) + labels[:, None] * np.linspace(-1, 1, d), labels
    return data


def train_both(model, data, start, rounds, **options):
    def local(points, labels):
        return lambda _, weights: train_locally(model, weights, points, labels, **options)

    m = {site: len(labels) for site, (_, labels) in data.items()}
    averaged = fed_avg({site: local(*own) for site, own in data.items()}, start, rounds, m=m).weights
    points, labels = (np.concatenate(parts) for parts in zip(*data.values(), strict=True))
    pooled = start
    for _ in range(rounds):
        pooled = train_locally(model, pooled, points, labels, **options)
    return max(np.abs(averaged[name] - pooled[name]).max() for name in start.names)


@settings(max_examples=30)
@given(st.integers(0, 10**6), st.lists(st.integers(1, 40), min_size=1, max_size=6))
def test_one_step_with_all_samples_is_the_pooled_step(seed, sizes):
    data = make_sites(np.random.default_rng(seed), sizes)
    model = SoftmaxModel(classes=(0, 1, 2), features=5, l2=0.01)
    assert train_both(model, data, initial_weights(model), 20, learning_rate=0.5) < 1e-12


def test_one_step_with_all_samples_is_the_pooled_step_in_pytorch():
    nn = pytest.importorskip("torch").nn
    data = make_sites(np.random.default_rng(2), [30, 7, 55])
    network = nn.Sequential(nn.Linear(5, 8), nn.Tanh(), nn.Linear(8, 3))
    model = TorchModel(module=network, classes=(0, 1, 2))
    assert train_both(model, data, initial_weights(model), 20, learning_rate=0.3) < 1e-5


def test_more_local_steps_are_another_method_where_sites_differ():
    data = make_sites(np.random.default_rng(2), [30, 7, 55])
    model = SoftmaxModel(classes=(0, 1, 2), features=5)
    start = initial_weights(model)
    gaps = [
        train_both(model, data, start, 20 // epochs, learning_rate=0.5, epochs=epochs) for epochs in (1, 5, 20)
    ]
    assert gaps[0] < 1e-12 < 1e-3 < gaps[1] < gaps[2]
    alike = dict.fromkeys(data, data["site-0"])
    assert train_both(model, alike, start, 4, learning_rate=0.5, epochs=5) < 1e-12


def test_a_site_that_sends_garbage_is_left_out_and_named():
    def honest(_, weights):
        return weights.replace({"W": weights["W"] + 1})

    def broken(number, weights):
        return honest(number, weights) if number == 1 else Weights({"W": np.zeros(9)})

    told = []
    start = Weights({"W": np.zeros(2)})
    seen = fed_avg(
        {"good": honest, "bad": broken, "idle": broken},
        start,
        3,
        m={"good": 1, "bad": 9, "idle": 0},
        progress=lambda number, weights: told.append((number, weights["W"].tolist())),
    )
    assert told == [(1, [1, 1]), (2, [2, 2]), (3, [3, 3])]
    assert seen.weights["W"].tolist() == [3, 3]
    assert [(one.round, one.site) for one in seen.left_out] == [(2, "bad"), (3, "bad")]
    assert seen.left_out[0].reason == "weights of site 'bad': 'W' is float64 (9,) and should be float64 (2,)"
    with pytest.raises(
        ProtocolError, match="round 2: no site sent weights that can be averaged; weights of site 'bad'"
    ):
        fed_avg({"bad": broken}, start, 3, m={"bad": 9})
    with pytest.raises(ProtocolError, match=r"round 1: .* none of them has a sample"):
        fed_avg({"idle": honest}, start, 3, m={"idle": 0, "other": 3})


def test_refuses_rounds_and_unknown_sites():
    start = Weights({"W": np.zeros(2)})
    with pytest.raises(FederationError, match="rounds must be 1 or more"):
        fed_avg({"a": lambda _, weights: weights}, start, 0, m={"a": 1})
    with pytest.raises(FederationError, match="m must say how many samples site 'a' contributed"):
        fed_avg({"a": lambda _, weights: weights}, start, 1, m={"b": 1})


def test_every_site_and_round_has_a_generator_of_its_own():
    draws = {rng_of_round(seed, number, site).random() for seed in (0, 1) for number in (1, 2) for site in "ab"}
    assert len(draws) == 8
