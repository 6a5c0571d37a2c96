"""The federation file: TOML or JSON, by its ending, with the same keys.

::

    format = 1                           # of this file; left out: 1
    name = "alice-and-bob"
    delta = 0.05
    epsilon = 0.1                        # epsilon, cost and capacity up here are defaults for the agents
    objective = "pac"                    # or "expected"
    guarantee = "per-agent"              # or "joint"
    assume = "noisy"                     # or "agnostic"; left out: "realizable", some candidate fits all labels
    noise = 0.05                         # with "noisy", how often a label is wrong at most
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
from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any

import tomli_w

from fedpact import formats
from fedpact.describe.any_federation import takes_federation
from fedpact.describe.federation import Federation, build_federation
from fedpact.describe.file_evidence import KINDS, Folder, Named, read_evidence
from fedpact.describe.names import make_slugs
from fedpact.describe.numbers import shorten
from fedpact.describe.parsing import Values, about, has_known_keys, parse, syntax_of
from fedpact.describe.settings import READERS, Settings, read_settings
from fedpact.errors import FederationError, Problems
from fedpact.formats import check_format

_STAND_INS = {"cost": 1.0, "epsilon": 0.5, "capacity": None}
"""What an agent's setting is where it is absent; epsilon must be given."""

_OF_ALL: dict[str, Any] = {"objective": "pac", "guarantee": "per-agent", "assume": None, "noise": None}
"""What is said of all agents, and what it is where it is absent."""
_TOP_KEYS = ("format", "name", "delta", *_STAND_INS, *_OF_ALL, "agents", "hypotheses")
_AGENT_KEYS = ("name", *_STAND_INS, *KINDS)

_ON_LINES = re.compile(r'\[\n((?: *(?:[-+.\de]+|"(?:[^"\\\n]|\\.)*"),?\n)+) *\]')
"""A list of numbers or strings, each on a line."""


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


def _read_settings(data: Values, agents: Named) -> Settings:
    """Read every agent's own settings, and the defaults, which are read even if nobody needs them."""
    problems = Problems()
    given: dict[str, list[Any]] = {}
    for field, default in _STAND_INS.items():
        if field in data:
            read = problems.read("", READERS[field], data[field])
            default = default if read is None else read
        given[field] = [table.get(field, default) for _, table in agents]
    for name, table in agents:
        if "epsilon" not in {**data, **table}:
            problems.add(f"agent {name!r}: epsilon is missing; give it here or at the top for all agents")
    if "delta" not in data:
        problems.add("delta is missing; it must lie strictly between 0 and 1")
    of_all = [data.get(key, default) for key, default in _OF_ALL.items()]
    names, delta = [name for name, _ in agents], data.get("delta", 0.5)
    return problems.insist(
        problems.read("", read_settings, names, given["cost"], given["epsilon"], given["capacity"], delta, *of_all)
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
    settings = problems.read("", _read_settings, data, agents)
    evidence = read_evidence(data, agents, Folder(path.parent, confined), problems)
    return build_federation(data.get("name", path.stem), settings, evidence, problems)


def _find_file(files: Mapping[str, str], name: str) -> str:
    if name not in files:
        raise FederationError(f"files must name a file for every agent; agent {name!r} has none")
    return files[name]


def _write_evidence(
    fed: Federation, stem: str, files: Mapping[str, str] | None
) -> tuple[list[Any], dict[str, bytes]]:
    """Return what stands in every agent's table, and the files beside the main one."""
    evidence = fed.evidence
    if evidence.ENDING is None:
        return evidence.write(), {}
    if files is not None:
        return [_find_file(files, name) for name in fed.names], {}
    names = [f"{stem}.{slug}.{evidence.ENDING}" for slug in make_slugs(fed.names)]
    return names, dict(zip(names, evidence.write(), strict=True))


def _describe(fed: Federation, evidence: list[Any]) -> Values:
    agents = []
    for agent, own in zip(fed.agents, evidence, strict=True):
        limit = {} if agent.capacity is None else {"capacity": agent.capacity}
        known = {"name": agent.name, "epsilon": agent.epsilon, "cost": agent.cost.to_plain()}
        agents.append({**known, **limit, fed.evidence.KEY: own})
    head = {"format": formats.FEDERATION, "name": fed.name, "delta": fed.delta}
    head |= {"objective": fed.objective, "guarantee": fed.guarantee}
    if fed.assume != "realizable":
        head |= {"assume": fed.assume} | ({} if fed.noise is None else {"noise": fed.noise})
    hypotheses = fed.evidence.write_hypotheses()
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


def _write_all(folder: Path, contents: Mapping[str, bytes]) -> None:
    """Write every file under a passing name first; only when all are whole do they take their places."""
    in_the_way = [name for name in contents if (folder / name).is_dir()]
    if in_the_way:
        raise FederationError(f"cannot be written: {in_the_way[0]!r} is a directory")
    if any("\0" in str(folder / name) for name in contents):  # Python says it in other words from 3.13 on
        raise FederationError("cannot be written: embedded null byte")
    passing = {name: folder / f".{secrets.token_hex(8)}.tmp" for name in contents}
    try:
        for name in contents:
            passing[name].write_bytes(contents[name])
        for name, path in passing.items():
            path.replace(folder / name)
    except OSError as error:
        raise FederationError(f"cannot be written: {error.strerror or error}") from None
    finally:
        for path in passing.values():
            with contextlib.suppress(OSError):
                path.unlink()


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
    with about(path):
        return _read(Path(path), confined=confined)


def load_settings(path: str | PathLike[str]) -> tuple[str, Settings]:
    """Read who takes part in a federation, on what terms, and what it is called; not how the agents' data differ.

    For an operator whose sites are still to report: the agents' tables need no evidence, and none is read.
    """
    with about(path):
        problems = Problems()
        data, agents = _parse(Path(path), problems)
        settings = problems.read("", _read_settings, data, agents)
        return str(data.get("name", Path(path).stem)), problems.insist(settings)


@takes_federation
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
    with about(path):
        path = Path(path)
        syntax = syntax_of(path)
        own, beside = _write_evidence(fed, path.stem, files)
        _write_all(path.parent, {**beside, path.name: _encode(_describe(fed, own), syntax)})
