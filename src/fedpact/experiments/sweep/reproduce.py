"""One experiment from its settings to its results: read, cut, compute what is not known yet, sum up."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from os import PathLike
from pathlib import Path
from typing import Any

from fedpact.describe.progress import Progress
from fedpact.errors import FederationError
from fedpact.experiments.catalogue import find_experiment
from fedpact.experiments.installed import require_packages
from fedpact.experiments.sweep.answer_store import AnswerStore, digest_arrays, digest_task, find_default_folder
from fedpact.experiments.sweep.experiment import Answer, Experiment, Stage, Task
from fedpact.experiments.sweep.reproduction import Reproduction, Seeds, WallTime
from fedpact.experiments.sweep.run_tasks import Engine, open_engine, run_tasks
from fedpact.experiments.sweep.settings import SEEDS, read_settings
from fedpact.experiments.sweep.source_digest import digest_source

_ALWAYS = ("fedpact", "numpy", "scipy")


def _find_versions(experiment: Experiment) -> dict[str, str]:
    found = {}
    for package in (*_ALWAYS, *experiment.packages):
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def _name_tasks(experiment: Experiment, stage: int, tasks: Sequence[Task]) -> list[str]:
    """Name every task by what its answer depends on; tasks often share their arrays."""
    about: dict[str, Any] = {
        "experiment": experiment.name,
        "stage": stage,
        "revision": experiment.revision,
        "versions": {name: found for name, found in _find_versions(experiment).items() if name != "fedpact"},
    }
    if not experiment.stages[stage].is_training:
        about["program"] = digest_source()
    digests = {id(task.arrays): "" for task in tasks}
    for task in tasks:
        digests[id(task.arrays)] = digests[id(task.arrays)] or digest_arrays(task.arrays)
    return [digest_task(about, task.cell, digests[id(task.arrays)]) for task in tasks]


class _Sweep:
    """Computes the stages of one experiment, and counts seconds and tasks."""

    def __init__(self, store: AnswerStore, engine: Engine, fresh: bool, progress: Progress | None) -> None:
        self.store, self.engine, self.fresh, self.progress = store, engine, fresh, progress
        self.seconds = 0.0

    def compute(self, experiment: Experiment, number: int, tasks: Sequence[Task]) -> list[Answer]:
        """Answer all tasks of a stage, in their order."""
        stage: Stage = experiment.stages[number]
        names = _name_tasks(experiment, number, tasks)
        kept = {} if self.fresh else {name: one for name in names if (one := self.store.find(name)) is not None}
        open_places = [place for place, name in enumerate(names) if name not in kept]
        done = len(tasks) - len(open_places)
        self._tell(done, len(tasks))
        for place, answer, seconds in run_tasks(self.engine, stage.compute, [tasks[at] for at in open_places]):
            name = names[open_places[place]]
            kept[name] = {"answer": answer, "seconds": seconds}
            self.store.keep(name, kept[name])
            done += 1
            self._tell(done, len(tasks))
        self.seconds += sum(kept[name]["seconds"] for name in names)
        return [kept[name]["answer"] for name in names]

    def _tell(self, done: int, total: int) -> None:
        if self.progress is not None:
            self.progress(done, total)


def reproduce(
    name: str,
    *,
    data: str | PathLike[str] | None = None,
    seeds: int | None = None,
    quick: bool = False,
    settings: str | PathLike[str] | None = None,
    changes: Mapping[str, Any] | None = None,
    engine: str = "local",
    address: str | None = None,
    workers: int | None = None,
    store: str | PathLike[str] | None = None,
    fresh: bool = False,
    progress: Progress | None = None,
) -> Reproduction:
    """Run an experiment, or as much of it as has not been computed yet.

    Parameters
    ----------
    name
        Of the experiment; :func:`list_experiments` tells them all.
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
    >>> [round(row["price"], 3) for row in found.results["rows"]]
    [1.0, 1.176]
    """
    start = time.perf_counter()
    experiment = find_experiment(name)
    require_packages(experiment, engine)
    read = read_settings(name, quick=quick, file=settings, changes=changes, seeds=seeds, has_data=data is not None)
    if data is not None and not experiment.reads_data:
        raise FederationError(f"{name} reads no data; leave out data")
    prepared = experiment.prepare(read, None if data is None else str(data))
    kept = AnswerStore(find_default_folder() if store is None else Path(store))
    answers: list[list[Answer]] = []
    with open_engine(engine, address, workers) as processes:
        sweep = _Sweep(kept, processes, fresh, progress)
        for number, stage in enumerate(experiment.stages):
            answers.append(sweep.compute(experiment, number, stage.cut(read, prepared, answers)))
    return Reproduction(
        results=experiment.sum_up(read, prepared, answers),
        experiment=name,
        settings=read,
        seeds=Seeds(count=read.get(SEEDS, 0)),
        data=getattr(prepared, "source", "none"),
        versions=_find_versions(experiment),
        wall_time=WallTime(seconds=time.perf_counter() - start, cells=sweep.seconds),
    )
