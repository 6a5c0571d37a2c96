"""``fedpact reproduce price-of-stability``: the paper's formula beside the computed price."""

from __future__ import annotations

from typing import Annotated

import typer

import fedpact as fp
from fedpact.cli.common import (
    JsonOption,
    PlotOption,
    answer,
    console,
    format_number,
    make_table,
    print_table,
    progress_bar,
    read_list,
)


def price_of_stability(
    epsilon: Annotated[
        str | None, typer.Option(metavar="LIST", help='Tolerated errors, such as "1/8,1/64"; 1/8 to 1/1024.')
    ] = None,
    delta: Annotated[str, typer.Option(help="Probability of missing a target.")] = "0.5",
    plot: PlotOption = None,
    as_json: JsonOption = False,
) -> None:
    """Compute the price of stability of the paper's family beside the formula that the paper prints.

    Example: [bold]fedpact reproduce price-of-stability --plot stability.svg[/bold]
    """
    values = read_list(epsilon, "epsilon")
    with progress_bar("Computing equilibria and optima") as report:
        options = {} if values is None else {"epsilon": values}
        curve = fp.experiments.reproduce_price_of_stability(delta=delta, progress=report, **options)
    answer(curve, lambda: print_curve(curve), as_json=as_json, plot=plot)


def _as_fraction(value: float) -> str:
    """Write 1/n where it is that.

    Examples
    --------
    >>> _as_fraction(0.0625), _as_fraction(0.3)
    ('1/16', '0.3')
    """
    inverse = round(1 / value)
    return f"1/{inverse}" if abs(value * inverse - 1) < 1e-12 else f"{value:.6g}"


def print_curve(curve: fp.experiments.StabilityCurve) -> None:
    """Print one line per epsilon, then what is wrong with the printed formula."""
    table = make_table("epsilon", "best equilibrium", "optimum", "price of stability", "as printed", "asymptote")
    for row in curve.rows:
        table.add_row(
            _as_fraction(row.epsilon),
            format_number(row.equilibrium_cost),
            format_number(row.optimum),
            f"{row.price:.3f}",
            f"{row.printed:.3f}",
            f"{row.asymptote:.3f}" if row.asymptote >= 1 else "-",
        )
    print_table(f"The price of stability of the paper's family, delta = {curve.delta:g}", table)
    out = console()
    out.print("what is wrong with the formula as printed (ERRATA B1):")
    for sentence in curve.errata:
        out.print(f"- {sentence}", soft_wrap=True)
