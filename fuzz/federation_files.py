"""Federation files in TOML and JSON, with files of predictions, points and reports beside them."""

from __future__ import annotations

import json
import random
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import tomli_w

import fedpact as fp
from fedpact.describe.classes import NAMES
from fuzz.plain_values import mutate_some
from fuzz.target import Target, Unreadable
from fuzz.workplace import new_folder, nothing_opened_outside

EXAMPLES = Path(__file__).parents[1] / "examples"
_LARGEST_SEED = 8_000
_WORDS = (
    "name", "delta", "epsilon", "cost", "capacity", "objective", "guarantee", "agents", "hypotheses",
    "distribution", "predictions", "points", "report", "quadratic", "breakpoints", "slopes", "class", "labels",
    "features", "feature_names", "names", "classes", "ill", "well", "pac", "expected", "per-agent", "joint",
    "alice.npy", "alice.words.npy", "alice.csv", "alice.report.npz", "../alice.npy", "link.npy", *NAMES,
)  # fmt: skip


@cache
def _folder() -> Path:
    """Make a folder with a file of every kind in it, and one that leads out of it."""
    folder = new_folder() / "sent"
    folder.mkdir()
    predictions = np.array([[0, 1, 1], [1, 0, 1], [1, 1, 1]])
    for name in ("alice", "bob"):
        np.save(folder / f"{name}.npy", predictions)
        np.save(folder / f"{name}.words.npy", np.array(["ill", "well"])[predictions])
        (folder / f"{name}.csv").write_text("age,height\n1,2\n2,1/3\n0.5,7\n")
        fp.report(predictions, name=name).save(folder / f"{name}.report.npz")
    np.save(folder.parent / "secret.npy", predictions)
    (folder / "link.npy").symlink_to(folder.parent / "secret.npy")
    return folder


def _by_files(kind: str, ending: str, **hypotheses: Any) -> dict[str, Any]:
    agents = [{"name": name, kind: f"{name}.{ending}"} for name in ("alice", "bob")]
    head = {"name": kind, "delta": "1/20", "epsilon": 0.25, "capacity": 40, "agents": agents}
    return head | ({"hypotheses": hypotheses} if hypotheses else {})


def seeds() -> list[bytes]:
    """Return the examples, in TOML and JSON, and federations by files."""
    texts = [path.read_text() for path in sorted(EXAMPLES.glob("*.toml"))]
    small = [text for text in texts if len(text) <= _LARGEST_SEED]
    made = [
        _by_files("predictions", "npy", names=["a", "b", "c"]),
        _by_files("predictions", "words.npy", classes=["well", "ill"]),
        _by_files("report", "report.npz"),
        _by_files("points", "csv", **{"class": "halfspaces"}),
        _by_files("points", "csv", **{"class": "rectangles", "feature_names": ["u", "v"]}),
        _by_files("predictions", "npy") | {"cost": {"breakpoints": [2, 5], "slopes": [1, "3/2", 4]}},
        _by_files("predictions", "npy") | {"cost": {"quadratic": [1, 0.5]}, "objective": "expected"},
        {
            "delta": 0.1,
            "epsilon": 0.2,
            "agents": [{"name": "alice", "distribution": {"x": 0.5, "y": 0.5}}],
            "hypotheses": {"labels": [["ill", "1"], ["well", "ill"]], "classes": ["ill", "well", "1"]},
        },
        {"delta": 0.1, "epsilon": 0.2, "agents": [{"name": "alice"}, {"name": "bob"}]},
    ]
    kept = [tomllib.loads(text) for text in small] + made
    return [
        *map(str.encode, small),
        *(tomli_w.dumps(one).encode() for one in made),
        *(json.dumps(one).encode() for one in kept),
    ]


def _is_json(data: bytes) -> bool:
    return data.lstrip()[:1] == b"{"


def read(data: bytes) -> bool:
    """Check and load a file; what is loaded is saved and loaded again."""
    folder = _folder()
    path = folder / ("network.json" if _is_json(data) else "network.toml")
    path.write_bytes(data)
    with nothing_opened_outside(folder):
        seen = fp.check(path, confined=True)
        fed = _load(path)
    lines = [problem.removeprefix(f"{path}: ") for problem in seen.problems]
    assert all(line.isprintable() and line not in seen.problems for line in lines), "a problem is one line"
    if fed is None:
        assert seen.problems or not seen.summary.has_evidence, "what is checked without a problem can be loaded"
        return False
    assert not seen.problems, "what can be loaded is checked without a problem"
    for ending in ("toml", "json"):
        again = folder / f"again.{ending}"
        fed.save(again)
        _insist_on_equal(fed, fp.load(again, confined=True))
    return True


def _load(path: Path) -> fp.Federation | None:
    try:
        return fp.load(path, confined=True)
    except fp.FedpactError:
        return None


def _insist_on_equal(one: fp.Federation, other: fp.Federation) -> None:
    assert one.fingerprint == other.fingerprint, "what was saved is loaded again"
    assert one.name == other.name
    assert one.evidence.hypotheses == other.evidence.hypotheses
    assert getattr(one.evidence, "classes", None) == getattr(other.evidence, "classes", None)


def mutate(data: bytes, rng: random.Random) -> bytes:
    """Change a value, and write the file in one of the two ways."""
    try:
        text = data.decode()
        value = json.loads(text) if _is_json(data) else tomllib.loads(text)
    except (ValueError, RecursionError):
        raise Unreadable from None
    changed = mutate_some(value, rng, _WORDS)
    try:
        return (tomli_w.dumps(changed) if rng.random() < 0.5 else json.dumps(changed)).encode()
    except (TypeError, ValueError, AttributeError, RecursionError):
        raise Unreadable from None


TARGET = Target(
    about="federation files, confined to their folder: checked, loaded, saved, loaded again",
    seeds=seeds,
    read=read,
    mutate=mutate,
    words=_WORDS,
)
