"""A site's side of a run, without a network: a request's bytes in, an answer's bytes out.

Nothing leaves a site but what :mod:`fedpact.protocol.messages` lists: counts. Examples and labels stay. A site
answers a request once and the same each time it is asked again, after a crash too; it draws each sample once in
a run, refuses a request for samples that it has given under another name, and evaluates one outcome in a run. A
refusal binds nobody: asked again, after a run was resumed, the site looks again.

What is wrong with a site's own files, a label that is no class for example, is said at the site alone: such an
error is raised out of :meth:`Site.answer`, and the operator hears nothing until it is mended.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from fedpact.coded import Coded, coded
from fedpact.describe.report_files import to_bytes
from fedpact.describe.reports import Report
from fedpact.errors import LabelsPendingError, MessageError
from fedpact.mechanism.sample_checks.power import LARGEST_QUOTA
from fedpact.protocol.canonical import digest_of_value, from_canonical, to_canonical
from fedpact.protocol.keys.signing import SIGNATURE, SigningKey, check_signature, sign_value
from fedpact.protocol.messages import (
    Answer,
    Body,
    Contributed,
    Evaluated,
    Pending,
    Receipt,
    Refused,
    Reported,
    Request,
    read_count,
    read_request,
    write_answer,
)
from fedpact.protocol.operator.reasons import Why
from fedpact.protocol.site.annotations import MISSING
from fedpact.protocol.site.pool import Pool, draw, whole_weights
from fedpact.protocol.site.site_store import MemoryStore, SiteStore
from fedpact.statistics.make_report import report

_MOST_HELLO = 10_000
RUNS = 10
"""Runs in which a site tells counts of its labels, unless it says otherwise."""
_BATCHES = 5
"""Requests for samples that it answers in a run: one, and one more whenever all is planned anew."""


class Labeller(Protocol):
    """Gets labels: from a column, from people, from anything that can be called."""

    def __call__(self, places: NDArray[np.intp]) -> NDArray[np.integer]:
        """(m,) codes of the labels at some points of the pool, :data:`MISSING` where there is none yet.

        Raises
        ------
        LabelsPendingError
            If it cannot say now, and may later.
        """


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class HeldOut:
    """Labelled points on which a site looks at the outcome; no plan and no choice has seen them."""

    predicted: NDArray[np.integer]
    """(H, n) codes of what each candidate predicts."""
    labels: NDArray[np.integer]
    """(n,) codes of the labels."""
    weights: NDArray[np.int64] | None = None
    """(n,) how many samples each point stands for; None: one."""

    def count_mistakes(self, index: int) -> Evaluated:
        """Count where one candidate is wrong."""
        weights = np.ones(len(self.labels), dtype=np.int64) if self.weights is None else self.weights
        is_wrong = self.predicted[index] != self.labels
        return Evaluated(n=int(weights.sum()), mistakes=int(weights @ is_wrong))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Site:
    """One site: its points, where its labels come from, its key and its memory."""

    name: str
    pool: Pool
    labeller: Labeller
    held_out: HeldOut | None = None
    report: Report | None = None
    """What it sends as its report, if not what is counted on the pool: one with noise, for example."""
    minimum_count: int = 0
    """Smaller counts are not told apart in its report."""
    key: SigningKey | None = None
    operator: str | None = None
    """The operator's public key; if it is given, requests must be signed with it."""
    store: SiteStore = field(default_factory=MemoryStore)
    seed: int | None = None
    """Of the order in which samples are drawn; None: the site draws a secret one for every run."""
    most: int | None = None
    """Samples that it will label in a run, whatever it is asked for; None: all."""
    least: int = 1
    """Samples that it answers for at once at the least: the counts of few say much about each."""
    runs: int = RUNS
    """Runs in which it tells counts of its labels, at the most: those of many add up."""

    def answer(self, data: bytes) -> bytes:
        """Answer a request.

        Raises
        ------
        MessageError
            If the bytes are no request, not the operator's, or for another site.
        FederationError
            If something is wrong with the site's own data; it may tell of labels, and is not for the operator.
        """
        request = read_request(data, self.operator)
        if request.site != self.name:
            raise MessageError(f"this is site {self.name!r}, and the request is for {request.site!r}")
        with self.store.alone():  # else two requests at once would be answered for the same samples
            return self._answer(request)

    def _answer(self, request: Request) -> bytes:
        record = self.store.load(request.run)
        known = record.get("answers", {}).get(request.request)
        if known is not None:
            return str(known).encode()
        if self.seed is None and "seed" not in record:  # kept first: a crash while people label costs no labels
            record["seed"] = str(secrets.randbits(128))
            self.store.save(request.run, record)
        body = self._do(request, record)
        said = write_answer(
            Answer(run=request.run, request=request.request, site=self.name, step=request.step, body=body),
            self.key,
        )
        if not isinstance(body, Pending | Refused):
            record["answers"] = {**record.get("answers", {}), request.request: said.decode()}
        self.store.save(request.run, record)
        return said

    def hello(self, challenge: bytes) -> bytes:
        """Say which site this is; whoever can check the signature knows that it holds the key."""
        value = {"site": self.name, "challenge": challenge.hex()}
        return to_canonical(value if self.key is None else sign_value(self.key, value))

    def _do(self, request: Request, record: dict[str, Any]) -> Body:
        try:
            return _STEPS[request.step](self, request, record)
        except LabelsPendingError as error:
            return Pending(why=str(error)[:2000])
        except MessageError as error:
            return Refused(why=str(error)[:2000])


def read_hello(
    data: bytes, challenge: bytes, names: Collection[str], keys: Mapping[str, str]
) -> str | Coded | None:
    """Tell which site says hello, or why it is not believed; None if it is nobody's of these.

    Parameters
    ----------
    data
        What was answered to the challenge.
    names, keys
        The sites of a pact, and the public keys of those that sign.
    """
    try:
        value = from_canonical(data, most=_MOST_HELLO)
    except MessageError:
        return None
    site = value.get("site") if isinstance(value, dict) else None
    if not isinstance(site, str) or site not in names:
        return None
    if value.get("challenge") != challenge.hex():
        return coded(Why.NODE_OTHER_GREETING, site=site)
    if site not in keys or check_signature(keys[site], value):
        return site
    return coded(Why.NODE_NOT_SIGNED if value.get(SIGNATURE) is None else Why.NODE_OTHER_KEY, site=site)


def make_site_report(site: Site) -> Report:
    """Return what a site reports: counted on its pool unless it has its own."""
    if site.report is not None:
        return site.report
    masses = site.pool.masses
    return report(
        site.pool.predicted,
        name=site.name,
        weights=None if masses is None else whole_weights(masses),
        minimum_count=site.minimum_count,
    )


def _do_report(site: Site, request: Request, record: dict[str, Any]) -> Body:
    expected, own = request.body.get("candidates"), site.pool.predicted.candidates
    if expected is not None and expected != own.fingerprint:
        raise MessageError(
            f"the federation compares candidates with the fingerprint {expected}, and those of {site.name!r} have "
            f"{own.fingerprint}: {own.H} candidates, {own.names[0]!r} first; use the same files in the same order"
        )
    return Reported(report=to_bytes(make_site_report(site)), pool=site.pool.size)


def _do_contribute(site: Site, request: Request, record: dict[str, Any]) -> Body:
    start, stop = read_count(request.body, "have"), read_count(request.body, "total")
    drawn = int(record.get("drawn", 0))
    if start != drawn or stop < start:
        raise MessageError(
            f"asked for samples {start + 1} to {stop}; {drawn} were given already, under another name"
        )
    _insist_on_budget(site, request)
    if sum(name.startswith("contribute/") for name in record.get("answers", {})) >= _BATCHES:
        raise MessageError(
            f"this site has answered {_BATCHES} requests for samples in this run, and answers no more"
        )
    stop = max(start, stop if site.most is None else min(stop, site.most))
    if site.pool.size is None and stop > LARGEST_QUOTA:
        raise MessageError(f"asked for {stop:,} samples; {LARGEST_QUOTA:,} are drawn in a run at the most")
    if 0 < stop - start < site.least:
        raise MessageError(
            f"this site answers for {site.least} samples at once at the least, and is asked for {stop - start}"
        )
    seed = int(record["seed"]) if site.seed is None else site.seed
    places = draw(site.pool, start, stop, seed=seed)
    labels = np.asarray(site.labeller(places))
    if labels.shape != places.shape:
        raise MessageError(f"{len(places)} samples were to be labelled, and {len(labels)} labels came")
    missing = places[labels == MISSING]
    record["wanted"] = sorted(set(missing.tolist()))
    if len(missing):
        raise LabelsPendingError(f"{len(missing)} of {len(places)} samples have no label yet")
    record["drawn"] = start + len(places)
    mistakes = (site.pool.predicted.labels[:, places] != labels).sum(axis=1)
    return Contributed(m=len(places), mistakes=mistakes.astype(np.int64))


def _insist_on_budget(site: Site, request: Request) -> None:
    """Refuse to tell counts of labels in more runs than the site wants: together they give its labels away."""
    told = site.store.count_told(request.run)
    if told >= site.runs:
        raise MessageError(
            f"this site has told counts of its labels in {told} runs, and does so in {site.runs} at the most"
        )


def _do_evaluate(site: Site, request: Request, record: dict[str, Any]) -> Body:
    """Evaluate one outcome in a run: the counts of many would give away which held-out sample is which."""
    if "evaluated" in record:
        raise MessageError("this site has evaluated the outcome of this run already, under another name")
    _insist_on_budget(site, request)
    index = read_count(request.body, "index")
    if index >= site.pool.predicted.H:
        raise MessageError(f"there are {site.pool.predicted.H} candidates, and number {index + 1} was chosen")
    record["evaluated"] = request.request
    return Evaluated(n=0, mistakes=0) if site.held_out is None else site.held_out.count_mistakes(index)


def _do_pay(site: Site, request: Request, record: dict[str, Any]) -> Body:
    statement = request.body.get("statement")
    if not isinstance(statement, dict) or statement.get("site") != site.name:
        raise MessageError("the statement is not about this site")
    if statement.get("run") != request.run:
        raise MessageError("the statement is about another run")
    if site.operator is not None and not check_signature(site.operator, statement):
        raise MessageError("the statement is not signed by the operator of this federation")
    record["statement"] = statement
    return Receipt(statement=digest_of_value(statement))


_STEPS: Mapping[str, Callable[[Site, Request, dict[str, Any]], Body]] = {
    "report": _do_report,
    "contribute": _do_contribute,
    "evaluate": _do_evaluate,
    "pay": _do_pay,
}
