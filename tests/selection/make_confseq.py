"""What confseq says of the capital of single pairs, kept in kept/confseq.json; test_bets.py holds ours against it.

confseq 0.0.11 wants NumPy 1 and an old pybind11, so it runs in an environment of its own:

    python3 -m venv cs
    cs/bin/pip install "setuptools<70" wheel scikit-build "cmake<4" ninja "pybind11<3"
    cs/bin/pip install "numpy<2" scipy matplotlib multiprocess
    cs/bin/pip install --no-build-isolation --no-deps confseq==0.0.11    # needs Boost's headers
    cs/bin/python tests/selection/make_confseq.py

Bets against "the mean of Z is at least limit", for Z from -1 to 1, are bets against "the mean of X = (1 - Z)/2 is
at most m = (1 - limit)/2". With lambda = theta/m confseq's capital is the product of 1 + theta (X - m)/m.
"""

import json
from pathlib import Path

import numpy as np

THETAS = (0.1, 0.45, 0.9)


def main():
    from confseq.betting import betting_mart  # in its environment only

    rng, cases = np.random.default_rng(0), []
    for n, is_pool in [(8, True), (30, True), (30, True), (12, False), (40, False)]:
        z = rng.choice([-1, 0, 1], size=n, p=[0.5, 0.2, 0.3])
        limit = float(rng.uniform(-0.1, 0.4))
        m, x, steps = (1 - limit) / 2, (1 - z) / 2, int(n * 0.6) if is_pool else n
        before = np.append(0, np.cumsum(x[:steps])[:-1])
        means = (n * m - before) / (n - np.arange(steps)) if is_pool else np.full(steps, m)
        capital = [
            betting_mart(
                x[:steps],
                m,
                lambdas_fn_positive=lambda x, m, bets=theta / means: bets,
                N=n if is_pool else None,
                theta=1,
                trunc_scale=1,
                m_trunc=True,
            ).tolist()
            for theta in THETAS
        ]
        cases.append({"z": z.tolist(), "limit": limit, "is_pool": is_pool, "capital": capital})
    kept = Path(__file__).parent / "kept" / "confseq.json"
    kept.write_text(json.dumps({"thetas": THETAS, "cases": cases}) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
