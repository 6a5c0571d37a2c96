"""The command line: each command parses, calls the public package and prints.

Exit codes: 0 answered; 1 the input or the request is wrong; 2 usage; 3 no plan exists; 130 interrupted.
"""

from __future__ import annotations

import sys
from typing import Annotated

import typer

import fedpact as fp
from fedpact.cli import (
    audit,
    check,
    check_contribution,
    compare,
    demo,
    examples,
    export_html,
    frontier,
    game,
    gather,
    keys,
    label,
    ledger,
    pay,
    plan,
    prices,
    realizability,
    report,
    reproduce,
    run,
    serve,
    share,
    site,
    verify,
)

app = typer.Typer(
    name="fedpact",
    help="Who in a federation should label how many samples, at what cost, for what pay?",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command in (
    demo.demo,
    check.check,
    report.report,
    gather.gather,
    plan.plan,
    verify.verify,
    compare.compare,
    game.game,
    frontier.frontier,
    prices.prices,
    share.share,
    pay.pay,
    audit.audit,
    check_contribution.check_contribution,
    realizability.realizability,
    run.run,
    serve.serve,
    export_html.export_html,
    examples.examples,
):
    app.command()(command)
app.add_typer(keys.app, name="keys")
app.add_typer(label.app, name="label")
app.add_typer(ledger.app, name="ledger")
app.command(hidden=True, context_settings={"allow_extra_args": True, "ignore_unknown_options": True})(
    reproduce.reproduce
)
app.add_typer(site.app, name="site")


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"fedpact {fp.__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    pass


def main() -> None:
    """Run the command line; an error that fedpact raises on purpose is one line and an exit code."""
    try:
        app()
    except fp.InfeasibleError as error:
        sys.exit(_fail(error, 3))
    except fp.FedpactError as error:
        sys.exit(_fail(error, 1))
    except OSError as error:
        sys.exit(_fail(f"the answer cannot be written: {error.strerror}", 1))


def _fail(error: fp.FedpactError | str, code: int) -> int:
    print(f"error: {error}", file=sys.stderr)
    return code
