"""A federation's fingerprint: the same for the same question, another for another one."""

import numpy as np
import pytest

import fedpact as fp

FED = fp.examples.alice_bob()


@pytest.mark.parametrize("name", fp.examples.CATALOGUE)
def test_a_saved_federation_has_the_same(name, tmp_path):
    fed = fp.examples.build(name)
    for path in (tmp_path / "it.toml", tmp_path / "it.json"):
        fed.save(path)
        assert fp.load(path).fingerprint == fed.fingerprint


@pytest.mark.parametrize(
    "change",
    [{"epsilon": 0.11}, {"delta": 0.051}, {"cost": 2}, {"objective": "expected"}, {"guarantee": "joint"}],
    ids=str,
)
def test_another_question_has_another(change):
    assert FED.replace(**change).fingerprint != FED.fingerprint
    assert FED.replace().fingerprint == FED.fingerprint


def test_other_data_have_another_and_a_name_changes_nothing():
    def build(row, name):
        return fp.Federation.from_table(
            FED.evidence.labels, [row, [0.2, 0.8]], epsilon=0.1, delta=0.05, names=FED.names, name=name
        )

    assert build([0.8, 0.2], "other").fingerprint == FED.fingerprint
    assert build([0.7, 0.3], "alice-bob").fingerprint != FED.fingerprint


KEPT = {
    "b91f4a2f2f8eb89d661272a080a61a8219ae2deb24b263e7a71991055da6e185": FED,
    "4aba6a90694cc029ec09102588ebdd1f09003d46e309739e4fd40316fe892f39": fp.Federation.from_predictions(
        {"a": [[0, 7, 300], [0, 7, 7]], "b": [[-1, 2], [2, 2]]}, epsilon=0.1, delta=0.05
    ),
}


def test_ledgers_rely_on_the_fingerprints_of_labels_that_are_numbers():
    assert {fed.fingerprint for fed in KEPT.values()} == set(KEPT)


def test_what_labels_are_called_changes_nothing():
    names = np.array(["benign", "malignant"])
    named = fp.Federation.from_table(
        names[FED.labels], FED.evidence.distributions, epsilon=0.1, delta=0.05, names=FED.names
    )
    assert named.fingerprint == FED.fingerprint
    assert named.labels.tolist() == names[FED.labels].tolist()


def test_reports_and_predictions_have_one():
    labels = {"a": [[0, 1], [1, 1]], "b": [[0, 0], [1, 1]]}
    one, same, other = (
        fp.Federation.from_predictions(own, epsilon=0.1, delta=0.1)
        for own in (labels, labels, labels | {"b": [[0, 1], [1, 1]]})
    )
    assert one.fingerprint == same.fingerprint != other.fingerprint
    reports = [fp.Report(name="a", n=n, n_classes=2, counts=[3]) for n in (10, 10, 12)]
    one, same, other = (fp.Federation.from_reports([r], epsilon=0.1, delta=0.1).fingerprint for r in reports)
    assert one == same != other
