"""What must hold after a run, whatever went wrong in it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import fedpact as fp
from fedpact.explain.ledger import say_problem
from simulation.invariants import RunAudit, insist
from simulation.soak.stage import Stage
from simulation.truth import Truth

KEPT = ("hypothesis", "contributions", "payments", "withheld", "met", "gone", "status")


def summary_of(outcome: fp.protocol.RunOutcome) -> dict[str, Any]:
    """Return what must be the same as in an undisturbed run."""
    found = outcome.to_dict()
    plan = None if found["plan"] is None else found["plan"]["contributions"]
    summary: dict[str, Any] = json.loads(json.dumps({**{key: found[key] for key in KEPT}, "plan": plan}))
    return summary


def check_run(
    stage: Stage, home: fp.protocol.RunHome, undisturbed: Mapping[str, Any] | None, aside: Path
) -> dict[str, Any]:
    """Raise unless everything holds; returns what came of the run."""
    seen = fp.protocol.verify_ledger(home.ledger)
    insist(seen.is_intact, f"the ledger is broken: {seen.why}")
    books = fp.protocol.check_books(home.ledger)
    insist(books.is_sound, f"the books do not add up: {list(map(say_problem, books.problems[:1]))}")
    with fp.protocol.Ledger.open(home.ledger) as ledger:
        entries = list(ledger.entries())
        insist((len(ledger), ledger.head) == (seen.entries, seen.head), "the ledger has another head than it says")
        if stage.seed % 10 == 0:
            _insist_on_export(ledger, aside)
    outcome = fp.protocol.read_outcome(home.ledger)
    _insist_on_once(entries)
    _audit(stage, entries)
    _insist_on_sites(stage, home, outcome, entries)
    if undisturbed is not None:
        found = summary_of(outcome)
        insist(found == undisturbed, f"an undisturbed run ends otherwise: {_differences(found, undisturbed)}")
    kinds = [entry.kind for entry in entries]
    counts = {
        name: kinds.count(kind)
        for name, kind in (("gone", "gone"), ("refusals", "refuse"), ("paid", "pay"), ("plans", "plan"))
    }
    return {"status": outcome.status.name, "entries": len(entries), "withheld": len(outcome.withheld), **counts}


def _differences(one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    return {key: (one[key], other[key]) for key in one if one[key] != other[key]}


def _insist_on_once(entries: list[fp.protocol.Entry]) -> None:
    """Nobody is asked or paid twice, and the run is opened and closed once."""
    for kind, key in (("ask", "request"), ("answer", "request"), ("pay", "site")):
        names = [entry.body[key] for entry in entries if entry.kind == kind]
        insist(len(set(names)) == len(names), f"{kind} twice: {names}")
    kinds = [entry.kind for entry in entries]
    insist(
        kinds.count("open") == 1 and kinds.count("close") <= 1, "the run was opened once, and closed at most once"
    )


def _audit(stage: Stage, entries: list[fp.protocol.Entry]) -> None:
    """Check every invariant of the simulator: plans meet targets, honest sites are believed, all is paid for."""
    truth = Truth(stage.fed, stage.sites(), stage.honest, {})
    audit = RunAudit(truth=truth, run=entries[0].run, pact=entries[0].body["pact"])
    for entry in entries[1:]:
        audit.read(entry)


def _insist_on_sites(
    stage: Stage, home: fp.protocol.RunHome, outcome: fp.protocol.RunOutcome, entries: list[fp.protocol.Entry]
) -> None:
    """Sites have drawn what the ledger says that they gave, and have the statements that it has."""
    paid = {entry.body["site"]: entry.body["statement"] for entry in entries if entry.kind == "pay"}
    for name in stage.honest:
        kept = fp.protocol.read_site(home.sites[name]).store.load(outcome.run)
        insist(kept.get("statement") in (None, paid.get(name)), f"{name} has another statement than the ledger")
        drawn, given = kept.get("drawn", 0), outcome.contributions[name]
        insist(drawn >= given, f"{name} gave {given}, and has drawn {drawn}")
        insist(
            drawn == given or name in outcome.gone or outcome.status.name != "FINISHED",
            f"{name} drew {drawn} for {given}",
        )


def _insist_on_export(ledger: fp.protocol.Ledger, aside: Path) -> None:
    """Raise unless an export makes the same ledger again."""
    file = fp.protocol.export_ledger(ledger, aside / "books.json", force=True)
    again = aside / "again.db"
    again.unlink(missing_ok=True)
    with fp.protocol.rebuild_ledger(file, again) as rebuilt:
        insist(rebuilt.head == ledger.head, "a ledger made again from its export has another head")
