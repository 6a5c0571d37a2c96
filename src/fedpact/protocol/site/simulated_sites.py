"""Sites made from a federation's own description, for a first try: a teacher labels, nobody lies, nobody dies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from fedpact.candidates.predicted import Predicted
from fedpact.describe.candidate_list import CandidateList, digest_of
from fedpact.describe.evidence import Predictions, Reports, Table
from fedpact.describe.federation import Federation
from fedpact.describe.label_codes import Label
from fedpact.describe.label_matrix import Classes, decode
from fedpact.describe.names import nearest
from fedpact.describe.numbers import read_whole_number, shorten
from fedpact.errors import FederationError
from fedpact.protocol.keys.signing import SigningKey
from fedpact.protocol.site.pool import Pool, whole_weights
from fedpact.protocol.site.site import HeldOut, Site


def seed_for(seed: int, site: str) -> int:
    """Return a site's own seed, which follows from the run's and from its name.

    Examples
    --------
    >>> seed_for(0, "alice") == seed_for(0, "bob")
    False
    """
    return int(digest_of(str(seed), site), 16)


def _find_teacher(fed: Federation, teacher: str | None, seed: int) -> int:
    names = fed.evidence.hypotheses
    if teacher is None:
        return int(np.random.default_rng(seed).integers(len(names)))
    if teacher not in names:
        raise FederationError(
            f"teacher must be one of the hypotheses; it is {shorten(teacher)} ({nearest(teacher, names)})"
        )
    return names.index(teacher)


def _pools(fed: Federation) -> dict[str, Pool]:
    evidence = fed.evidence
    if isinstance(evidence, Reports):
        raise FederationError(
            "sites cannot be made from reports, which hold no samples; give the sites' own folders (fedpact run "
            "FILE --sites FOLDER --sites FOLDER ...), or predictions"
        )
    listed = CandidateList.from_names(evidence.hypotheses)
    if isinstance(evidence, Predictions):
        arrays: tuple[NDArray[np.integer], ...] = evidence.predictions
        masses: list[NDArray[np.float64] | None] = [None] * fed.k
    else:
        assert isinstance(evidence, Table), "there is no fourth kind of evidence"
        arrays, masses = (evidence.labels,) * fed.k, list(evidence.distributions)
    values, codes = _code_all(arrays, evidence.classes)
    return {
        name: Pool(predicted=Predicted(labels=coded, candidates=listed, classes=values), masses=own)
        for name, coded, own in zip(fed.names, codes, masses, strict=True)
    }


def _code_all(
    arrays: tuple[NDArray[np.integer], ...], classes: Classes
) -> tuple[tuple[Label, ...], list[NDArray[np.intp]]]:
    """One numbering for all sites of the labels that occur."""
    values = np.unique(np.concatenate([np.unique(array) for array in arrays]))
    return tuple(decode(values, classes).tolist()), [np.searchsorted(values, array) for array in arrays]


def simulate_sites(fed: Federation, *, teacher: str | None = None, seed: int = 0) -> dict[str, Site]:
    """Make a site for every agent, whose samples are labelled by one hypothesis.

    Parameters
    ----------
    fed
        A federation given by a table or by predictions.
    teacher
        The hypothesis that labels; if not given, the seed draws one.
    seed
        Of the teacher and of every site's draws.

    Examples
    --------
    >>> from fedpact.describe.examples import alice_bob
    >>> sorted(simulate_sites(alice_bob()))
    ['alice', 'bob']
    """
    seed = read_whole_number(seed, "seed")
    truth = _find_teacher(fed, teacher, seed)
    sites = {}
    for name, pool in _pools(fed).items():
        labels = pool.predicted.labels
        weights = None if pool.masses is None else whole_weights(pool.masses)
        sites[name] = Site(
            name=name,
            pool=pool,
            labeller=lambda places, own=labels[truth]: own[places],
            held_out=HeldOut(predicted=labels, labels=labels[truth], weights=weights),
            seed=seed_for(seed, name),
        )
    return sites


def give_keys(sites: Mapping[str, Site]) -> tuple[dict[str, Site], SigningKey, dict[str, str]]:
    """Give every site, and an operator, new keys: the sites, the operator's key, the sites' public keys."""
    operator, keys = SigningKey.generate(), {name: SigningKey.generate() for name in sites}
    signing = {name: replace(site, key=keys[name], operator=operator.public) for name, site in sites.items()}
    return signing, operator, {name: key.public for name, key in keys.items()}
