"""What every stored format looks like now: its keys, their types and its codes."""

import inspect
import io
import json
import tempfile
import tomllib
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import numpy as np

from carrier import OPERATOR, ListLedger, kept_plan, plan_by, run_over, run_with, small_federation
from fedpact import formats
from fedpact.describe import file_evidence, files
from fedpact.describe.candidate_list import CandidateList
from fedpact.describe.costs import KINDS as COSTS
from fedpact.describe.costs import Cost
from fedpact.describe.report_files import to_bytes
from fedpact.describe.reports import Noise, Report
from fedpact.describe.settings import GUARANTEES, OBJECTIVES
from fedpact.mechanism.payment.settlement import Settlement
from fedpact.mechanism.sample_checks.result import ContributionCheck
from fedpact.plain import default_of, hints_of, key_of
from fedpact.planning.result import Plan
from fedpact.protocol.home import prepare_home
from fedpact.protocol.keys.key_set import Index
from fedpact.protocol.ledger.database import _POSTGRESQL, _SQLITE
from fedpact.protocol.messages import Contributed, Evaluated, Pending, Receipt, Refused, Reported
from fedpact.protocol.operator.operator import resume_run
from fedpact.protocol.operator.reasons import Why
from fedpact.protocol.operator.statements import Statement
from fedpact.protocol.pact import Pact, make_pact
from fedpact.protocol.runs import run_home
from fedpact.protocol.site.simulated_sites import simulate_sites
from fedpact.protocol.site.site_files import KEYS
from fedpact.protocol.site.site_store import FolderStore
from fedpact.result import Record
from result_instances import find_results


def of_hint(hint: Any) -> Any:
    """Describe an annotation as the values look that it is written as."""
    origin, args = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return sorted((of_hint(one) for one in args), key=json.dumps)
    if hint is Cost:
        return {"codes": sorted(kind.__name__ for kind in COSTS)}
    if origin is Literal:
        return sorted(map(str, args))
    if origin is Annotated:
        return {"codes": sorted(args[1])}
    if inspect.isclass(hint) and issubclass(hint, Enum):
        return {"codes": sorted(str(member.value) for member in hint)}
    if inspect.isclass(hint) and not issubclass(hint, Record) and hasattr(hint, "to_plain"):
        return hint.__name__
    if is_dataclass(hint):
        return of_class(hint)
    if origin is np.ndarray:
        return ["number"]
    if origin is not None and issubclass(origin, Mapping):
        return {f"<{args[0].__name__}>": of_hint(args[1])}
    if origin is not None:
        return [of_hint(one) for one in args if one is not Ellipsis]
    return "null" if hint is NoneType else getattr(hint, "__name__", str(hint))


def without_more(layout: Any, known: Any) -> Any:
    """Leave out what may be added under the same number.

    That is codes, keys of a federation's or a site's file, and keys of results whose absence means what it meant
    before.

    Examples
    --------
    >>> without_more({"rule": {"codes": ["bonus", "pwyc"]}, "more": "int"}, {"rule": {"codes": ["pwyc"]}})
    {'rule': {'codes': ['pwyc']}, 'more': 'int'}
    """
    if isinstance(layout, dict) and isinstance(known, dict):
        if isinstance(layout.get("keys"), list) and isinstance(known.get("keys"), list):
            layout = layout | {"keys": [key for key in layout["keys"] if key in known["keys"]]}
        if set(layout) == set(known) == {"codes"}:
            return {"codes": [code for code in known["codes"] if code in layout["codes"]]}
        is_added = {key: key not in known and may_be_absent(value) for key, value in layout.items()}
        layout = {key: value for key, value in layout.items() if not is_added[key]}
        return {key: without_more(value, known.get(key)) for key, value in layout.items()}
    if isinstance(layout, list) and isinstance(known, list) and len(layout) == len(known):
        return [without_more(*pair) for pair in zip(layout, known, strict=True)]
    return layout


def may_be_absent(layout: Any) -> bool:
    """Whether files without the key are read: what it is then is told, or it is null."""
    return "if absent" in layout if isinstance(layout, dict) else isinstance(layout, list) and "null" in layout


def of_class(cls: type) -> dict[str, Any]:
    """Describe the dictionary of a dataclass."""
    found = {key_of(one): of_hint(hints_of(cls)[one.name]) for one in fields(cls)}
    for one in fields(cls):
        if one.metadata.get("is_optional") and default_of(one) is not None:
            found[key_of(one)] = {"is": found[key_of(one)], "if absent": default_of(one)}
    derived = {name: of_hint(hints_of(getattr(cls, name).fget)["return"]) for name in getattr(cls, "DERIVED", ())}
    head = {"kind": cls.kind, "schema": cls.schema} if issubclass(cls, Record) else {}
    return {**head, **found, **derived}


def of_value(value: Any, names: frozenset[str]) -> Any:
    """Describe a plain value; dictionaries over the names of sites are described by what they hold."""
    if isinstance(value, dict) and {"kind", "schema"} <= set(value):
        return f"<{value['kind']}>"
    if isinstance(value, dict) and value and set(value) <= names:
        return {"<site>": join([of_value(one, names) for one in value.values()])}
    if isinstance(value, dict):
        return {key: of_value(one, names) for key, one in value.items()}
    if isinstance(value, list):
        return [join([of_value(one, names) for one in value])] if value else []
    return "null" if value is None else type(value).__name__


def join(seen: list[Any]) -> Any:
    """Describe values that stand in one place: what all have in common, and where they differ, each."""
    if all(isinstance(one, dict) for one in seen):
        keys = sorted({key for one in seen for key in one})
        return {key: join([one.get(key, "absent") for one in seen]) for key in keys}
    unique = sorted({json.dumps(one, sort_keys=True) for one in seen})
    return json.loads(unique[0]) if len(unique) == 1 else [json.loads(one) for one in unique]


def make_runs() -> list[ListLedger]:
    """Run to the end; with a site that is lost; and with nobody there, then resumed."""
    finished, without, stopped = ListLedger(), ListLedger(), ListLedger()
    run_with(ledger=finished, fee=0.1)
    run_with(lambda carrier, outgoing: [] if outgoing.site == "north" else None, ledger=without)
    _, _, carrier = run_with(lambda carrier, outgoing: [(0.1, b"x")], ledger=stopped)
    carrier.harm = None
    run_over(plan_by(kept_plan, resume_run(stopped, now=carrier.now, key=OPERATOR)), carrier)
    return [finished, without, stopped]


def of_entries(ledgers: list[ListLedger]) -> dict[str, Any]:
    names = frozenset(small_federation().names)
    kinds: dict[str, list[Any]] = {}
    for entry in (entry for ledger in ledgers for entry in ledger.entries()):
        name = f"ask {entry.body['step']}" if entry.kind == "ask" else entry.kind
        name = f"answer {entry.body['request'].split('/')[0]}" if entry.kind == "answer" else name
        kinds.setdefault(name, []).append(of_value(entry.body, names))
    return {kind: join(bodies) for kind, bodies in sorted(kinds.items())}


def of_report() -> dict[str, str]:
    report = Report(
        name="north",
        n=10,
        n_classes=2,
        counts=np.array([1, 2, 1]),
        candidates=CandidateList.from_names(["a", "b", "c"]),
        noise=Noise(scale=1.0, privacy_epsilon=1.0, privacy_delta=0.1),
    )
    with np.load(io.BytesIO(to_bytes(report)), allow_pickle=False) as archive:
        return {key: f"{archive[key].dtype.kind}{archive[key].ndim}" for key in sorted(archive.files)}


def of_home() -> dict[str, Any]:
    """Describe run.json, site.toml and what a site remembers of a run."""
    fed = small_federation()
    with tempfile.TemporaryDirectory() as folder:
        home = prepare_home(folder, make_pact(fed), simulate_sites(fed))
        run = json.loads((home.operator / "run.json").read_text(encoding="utf-8"))
        site = tomllib.loads((Path(folder) / "sites/north/site.toml").read_text(encoding="utf-8"))
        outcome = run_home(home)
        record = FolderStore(Path(folder) / "sites/north/.fedpact").load(outcome.run)
    asked = frozenset(record["answers"])
    return {
        "home": of_value(run, frozenset(fed.names)),
        "site": of_value(site, frozenset()),
        "record": of_value({**record, "statement": None}, asked),
    }


def make_layouts() -> dict[str, dict[str, Any]]:
    """Describe every format: name -> number -> layout."""
    ledgers = make_runs()
    placed = of_home()
    entries = of_entries(ledgers)
    answers = (Reported, Contributed, Evaluated, Receipt, Refused, Pending)
    statement = next(entry for entry in ledgers[0].entries() if entry.kind == "pay").body["statement"]
    return {
        "ledger": {
            str(formats.LEDGER): {
                "entry": of_value(next(ledgers[0].entries()).to_dict() | {"body": None}, frozenset()),
                "sqlite": list(_SQLITE),
                "postgresql": list(_POSTGRESQL),
                "bodies": entries,
                "reasons": {"codes": sorted(Why)},
                "results": {cls.kind: of_class(cls) for cls in (Plan, ContributionCheck, Settlement)},
            }
        },
        "pact": {str(formats.PACT): of_class(Pact)},
        "message": {
            str(formats.MESSAGE): {
                "envelope": ["protocol", "run", "request", "site", "step", "body", "signature"],
                "requests": {kind: body for kind, body in entries.items() if kind.startswith("ask ")},
                "answers": {cls.__name__: of_class(cls) for cls in answers},
            }
        },
        "statement": {
            str(formats.STATEMENT): {"file": of_class(Statement), "signed": of_value(statement, frozenset())}
        },
        "report": {str(formats.REPORT): of_report()},
        "federation": {
            str(formats.FEDERATION): {
                "top": {"codes": list(files._TOP_KEYS)},
                "agent": {"codes": list(files._AGENT_KEYS)},
                "cost": {"codes": [key for kind in COSTS for key in kind.KEYS]},
                "hypotheses": {"codes": list(file_evidence._KEYS)},
                "objective": {"codes": list(OBJECTIVES)},
                "guarantee": {"codes": list(GUARANTEES)},
            }
        },
        "home": {str(formats.HOME): placed["home"]},
        "site": {str(formats.SITE): {"keys": sorted(KEYS), "written": placed["site"]}},
        "site-record": {str(formats.SITE_RECORD): placed["record"]},
        "keys": {str(formats.KEYS): {"format": "int", **of_class(Index)}},
        **{
            f"result {cls.kind}": {str(cls.schema): of_class(cls)}
            for cls in find_results().values()
            if "experiments" not in cls.__module__
        },
    }
