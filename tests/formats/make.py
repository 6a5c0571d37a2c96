"""Make the kept files of the present formats: ``PYTHONPATH=tests python tests/formats/make.py``.

Run it by hand, and only when a number in ``fedpact/formats.py`` was raised: it writes files under names with the
present numbers, and adds the present layouts to ``layout.json``. Files that are there stay as they are, for
ever; ``test_formats.py`` reads them all. Keys and times are fixed, so the same program makes the same files.
"""

import json
from pathlib import Path

import fedpact as fp
from carrier import OPERATOR, START, Carrier, kept_plan, run_over, small_federation, start, with_test_keys
from fedpact import formats
from fedpact.protocol.ledger.export import export_ledger
from fedpact.protocol.ledger.store import Ledger
from fedpact.protocol.messages import Answer, Evaluated, Request, write_answer, write_request
from fedpact.protocol.operator.statements import statements_of
from fedpact.protocol.site.simulated_sites import simulate_sites
from fedpact.protocol.site.site import make_site_report
from formats.layouts import make_layouts, without_more

HERE = Path(__file__).parent
KEPT = HERE / "kept"


def make_sites():
    """The sites of all kept runs; they draw by a fixed seed."""
    return with_test_keys(simulate_sites(small_federation(name="kept"), teacher="none", seed=1))


def make_federation():
    """A federation with costs of every kind."""
    cost = [1.5, {"quadratic": [1.0, 0.25]}, {"breakpoints": [10], "slopes": [1.0, 3.0]}]
    return small_federation(name="kept", cost=cost, capacity=[100, None, 40])


def _write(name, text):
    (KEPT / name).write_bytes(text if isinstance(text, bytes) else text.encode())


def _make_ledgers():
    number, fed = formats.LEDGER, small_federation(name="kept")
    path = KEPT / f"ledger-{number}-finished.db"
    path.unlink(missing_ok=True)
    with Ledger.create(path) as ledger:
        sites = make_sites()
        run_over(start(fed, sites, ledger, fee=0.1), Carrier(sites))
        export_ledger(ledger, KEPT / f"ledger-{number}-finished.json", force=True)
        found = statements_of(ledger)[0].to_dict()
        _write(f"statement-{formats.STATEMENT}.json", json.dumps(found, indent=2, ensure_ascii=False) + "\n")
        pact = next(ledger.entries()).body["pact"]
        _write(f"pact-{formats.PACT}.json", json.dumps(pact, indent=2, ensure_ascii=False) + "\n")
    path = KEPT / f"ledger-{number}-interrupted.db"
    path.unlink(missing_ok=True)
    with Ledger.create(path) as ledger:
        sites = make_sites()
        operator, carrier = start(fed, sites, ledger, planner=kept_plan), Carrier(sites)
        for outgoing in operator.advance(START):
            operator.receive(carrier.answer(outgoing), START + 1)
        operator.advance(START + 2)


def _make_messages():
    known = {"run": "0" * 32, "site": "north"}
    request = Request(**known, request="report/north/1", step="report", body={"candidates": None})
    answer = Answer(**known, request="evaluate/north/1", step="evaluate", body=Evaluated(n=40, mistakes=2))
    _write(f"message-{formats.MESSAGE}-request.json", write_request(request, OPERATOR))
    _write(f"message-{formats.MESSAGE}-answer.json", write_answer(answer, make_sites()["north"].key))


def make_points():
    """A federation of two sites whose points can be asked, and their labels."""
    labels = {"north": [0, 1, 1, 0, 1, 0, 0, 1], "south": [1, 1, 0, 0, 1, 0]}
    said = {
        site: [[label ^ (at % step == 0) for at, label in enumerate(own)] for step in (9, 3, 2)]
        for site, own in labels.items()
    }
    return fp.Federation.from_predictions(said, epsilon=0.1, delta=0.1, assume="agnostic", name="kept"), labels


def _make_selector():
    fed, labels = make_points()
    selector = fp.Selector(fed, max_labels=12)
    for site, (point, *_) in selector.ask(2).items():
        selector.tell(site, [point], [labels[site][point]])
    state = selector.to_dict()
    _write(f"selector-state-{state['schema']}.json", json.dumps(state, indent=2) + "\n")


def make_files():
    """Write everything, unless a format has changed under the same number."""
    path = HERE / "layout.json"
    known = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    layouts = json.loads(json.dumps(make_layouts()))
    for name, numbered in layouts.items():
        for number, layout in numbered.items():
            before = known.setdefault(name, {}).setdefault(number, layout)
            if without_more(layout, before) != before:
                raise SystemExit(f"{name} format {number} has changed: raise its number first")
            known[name][number] = layout
    path.write_text(json.dumps(known, indent=1, ensure_ascii=False, sort_keys=True) + "\n", encoding="utf-8")
    KEPT.mkdir(exist_ok=True)
    _make_ledgers()
    _make_messages()
    _make_selector()
    make_site_report(make_sites()["north"]).save(KEPT / f"report-{formats.REPORT}.report.npz")
    for ending in ("toml", "json"):
        fp.save(make_federation(), KEPT / f"federation-{formats.FEDERATION}.{ending}")


if __name__ == "__main__":
    make_files()
