"""``fedpact demo``: the main job on the embedded Arizona hospitals."""

from __future__ import annotations

import numpy as np
from rich.markup import escape

import fedpact as fp
from fedpact.cli.common import (
    JsonOption,
    console,
    format_number,
    make_table,
    print_json,
    print_table,
    progress_bar,
)


def demo(as_json: JsonOption = False) -> None:
    """Show, for 17 Arizona hospitals, what each needs alone and what a few shared contributions achieve.

    Example: [bold]fedpact demo[/bold]
    """
    fed = fp.examples.arizona_hospitals()
    with progress_bar("What each hospital needs alone") as report:
        alone = fp.standalone(fed, progress=report)
    tried = {title: fp.verify(fed, m) for title, m in _hand_picked(fed, alone).items()}
    if as_json:
        print_json(
            {
                "federation": fp.summarise(fed).to_dict(),
                "standalone": alone,
                "vectors": [{"title": title} | seen.to_dict() for title, seen in tried.items()],
            }
        )
        return
    out = console()
    out.print(
        f"{fed.k} hospitals want one model of their cardiac patients. Each tolerates an error of "
        f"{fed.epsilon[0]:g} on its own patients,\nwith probability {1 - fed.delta:g}; "
        f"{fed.H} candidate rules, any of which may be the right one. Who should label how many charts?\n"
    )
    _print_alone(fed, alone)
    _print_tried(fed, tried)


def _hand_picked(fed: fp.Federation, alone: dict[str, int | None]) -> dict[str, list[int]]:
    cost = [float(agent.cost(1)) for agent in fed.agents]
    cheapest = np.argsort(cost, kind="stable")[:4]
    return {
        "everyone for itself": [alone[name] or 0 for name in fed.names],
        "15 charts from each of the 4 cheapest": [15 if i in cheapest else 0 for i in range(fed.k)],
        "2 charts each": [2] * fed.k,
        "3 charts each": [3] * fed.k,
        "4 charts each": [4] * fed.k,
        "6 charts each": [6] * fed.k,
    }


def _print_alone(fed: fp.Federation, alone: dict[str, int | None]) -> None:
    table = make_table("hospital", "cost per chart", "charts needed", "cost")
    for agent in fed.agents:
        need = alone[agent.name]
        cells = ("never enough", "-") if need is None else (f"{need:,}", format_number(float(agent.cost(need))))
        table.add_row(escape(agent.name), format_number(float(agent.cost(1))), *cells)
    print_table("Each hospital alone", table)


def _print_tried(fed: fp.Federation, tried: dict[str, fp.Verification]) -> None:
    table = make_table("contribution", "charts", "cost", "targets met", "largest Pr[missed]")
    for title, seen in tried.items():
        worst = max(interval.high for interval in seen.failure.values())
        met = sum(seen.met.values())
        colour = "green" if seen.is_feasible else "red"
        table.add_row(
            escape(title),
            f"{seen.m.sum():,}",
            format_number(seen.cost),
            f"[{colour}]{met} of {fed.k}[/{colour}]",
            f"{worst:.4f}",
        )
    print_table("\nTogether", table)
    console().print(f"\nA target may be missed with probability {fed.delta:g} at most.")
