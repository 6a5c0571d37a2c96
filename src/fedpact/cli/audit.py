"""``fedpact audit``: look for misreports that pay, under one payment rule or under all of them."""

from __future__ import annotations

from typing import Annotated, Any

import typer

import fedpact as fp
from fedpact.cli.common import (
    AloneOption,
    AssumeOption,
    CeilingOption,
    FeeOption,
    FileArgument,
    JsonOption,
    NoiseOption,
    PivotOption,
    RecoverOption,
    SeedOption,
    WorthOption,
    answer,
    progress_bar,
    read_amounts,
    read_federation,
    read_seed,
)
from fedpact.cli.complete import METHODS, RULES, choose


def audit(
    file: FileArgument,
    rule: Annotated[str, choose((*RULES, "all"), f"{', '.join(RULES)}, or all for a table of them.")] = "pwyc",
    method: Annotated[
        str | None, choose(METHODS, 'How the mechanism plans; "lp" if not given, and "exact" for the VCG rules.')
    ] = None,
    n_misreports: Annotated[
        int | None, typer.Option(help="How many misreports to try; 1000 if not given, 200 for each of all rules.")
    ] = None,
    private: Annotated[
        str | None,
        typer.Option(help='What agents may misreport: "data", or "costs" as for "threshold" if not given.'),
    ] = None,
    fee: FeeOption = None,
    cost_recovery: RecoverOption = None,
    min_standalone: AloneOption = None,
    pivot: PivotOption = "none",
    ceiling: CeilingOption = None,
    worth: WorthOption = None,
    time_limit: Annotated[
        float | None, typer.Option(help="Seconds after which an audit stops with what it has found.")
    ] = None,
    seed: SeedOption = 0,
    assume: AssumeOption = None,
    noise: NoiseOption = None,
    as_json: JsonOption = False,
) -> None:
    """Look for misreports that pay: of one agent, against liars, of two together, and under two names.

    Example: [bold]fedpact audit "pwyc-not-dominant(1/20)" --rule all --ceiling 1[/bold]
    """
    fed, rng = read_federation(file, assume, noise), read_seed(seed)
    options = _given(method=method, n_misreports=n_misreports) | {
        "ceiling": read_amounts(ceiling, "ceiling"),
        "worth": read_amounts(worth, "worth"),
        "time_limit": time_limit,
        "rng": rng,
    }
    own = _given(
        fee=read_amounts(fee, "fee"),
        cost_recovery=cost_recovery,
        min_standalone=read_amounts(min_standalone, "min_standalone"),
        private=private,
        pivot=None if pivot == "none" else pivot,
    )
    if rule == "all":
        if own:
            option = next(iter(own)).replace("_", "-")
            raise fp.FederationError(f"--{option} belongs to one rule; name it with --rule instead of 'all'")
        with progress_bar("Settling and auditing") as report:
            table = fp.mechanism.compare_rules(fed, **options, progress=report)
        answer(table, as_json=as_json)
        return
    with progress_bar("Trying misreports") as report:
        seen = fp.audit(fed, rule, **options, **own, progress=report)
    answer(seen, as_json=as_json)


def _given(**options: Any) -> dict[str, Any]:
    return {key: value for key, value in options.items() if value is not None}
