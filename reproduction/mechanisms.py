"""Payment rules side by side: what they pay, who brings the money, who leaves, and which lies pay.

Every rule settles, and is audited on, the same federations: small examples of the catalogue and tables drawn at
random. With cost for what all labelling costs under the rule's plan, and for every agent u_i its utility and a_i
what it has alone,

- *deficit*: the sum of all payments; a rule is balanced where it is zero;
- *leaving*: somebody has u_i < a_i, so that the rule is not individually rational;
- *gain*: the most that one agent was found to win by a misreport while the others are truthful, of its data with
  costs known, and of its cost with data known.

The paper calls pay-what-you-contribute strategyproof and VCG truthful; neither is so as printed (ERRATA A2, A3),
and :mod:`fedpact.mechanism.payment.rules` says what is proved of each rule. An audit that finds nothing proves
nothing; one that finds a gain where truth is proved to be a best report would show a defect. VCG rules plan by the
exact optimum, "threshold" by the paper's program, all others by ``method``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

import fedpact as fp
from reproduction.experiment import NO_END, Answer, Arrays, Experiment, Settings, Stage, Task
from reproduction.mechanisms_page import conclude, draw, tabulate
from reproduction.values import METHODS, read_choice, read_each, read_ends, read_share, read_size, read_within

_MOST_AGENTS, _MOST_HYPOTHESES, _MOST_POINTS = 4, 20, 8
_BALANCED = 1e-9
OPTIMAL = ("vcg", "vcg-verified")
"""Rules that plan by the exact optimum; "threshold" has contributions of its own."""
_COSTS, _EPSILONS, _DELTAS = (0.05, 0.1, 0.2, 0.3), (0.1, 0.2), (0.1, 0.25, 0.5)
COMPARED: dict[str, tuple[str, dict[str, str]]] = {
    "pwyc": ("pwyc", {}),
    "pwyc with a fee": ("pwyc", {"fee": "fee"}),
    "pwyc with recover": ("pwyc", {"cost_recovery": "recover"}),
    "vcg": ("vcg", {}),
    "vcg with Clarke pivots": ("vcg", {"pivot": "clarke"}),
    "vcg-verified": ("vcg-verified", {}),
    "vcg-verified with Clarke pivots": ("vcg-verified", {"pivot": "clarke"}),
    "threshold": ("threshold", {"ceiling": "ceiling"}),
    "no payment": ("none", {}),
    "equal-split": ("equal-split", {}),
    "proportional": ("proportional", {}),
}
"""Name -> rule, and its terms with the parameters that set them."""


def _read_example(name: Any, key: str) -> str:
    """Read the name of an example that is small enough to be audited with the exact optimum."""
    fed = fp.examples.build(str(name))
    if fed.k > _MOST_AGENTS or fed.H > _MOST_HYPOTHESES:
        raise fp.FederationError(
            f"{key} must have at most {_MOST_AGENTS} agents and {_MOST_HYPOTHESES} hypotheses; {name!r} has "
            f"{fed.k} and {fed.H}"
        )
    return str(name)


def _read_sizes(settings: Settings) -> dict[str, list[int]]:
    most = {"agents": _MOST_AGENTS, "points": _MOST_POINTS, "hypotheses": _MOST_HYPOTHESES}
    return {key: list(read_ends(settings, key, least=2, most=most[key])) for key in most}


def _cut(settings: Settings, data: None, earlier: Sequence[Sequence[Answer]]) -> list[Task]:
    about = {
        "method": read_choice(settings["method"], "method", METHODS),
        "reports": read_size(settings["reports"], "reports", least=1, most=10**6),
        "fee": read_within(settings["fee"], "fee", 0, 10),
        "recover": read_share(settings["recover"], "recover"),
        "ceiling": read_within(settings["ceiling"], "ceiling", 1, 1000),
    }
    sizes = _read_sizes(settings)
    feds: list[dict[str, Any]] = [{"example": name} for name in read_each(settings, "examples", _read_example)]
    feds += [{"seed": seed, "sizes": sizes} for seed in range(settings["seeds"])]
    return [Task(about | {"rule": rule, "federation": fed}) for fed in feds for rule in COMPARED]


def draw_federation(seed: int, sizes: Mapping[str, Sequence[int]]) -> fp.Federation:
    """Draw a small table with masses in tenths, so that rates tie, for which something has to be labelled."""
    rng = np.random.default_rng([seed, 0])
    while True:
        ends = [sizes[key] for key in ("agents", "points", "hypotheses")]
        k, n, H = (int(rng.integers(low, high, endpoint=True)) for low, high in ends)
        fed = fp.Federation.from_table(
            rng.integers(0, 2, (H, n)),
            rng.multinomial(10, rng.dirichlet(np.full(n, 0.7), k)) / 10,
            cost=rng.choice(_COSTS, k),
            epsilon=rng.choice(_EPSILONS, k),
            delta=float(rng.choice(_DELTAS)),
            name=f"drawn-{seed}",
        )
        if fp.plan(fed, "lp").m.any():
            return fed


def build_federation(about: Mapping[str, Any]) -> fp.Federation:
    """Build the federation that a cell is about."""
    return (
        fp.examples.build(about["example"])
        if "example" in about
        else draw_federation(about["seed"], about["sizes"])
    )


def _set_terms(fed: fp.Federation, cell: Mapping[str, Any], cost: float) -> dict[str, Any]:
    """Announce the rule's terms; what is a share of the cost or a multiple of a price becomes money."""
    dearest = max(float(agent.cost(1)) for agent in fed.agents)
    amounts = {
        "fee": cell["fee"] * cost / fed.k,
        "recover": cell["recover"],
        "ceiling": cell["ceiling"] * dearest,
        "clarke": "clarke",
    }
    return {term: amounts[key] for term, key in COMPARED[cell["rule"]][1].items()}


def _describe(bill: fp.Settlement) -> Answer:
    spare = [bill.utility[name] - alone for name, alone in bill.utility_alone.items()]
    is_balanced = abs(bill.deficit) <= _BALANCED * max(bill.cost, bill.spend)
    return {
        "cost": bill.cost,
        "spend": bill.spend,
        "deficit": 0.0 if is_balanced else bill.deficit,
        "is_balanced": is_balanced,
        "least_advantage": min(spare),
        "leaving": len(bill.leaving),
        "is_met": all(bill.met.values()),
    }


def _audit(fed: fp.Federation, cell: Mapping[str, Any], terms: Mapping[str, Any], private: str) -> Answer:
    """Look for a misreport of data or costs that pays while the others are truthful."""
    rule, place = COMPARED[cell["rule"]][0], list(COMPARED).index(cell["rule"])
    method = None if rule in OPTIMAL or rule == "threshold" else cell["method"]
    rng = np.random.default_rng([cell["federation"].get("seed", 0), 1, place, private == "costs"])
    options = {
        "n_misreports": cell["reports"],
        "senses": ["ex-post"],
        "private": private,
        "method": method,
        "rng": rng,
    }
    seen = fp.audit(fed, rule, **options, **terms)
    if not seen.is_complete:
        raise KeyboardInterrupt  # an audit that is cut short answers with what it has, which is not to be kept
    return {"gain": seen.gain, "tried": seen.tried, "truthful": seen.truthful.value}


def _compute(cell: Mapping[str, Any], arrays: Arrays) -> Answer:
    fed, rule = build_federation(cell["federation"]), COMPARED[cell["rule"]][0]
    method = "exact" if rule in OPTIMAL else cell["method"]
    found = fp.plan(fed, method, time_limit=NO_END)
    terms = _set_terms(fed, cell, found.cost)
    name = cell["federation"].get("example", fed.name)
    answer: Answer = {"rule": cell["rule"], "federation": name, "is_drawn": "seed" in cell["federation"]}
    try:
        bill = fp.settle(fed, None if rule == "threshold" else found, rule, **terms)
    except fp.errors.NotOptimalError:
        raise  # optima of these federations are found, unless the search is interrupted
    except (fp.FederationError, fp.InfeasibleError) as error:
        return answer | {"refused": str(error)}
    audits = {private: _audit(fed, cell, terms, private) for private in ("data", "costs")}
    return answer | {"refused": None} | _describe(bill) | audits


def _sum_up_lies(answers: Sequence[Answer], private: str) -> Answer:
    seen = [answer[private] | {"cost": answer["cost"]} for answer in answers]
    return {
        "truthful": sorted({one["truthful"] for one in seen}),
        "tried": sum(one["tried"] for one in seen),
        "paid": sum(one["gain"] > 0 for one in seen),
        "most": max((one["gain"] / one["cost"] for one in seen), default=0.0),
    }


def _sum_up_rule(rule: str, answers: Sequence[Answer]) -> Answer:
    """One rule over all federations in which it can be applied; money as multiples of what labelling costs."""
    applied = [answer for answer in answers if answer["refused"] is None]
    ratios = {key: [answer[key] / answer["cost"] for answer in applied] for key in ("spend", "deficit")}
    return {
        "rule": rule,
        "federations": len(answers),
        "applied": len(applied),
        "spend": float(np.mean(ratios["spend"])) if applied else None,
        "deficit": float(np.mean(ratios["deficit"])) if applied else None,
        "balanced": sum(answer["is_balanced"] for answer in applied),
        "left": sum(answer["leaving"] > 0 for answer in applied),
        "data": _sum_up_lies(applied, "data"),
        "costs": _sum_up_lies(applied, "costs"),
    }


def _sum_up(settings: Settings, data: None, answers: Sequence[Sequence[Answer]]) -> Answer:
    by_rule = {rule: [answer for answer in answers[0] if answer["rule"] == rule] for rule in COMPARED}
    examples = [answer for answer in answers[0] if not answer["is_drawn"]]
    rows = [_sum_up_rule(rule, some) for rule, some in by_rule.items()]
    return {"rows": rows, "examples": examples, "seeds": settings["seeds"]}


MECHANISMS = Experiment(
    name="mechanisms",
    about="Payment rules side by side: what they pay, who brings the money, who leaves, and which lies pay.",
    stages=(Stage(cut=_cut, compute=_compute),),
    sum_up=_sum_up,
    tabulate=tabulate,
    conclude=conclude,
    draw=draw,
)
