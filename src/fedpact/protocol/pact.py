"""The pact: everything that operator and sites agree on before the first message.

It says who takes part, what error each tolerates and what a sample costs it, by which rule contributions are
planned, checked and paid, how long each step may take, which candidates are compared and with which keys
answers are signed. It is the first entry of a run in the ledger; nothing in it changes afterwards, so that no
report can change what it is paid by.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from os import PathLike
from typing import Any, ClassVar

from fedpact import formats
from fedpact.describe.any_federation import AnyFederation, read_federation
from fedpact.describe.candidate_list import CandidateList
from fedpact.describe.evidence import Evidence, Reports
from fedpact.describe.federation import Federation
from fedpact.describe.files import load_settings
from fedpact.describe.names import nearest, read_choice
from fedpact.describe.numbers import Number, check_at_least, read_chance, read_number, read_whole_number, shorten
from fedpact.describe.settings import Agent, Guarantee, Objective, PerAgent, Settings, read_per_agent
from fedpact.errors import FederationError
from fedpact.mechanism.payment.rules import OWNERS, RULES
from fedpact.mechanism.sample_checks.reported_rates import LEVEL
from fedpact.planning.methods import read_planner
from fedpact.protocol.canonical import digest_of_value
from fedpact.protocol.keys.signing import is_public_key
from fedpact.result import Record

STEPS = ("report", "contribute", "evaluate", "pay")
"""What a site may be asked for, in order."""
PATIENCE = {"report": 600.0, "contribute": 7 * 86_400.0, "evaluate": 600.0, "pay": 600.0}
"""Seconds that a site has for each step unless the pact says otherwise; labels are made by people."""
RUN_RULES = tuple(name for name, rule in RULES.items() if rule.pays_for_any_plan)
"""Rules that pay for contributions as they were made; the others need a proved optimum, or plan by themselves."""
MINIMUM_COUNT = 10
"""Reports may hide smaller counts, unless the pact says otherwise."""
UNFLAGGED = "unflagged"
_NAME = 32
"""Hexadecimal digits of a run's name."""
_LARGEST_FEE = 1e12
_LONGEST = 200
"""Characters of a site's name."""
_UNSEEN = ("Cc", "Cs", "Zl", "Zp")
_TURNS = ("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI")


@dataclass(frozen=True, slots=True, kw_only=True)
class Pact(Record):
    """What operator and sites agree on; make one with :func:`make_pact`.

    Examples
    --------
    >>> from fedpact.describe.examples import alice_bob
    >>> pact = make_pact(alice_bob(), fee=1, patience=60)
    >>> pact.names, pact.fee, pact.patience["contribute"]
    (('alice', 'bob'), {'alice': 1.0, 'bob': 1.0}, 60.0)
    >>> Pact.from_dict(pact.to_dict()) == pact
    True
    """

    schema: ClassVar = formats.PACT
    ROWS: ClassVar = "agents"

    name: str
    agents: tuple[Agent, ...]
    delta: float
    objective: Objective
    guarantee: Guarantee
    method: str = "auto"
    confidence: float | None = None
    """With which the reported rates are taken for estimates; None: the sites' points are all there is."""
    rule: str = "pwyc"
    fee: Mapping[str, float] | None = None
    """What each pays for taking part, under ``pwyc``."""
    false_alarm_rate: float = LEVEL
    """Chance, at most, that the contribution of an honest site is flagged and its payment withheld."""
    patience: Mapping[str, float] = field(default_factory=lambda: dict(PATIENCE))
    """Seconds that a site has to answer, by step; then it is gone."""
    retry: float = 5.0
    """Seconds after which a request that nobody answered is sent again."""
    candidates: CandidateList | None = None
    """Which candidates are compared; None: not agreed on, and the run stops if reports differ."""
    keys: Mapping[str, str] = field(default_factory=dict)
    """Site -> public key with which its answers must be signed."""
    operator: str | None = None
    """Public key with which requests and receipts are signed."""
    budget: float | None = field(default=None, metadata={"is_optional": True})
    """What the operator pays in all at most before it is asked; None: whatever a plan costs."""
    minimum_count: int | None = field(default=None, metadata={"is_optional": True})
    """Largest ``minimum_count`` of a report; what is hidden from the operator is hidden from its check too."""
    n_classes: int | None = field(default=None, metadata={"is_optional": True})
    """Most labels that a report may say there are; None: as many as it says."""
    choice: str | None = field(default=None, metadata={"is_optional": True})
    """"unflagged": counts of flagged sites choose nothing, and who alone decides is named; None: all counts do."""
    withstands_liar: bool | None = field(default=None, metadata={"is_optional": True})
    """Whether plans ask for so much that every target is met without any one other site."""

    @property
    def names(self) -> tuple[str, ...]:
        """The sites."""
        return tuple(agent.name for agent in self.agents)

    def agent(self, name: str) -> Agent:
        """Return the agent of that name."""
        return next(agent for agent in self.agents if agent.name == name)


def _read_patience(value: Any) -> dict[str, float]:
    """Read one number of seconds for every step, or some by step."""
    given = value if isinstance(value, Mapping) else dict.fromkeys(STEPS, value)
    for step in given:
        if step not in STEPS:
            raise FederationError(f"patience is given by step; {step!r} is none: {nearest(str(step), STEPS)}")
    return PATIENCE | {step: _read_seconds(seconds, f"patience for {step!r}") for step, seconds in given.items()}


def _read_seconds(value: Any, field: str) -> float:
    seconds = read_number(value, field)
    if not seconds > 0:
        raise FederationError(f"{field} must be above 0 seconds; it is {seconds:g}")
    return seconds


def _read_fee(names: tuple[str, ...], fee: Any, rule: str) -> dict[str, float] | None:
    if fee is None:
        return None
    if rule not in OWNERS["fee"]:
        raise FederationError(f"fee belongs to rule {' or '.join(OWNERS['fee'])}; the rule is {rule!r}")
    return dict(zip(names, read_per_agent(names, fee, "fee", _read_one_fee), strict=True))


def _read_one_fee(value: Any) -> float:
    fee = read_number(value, "fee")
    if abs(fee) > _LARGEST_FEE:
        raise FederationError(f"fee must be at most {_LARGEST_FEE:,.0f} either way; state money in a larger unit")
    return fee


def _read_rule(rule: str) -> str:
    if rule in set(RULES) - set(RUN_RULES):
        raise FederationError(
            f"rule {rule!r} cannot pay in a run: it needs a proved optimum or contributions of its own; use "
            f"one of {', '.join(RUN_RULES)}"
        )
    return str(read_choice(rule, "rule", RUN_RULES))


def _candidates_of(evidence: Evidence | None) -> CandidateList | None:
    """Return the candidates that reports speak of, or else the hypotheses by their names."""
    if isinstance(evidence, Reports):
        return evidence.reports[0].candidates
    return None if evidence is None else CandidateList.from_names(evidence.hypotheses)


def _is_seen(char: str) -> bool:
    """Whether a character neither breaks a line, nor commands a terminal, nor turns the text around it."""
    return unicodedata.category(char) not in _UNSEEN and unicodedata.bidirectional(char) not in _TURNS


def check_site_names(names: tuple[str, ...]) -> None:
    r"""Refuse names that messages cannot carry, or that people who read a statement would take for others.

    Examples
    --------
    >>> check_site_names(("north", "no" + chr(10) + "rth"))
    Traceback (most recent call last):
    ...
    fedpact.errors.FederationError: a site's name must be one line of plain text; 'no\nrth' is not
    """
    known: dict[str, str] = {}
    for name in names:
        if len(name) > _LONGEST:
            raise FederationError(
                f"a site's name must have at most {_LONGEST} characters; {shorten(name)} has {len(name)}"
            )
        if not all(map(_is_seen, name)):
            raise FederationError(f"a site's name must be one line of plain text; {name!r} is not")
        seen = " ".join(unicodedata.normalize("NFC", name).split())
        if known.setdefault(seen, name) != name:
            raise FederationError(f"sites must have different names; two look like {seen!r}, in other bytes")


def name_run(pact: Mapping[str, Any], *, previous: str, at: float) -> str:
    """Name a run after its pact and its place in the ledger, so that who signs an answer signs for the pact too.

    It is long enough that not even its author finds two pacts of one name.

    Examples
    --------
    >>> name_run({}, previous="0" * 64, at=0.0)
    '2e63f4b262baaf294212b3bab64d5962'
    """
    return digest_of_value({"previous": previous, "pact": dict(pact), "at": at})[:_NAME]


def check_keys_of(names: tuple[str, ...], keys: Mapping[str, str]) -> dict[str, str]:
    """Refuse what is no key, keys of strangers, sites without a key if others have one, and one key for two."""
    for name in keys:
        if name not in names:
            raise FederationError(f"keys name {name!r}, who is not in the federation; {nearest(name, names)}")
    for name in names if keys else ():
        if name not in keys:
            raise FederationError(f"keys must be one for every site; {name!r} has none")
    if len(set(keys.values())) < len(keys):
        raise FederationError("keys must be different; two sites have the same")
    return {name: _read_key(key, f"the key of {name!r}") for name, key in keys.items()}


def _read_key(key: Any, whose: str) -> str:
    if not is_public_key(key):
        raise FederationError(
            f"{whose} must be 64 hexadecimal digits, those of a public key; it is {shorten(key)}"
        )
    return str(key)


def load_pact(path: str | PathLike[str], **terms: Any) -> Pact:
    """Agree on a run for the agents of a federation file, whose sites are still to report.

    The file needs no evidence, and none is read; the terms are those of :func:`make_pact`.
    """
    name, settings = load_settings(path)
    return make_pact(settings, name=name, **terms)


def make_pact(
    fed: AnyFederation | Settings,
    *,
    name: str | None = None,
    method: str = "auto",
    confidence: Number | None = None,
    rule: str = "pwyc",
    fee: PerAgent[Number] | None = None,
    false_alarm_rate: Number = LEVEL,
    patience: Number | Mapping[str, Number] | None = None,
    retry: Number = 5.0,
    candidates: CandidateList | None = None,
    keys: Mapping[str, str] | None = None,
    operator: str | None = None,
    budget: Number | None = None,
    minimum_count: int = MINIMUM_COUNT,
    n_classes: int | None = None,
    withstands_liar: bool = False,
) -> Pact:
    """Agree on a run for a federation's agents and targets; its evidence is left to the sites.

    Parameters
    ----------
    fed
        The federation, its file or the name of an example; or its settings alone.
    name
        What it is called; if not given, as the federation is.
    method, confidence
        As for :func:`fedpact.plan`. Sites send reports, so "exact" is not to be had.
    rule, fee
        As for :func:`fedpact.settle`; rules that pay for contributions as they were made.
    false_alarm_rate
        Chance, at most, that an honest site's contribution is flagged.
    patience
        Seconds that a site has to answer, for every step or by step; then it is gone and planned around.
    retry
        Seconds after which an unanswered request is sent again.
    candidates
        Which candidates are compared; if not given, those that the federation names.
    keys, operator
        Public keys with which answers, and requests and receipts, are signed.
    budget
        What the operator pays in all at most: a plan that comes to more stops the run before anybody labels.
    minimum_count, n_classes
        The largest ``minimum_count`` and the most labels that a site's report may have: both weaken the check of
        its contribution.
    withstands_liar
        Ask for so many samples that every target is met without those of any one other site.
    """
    read_planner(method, has_joint=False)
    fed = fed if isinstance(fed, Settings) else read_federation(fed)
    if fed.assume != "realizable":
        raise FederationError(
            f"a run assumes that some candidate is right, and the federation says assume {fed.assume!r}; leave it "
            "out, or use fedpact select"
        )
    check_site_names(fed.names)
    evidence = fed.evidence if isinstance(fed, Federation) else None
    if evidence is not None and not evidence.IS_COUNTED and confidence is not None:
        raise FederationError("confidence is about rates counted on points; the masses of a table are exact")
    rule = _read_rule(rule)
    return Pact(
        name=name if name is not None else fed.name if isinstance(fed, Federation) else "federation",
        agents=fed.agents,
        delta=fed.delta,
        objective=fed.objective,
        guarantee=fed.guarantee,
        method=method,
        confidence=None if confidence is None else read_chance(confidence, "confidence"),
        rule=rule,
        fee=_read_fee(fed.names, fee, rule),
        false_alarm_rate=read_chance(false_alarm_rate, "false_alarm_rate"),
        patience=_read_patience({} if patience is None else patience),
        retry=_read_seconds(retry, "retry"),
        candidates=_candidates_of(evidence) if candidates is None else candidates,
        keys=check_keys_of(fed.names, keys or {}),
        operator=None if operator is None else _read_key(operator, "the operator's key"),
        budget=None if budget is None else check_at_least(read_number(budget, "budget"), "budget", 0),
        minimum_count=read_whole_number(minimum_count, "minimum_count"),
        n_classes=None if n_classes is None else read_whole_number(n_classes, "n_classes", least=2),
        choice=UNFLAGGED,
        withstands_liar=withstands_liar or None,
    )


def with_keys(pact: Pact, keys: Mapping[str, str], operator: str) -> Pact:
    """Return the same pact with other keys."""
    found = check_keys_of(pact.names, keys)
    return replace(pact, keys=found, operator=_read_key(operator, "the operator's key"))
