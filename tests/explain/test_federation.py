import numpy as np

import fedpact as fp
from fedpact.explain.federation import fits_in_one_file, observe


def test_what_one_may_stumble_over():
    rng = np.random.default_rng(0)
    says = (rng.random((2, 4, 50)) < 0.3).astype(int)
    says[:, 3] = says[:, 2]
    fed = fp.Federation.from_predictions(
        {"a": says[0], "b": says[1]}, epsilon={"a": 0, "b": 1}, delta=0.05, capacity={"a": 0, "b": 0}
    )
    seen = " ".join(observe(fed))
    for part in ("1 of 4 hypotheses", "50 points", "a tolerates no error", "b is content", "a and b have"):
        assert part in seen, seen
    assert not fits_in_one_file(fed)


def test_a_class_that_nobody_can_tell_apart():
    fed = fp.Federation.from_table([[0, 1], [0, 1]], [[0.5, 0.5]], epsilon=0.1, delta=0.1)
    (said,) = observe(fed)
    assert "nothing to learn" in said
