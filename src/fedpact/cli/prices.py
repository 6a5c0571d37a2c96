"""``fedpact prices``: what delta and every agent's epsilon cost at the margin."""

from __future__ import annotations

from rich.markup import escape

import fedpact as fp
from fedpact.cli.common import (
    FileArgument,
    JsonOption,
    answer,
    console,
    format_number,
    make_table,
    print_table,
    progress_bar,
    read_federation,
)


def prices(file: FileArgument, as_json: JsonOption = False) -> None:
    """Price the targets at the margin: what a looser epsilon of each agent, or half the delta, would change.

    Which hypotheses are too wrong for an agent changes in steps: "next step" is the least larger epsilon that
    changes the cost and "saves" what that saves. All prices are those of the union program, before rounding.

    Example: [bold]fedpact prices examples/alice-bob.toml[/bold]
    """
    fed = read_federation(file)
    with progress_bar("Pricing every agent's target") as report:
        found = fp.planning.shadow_prices(fed, progress=report)
    answer(found, lambda: print_prices(fed, found), as_json=as_json)


def print_prices(fed: fp.Federation, found: fp.planning.ShadowPrices) -> None:
    """Print one line per agent whose target costs something, then the price of delta."""
    out = console()
    title = f"{fed.name}: {format_number(found.fractional_cost)} in the union program, before rounding"
    dear = [price for price in found.epsilon if price.rate > 0 or price.share > 0]
    if dear:
        table = make_table("agent", "epsilon", "share of the cost", "next step", "saves")
        for price in sorted(dear, key=lambda entry: -entry.share):
            step = "-" if price.next_epsilon is None else f"epsilon {price.next_epsilon:.6g}"
            saves = f"{price.rate:.4g} per unit" if price.saving is None else f"{price.saving:.4g}"
            table.add_row(escape(price.agent), f"{price.epsilon:g}", f"{price.share:.0%}", step, saves)
        print_table(title, table)
    else:
        out.print(f"[bold]{escape(title)}[/bold]")
    free = sum(price.rate == 0 for price in found.epsilon)
    if free:
        out.print(f"{free} of {fed.k} agents would save nothing with a larger epsilon of their own alone")
    if found.halving_delta:
        out.print(f"half the delta ({fed.delta / 2:g}) would cost about {found.halving_delta:.2g} more")
