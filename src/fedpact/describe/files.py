"""The federation file: TOML or JSON, by its ending, with the same keys.

::

    format = 1                           # of this file; left out: 1
    name = "alice-and-bob"
    delta = 0.05
    epsilon = 0.1                        # epsilon, cost and capacity up here are defaults for the agents
    objective = "pac"                    # or "expected"
    guarantee = "per-agent"              # or "joint"
    [[agents]]
    name = "alice"
    cost = 1.0                           # or {quadratic = [a, b]}, or {breakpoints = [...], slopes = [...]}
    capacity = 100                       # left out: no limit
    distribution = {xA = 0.8, xB = 0.2}  # or predictions = "alice.npy", or report = "alice.report.npz"
                                         # or points = "alice.csv" (a header, then numbers) or "alice.npy"
    [hypotheses]
    class = "all-labelings"              # or labels = [[0, 0], [0, 1], ...], or strings for the labels
    classes = ["healthy", "ill"]         # what labels or predictions may be, if they are strings; may be left out
    points = ["xA", "xB"]                # the order of the points
    features = {xA = 1.5, xB = 2}        # or lists of numbers, for the classes that look at features
    feature_names = ["age"]
    names = ["never", "always"]          # of the hypotheses

A number may be a fraction in a string ("1/3"). Without ``points`` the points are those of the distributions
in order of first appearance; a point that a distribution leaves out has mass 0. Without ``features`` a class
on the line takes the positions 1, 2, ... of the points. All agents bring the same kind of evidence; with
reports ``hypotheses`` may hold ``names`` only, with predictions ``names`` and ``classes``. Labels in quotes are
strings, unless every one of them is a number and ``classes`` lists no strings. Where each agent has its own
``points``, the ``class`` is restricted to them as by :meth:`~fedpact.Federation.from_points`; its
``feature_names`` are those of the header unless they are given, and :func:`save` writes what the hypotheses
predict. Paths are relative to the file's folder.
"""

from __future__ import annotations

import contextlib
import json
import re
import secrets
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import tomli_w
from numpy.typing import NDArray

from fedpact import formats
from fedpact.describe.classes import ON_POINTS
from fedpact.describe.costs import read_cost
from fedpact.describe.evidence import Evidence, Predictions, Reports, Table, given_labels
from fedpact.describe.federation import Federation, build_federation
from fedpact.describe.file_evidence import KINDS, Folder, Named, read_evidence
from fedpact.describe.hypothesis_class import number_names
from fedpact.describe.numbers import shorten
from fedpact.describe.parsing import Values, has_known_keys, one_line, parse, syntax_of
from fedpact.describe.settings import Settings, read_capacity, read_epsilon, read_settings
from fedpact.describe.slugs import make_slugs
from fedpact.errors import FederationError, Problems
from fedpact.formats import check_format

_SETTINGS: Mapping[str, tuple[Callable[[Any], Any], Any]] = {
    "cost": (read_cost, 1.0),
    "epsilon": (read_epsilon, 0.5),
    "capacity": (read_capacity, None),
}
"""How to read each setting of an agent, and what stands in where it is absent or unreadable."""

_TOP_KEYS = ("format", "name", "delta", *_SETTINGS, "objective", "guarantee", "agents", "hypotheses")
_AGENT_KEYS = ("name", *_SETTINGS, *KINDS)
_COST_KEYS = ("quadratic", "breakpoints", "slopes")

_ON_LINES = re.compile(r'\[\n((?: *(?:[-+.\de]+|"(?:[^"\\\n]|\\.)*"),?\n)+) *\]')
"""A list of numbers or strings, each on a line."""

Writer: TypeAlias = Callable[[Path], object]


def _read_agents(data: Values, problems: Problems) -> Named:
    given = data.get("agents", [])
    if not isinstance(given, list):
        problems.add(f"agents must be a list of tables ([[agents]]); it is {shorten(given)}")
        return []
    agents = []
    for index, table in enumerate(given, 1):
        if isinstance(table, dict):
            agents.append((_read_name(table, index, problems), table))
        else:
            problems.add(f"agent {index} must be a table; it is {shorten(table)}")
    for name, table in agents:
        has_known_keys(table, _AGENT_KEYS, f"agent {name!r}: ", problems)
    return agents


def _read_name(table: Values, index: int, problems: Problems) -> str:
    name = table.get("name", f"agent-{index}")
    if isinstance(name, str) and name.strip():
        return name
    problems.add(f"agent {index}: name must be a non-empty string; it is {shorten(name)}")
    return f"agent-{index}"


def _read_setting(table: Values, field: str, where: str, problems: Problems) -> Any:
    read, stand_in = _SETTINGS[field]
    value = table[field]
    is_cost_table = field == "cost" and isinstance(value, dict)
    if is_cost_table and not has_known_keys(value, _COST_KEYS, f"{where}cost: ", problems):
        return stand_in
    try:
        return read(value)
    except FederationError as error:
        problems.add(f"{where}{error}")
        return stand_in


def _spread(data: Values, agents: Named, field: str, problems: Problems) -> list[Any]:
    """Give every agent its own value or the default, which is read once."""
    default = _read_setting(data, field, "", problems) if field in data else _SETTINGS[field][1]
    values = []
    for name, table in agents:
        if field in table:
            values.append(_read_setting(table, field, f"agent {name!r}: ", problems))
            continue
        values.append(default)
        if field == "epsilon" and field not in data:
            problems.add(f"agent {name!r}: epsilon is missing; give it here or at the top for all agents")
    return values


def _read_settings(data: Values, agents: Named, problems: Problems) -> Settings:
    costs, epsilons, capacities = (_spread(data, agents, field, problems) for field in _SETTINGS)
    if "delta" not in data:
        problems.add("delta is missing; it must lie strictly between 0 and 1")
    return read_settings(
        [name for name, _ in agents],
        costs,
        epsilons,
        capacities,
        data.get("delta", 0.5),
        data.get("objective", "pac"),
        data.get("guarantee", "per-agent"),
        problems,
    )


def _parse(path: Path, problems: Problems) -> tuple[Values, Named]:
    if path.is_dir():
        raise FederationError("this is a directory; name a federation file in it")
    data = parse(path, problems)
    if not data and not problems:
        raise FederationError("the file is empty; it must give at least delta, epsilon and agents")
    check_format(data.get("format", formats.FEDERATION), formats.FEDERATION, "federation", "the file")
    has_known_keys(data, _TOP_KEYS, "", problems)
    return data, _read_agents(data, problems)


def _read(path: Path, *, confined: bool) -> Federation:
    problems = Problems()
    data, agents = _parse(path, problems)
    settings = _read_settings(data, agents, problems)
    evidence = read_evidence(data, agents, Folder(path.parent, confined), problems)
    return build_federation(data.get("name", path.stem), settings, evidence, problems)


def _write_array(array: NDArray[Any], path: Path) -> None:
    with path.open("wb") as file:
        np.save(file, array, allow_pickle=False)


def _find_file(files: Mapping[str, str], name: str) -> str:
    if name not in files:
        raise FederationError(f"files must name a file for every agent; agent {name!r} has none")
    return files[name]


def _describe_evidence(
    fed: Federation, stem: str, files: Mapping[str, str] | None
) -> tuple[list[Values], dict[str, Writer]]:
    """Return what goes into every agent's table, and how to write the files beside the main one."""
    evidence = fed.evidence
    if isinstance(evidence, Table):
        masses = [dict(zip(evidence.points, row, strict=True)) for row in evidence.distributions.tolist()]
        return [{"distribution": {point: mass for point, mass in row.items() if mass}} for row in masses], {}
    writers: list[Writer]
    if isinstance(evidence, Predictions):
        field, ending, writers = (
            "predictions",
            "npy",
            [partial(_write_array, array) for array in given_labels(evidence)],
        )
    else:
        field, ending, writers = "report", "report.npz", [report.save for report in evidence.reports]
    if files is not None:
        return [{field: _find_file(files, name)} for name in fed.names], {}
    names = [f"{stem}.{slug}.{ending}" for slug in make_slugs(fed.names)]
    return [{field: name} for name in names], dict(zip(names, writers, strict=True))


def _describe_hypotheses(evidence: Evidence) -> Values:
    default = number_names("h", len(evidence.hypotheses))
    if isinstance(evidence, Reports) and (first := evidence.reports[0].candidates) is not None:
        default = first.names
    named: Values = {} if evidence.hypotheses == default else {"names": list(evidence.hypotheses)}
    if not isinstance(evidence, Reports) and evidence.classes is not None:
        named["classes"] = list(evidence.classes)
    if not isinstance(evidence, Table):
        return named
    points = list(evidence.points)
    if _is_named_class(evidence):
        return {"class": evidence.class_name, "points": points}
    return {"points": points, "labels": given_labels(evidence)[0].tolist(), **named}


def _is_named_class(table: Table) -> bool:
    make = ON_POINTS.get(table.class_name or "")
    try:
        made = make(len(table.points), points=table.points) if make else None
    except FederationError:
        return False
    return made is not None and made.hypotheses == table.hypotheses and np.array_equal(made.labels, table.labels)


def _describe(fed: Federation, evidence: list[Values]) -> Values:
    agents = []
    for agent, own in zip(fed.agents, evidence, strict=True):
        limit = {} if agent.capacity is None else {"capacity": agent.capacity}
        agents.append(
            {"name": agent.name, "epsilon": agent.epsilon, "cost": agent.cost.to_plain(), **limit, **own}
        )
    head = {"format": formats.FEDERATION, "name": fed.name, "delta": fed.delta}
    head |= {"objective": fed.objective, "guarantee": fed.guarantee}
    hypotheses = _describe_hypotheses(fed.evidence)
    return {**head, "agents": agents, **({"hypotheses": hypotheses} if hypotheses else {})}


def _fold(found: re.Match[str]) -> str:
    items = " ".join(line.strip() for line in found[1].split("\n"))
    return f"[{items.strip(', ')}]"


def _encode(data: Values, syntax: str) -> bytes:
    text = tomli_w.dumps(data) if syntax == "TOML" else json.dumps(data, indent=2, ensure_ascii=False) + "\n"
    text = _ON_LINES.sub(_fold, text)
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise FederationError(f"cannot be written as UTF-8: it has {error.object[error.start]!r}") from None


def _write_all(folder: Path, writers: Mapping[str, Writer]) -> None:
    """Write every file under a passing name first; only when all are whole do they take their places."""
    in_the_way = [name for name in writers if (folder / name).is_dir()]
    if in_the_way:
        raise FederationError(f"cannot be written: {in_the_way[0]!r} is a directory")
    if any("\0" in str(folder / name) for name in writers):  # Python says it in other words from 3.13 on
        raise FederationError("cannot be written: embedded null byte")
    passing = {name: folder / f".{secrets.token_hex(8)}.tmp" for name in writers}
    try:
        for name in writers:
            writers[name](passing[name])
        for name, path in passing.items():
            path.replace(folder / name)
    except OSError as error:
        raise FederationError(f"cannot be written: {error.strerror or error}") from None
    finally:
        for path in passing.values():
            with contextlib.suppress(OSError):
                path.unlink()


@contextlib.contextmanager
def _about(path: str | PathLike[str]) -> Iterator[None]:
    """Start every problem with the path, on one line."""
    try:
        yield
    except FederationError as error:
        raise FederationError([one_line(f"{path}: {problem}") for problem in error.problems]) from None


def load(path: str | PathLike[str], *, confined: bool = False) -> Federation:
    """Read a federation from a TOML or JSON file.

    Parameters
    ----------
    path
        The file.
    confined
        Whether files outside of its folder are refused: for a federation file that a stranger sent.

    Raises
    ------
    FederationError
        With one line per problem of the file: the agent, the field, the value and the rule it breaks.
    """
    with _about(path):
        return _read(Path(path), confined=confined)


def load_settings(path: str | PathLike[str]) -> tuple[str, Settings]:
    """Read who takes part in a federation, on what terms, and what it is called; not how the agents' data differ.

    For an operator whose sites are still to report: the agents' tables need no evidence, and none is read.
    """
    with _about(path):
        problems = Problems()
        data, agents = _parse(Path(path), problems)
        settings = _read_settings(data, agents, problems)
        problems.raise_if_any()
        return str(data.get("name", Path(path).stem)), settings


def save(fed: Federation, path: str | PathLike[str], *, files: Mapping[str, str] | None = None) -> None:
    """Write a federation as TOML or JSON, so that :func:`load` gives the same federation back.

    Predictions and reports go into files beside it, ``<stem>.<agent>.npy`` and ``<stem>.<agent>.report.npz``,
    unless ``files`` says for every agent in which file, seen from the folder of ``path``, they are already. If
    anything fails, files that were there before are as they were.

    Examples
    --------
    >>> import tempfile
    >>> fed = Federation.from_table([[0, 0], [0, 1]], [["1/2", "1/2"]], epsilon=0.1, delta=0.05, name="half")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(fed, Path(folder, "half.toml"))
    ...     load(Path(folder, "half.toml"))
    Federation('half': 1 agent, 2 hypotheses, table, pac, per-agent)
    """
    with _about(path):
        path = Path(path)
        syntax = syntax_of(path)
        if fed.teacher is not None or (isinstance(fed.evidence, Reports) and fed.evidence.confidence is not None):
            raise FederationError(
                "a confidence or a teacher belongs to a plan, not to a file; save the federation without it"
            )
        own, writers = _describe_evidence(fed, path.stem, files)
        content = _encode(_describe(fed, own), syntax)
        _write_all(path.parent, {**writers, path.name: lambda file: file.write_bytes(content)})
