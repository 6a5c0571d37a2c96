"""Labels that are strings give the answers that they give as whole numbers, and come back as strings."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fedpact as fp
from fedpact.protocol.site.write_site import write_site
from strategies import cases

WORDS = st.permutations(["benign", "malignant", "unclear", "0", "1/2", " a ", "\u00e9"])
TYPES = (np.asarray, list, lambda words: np.asarray(words, dtype=object))


def rename(labels, words, kind=np.asarray):
    return kind(np.array(words)[np.asarray(labels)])


@st.composite
def twins(draw, kind):
    """One federation twice: labels as whole numbers and as strings, the names in any order."""
    case = draw(cases(kind=kind))
    fed, words, make = case.build(), draw(WORDS), draw(st.sampled_from(TYPES))
    terms = {"epsilon": fed.epsilon, "delta": fed.delta, "cost": list(case.cost)}
    if kind == "table":
        own = rename(fed.labels, words, make)
        strings = fp.Federation.from_table(own, fed.evidence.distributions, **terms)
        np.testing.assert_array_equal(strings.labels, rename(fed.labels, words))
    else:
        own = {name: rename(labels, words, make) for name, labels in fed.labels.items()}
        strings = fp.Federation.from_predictions(own, **terms)
        np.testing.assert_equal(strings.labels, {name: rename(fed.labels[name], words) for name in own})
    return fed, strings, case.m


def answers(fed, m):
    plan, rates = fp.plan(fed).to_dict(), fp.planning.disagreement(fed).tolist()
    assert plan.pop("federation") == fed.fingerprint
    return plan, rates, fed.hypotheses, fp.verify(fed, m).to_dict()


@pytest.mark.parametrize("kind", ["table", "predictions"])
@given(data=st.data())
@settings(max_examples=40, deadline=None)
def test_strings_give_the_answers_of_whole_numbers(kind, data):
    numbers, strings, m = data.draw(twins(kind))
    assert answers(numbers, m) == answers(strings, m)


@given(cases(kind="predictions"), WORDS)
@settings(max_examples=40, deadline=None)
def test_reports_and_checks_of_strings_are_those_of_whole_numbers(case, words):
    for name, labels in case.build().labels.items():
        renamed = rename(labels, words)
        said = fp.report(labels, name=name)
        assert fp.report(renamed, name=name).to_dict() == said.to_dict()
        in_parts = iter(np.array_split(renamed, renamed.shape[1], axis=1))
        assert fp.report(in_parts, name=name).to_dict() == said.to_dict()
        seen = fp.check_contribution(said, renamed).to_dict()
        assert seen == fp.check_contribution(said, labels).to_dict()
        truth = labels[-1]
        assert fp.realizability({name: (renamed.astype(object), rename(truth, words, list))}).to_dict() == (
            fp.realizability({name: (labels, truth)}).to_dict()
        )


@pytest.mark.parametrize("ending", ["csv", "npy", "parquet"])
def test_files_of_predictions_make_the_federation_of_whole_numbers(ending, tmp_path):
    rng, words = np.random.default_rng(3), np.array(["benign", "malignant", "unclear"])
    drawn = {"north": rng.integers(0, 2, (4, 9)), "south": rng.integers(1, 3, (4, 7))}
    found = {}
    for name, labels in drawn.items():
        path = tmp_path / f"{name}.{ending}"
        np.save(tmp_path / f"{name}.npy", words[labels])
        fp.sites.write_predictions(fp.sites.read_predictions(tmp_path / f"{name}.npy"), path)
        found[name] = fp.sites.read_predictions(path)
    fed = fp.Federation.from_predictions(found, epsilon=0.2, delta=0.1)
    same = fp.Federation.from_predictions(drawn, epsilon=0.2, delta=0.1, hypotheses=fed.hypotheses)
    assert fp.plan(fed).to_dict() == fp.plan(same).to_dict()
    assert fed.fingerprint == same.fingerprint
    assert fed.evidence.classes == tuple(words)
    assert all((own == words[drawn[name]]).all() for name, own in fed.labels.items())


def test_a_run_over_strings_is_that_over_whole_numbers(tmp_path):
    numbers = fp.examples.alice_bob()
    strings = fp.Federation.from_table(
        np.array(["benign", "malignant"])[numbers.labels],
        numbers.evidence.distributions,
        epsilon=0.1,
        delta=0.05,
        names=numbers.names,
        hypotheses=numbers.hypotheses,
    )
    assert strings.fingerprint == numbers.fingerprint
    one, other = (fp.protocol.run(fed, teacher="xA", method="tree") for fed in (numbers, strings))
    assert (one.contributions, one.payments, one.hypothesis) == (
        other.contributions,
        other.payments,
        other.hypothesis,
    )
    site = fp.protocol.simulate_sites(strings, teacher="xA")["alice"]
    folder = write_site(site, tmp_path / "alice")
    assert "benign" in (folder / "labels.csv").read_text()
    assert fp.protocol.read_site(folder).pool.predicted.classes == ("benign", "malignant")


def test_blocks_of_different_kinds_are_refused():
    with pytest.raises(fp.FederationError) as caught:
        fp.report(iter([[["a"], ["b"]], [[0], [1]]]), name="a")
    assert str(caught.value) == (
        "predictions must be all strings or all whole numbers; those of block 1 are strings and those of block 2 "
        "whole numbers"
    )
