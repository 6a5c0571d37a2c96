"""``fedpact export-html``: plan, game and payments as one page to mail around."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import fedpact as fp
from fedpact.cli.common import (
    ConfidenceOption,
    FileArgument,
    ForceOption,
    JsonOption,
    check_free,
    print_json_or_say,
    progress_bar,
    read_federation,
)
from fedpact.cli.complete import METHOD_NAMES, METHODS, choose


def export_html(
    file: FileArgument,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="The .html file to write.")],
    method: Annotated[str, choose(METHODS, f'As for "fedpact plan": {METHOD_NAMES}.')] = "auto",
    confidence: ConfidenceOption = None,
    order: Annotated[
        str, typer.Option(help="In which order agents respond: round-robin, random or simultaneous.")
    ] = "round-robin",
    seconds: Annotated[float, typer.Option(min=0, max=240, help="Seconds for each search.")] = 10,
    fee: Annotated[float | None, typer.Option(help='For "pwyc", what everybody pays for taking part.')] = None,
    ceiling: Annotated[
        float | None, typer.Option(help='For "threshold", the most that a sample may cost.')
    ] = None,
    audit: Annotated[
        int | None,
        typer.Option(metavar="COUNT", min=1, max=2000, help="Also audit every rule with this many misreports."),
    ] = None,
    force: ForceOption = False,
    as_json: JsonOption = False,
) -> None:
    """Write everything about a federation to one self-contained page: to mail around, to print.

    Example: [bold]fedpact export-html alice-bob -o plan.html[/bold]
    """
    _check_output(output, force=force)
    fed = read_federation(file)
    if confidence is not None:
        fed = fp.planning.at_confidence(fed, confidence)
    with progress_bar("Answering") as report:
        page = fp.web.export_html(
            fed,
            source=file,
            method=method,
            order=order,
            seconds=seconds,
            fee=fee,
            ceiling=ceiling,
            audit=audit,
            follow=lambda done, total, what: report(done, total),
        )
    whole = output.with_name(f".{output.name}.part")
    whole.write_text(page, encoding="utf-8")
    whole.replace(output)
    size = len(page.encode())
    entry = {"file": str(output), "bytes": size, "federation": fed.fingerprint}
    print_json_or_say(entry, f"wrote {output} ({size / 1e6:.1f} MB)", as_json=as_json)


def _check_output(output: Path, *, force: bool) -> None:
    """Refuse what cannot be written before any work is done."""
    if output.suffix.lower() not in (".html", ".htm"):
        raise fp.FederationError(f"output must be a file that ends in .html; it is {str(output)!r}")
    if not output.parent.is_dir():
        raise fp.FederationError(f"output cannot be written to {str(output)!r}: there is no such folder")
    if output.is_dir():
        raise fp.FederationError(f"output cannot be written to {str(output)!r}: it is a folder")
    check_free(output, force=force)
