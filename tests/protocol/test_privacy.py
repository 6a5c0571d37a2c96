"""The operator never sees an example or a label: all messages of a run, and the whole ledger, are looked through.

Sizes are different on purpose, so that an array tells by its length what it is one of: H = 7 candidates, n = 23
points of a site's pool, 11 held out, and m samples that are none of these.
"""

import base64
import io
import json
import re
import zipfile
from dataclasses import replace

import numpy as np
import pytest

import fedpact as fp
from carrier import OPERATOR, PATIENCE, Carrier, key_of, run_over, start
from fedpact.candidates.predicted import Predicted
from fedpact.describe.candidate_list import CandidateList
from fedpact.describe.report_files import from_bytes
from fedpact.protocol.ledger.export import export_ledger
from fedpact.protocol.ledger.store import Ledger
from fedpact.protocol.messages import read_request
from fedpact.protocol.operator.run_state import Gone
from fedpact.protocol.site.annotations import Annotations
from fedpact.protocol.site.pool import Pool, draw
from fedpact.protocol.site.site import HeldOut, Site
from fedpact.protocol.site.site_store import FolderStore

H, N, HELD_OUT = 7, 23, 11
LABELS = ("gesund-QX71", "krank-ZV93", "tot-WJ58")
LISTED = CandidateList.from_names([f"model-{letter}" for letter in "abcdefg"])
ALLOWED = {
    "report": {"report", "pool"},
    "contribute": {"m", "mistakes"},
    "evaluate": {"n", "mistakes"},
    "pay": {"statement"},
}
"""What an answer's body may have, by step."""
ASKED = {
    "report": {"candidates"},
    "contribute": {"have", "total"},
    "evaluate": {"index"},
    "pay": {"statement"},
}


def make_sites():
    """Sites with examples that can be recognised, which a labeller looks at."""
    rng = np.random.default_rng(5)
    sites = {}
    for name in ("north", "south"):
        points = 100 + rng.random((N, 2))
        labels = rng.integers(3, size=N)
        predicted = np.where(rng.random((H, N)) < 0.35, rng.integers(3, size=(H, N)), labels)
        predicted[2] = labels
        own = Predicted(labels=predicted, candidates=LISTED, classes=LABELS)
        held = HeldOut(predicted=predicted[:, :HELD_OUT], labels=labels[:HELD_OUT])
        site = Site(name=name, pool=Pool(predicted=own), labeller=Looks(points, labels), held_out=held, seed=3)
        sites[name] = replace(site, key=key_of(name), operator=OPERATOR.public)
    return sites


class Looks:
    """Labels points that it looks at."""

    def __init__(self, points, labels):
        self.points, self.labels = points, labels

    def __call__(self, places):
        return self.labels[places]


def federation(sites):
    predictions = {name: site.pool.predicted for name, site in sites.items()}
    return fp.Federation.from_predictions(predictions, cost=1, epsilon=0.2, delta=0.01)


@pytest.fixture(scope="module")
def seen(tmp_path_factory):
    """All bytes that operator and sites exchanged, and the ledger's file and export."""
    path = tmp_path_factory.mktemp("privacy") / "books.db"
    sites = make_sites()
    with Ledger.create(path) as ledger:
        carrier = Carrier(sites)
        outcome = run_over(start(federation(sites), sites, ledger, rule="pwyc"), carrier)
        export_ledger(ledger, path.with_suffix(".json"))
        entries = list(ledger.entries())
    assert outcome.status == "finished"
    assert not {H, N, HELD_OUT} & set(outcome.contributions.values())
    assert min(outcome.contributions.values()) > 0
    books = {"ledger": path.read_bytes(), "export": path.with_suffix(".json").read_bytes()}
    asked = {f"request {i}": outgoing.data for i, outgoing in enumerate(carrier.asked)}
    said = {f"answer {i}": data for i, data in enumerate(carrier.said)}
    return {"sites": sites, "outcome": outcome, "entries": entries, "asked": asked, "said": said, "books": books}


def everything(seen):
    """Every byte that anybody but the site sees; reports, which are packed, also unpacked."""
    found = {**seen["asked"], **seen["said"], **seen["books"]}
    for name, data in seen["said"].items():
        value = json.loads(data)
        if value["step"] == "report":
            with zipfile.ZipFile(io.BytesIO(base64.b64decode(value["body"]["report"]))) as archive:
                found |= {f"{name}, {member}": archive.read(member) for member in archive.namelist()}
    return found


def traces(site, m):
    """What would give a site's examples and labels away, in every way in which it could be written."""
    points, labels = site.labeller.points, site.labeller.labels
    places = draw(site.pool, 0, m, seed=site.seed)
    yield from (label.encode() for label in LABELS)
    for number in points.ravel():
        yield from (repr(float(number)).encode()[:10], number.tobytes(), np.float32(number).tobytes())
    for codes in (labels, labels[places], labels[:HELD_OUT], places, places + 1, np.sort(places)):
        yield from (json.dumps(codes.tolist(), separators=gaps).encode() for gaps in ((",", ":"), (", ", ": ")))
        yield "".join(map(str, codes.tolist())).encode()
        yield from (codes.astype(kind).tobytes() for kind in (np.uint8, np.int16, np.int32, np.int64))


def test_no_example_no_label_and_no_index_is_in_any_message_or_in_the_ledger(seen):
    found = everything(seen)
    for name, site in seen["sites"].items():
        for trace in traces(site, seen["outcome"].contributions[name]):
            where = [place for place, data in found.items() if trace in data]
            assert not where, f"{trace!r} of {name!r} is in {where}"


def test_the_search_would_find_them(seen):
    """A test that cannot fail is none: the same search finds what is there."""
    site = seen["sites"]["north"]
    m = seen["outcome"].contributions["north"]
    leaked = json.dumps({"labels": site.labeller.labels.tolist()}, separators=(",", ":")).encode()
    assert any(trace in leaked for trace in traces(site, m))
    assert any(trace in site.labeller.points.tobytes() for trace in traces(site, m))
    packed = site.labeller.labels.astype(np.uint8).tobytes()
    assert any(trace in packed for trace in traces(site, m))


def lengths(value):
    """Lengths of all lists in plain values."""
    if isinstance(value, dict):
        return [length for inner in value.values() for length in lengths(inner)]
    return [len(value), *(n for inner in value for n in lengths(inner))] if isinstance(value, list) else []


def test_answers_have_nothing_but_counts(seen):
    counts = set(seen["outcome"].contributions.values())
    steps = set()
    for data in seen["said"].values():
        value = json.loads(data)
        steps.add(value["step"])
        body = value["body"]
        assert set(body) == ALLOWED[value["step"]]
        assert set(value) == {"protocol", "run", "request", "site", "step", "body", "signature"}
        assert not {N, HELD_OUT} & set(lengths(body))
        assert not counts & set(lengths(body))
        if value["step"] == "contribute":
            site = seen["sites"][value["site"]]
            places = draw(site.pool, 0, body["m"], seed=site.seed)
            wrong = site.pool.predicted.labels[:, places] != site.labeller.labels[places]
            assert body["mistakes"] == wrong.sum(axis=1).tolist(), "nothing is hidden among the counts"
            assert len(body["mistakes"]) == H
    assert steps == set(ALLOWED)


def test_reports_have_nothing_but_counts_of_pairs(seen):
    for data in seen["said"].values():
        value = json.loads(data)
        if value["step"] == "report":
            packed = base64.b64decode(value["body"]["report"])
            with np.load(io.BytesIO(packed), allow_pickle=False) as archive:
                sizes = {key: archive[key].size for key in archive.files}
            assert {key for key, size in sizes.items() if size > 1} == {"counts"}
            assert sizes["counts"] == H * (H - 1) // 2
            assert from_bytes(packed).candidates == LISTED


def test_requests_ask_for_numbers_of_samples_not_for_samples(seen):
    for data in seen["asked"].values():
        request = read_request(data, OPERATOR.public)
        assert set(request.body) == ASKED[request.step]
        if request.step == "pay":
            (asked,) = request.body["statement"]["requests"]
            assert not lengths(asked)
        else:
            assert not lengths(dict(request.body))


def test_the_ledger_has_lists_of_candidates_and_of_agents_alone(seen):
    """Nothing in it is as long as a pool or a sample."""
    for entry in seen["entries"]:
        if entry.kind not in ("plan", "choose", "settle"):
            assert set(lengths(entry.body)) <= {H, 2, *([1] if entry.kind == "pay" else [])}, entry.kind
        assert not {N, HELD_OUT} & set(lengths(entry.body)), entry.kind


def test_a_label_that_is_wrong_is_told_at_the_site_alone(tmp_path, caplog):
    """Whoever labels makes mistakes; what is said of them names points and labels."""
    sites = make_sites()
    folder = tmp_path / "annotations.csv"
    folder.write_text("point,label\n" + "".join(f"{place + 1},tod-WJ58\n" for place in range(N)))
    sites["north"] = replace(sites["north"], labeller=Annotations(folder, LABELS, N))
    request = None

    def harm(carrier, outgoing):
        nonlocal request
        if (outgoing.site, outgoing.step) != ("north", "contribute"):
            return None
        request = outgoing.data
        return None

    with Ledger.create(tmp_path / "books.db") as ledger, caplog.at_level("WARNING"):
        carrier = Carrier(sites, harm)
        outcome = run_over(start(federation(sites), sites, ledger), carrier)
    assert request is not None
    assert outcome.gone["north"] == Gone(step="contribute", code="late", values={"seconds": PATIENCE})
    assert "the label of point 1 must be one of gesund-QX71" in caplog.text
    assert any(b"its labels cannot be read; its own log says why" in data for data in carrier.said)
    for data in (*carrier.said, (tmp_path / "books.db").read_bytes()):
        assert b"WJ58" not in data
        assert b"the label of point" not in data


def test_what_a_site_remembers_stays_in_its_folder(tmp_path):
    """It may hold which points are to be labelled; nothing else reads it."""
    sites = make_sites()
    path = tmp_path / "annotations.csv"
    home = FolderStore(tmp_path / "memory")
    sites["north"] = replace(sites["north"], labeller=Annotations(path, LABELS, N), store=home)
    with Ledger.create(tmp_path / "books.db") as ledger:
        operator = start(federation(sites), sites, ledger, patience=3 * PATIENCE)
        carrier = Carrier(sites, lambda carrier, outgoing: label_later(carrier, outgoing, path, operator))
        outcome = run_over(operator, carrier)
    assert outcome.status == "finished"
    assert not outcome.gone
    pending = [json.loads(data)["body"] for data in carrier.said if b"pending" in data]
    assert pending
    assert all(re.fullmatch(r"\d+ of \d+ samples have no label yet", body["pending"]) for body in pending)


def label_later(carrier, outgoing, path, operator):
    """People label what is wanted once they were asked twice."""
    if (outgoing.site, outgoing.step) != ("north", "contribute") or len(carrier.asked) < 6:
        return None
    wanted = carrier.sites["north"].store.load(operator.state.run)["wanted"]
    if wanted:
        labels = dict.fromkeys(wanted, LABELS[0])
        Annotations(path, LABELS, N).add(labels, frozenset(wanted), path)
    return None
