"""The page of :mod:`reproduction.no_pure_equilibrium`: tables, sentences, figure, from its results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from reproduction.experiment import Table
from reproduction.figures import Figure, draw_bars


def _say_m(m: Sequence[int]) -> str:
    return f"({', '.join(map(str, m))})"


def _say_ring(row: Mapping[str, Any]) -> str:
    return f"ring {row['own']:.4g} / {row['epsilon']:.4g} / {row['delta']:.4g}"


def _name(row: Mapping[str, Any]) -> str:
    if row["part"] == "any":
        return f"{row['agents']} agents, any masses"
    if row["part"] == "ring":
        return f"{_say_ring(row)}, {row['move']:.1%} moved"
    return f"3 agents, all masses in multiples of 1/{row['parts']}"


def _show_example(results: Mapping[str, Any]) -> Table:
    columns = ("bad is", "pure equilibria", "alone", "mixed: cost", "chance of a target", "largest regret")
    words = {"strict": "error > epsilon", "not strict": "error >= epsilon"}
    rows = [
        (
            words[row["reading"]],
            ", ".join(map(_say_m, row["equilibria"])) or "none",
            _say_m(list(row["standalone"].values())),
            f"{row['expected_cost']:.4g}",
            f"{min(row['probability_met'].values()):.4g}",
            f"{row['regret']:.1g}",
        )
        for row in results["readings"]
    ]
    return Table("The paper's example", columns, rows, left=2)


def _show_dynamics(results: Mapping[str, Any]) -> Table:
    rows = [
        (row["order"], " ".join(map(_say_m, some["cycle"])), f"{some['starts']} of {row['starts']}")
        for row in results["dynamics"]
        for some in row["cycles"]
    ]
    return Table("Best responses that go round for ever", ("order", "cycle", "starts"), rows, left=2)


def _show_frequencies(results: Mapping[str, Any]) -> Table:
    columns = ("federations", "looked at", "without a pure equilibrium", "share", "95% interval")
    rows = [
        (
            _name(row),
            f"{row['drawn']:,}",
            f"{row['none']:,}",
            f"{row['none'] / row['drawn']:.2%}",
            "all of them" if row["interval"] is None else "{:.2%} to {:.2%}".format(*row["interval"]),
        )
        for row in results["frequencies"]
    ]
    title = "How often there is none (rings: own mass / epsilon / delta, share of the masses that is moved)"
    return Table(title, columns, rows)


def tabulate(results: Mapping[str, Any]) -> list[Table]:
    """Show the example, its dynamics, and how often there is no pure equilibrium."""
    return [_show_example(results), _show_dynamics(results), _show_frequencies(results)]


def _say_example(row: Mapping[str, Any]) -> str:
    count, done = len(row["equilibria"]), "the search is complete" if row["is_complete"] else "the search stopped"
    found = f"{count} pure equilibria, {', '.join(map(_say_m, row['equilibria']))}" if count else "none"
    if row["reading"] == "strict":
        verdict = "as the theorem says" if row["is_complete"] and not count else "not what the theorem says"
        return f"pure equilibria of the paper's example: {found}; {done}: {verdict}"
    return f"with at least epsilon for bad (ERRATA C1; epsilon lowered by {row['nudge']:g}): {found}; {done}"


def _say_mixed(row: Mapping[str, Any]) -> str:
    name, mixture = next(iter(row["mixed"].items()))
    plays = ", ".join(f"{m} with probability {chance:.4g}" for m, chance in mixture.items())
    return (
        f"mixed: {name} gives {plays}; all together cost {row['expected_cost']:.4g} in expectation, targets are "
        f"met with probability {min(row['probability_met'].values()):.4g}, and nobody gains more than "
        f"{row['regret']:.1g} by deviating"
    )


def _say_dynamics(row: Mapping[str, Any]) -> str:
    lengths = " or ".join(str(len(some["cycle"])) for some in row["cycles"])
    return (
        f"{row['order']} best responses never settle from {row['cycling']} of {row['starts']} starts; they go "
        f"round {lengths or 'no'} profiles"
    )


def _say_pairs(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    drawn, none = (sum(row[key] for row in rows) for key in ("drawn", "none"))
    verdict = "as is proved" if not none else "against the proof"
    return [f"of {drawn:,} federations of 2 agents {none:,} have no pure equilibrium, {verdict}"] if rows else []


def _say_any(row: Mapping[str, Any]) -> str:
    return (
        f"of {row['drawn']:,} federations of {row['agents']} agents without structure {row['none']:,} have none: "
        f"at most {row['interval'][1]:.2%} of all such (95%)"
    )


def _say_rings(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """One sentence for every ring: how often there is none, for every share that is moved."""
    said: dict[str, list[str]] = {}
    for row in rows:
        share = f"{row['none']:,} of {row['drawn']:,} with {row['move']:.1%} moved"
        said.setdefault(_say_ring(row), []).append(share)
    return [
        f"{ring} (own mass / epsilon / delta): no pure equilibrium in {', '.join(shares)}"
        for ring, shares in said.items()
    ]


def _say_unknown(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    unknown = sum(row["unknown"] for row in rows)
    return [f"of {unknown:,} federations it is not known whether there is one"] if unknown else []


def conclude(results: Mapping[str, Any]) -> list[str]:
    """Say what was found in the example and in the draws."""
    strict, loose = results["readings"]
    rows = results["frequencies"]
    anything = [row for row in rows if row["part"] == "any"]
    return [
        _say_example(strict),
        *map(_say_dynamics, results["dynamics"]),
        _say_mixed(strict),
        _say_example(loose),
        *_say_pairs([row for row in anything if row["agents"] == 2]),
        *(_say_any(row) for row in anything if row["agents"] > 2),
        *_say_rings([row for row in rows if row["part"] == "ring"]),
        *(
            f"{_name(row)}: {row['none']:,} of {row['drawn']:,} have none"
            for row in rows
            if row["part"] == "tables"
        ),
        *_say_unknown(rows),
    ]


def draw(results: Mapping[str, Any]) -> Figure:
    """Draw how often there is no pure equilibrium."""
    return draw_bars(
        {_name(row): row["none"] / row["drawn"] for row in results["frequencies"]},
        title="federations without a pure equilibrium",
        axis="share",
    )
