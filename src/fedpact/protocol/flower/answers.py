"""What a site says of its answers, one line each, in ``.flower/answers.log`` of its folder: for the person there.

Flower runs every message in a process of its own whose output is Flower's log; ``fedpact site join`` shows the new
lines of this file instead. It is written only where a site was joined that way, and holds nothing that the site
does not know anyway. What is said again, that labels are still missing for example, is not written again.
"""

from __future__ import annotations

import shlex
import time
from pathlib import Path
from typing import Any

from fedpact.describe.parsing import one_line
from fedpact.errors import FedpactError
from fedpact.protocol.messages import (
    Answer,
    Contributed,
    Evaluated,
    Pending,
    Receipt,
    Refused,
    Reported,
    Request,
    read_answer,
    read_request,
)
from fedpact.protocol.site.site_files import read_table

FOLDER = ".flower"
FILE = "answers.log"
_MOST_CHARACTERS = 500
_CLOCK = "%H:%M:%S "


def write_line(site: Path, line: str) -> None:
    """Add a line with the time of day, unless nobody joined from this folder, or the last line says the same."""
    path = site / FOLDER / FILE
    if not path.parent.is_dir():
        return
    told = one_line(line)[:_MOST_CHARACTERS]
    if _last_line(path) == told:
        return
    with path.open("a", encoding="utf-8") as file:
        file.write(f"{time.strftime(_CLOCK)}{told}\n")


def _last_line(path: Path) -> str | None:
    """Return the last line without its time."""
    if not path.exists():
        return None
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - 8 * _MOST_CHARACTERS))
        lines = file.read().decode(errors="replace").splitlines()
    return lines[-1].partition(" ")[2] if lines else None


def say_answer(data: bytes, answer: bytes, site: Path) -> str:
    """Say what a site answered to a request, in one line.

    Examples
    --------
    >>> from fedpact.protocol.messages import write_answer, write_request
    >>> told = {"run": "12ab34cd56", "request": "r", "site": "north", "step": "evaluate"}
    >>> asked = write_request(Request(**told, body={"index": 0}))
    >>> say_answer(asked, write_answer(Answer(**told, body=Evaluated(n=40, mistakes=2))), Path("north"))
    'answered evaluate of run 12ab34cd: 2 of 40 held-out samples wrong'
    """
    try:
        request, said = read_request(data), read_answer(answer, {})
    except FedpactError:
        return "answered a request"
    of_run = f"{request.step} of run {request.run[:8]}"
    match said.body:
        case Pending():
            return f"waiting: {said.body.why}{_say_how_to_label(site)}"
        case Refused():
            return f"refused {of_run}: {said.body.why}"
        case _:
            return f"answered {of_run}{_say_body(request, said)}"


def _say_body(request: Request, said: Answer) -> str:
    match said.body:
        case Reported():
            able = "any number of" if said.body.pool is None else f"up to {said.body.pool}"
            return f": can label {able} samples"
        case Contributed():
            return f": {said.body.m} samples"
        case Evaluated():
            return f": {said.body.mistakes} of {said.body.n} held-out samples wrong" if said.body.n else ""
        case Receipt():
            return f": {_say_amount(request.body.get('statement'))}"
        case _:
            return ""


def _say_amount(statement: Any) -> str:
    amount = statement.get("amount") if isinstance(statement, dict) else None
    return f"a statement of {amount:g}" if isinstance(amount, int | float) else "a statement"


def _say_how_to_label(site: Path) -> str:
    """Say what people do, if it is people who label."""
    try:
        table = read_table(site)
    except FedpactError:
        return ""
    if "labels" in table or "labeller" in table:
        return ""
    return f"; next: fedpact label export {shlex.quote(str(site))} -o todo.csv"
