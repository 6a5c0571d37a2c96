"""One run of a seed, from an empty folder to books that are checked."""

from __future__ import annotations

import json
import os
import random
import shutil
import time
from collections import Counter
from pathlib import Path
from typing import Any

import fedpact as fp
from simulation.invariants import insist
from simulation.soak.check_run import check_run, summary_of
from simulation.soak.operator_process import BROKEN, End, draw_end, fork, start, wait
from simulation.soak.stage import Stage, draw_stage

_UNDISTURBED = End(when="")
_MOST_LIVES = 60


def _run_undisturbed(stage: Stage, folder: Path) -> tuple[dict[str, Any], float]:
    """Run the same pact with the same sites and nothing going wrong: what comes of it, and how long that takes."""
    told, began = folder / "undisturbed.json", time.monotonic()

    def work() -> None:
        outcome = fp.protocol.run(stage.fed, stage.sites(), **stage.terms)
        told.write_text(json.dumps(summary_of(outcome)))

    _, code = wait(fork(work, folder / "undisturbed.log"), _UNDISTURBED)
    insist(code == 0, f"an undisturbed run fails: {(folder / 'undisturbed.log').read_text()[-300:]}")
    return json.loads(told.read_text()), time.monotonic() - began


class _Run:
    """Lives of the operators of one run."""

    def __init__(self, stage: Stage, folder: Path, keys: Path, ledger: str | None, usual: float) -> None:
        self.stage, self.home, self.keys, self.ledger, self.usual = stage, folder / "home", keys, ledger, usual
        self.rng, self.counts = random.Random(stage.seed + 2**32), Counter[str]()
        self.kills_left, self.is_healed, self.lives = stage.kills, False, 0

    def _start(self, end: End, *, most_bytes: int | None = None, is_rogue: bool = False) -> int:
        self.lives += 1
        insist(self.lives < _MOST_LIVES, "the run does not come to an end")
        return start(
            self.stage,
            self.home,
            keys=self.keys,
            ledger=self.ledger,
            end=end,
            life=self.lives,
            most_bytes=most_bytes,
            is_healed=self.is_healed,
            is_rogue=is_rogue,
        )

    def _fill_disk(self) -> int | None:
        """Draw how many bytes a file may have, so that the ledger comes to its end."""
        path = self.home / "ledger.db"
        if not self.stage.has_full_disk or self.ledger is not None or not path.exists() or self.rng.random() < 0.5:
            return None
        return path.stat().st_size + self.rng.randrange(12_000)

    def _begin_another(self) -> tuple[str, int] | None:
        """Start a second operator beside the first, one that asks first or one that does not."""
        has_home = (self.home / "operator" / "run.json").exists()
        kinds = [
            kind for kind, wanted in (("second", self.stage.has_second), ("rogue", self.stage.has_rogue)) if wanted
        ]
        if not kinds or not has_home or self.rng.random() < 0.4:
            return None
        time.sleep(self.rng.uniform(0, self.usual / 2))
        kind = self.rng.choice(kinds)
        return kind, self._start(_UNDISTURBED, is_rogue=kind == "rogue")

    def live(self) -> int | None:
        """Let an operator live: its exit code, or nothing if it was killed."""
        end = draw_end(self.rng, self.usual) if self.kills_left > 0 else _UNDISTURBED
        most_bytes = self._fill_disk() if self.kills_left >= 0 else None
        first = self._start(end, most_bytes=most_bytes)
        other = self._begin_another() if self.lives < _MOST_LIVES // 2 else None
        is_killed, code = wait(first, end)
        if is_killed:
            self.kills_left -= 1
            self.counts[f"killed {end.when if end.when != 'time' else 'at some time'}"] += 1
        insist(code >= 0 or (is_killed and end.when), f"an operator died of signal {-code}: {self._last_words()}")
        insist(code != BROKEN, f"an operator broke: {self._last_words()}")
        if other is not None:
            self._wait_for(*other)
        if most_bytes is not None and not is_killed and code == 1:
            self.counts["full disk"] += 1
        return None if is_killed else code

    def _wait_for(self, kind: str, child: int) -> None:
        is_killed, code = wait(child, _UNDISTURBED)
        insist(not is_killed and code in (0, 1, 3), f"a {kind} operator broke ({code}): {self._last_words()}")
        self.counts[f"{kind} operator, turned away" if code == 1 else f"{kind} operator, carried it out"] += 1

    def _last_words(self) -> str:
        log = self.home.with_suffix(".log")
        return log.read_text(errors="replace")[-600:] if log.exists() else "nothing was said"

    def until_over(self) -> None:
        """Start operators until one says that the run is finished, or has stopped for good."""
        while True:
            code = self.live()
            if code == 0:
                return
            if code == 3:
                self.counts["stopped"] += 1
                if self.is_healed or not self.stage.heals or not self.stage.wrong:
                    return
                self.is_healed = True
            if code == 1:
                insist(
                    self.stage.has_full_disk or self.stage.has_second or self.stage.has_rogue,
                    f"refused: {self._last_words()}",
                )

    def once_more(self) -> None:
        """Resume what is finished: nothing is added, and nobody is paid again."""
        with fp.protocol.Ledger.open(self.home) as ledger:
            before = len(ledger), ledger.head
        _, code = wait(self._start(_UNDISTURBED), _UNDISTURBED)
        with fp.protocol.Ledger.open(self.home) as ledger:
            insist(
                code == 0 and (len(ledger), ledger.head) == before,
                "a finished run was resumed, and something was added",
            )


def run_seed(seed: int, folder: Path, keys: Path, ledger: str | None = None) -> dict[str, Any]:
    """Carry out the run of a seed; returns what was counted, or raises what does not hold.

    Parameters
    ----------
    folder
        Empty; it is removed if everything holds.
    ledger
        URL of a database; if not given, the ledger is a file in the home.
    """
    began, spent, stage = time.monotonic(), sum(os.times()[:4]), draw_stage(seed)
    undisturbed, usual = _run_undisturbed(stage, folder)
    run = _Run(stage, folder, keys, ledger, usual)
    run.until_over()
    home = fp.protocol.read_home(run.home)
    is_same = stage.is_comparable and not run.is_healed
    found = check_run(stage, home, undisturbed if is_same else None, folder)
    if found["status"] == "FINISHED":
        run.once_more()
    shutil.rmtree(folder)
    return {
        "seed": seed,
        **found,
        "compared": is_same,
        "lives": run.lives,
        "counts": dict(run.counts),
        "wrong": dict(Counter(stage.wrong.values())),
        "store": "SQLite" if ledger is None else "PostgreSQL",
        "seconds": time.monotonic() - began,
        "processor": sum(os.times()[:4]) - spent,
        "memory_kb": _memory(),
        "process": os.getpid(),
    }


def _memory() -> int:
    """Memory of this process, which lives as long as the soak, in KB."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line.split()[1] for line in lines if line.startswith("VmRSS")))
