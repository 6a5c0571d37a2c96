"""What sites send and agree on, in words: a pact, a report, and how far people are with labelling."""

from __future__ import annotations

import shlex
from dataclasses import replace
from typing import TYPE_CHECKING

from fedpact.explain.explanation import Explanation
from fedpact.explain.generic import explain_as, list_rows, make_facts, make_table
from fedpact.explain.words import words_of

if TYPE_CHECKING:
    from fedpact.describe.reports import Report
    from fedpact.protocol.pact import Pact
    from fedpact.protocol.site.labelling import Labelling


_PACT = words_of("pact")
_TERMS = ("delta", "objective", "guarantee", "confidence", "false_alarm_rate")


def explain_pact(pact: Pact) -> Explanation:
    """Explain a pact."""
    fees = pact.fee or {}
    rows = [
        (agent.name, agent.epsilon, str(agent.cost), agent.capacity, *([fees[agent.name]] if fees else []))
        for agent in pact.agents
    ]
    columns = "agent, epsilon number, cost, capacity count" + (", fee number" if fees else "")
    return explain_as(
        pact,
        headline=_PACT.say("headline", k=len(pact.agents), method=pact.method, rule=pact.rule),
        facts=make_facts(_PACT, {key: getattr(pact, key) for key in _TERMS}),
        tables=(make_table(_PACT, "agents", columns, rows),),
    )


_REPORT = words_of("report")


def _list_disclosed(report: Report) -> list[str]:
    said = [_REPORT.say("exact")] if report.is_exact else []
    if report.candidates is not None:
        said.append(_REPORT.say("candidates", fingerprint=report.candidates.fingerprint))
    if report.minimum_count:
        said.append(_REPORT.say("hidden", minimum_count=report.minimum_count, n=report.n))
    if report.noise is not None:
        scale, epsilon, delta = report.noise.scale, report.noise.privacy_epsilon, report.noise.privacy_delta
        said.append(_REPORT.say("noise", scale=scale, epsilon=epsilon, delta=delta))
    return said


def explain_report(report: Report) -> Explanation:
    """Explain a report."""
    return explain_as(
        report,
        headline=_REPORT.say("headline", H=report.H, n=report.n, n_classes=report.n_classes),
        sentences=tuple(_list_disclosed(report)),
        tables=(replace(list_rows(report, _REPORT), name="rates", title=_REPORT.say("rates.title")),),
    )


_LABELS = words_of("labelling")
_COUNTS = ("wanted", "labelled", "missing", "contributed")


def _list_steps(found: Labelling) -> tuple[str, ...]:
    if found.step == "exported":
        command = shlex.join(["fedpact", "label", "import", found.folder, str(found.file)])
        said = _LABELS.say("exported", file=found.file, missing=found.missing)
        return said, _LABELS.say("next", command=command)
    if found.step == "imported":
        repeated = _LABELS.say("repeated", repeated=found.repeated) if found.repeated else ""
        return (_LABELS.say("imported", added=found.added, repeated=repeated),)
    return ()


def explain_labelling(found: Labelling) -> Explanation:
    """Explain how far labelling is."""
    columns = ", ".join(["run", *(f"{key} count" for key in _COUNTS)])
    row = (found.run or _LABELS.say("fields.no_run"), *(getattr(found, key) for key in _COUNTS))
    return explain_as(
        found,
        tables=(make_table(_LABELS, "labels", columns, [row]),),
        sentences=_list_steps(found),
    )
