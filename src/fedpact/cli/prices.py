"""``fedpact prices``: what delta and every agent's epsilon cost at the margin."""

from __future__ import annotations

import fedpact as fp
from fedpact.cli.common import (
    FileArgument,
    JsonOption,
    answer,
    progress_bar,
    read_federation,
)


def prices(file: FileArgument, as_json: JsonOption = False) -> None:
    """Price the targets at the margin: what a looser epsilon of each agent, or half the delta, would change.

    Which hypotheses are too wrong for an agent changes in steps: "next step" is the least larger epsilon that
    changes the cost and "saves" what that saves. All prices are those of the union program, before rounding.

    Example: [bold]fedpact prices alice-bob[/bold]
    """
    fed = read_federation(file)
    with progress_bar("Pricing every agent's target") as report:
        found = fp.planning.shadow_prices(fed, progress=report)
    answer(found, as_json=as_json)
