"""A report in words: what leaves a site, and what was done to it before."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from fedpact.explain.explanation import Explanation
from fedpact.explain.generic import list_rows
from fedpact.explain.words import words_of

if TYPE_CHECKING:
    from fedpact.describe.reports import Report

_WORDS = words_of("report")


def _list_sentences(report: Report) -> list[str]:
    said = [_WORDS.say("exact")] if report.is_exact else []
    if report.candidates is not None:
        said.append(_WORDS.say("candidates", fingerprint=report.candidates.fingerprint))
    if report.minimum_count:
        said.append(_WORDS.say("hidden", minimum_count=report.minimum_count, n=report.n))
    if report.noise is not None:
        scale, epsilon, delta = report.noise.scale, report.noise.privacy_epsilon, report.noise.privacy_delta
        said.append(_WORDS.say("noise", scale=scale, epsilon=epsilon, delta=delta))
    return said


def explain_report(report: Report) -> Explanation:
    """Explain a report."""
    return Explanation(
        kind=report.kind,
        title=_WORDS.say("title", name=report.name),
        headline=_WORDS.say("headline", H=report.H, n=report.n, n_classes=report.n_classes),
        sentences=tuple(_list_sentences(report)),
        tables=(replace(list_rows(report, _WORDS), name="rates", title=_WORDS.say("rates.title")),),
    )
