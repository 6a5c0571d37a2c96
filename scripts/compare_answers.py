"""Compare the answers of an earlier commit with those of the files here, number by number.

    python scripts/compare_answers.py 510e28d

Asks both the same questions about every named example, under both objectives: plans by each method, verification,
equilibria, dynamics, settlements, audits, the frontier, the comparison and shares. Nodes, rounds and misreports
limit the searches, not the clock. Prints how many values are equal and which differ; ends with 1 if any does.

The questions run in two processes at once, each with the sources of one tree (``--answer OUT.json``), so functions
and options are looked up under earlier and later names. Only numbers are compared, and the class of a refusal with
what blocks: the sentences of a result may change.
"""

from __future__ import annotations

import argparse
import importlib
import inspect
import json
import math
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from results_pages import table

ROOT = Path(__file__).parent.parent
PLACES = ("fedpact", "fedpact.game", "fedpact.mechanism", "fedpact.planning")
# What has another name in a later tree.
OPTION_NAMES = {"method": "how", "reports": "n_misreports"}
KEY_NAMES = {"utilities": "utility"}
PLAN_KEYS = {"contributions", "fractional", "cost", "lower_bound", "ratio"}
TARGET_KEYS = {"failure", "expected_error", "met", "feasible", "standalone"}
GAME_KEYS = {"equilibria", "is_complete", "price_of_stability", "price_of_anarchy", "path", "cycle"}
MONEY_KEYS = {"payments", "deficit", "utility", "gain", "gain_dominant", "gain_coalition", "shares"}
KEYS = PLAN_KEYS | TARGET_KEYS | GAME_KEYS | MONEY_KEYS | {"value"}
"""What is compared of a result: the contract's numbers, and those of dynamics, utilities, shares and frontiers."""
PARTS = {"rows", "points", "plan", "verification"}
"""Keys of results inside a result."""
ROUNDING = 1e-12
"""Relative difference up to which two numbers count as rounded differently; it is reported all the same."""

UNLIMITED = 1e6
"""Seconds, more than any search here needs."""
FEW_AGENTS, FEW_HYPOTHESES = 8, 20
RULES = ("pwyc", "threshold", "none", "equal-split", "proportional")
OPTIMAL_RULES = ("vcg", "vcg-verified")
"""Rules that need the optimum, so that an audit of them takes long."""
TERMS = {"threshold": {"ceiling": 5}}

Answer = dict[str, Any]
"""The value at each path of a result, such as ``payments.alice``."""


class Difference(NamedTuple):
    """A value that is not the same in both trees; None stands also for one that is not there."""

    question: str
    path: str
    before: Any
    after: Any

    @property
    def is_rounding(self) -> bool:
        """Whether both are numbers that differ in their last digits only."""
        numbers = [value for value in (self.before, self.after) if type(value) in (int, float)]
        return len(numbers) == 2 and math.isclose(*numbers, rel_tol=ROUNDING)


def find(name: str) -> Any:
    """Find a public function, wherever this tree keeps it."""
    for place in PLACES:
        if callable(found := getattr(importlib.import_module(place), name, None)):
            return found
    raise SystemExit(f"no function {name!r} in any of {', '.join(PLACES)}")


def call(name: str, *arguments: Any, **options: Any) -> Any:
    """Call a public function, each option under the name that it has in this tree."""
    function = find(name)
    known = inspect.signature(function).parameters
    named = {key if key in known else OPTION_NAMES.get(key, key): value for key, value in options.items()}
    return function(*arguments, **named)


def flatten(result: Mapping[str, Any], path: str = "") -> Answer:
    """Return the values of a result that are compared, each at its path."""
    found: Answer = {}
    for key, value in result.items():
        if (name := KEY_NAMES.get(key, key)) in KEYS:
            found |= read_leaves(value, path + name)
        elif key in PARTS and value is not None:
            for place, part in enumerate(value if isinstance(value, list) else [value]):
                found |= flatten(part, f"{path}{key}.{place}.")
    return found


def read_leaves(value: Any, path: str) -> Answer:
    """Return what stands inside a value, each at its path; of a list also the length."""
    if isinstance(value, list):
        return {f"{path}.length": len(value)} | read_leaves(dict(enumerate(value)), path)
    if not isinstance(value, dict):
        return {path: value}
    return {key: leaf for name, part in value.items() for key, leaf in read_leaves(part, f"{path}.{name}").items()}


def list_questions(fed: Any) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yield every question about a federation with its name; fewer of one with many agents.

    Some searches can be limited by time alone. They have all of it where they end soon, and none of it where they
    would not: then they return what they start from.
    """
    is_small, is_tiny = fed.k <= FEW_AGENTS, fed.H <= FEW_HYPOTHESES
    is_searched = is_small or fed.objective == "pac"
    limits = {"max_nodes": 200 if is_small else 3, "time_limit": UNLIMITED}
    seconds = UNLIMITED if is_small else 0.0
    for method in ("lp", "union", "tree", "exact", "auto") if is_searched else ("lp", "union"):
        yield f"plan {method}", partial(call, "plan", fed, method=method, **limits)
    yield "plan without capacity", partial(call, "plan", fed.replace(capacity=0), **limits)
    planned = call("plan", fed, method="auto" if is_searched else "union", **limits)
    yield "verify auto", partial(call, "verify", fed, planned.contributions)
    for order in ("round-robin", "random", "simultaneous"):
        options = {"order": order, "max_rounds": 20 if is_small else 2}
        yield f"dynamics {order}", partial(call, "best_response_dynamics", fed, **options)
    for rule in RULES + OPTIMAL_RULES:
        yield f"settle {rule}", partial(call, "settle", fed, planned, rule=rule, **TERMS.get(rule, {}))
    yield "settle pwyc with a fee", partial(call, "settle", fed, planned, rule="pwyc", fee=0.05)
    yield "settle vcg with pivots", partial(call, "settle", fed, planned, rule="vcg", pivot="clarke")
    for rule in RULES + OPTIMAL_RULES if is_tiny else RULES if is_small else ("pwyc",):
        yield f"audit {rule}", partial(call, "audit", fed, rule=rule, reports=6, **TERMS.get(rule, {}))
    curve = {"epsilon": [0.1, 0.2, 0.3], "method": "auto" if is_tiny else "lp"}
    yield "frontier", partial(call, "frontier", fed, **curve, **limits)
    if is_searched:
        yield "equilibria", partial(call, "equilibria", fed, time_limit=seconds)
        yield "compare", partial(call, "compare", fed, max_nodes=limits["max_nodes"], time_limit=seconds)
    if is_small:
        yield "verify bounds", partial(call, "verify", fed, planned.contributions, method="bounds")
        for rule in ("core", "least-core", "shapley", "equal", "proportional"):
            yield f"share {rule}", partial(call, "share", fed, rule=rule, time_limit=UNLIMITED)


def list_federations() -> Iterator[tuple[str, Any]]:
    """Yield every example under both objectives, and two agents of each that has many."""
    examples = importlib.import_module("fedpact").examples
    for name in examples.CATALOGUE:
        for objective in ("pac", "expected"):
            fed = examples.build(name).replace(objective=objective)
            yield f"{name}, {objective}", fed
            if fed.k > FEW_AGENTS:
                yield f"{name}, {objective}, two agents", fed.restrict(fed.names[:2])


def answer(ask: Callable[[], Any]) -> Answer:
    """Ask, and keep what is compared; of a refusal its class and what blocks."""
    try:
        return flatten(json.loads(json.dumps(ask().to_dict())))
    except importlib.import_module("fedpact.errors").FedpactError as error:
        blocking = {"agents": getattr(error, "agents", ()), "pair": getattr(error, "pair", None) or ()}
        return {"error": type(error).__name__} | {key: list(value) for key, value in blocking.items()}


def answer_all(path: Path) -> None:
    """Ask everything of the fedpact that is imported here; write the answers to a file."""
    sources, imported = os.environ["PYTHONPATH"], str(importlib.import_module("fedpact").__file__)
    if not Path(imported).resolve().is_relative_to(Path(sources).resolve()):
        raise SystemExit(f"{imported} was imported, which is not in {sources}")
    found = {}
    for name, fed in list_federations():
        for question, ask in list_questions(fed):
            began = time.monotonic()
            found[f"{name}: {question}"] = answer(ask)
            print(f"{time.monotonic() - began:.2f} s  {name}: {question}", flush=True)
    path.write_text(json.dumps(found))


def compare(before: dict[str, Answer], after: dict[str, Answer]) -> list[Difference]:
    """List the values that are not the same."""
    return [
        Difference(question, path, old.get(path), new.get(path))
        for question in before | after
        for old, new in [(before.get(question, {}), after.get(question, {}))]
        for path in old | new
        if path not in old or path not in new or old[path] != new[path]
    ]


def write_summary(before: Mapping[str, Answer], differences: list[Difference]) -> str:
    """Write what was compared, by kind of question, and every difference."""
    kinds = {question: question.split(": ")[1].split()[0] for question in before}
    rows = []
    for kind in dict.fromkeys(kinds.values()):
        answers = [before[question] for question in before if kinds[question] == kind]
        unlike = [one for one in differences if kinds.get(one.question) == kind]
        equal = sum(map(len, answers)) - sum(one.path in before[one.question] for one in unlike)
        rows.append([kind, len(answers), sum("error" in one for one in answers), equal, len(unlike)])
    lines = [table(["question", "asked", "refused", "equal values", "different"], rows, left=1)]
    for title, is_rounding in (("Different", False), (f"Different by a share of {ROUNDING:g} at most", True)):
        listed = [one for one in differences if one.is_rounding is is_rounding]
        lines.append(f"\n{title}: {len(listed)} values")
        lines += [f"  {one.question}: {one.path}: {one.before!r} -> {one.after!r}" for one in listed]
    return "\n".join(lines)


def ask_tree(tree: Path, out: Path) -> Any:
    """Ask everything of the sources of a tree, in a process of its own."""
    environment = {"PYTHONPATH": str(tree / "src"), "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, __file__, "--answer", str(out)]
    subprocess.run(command, env=os.environ | environment, stdout=subprocess.DEVNULL, check=True)
    return json.loads(out.read_text())


def ask_both(commit: str) -> list[dict[str, Answer]]:
    """Ask everything of a commit, checked out for as long as that takes, and of the files here."""
    git = ["git", "-C", str(ROOT), "worktree"]
    with tempfile.TemporaryDirectory() as name:
        tree, outs = Path(name, "tree"), (Path(name, "before.json"), Path(name, "after.json"))
        subprocess.run([*git, "add", "--quiet", "--detach", str(tree), commit], check=True)
        try:
            with ThreadPoolExecutor() as pool:
                return list(pool.map(ask_tree, (tree, ROOT), outs))
        finally:
            subprocess.run([*git, "remove", "--force", str(tree)], check=True)


def main() -> None:
    """Answer in this process, or have both trees answer and compare."""
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("commit", nargs="?", default="HEAD", help="the earlier commit")
    parser.add_argument("--answer", type=Path, metavar="OUT.json", help="only write the answers of this process")
    asked = parser.parse_args()
    if asked.answer is not None:
        return answer_all(asked.answer)
    began = time.monotonic()
    before, after = ask_both(asked.commit)
    differences = compare(before, after)
    print(write_summary(before, differences))
    print(f"\n{time.monotonic() - began:.0f} seconds")
    sys.exit(1 if differences else 0)


if __name__ == "__main__":
    main()
