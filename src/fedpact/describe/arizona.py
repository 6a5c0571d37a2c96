"""Seventeen hospitals whose patients differ: a federation from public data.

The table ``data/arizona.csv`` counts 3,589 cardiac patients of 1991 in Arizona by hospital and by four
yes-or-no fields; the script ``scripts/derive_arizona.py`` makes it from the data set ``azpro`` of the R
package COUNT (Hilbe, *Negative Binomial Regression*, Cambridge University Press). A group's name spells
its four fields, so the header of the table also gives the features.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from fractions import Fraction
from importlib.resources import files

from fedpact.describe.classes import conjunctions
from fedpact.describe.federation import Federation

FEATURE_NAMES = ("bypass", "male", "urgent", "over-75")
_WORDS_FOR_YES = ("bypass", "man", "urgent", "over75")


@dataclass(frozen=True, slots=True, kw_only=True)
class Hospital:
    """One row of the table."""

    code: str
    days: int
    """Length of stay, summed over the patients."""
    patients: dict[str, int]
    """Patients by group."""

    @property
    def total(self) -> int:
        """Number of patients."""
        return sum(self.patients.values())


def read_hospitals() -> tuple[Hospital, ...]:
    """Read the table, in the order of the hospitals' codes.

    Examples
    --------
    >>> hospitals = read_hospitals()
    >>> len(hospitals), sum(hospital.total for hospital in hospitals)
    (17, 3589)
    """
    text = files("fedpact").joinpath("describe", "data", "arizona.csv").read_text(encoding="utf-8")
    return tuple(
        Hospital(
            code=row.pop("hospital"),
            days=int(row.pop("days")),
            patients={group: int(count) for group, count in row.items()},
        )
        for row in csv.DictReader(text.splitlines())
    )


def group_features(group: str) -> list[int]:
    """Return the four features of a group, from its name.

    Examples
    --------
    >>> group_features("balloon-man-urgent-to75")
    [0, 1, 1, 0]
    """
    return [int(word == yes) for word, yes in zip(group.split("-"), _WORDS_FOR_YES, strict=True)]


def arizona_hospitals(epsilon: float | str = 0.1, delta: float | str = 0.05) -> Federation:
    """Seventeen hospitals with different patients and costs learn one rule together.

    Each patient had a bypass or a balloon angioplasty, is a man or a woman, came urgently or as planned,
    and is over 75 or not: 16 groups. A hospital's distribution is its share of patients in each group.
    The rule to learn is any conjunction of the four features, of their opposites, or of some of them.
    Labelling means reading a chart, which takes longer the longer the stay, so a hospital's cost per
    sample is the mean stay of its patients over the mean stay of all, to two decimals.

    Shows a federation of unequal sites on real frequencies: the mixes of patients differ and so do the
    costs, by a factor of two between the hospitals with the shortest and the longest stays.

    Source: data set ``azpro`` (1991 Arizona Medpar files) of the R package COUNT.

    Parameters
    ----------
    epsilon
        Error that every hospital tolerates.
    delta
        Largest probability with which a hospital's target may be missed.

    Examples
    --------
    >>> fed = arizona_hospitals()
    >>> fed
    Federation('arizona-hospitals': 17 agents, 82 hypotheses, table, pac, per-agent)
    >>> fed.agents[0].name, fed.agents[0].cost
    ('hospital 0.1', Linear(rate=1.17))
    """
    hospitals = read_hospitals()
    groups = tuple(hospitals[0].patients)
    mean_stay = Fraction(sum(h.days for h in hospitals), sum(h.total for h in hospitals))
    return Federation.from_table(
        conjunctions([group_features(group) for group in groups], names=FEATURE_NAMES),
        [[h.patients[group] / h.total for group in groups] for h in hospitals],
        cost=[float(round(Fraction(h.days, h.total) / mean_stay, 2)) for h in hospitals],
        epsilon=epsilon,
        delta=delta,
        names=[f"hospital {h.code}" for h in hospitals],
        points=groups,
        name="arizona-hospitals",
    )
