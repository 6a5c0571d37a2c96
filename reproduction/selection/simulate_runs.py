"""How often a promise is broken where it is hard to keep: thousands of simulated runs.

In every run a federation is drawn anew (:mod:`reproduction.selection.near_ties`), and labels are told site by
site in random order. After every answer the certificate is read, the least epsilon that is proved of each site's
choice, as somebody would who may stop at any time. Counted are runs in which

- ``missed``: labelling ended with a proof, and some site's choice is worse than its epsilon; or all candidates
  were said to be too bad for some site, and one is not;
- ``false_stop``: the certificate was wrong for some site when it was read at one random time;
- ``false_ever``: it was wrong at any time at which it was read.

The three may happen with probability ``bound`` at most: delta, more by 1 - confidence for a promise about
distributions, and 0 for adaptive labelling of pools by a candidate that is right.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

import fedpact as fp
from reproduction.experiment import Answer, Arrays, Settings, Task
from reproduction.selection.near_ties import NearTies, make_near_ties
from reproduction.selection.parameters import read_parameters
from reproduction.selection.sites import Data, row_of
from reproduction.tallies import cut_seeds, exceeds

COUNTED = ("missed", "false_stop", "false_ever")
_BLOCK = 250
_STOPPING = 0.1
"""Chance of stopping after each answer."""
_REALIZABLE: dict[str, Any] = {"assume": "realizable", "share": 0.1}
_NOISY: dict[str, Any] = {"assume": "noisy", "noise": 0.1, "share": 0.1}
_AGNOSTIC: dict[str, Any] = {"assume": "agnostic", "share": 0.2}
CASES: dict[str, dict[str, Any]] = {
    "realizable, adaptive": _REALIZABLE,
    "realizable, draws of a plan": _REALIZABLE | {"method": "tree", "share": 0.35},
    "realizable, adaptive, distributions": _REALIZABLE | {"is_sample": True, "share": 0.4},
    "noisy, adaptive": _NOISY,
    "noisy, draws of a plan": _NOISY | {"method": "lp", "share": 0.35},
    "noisy, adaptive, distributions": _NOISY | {"is_sample": True, "share": 0.4},
    "agnostic, each": _AGNOSTIC,
    "agnostic, each, chosen before": _AGNOSTIC | {"weights": "chosen-before"},
    "agnostic, each, distributions": _AGNOSTIC | {"is_sample": True, "share": 0.3},
    "agnostic, one": _AGNOSTIC | {"scope": "one", "has_common": True},
    "agnostic, one, none is good": _AGNOSTIC | {"scope": "one"},
    "agnostic, one, distributions": _AGNOSTIC
    | {"scope": "one", "is_sample": True, "share": 0.3, "has_common": True},
}
"""What is assumed, and how labels are asked for."""


def cut(settings: Settings, data: Data, earlier: Sequence[Sequence[Answer]]) -> list[Task]:
    """Run one case some times in every cell."""
    asked = read_parameters(settings).runs
    about = {key: asked[key] for key in ("delta", "confidence", "batches")}
    return [
        Task(about | {"case": case, "seeds": seeds})
        for case in CASES
        for seeds in cut_seeds(asked["runs"], _BLOCK)
    ]


def find_bound(case: str, delta: float, confidence: float) -> float:
    """Find how often a promise may be broken.

    Examples
    --------
    >>> [find_bound(case, 0.1, 0.95) for case in ("realizable, adaptive", "noisy, adaptive")]
    [0.0, 0.1]
    """
    about = CASES[case]
    is_sure = about["assume"] == "realizable" and "method" not in about
    return (0.0 if is_sure else delta) + (1 - confidence if about.get("is_sample") else 0.0)


def _make(about: Mapping[str, Any], delta: float, rng: np.random.Generator) -> NearTies:
    return make_near_ties(
        rng,
        has_truth=about["assume"] != "agnostic",
        share=about["share"],
        delta=delta,
        is_sample=about.get("is_sample", False),
        noise=about.get("noise", 0.0),
        has_common=about.get("has_common", False),
    )


def _open(about: Mapping[str, Any], confidence: float, fed: fp.Federation, seed: int) -> fp.Selector:
    options = {key: about[key] for key in ("assume", "noise", "scope", "weights") if key in about}
    if about.get("is_sample"):
        options["confidence"] = confidence
    if "method" in about:
        own = fed.replace(assume=about["assume"], noise=about.get("noise"))
        options |= {"ask": "implied-free", "plan": fp.plan(own, about["method"])}
    return fp.Selector(fed, rng=seed, **options)


def _is_wrong(found: Any, ties: NearTies) -> bool:
    """Whether the certificate of some site says less than is true."""
    regret = [own[row_of(name)] for own, name in zip(ties.regret, found.chosen.values(), strict=True)]
    return bool(exceeds(regret, list(found.certified_epsilon.values())).any())


def _is_missed(found: Any, ties: NearTies) -> bool:
    epsilon = ties.fed.epsilon
    if found.status.value == "no-common-candidate":
        return bool((~exceeds(ties.regret, epsilon[:, None])).all(axis=0).any())
    regret = [own[row_of(name)] for own, name in zip(ties.regret, found.chosen.values(), strict=True)]
    return found.status.value == "certified" and bool(exceeds(regret, epsilon).any())


def run_once(case: str, *, batch: int, delta: float, confidence: float, seed: int) -> Answer:
    """Label one federation to the end, and read the certificate after every answer.

    Examples
    --------
    >>> found = run_once("realizable, adaptive", batch=1, delta=0.1, confidence=0.9, seed=0)
    >>> found["missed"], found["false_ever"]
    (False, False)
    """
    about, rng = CASES[case], np.random.default_rng([list(CASES).index(case), batch, seed])
    ties = _make(about, delta, rng)
    selector = _open(about, confidence, ties.fed, seed)
    stop = int(rng.geometric(_STOPPING)) - 1
    found = selector.result()
    wrong = [_is_wrong(found, ties)]
    while asked := selector.ask(batch):
        for site in rng.permutation(list(asked)).tolist():
            selector.tell(site, asked[site], ties.labels[site][asked[site]])
            found = selector.result()
            wrong.append(_is_wrong(found, ties))
    return {
        "missed": _is_missed(found, ties),
        "false_stop": wrong[min(stop, len(wrong) - 1)],
        "false_ever": any(wrong),
        "certified": found.status.value == "certified",
        "labels": found.labels,
        "readings": len(wrong),
    }


def simulate_runs(cell: Mapping[str, Any], arrays: Arrays) -> Answer:
    """Count what goes wrong in some runs of one case; the sizes of batches take turns."""
    asked, batches = {key: cell[key] for key in ("delta", "confidence")}, cell["batches"]
    runs = [
        run_once(cell["case"], batch=batches[seed % len(batches)], seed=seed, **asked)
        for seed in range(*cell["seeds"])
    ]
    return {
        "case": cell["case"],
        "runs": len(runs),
        "counts": {key: sum(int(run[key]) for run in runs) for key in runs[0]},
    }
