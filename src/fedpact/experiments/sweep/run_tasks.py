"""Computing tasks in several processes at once, here or on a Ray cluster, through joblib.

A cell is computed in one thread, in this process too, so that sums are added up in the same order and the same
cell has the same answer everywhere; where processors are busy, small products are also many times as fast so.
Answers come as they are ready, from Ray in waves, for its part in joblib has no other way.
"""

from __future__ import annotations

import os
import socket
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import Any, NamedTuple

from fedpact.describe.names import read_choice
from fedpact.errors import FederationError, MissingExtraError
from fedpact.experiments.sweep.experiment import Answer, Arrays, Task

ENGINES = ("local", "ray")
_SECONDS = 5.0
_WAVE = 4
# What a client of HTTP/2, which Ray speaks, says first, and the frame that it says it with and is answered by.
_SETTINGS = bytes([0, 0, 0, 4, 0, 0, 0, 0, 0])
_HELLO = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + _SETTINGS

Compute = Callable[[Mapping[str, Any], Arrays], Answer]


def import_joblib() -> Any:
    """Import joblib, or say which extra brings it and all that experiments need."""
    try:
        import joblib
    except ImportError as error:
        raise MissingExtraError("experiments in several processes", extra="experiments") from error
    return joblib


def _answer(compute: Compute, place: int, task: Task) -> tuple[int, Answer, float]:
    from threadpoolctl import threadpool_limits

    start = time.perf_counter()
    with threadpool_limits(1):
        answer = compute(task.cell, task.arrays)
    return place, answer, time.perf_counter() - start


def _check_address(address: str) -> None:
    """Say at once that nobody answers; Ray itself would try for minutes."""
    host, colon, port = address.rpartition(":")
    if not colon or not host or not port.isdigit():
        raise FederationError(f"address must be HOST:PORT of a Ray cluster; it is {address!r}")
    try:
        with socket.create_connection((host, int(port)), timeout=_SECONDS) as line:
            line.sendall(_HELLO)
            is_ray = line.recv(9)[3:4] == _SETTINGS[3:4]
    except (OSError, OverflowError) as error:
        is_ray, reason = False, getattr(error, "strerror", None) or str(error)
    else:
        reason = "something else answers there"
    if not is_ray:
        raise FederationError(
            f"no Ray cluster answers at {address}: {reason}; start one with: ray start --head --port {port}"
        )


@contextmanager
def _on_ray(address: str | None) -> Iterator[int]:
    """Connect to a cluster, or start one on this machine; yields its number of processors."""
    try:
        ray = import_module("ray")
        register_ray = import_module("ray.util.joblib").register_ray
    except ImportError as error:
        raise MissingExtraError("the engine ray", extra="ray") from error
    if address is not None:
        _check_address(address)
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    own = {"include_dashboard": False} if address is None else {}
    try:
        ray.init(address=address or "local", log_to_driver=False, logging_level="ERROR", **own)
    except (ConnectionError, RuntimeError, ValueError) as error:
        said = str(error).strip().splitlines()
        raise FederationError(
            f"the Ray cluster at {address} cannot be used: {said[0] if said else error}"
        ) from None
    try:
        register_ray()
        yield int(ray.cluster_resources().get("CPU", 1))
    finally:
        ray.shutdown()


class Engine(NamedTuple):
    """Processes that compute tasks."""

    parallel: Any
    """joblib's."""
    wave: int | None
    """How many tasks to wait for at once, if answers cannot come one by one."""


@contextmanager
def _expect_replaced_workers() -> Iterator[None]:
    """Let joblib replace a process that has grown, with torch in it for example, without a warning.

    Where warnings are errors this one would end joblib's own thread, and everybody would wait for ever.
    """
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "A worker stopped while some jobs were given", UserWarning)
        yield


@contextmanager
def open_engine(engine: str = "local", address: str | None = None, workers: int | None = None) -> Iterator[Engine]:
    """Start the processes that :func:`run_tasks` computes in, and end them afterwards.

    Parameters
    ----------
    engine
        "local", processes of this machine, or "ray".
    address
        Of a Ray cluster; without one a cluster of this machine's own is started.
    workers
        How many tasks at once; all processors if not given. One locally means this process.
    """
    read_choice(engine, "engine", ENGINES)
    if address is not None and engine != "ray":
        raise FederationError('address belongs to engine "ray"; it is "local"')
    joblib = import_joblib()
    if engine == "local":
        count = workers or joblib.cpu_count()
        several = {"backend": "loky", "inner_max_num_threads": 1}
        with (
            _expect_replaced_workers(),
            joblib.parallel_config(**(several if count > 1 else {"backend": "sequential"})),
            joblib.Parallel(n_jobs=count, return_as="generator_unordered", batch_size=1) as parallel,
        ):
            yield Engine(parallel, None)
        return
    with _on_ray(address) as processors, joblib.parallel_config("ray"):
        count = workers or processors
        with joblib.Parallel(n_jobs=count, batch_size=1) as parallel:
            yield Engine(parallel, _WAVE * count)


def run_tasks(engine: Engine, compute: Compute, tasks: Sequence[Task]) -> Iterator[tuple[int, Answer, float]]:
    """Yield the place of a task, its answer and its seconds, as soon as they are known."""
    from joblib import delayed

    numbered = list(enumerate(tasks))
    wave = engine.wave or max(1, len(numbered))
    for first in range(0, len(numbered), wave):
        yield from engine.parallel(
            delayed(_answer)(compute, place, task) for place, task in numbered[first : first + wave]
        )
