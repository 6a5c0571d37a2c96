"""One experiment from its settings to its results: read, cut, compute what is not known yet, sum up.

The store is :class:`joblib.Memory`: an answer is kept under its cell, its arrays, the experiment with its
revision, the packages' versions and, unless models are trained and nothing else, the text of fedpact and of this
program. The processes are :class:`joblib.Parallel`'s, of this machine or, by Ray's backend for joblib, of a
cluster; each keeps an answer as soon as it has one, so an interrupted sweep goes on where it stopped. On a cluster
of several machines the store must be a folder that all of them have.

A cell is computed in one thread, so that sums are added up in the same order and the same cell has the same answer
everywhere.
"""

from __future__ import annotations

import hashlib
import os
import signal
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, NamedTuple

import joblib
from threadpoolctl import threadpool_limits

import fedpact as fp
from reproduction.catalogue import find_experiment
from reproduction.experiment import Answer, Arrays, Experiment, Task
from reproduction.read_settings import SEEDS, read_settings
from reproduction.values import read_choice

ENGINES = ("local", "ray")
_ALWAYS = ("fedpact", "numpy", "scipy")
Progress = Callable[[int, int], None]


def find_default_store() -> Path:
    """Where answers are kept if nobody says otherwise: FEDPACT_CACHE, or the user's cache."""
    if os.environ.get("FEDPACT_CACHE"):
        return Path(os.environ["FEDPACT_CACHE"])
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "fedpact" / "reproduction"


@cache
def digest_source() -> str:
    """SHA-256 of the names and the text of all modules of fedpact and of this program."""
    digest = hashlib.sha256()
    for root in (Path(str(fp.__file__)).parent, Path(__file__).parent):
        for path in sorted(root.rglob("*.py")):
            digest.update(f"{path.relative_to(root).as_posix()}\n".encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()


def find_versions(experiment: Experiment) -> dict[str, str]:
    """Name -> version of every package that the answers depend on."""
    found = {}
    for package in (*_ALWAYS, *experiment.packages):
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


@contextmanager
def _noting_interrupts() -> Iterator[None]:
    """Raise an interrupt again that a search answered with what it had until then: that is not to be kept."""
    seen = []

    def note(number: int, frame: Any) -> None:
        seen.append(number)
        raise KeyboardInterrupt

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, note)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if seen:
        raise KeyboardInterrupt


def _answer(about: Mapping[str, Any], cell: Mapping[str, Any], arrays: Arrays) -> dict[str, Any]:
    """Compute a cell; ``about`` says of which experiment and stage, and what else the answer depends on."""
    stage = find_experiment(about["experiment"]).stages[about["stage"]]
    start = time.perf_counter()
    with threadpool_limits(1), _noting_interrupts():
        answer = stage.compute(cell, arrays)
    return {"answer": answer, "seconds": time.perf_counter() - start}


def _answer_at(store: str, fresh: bool, place: int, *asked: Any) -> tuple[int, dict[str, Any]]:
    """Compute a cell, or find it in the store, in any process."""
    kept = joblib.Memory(store, verbose=0).cache(_answer)
    if fresh:
        kept.call(*asked)
    return place, kept(*asked)


def _describe(experiment: Experiment, stage: int) -> dict[str, Any]:
    """Tell what the answers of a stage depend on, beside their cells."""
    packages = {name: found for name, found in find_versions(experiment).items() if name != "fedpact"}
    about = {"experiment": experiment.name, "stage": stage, "revision": experiment.revision, "versions": packages}
    return about if experiment.stages[stage].is_training else about | {"program": digest_source()}


@contextmanager
def open_engine(engine: str, address: str | None, workers: int | None) -> Iterator[joblib.Parallel]:
    """Start the processes that cells are computed in, and end them afterwards.

    Parameters
    ----------
    engine
        "local", processes of this machine, or "ray".
    address
        Of a Ray cluster; without one a cluster of this machine's own is started.
    workers
        How many cells at once; all processors if not given. One locally means this process.
    """
    read_choice(engine, "engine", ENGINES)
    if address is not None and engine != "ray":
        raise fp.FederationError('address belongs to engine "ray"; it is "local"')
    if engine == "ray":
        with _on_ray(address) as processors, joblib.parallel_config("ray"):
            yield joblib.Parallel(n_jobs=workers or processors, batch_size=1)
        return
    count = workers or joblib.cpu_count()
    several = {"backend": "loky", "inner_max_num_threads": 1} if count > 1 else {"backend": "sequential"}
    with warnings.catch_warnings(), joblib.parallel_config(**several):
        # A process that has grown, with torch in it for example, is replaced; as an error that would stop joblib.
        warnings.filterwarnings("ignore", "A worker stopped while some jobs were given", UserWarning)
        with joblib.Parallel(n_jobs=count, return_as="generator_unordered", batch_size=1) as parallel:
            yield parallel


@contextmanager
def _on_ray(address: str | None) -> Iterator[int]:
    """Connect to a cluster, or start one on this machine; yields its number of processors."""
    try:
        ray, register_ray = import_module("ray"), import_module("ray.util.joblib").register_ray
    except ImportError as error:
        raise fp.errors.MissingExtraError("the engine ray", extra="ray") from error
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    own = {"include_dashboard": False} if address is None else {}
    try:
        ray.init(address=address or "local", log_to_driver=False, logging_level="ERROR", **own)
    except (ConnectionError, RuntimeError, ValueError) as error:
        said = (str(error).strip().splitlines() or [type(error).__name__])[0]
        raise fp.FederationError(f"the Ray cluster at {address} cannot be used: {said}") from None
    try:
        register_ray()
        yield int(ray.cluster_resources().get("CPU", 1))
    finally:
        ray.shutdown()


class Sweep(NamedTuple):
    """Where cells are computed and kept."""

    parallel: joblib.Parallel
    store: Path
    fresh: bool
    progress: Progress

    def compute(self, about: Mapping[str, Any], tasks: Sequence[Task]) -> list[dict[str, Any]]:
        """Answer all tasks of a stage, in their order, each with its seconds."""
        found: dict[int, dict[str, Any]] = {}
        self.progress(0, len(tasks))
        jobs = (
            joblib.delayed(_answer_at)(
                str(self.store), self.fresh, place, about, dict(task.cell), dict(task.arrays)
            )
            for place, task in enumerate(tasks)
        )
        for place, answer in self.parallel(jobs):
            found[place] = answer
            self.progress(len(found), len(tasks))
        return [found[place] for place in range(len(tasks))]


def _open_store(store: Path) -> Path:
    try:
        store.mkdir(parents=True, exist_ok=True)
        (store / ".writable").touch()
    except OSError as error:
        raise fp.FederationError(
            f"answers cannot be kept in {str(store)!r}: {error.strerror}; name another folder"
        ) from None
    return store


def reproduce(
    name: str,
    *,
    data: str | os.PathLike[str] | None = None,
    seeds: int | None = None,
    quick: bool = False,
    settings: str | os.PathLike[str] | None = None,
    changes: Mapping[str, Any] | None = None,
    engine: str = "local",
    address: str | None = None,
    workers: int | None = None,
    store: str | os.PathLike[str] | None = None,
    fresh: bool = False,
    progress: Progress = lambda done, total: None,
) -> dict[str, Any]:
    """Run an experiment, or as much of it as has not been computed yet; returns what its JSON holds.

    Parameters
    ----------
    name
        Of the experiment.
    data
        A folder with the data, or "hub" to fetch them where there is a network.
    seeds
        How often what is drawn at random is drawn.
    quick
        A small version for two processors and minutes, on embedded data if ``data`` is not given.
    settings, changes
        Parameters of one's own: a TOML file, and single ones on top.
    engine, address, workers
        Where to compute: "local" in so many processes, or "ray" on the cluster at ``HOST:PORT``.
    store
        Folder in which answers are kept, so that what was computed once is not computed again.
    fresh
        Compute everything again.
    progress
        Called with the cells of a stage that are done, and their number.

    Examples
    --------
    >>> from tempfile import mkdtemp
    >>> found = reproduce("price-of-stability", quick=True, store=mkdtemp(), workers=1)
    >>> [round(row["price"], 3) for row in found["results"]["rows"]]
    [1.0, 1.176]
    """
    start, experiment = time.perf_counter(), find_experiment(name)
    read = read_settings(name, quick=quick, file=settings, changes=changes, seeds=seeds, has_data=data is not None)
    if data is not None and not experiment.reads_data:
        raise fp.FederationError(f"{name} reads no data; leave out data")
    prepared = experiment.prepare(read, None if data is None else str(data))
    place = _open_store(find_default_store() if store is None else Path(store))
    answers: list[list[Answer]] = []
    spent = 0.0
    with open_engine(engine, address, workers) as parallel:
        sweep = Sweep(parallel, place, fresh, progress)
        for number, stage in enumerate(experiment.stages):
            found = sweep.compute(_describe(experiment, number), stage.cut(read, prepared, answers))
            spent += sum(one["seconds"] for one in found)
            answers.append([one["answer"] for one in found])
    return {
        "kind": "reproduction",
        "schema": 1,
        "experiment": name,
        "command": None,
        "settings": read,
        "seeds": {"first": 0, "count": read.get(SEEDS, 0)},
        "data": getattr(prepared, "source", "none"),
        "versions": find_versions(experiment),
        "wall_time": {"seconds": time.perf_counter() - start, "cells": spent},
        "results": experiment.sum_up(read, prepared, answers),
    }
