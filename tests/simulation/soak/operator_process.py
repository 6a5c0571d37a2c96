"""The operator's process, forked from one that has loaded everything: what it does, and how it dies."""

from __future__ import annotations

import os
import random
import resource
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import fedpact as fp
from fedpact import cli
from fedpact.protocol import runs
from fedpact.protocol.home import hold_home, read_operator
from fedpact.protocol.ledger import store
from simulation.soak.stage import Stage
from simulation.soak.troubled_site import TroubledSite

BROKEN = 70
"""Exit code of a process that ended with an exception that is not fedpact's."""
LONGEST = 120.0
WRITES = ("before a write", "during a write", "after a write")


@dataclass(frozen=True, slots=True, kw_only=True)
class End:
    """How a process is going to die, if it is not through before."""

    when: str
    """``time``, or one of ``WRITES``, or empty: not at all."""
    after: float = LONGEST
    """Seconds, or writes."""


def draw_end(rng: random.Random, usual: float) -> End:
    """Draw a moment: some time of a usual life, or one of the next writes."""
    if rng.random() < 0.4:
        return End(when="time", after=rng.uniform(0, usual))
    return End(when=rng.choice(WRITES), after=rng.randint(1, 10))


def _die_at_write(end: End) -> None:
    """Be killed at some write of the ledger: before its transaction, before the commit, or after it."""
    left, append_all, write_rows = [int(end.after)], store.Ledger.append_all, store.write_rows

    def die(when: str) -> None:
        if end.when == when and left[0] <= 0:
            os.kill(os.getpid(), signal.SIGKILL)

    def appending(ledger: store.Ledger, items: Iterable[tuple[str, Any]], *, run: str, at: float) -> list[Any]:
        left[0] -= 1
        die(WRITES[0])
        entries = append_all(ledger, items, run=run, at=at)
        die(WRITES[2])
        return entries

    def writing(connection: Any, rows: Any) -> None:
        write_rows(connection, rows)
        die(WRITES[1])

    store.Ledger.append_all = appending  # type: ignore[method-assign]
    store.write_rows = writing


def _trouble_sites(stage: Stage, rng: random.Random, *, is_healed: bool) -> None:
    """Put what is wrong with a site between it and whoever reads its folder."""
    read_site = runs.read_site

    def read(folder: Any, **options: Any) -> Any:
        site = read_site(folder, **options)
        kind = None if is_healed else stage.wrong.get(site.name)
        return site if kind is None else TroubledSite(site, kind, stage.seed, random.Random(rng.random()))

    runs.read_site = read


def carry_on(stage: Stage, home: Path, keys: Path, ledger: str | None) -> None:
    """Make the home ready if it is not, and continue its run, as a person does who types the command again."""
    if not (home / "operator" / "run.json").exists():
        with hold_home(home):
            fp.protocol.prepare_home(home, stage.pact(), stage.sites(), keys=keys, ledger=ledger)
    sys.argv = ["fedpact", "run", "--resume", str(home), "--json"]
    cli.main()


def carry_on_unasked(home: Path) -> None:
    """Continue the run of a home without asking whether somebody else is at it."""
    place = fp.protocol.read_home(home)
    sites = {name: runs.read_site(folder) for name, folder in place.sites.items()}
    operator = read_operator(place)
    with operator.ledger:
        runs.carry_out(operator, sites)


def fork(work: Callable[[], None], log: Path) -> int:
    """Do something in a child whose exit code is that of the command line; returns its process."""
    child = os.fork()
    if child:
        return child
    code = BROKEN
    try:
        os.setsid()
        out = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        os.dup2(out, 1)
        os.dup2(out, 2)
        code = _finish(work)
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _finish(work: Callable[[], None]) -> int:
    try:
        work()
    except SystemExit as end:
        return int(end.code or 0)
    except fp.FedpactError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


def start(
    stage: Stage,
    home: Path,
    *,
    keys: Path,
    ledger: str | None,
    end: End,
    life: int,
    most_bytes: int | None,
    is_healed: bool,
    is_rogue: bool = False,
) -> int:
    """Start an operator; returns its process."""

    def work() -> None:
        _trouble_sites(stage, random.Random(f"{stage.seed} {life}"), is_healed=is_healed)
        if end.when in WRITES:
            _die_at_write(end)
        if most_bytes is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (most_bytes, resource.RLIM_INFINITY))
        carry_on_unasked(home) if is_rogue else carry_on(stage, home, keys, ledger)

    return fork(work, home.with_suffix(".log"))


def _read_end(status: int) -> tuple[bool, int]:
    """Whether a process was killed with -9, and its exit code, negative for a signal."""
    code = os.waitstatus_to_exitcode(status)
    return code == -signal.SIGKILL, code


def wait(child: int, end: End) -> tuple[bool, int]:
    """Wait for a process, and kill it when its time has come: whether it was killed, and its exit code."""
    most = end.after if end.when == "time" else LONGEST
    began = time.monotonic()
    while time.monotonic() - began < most:
        pid, status = os.waitpid(child, os.WNOHANG)
        if pid:
            return _read_end(status)
        time.sleep(0.001)
    os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    if end.when != "time":
        raise AssertionError(f"an operator was at work for {LONGEST:g} s without an end")
    return _read_end(status)
