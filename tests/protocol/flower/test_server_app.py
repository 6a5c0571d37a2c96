"""The operator's app over a grid in this process, with real sites: who is not believed, and who waits."""

import json
from dataclasses import replace

import numpy as np
import pytest

from fedpact.coded import coded
from fedpact.describe.examples import alice_bob
from fedpact.protocol.flower.client_app import make_client_app
from fedpact.protocol.flower.server_app import FILE, app
from fedpact.protocol.flower.transport import FlowerTransport
from fedpact.protocol.keys.signing import SigningKey
from fedpact.protocol.ledger.store import Ledger
from fedpact.protocol.site.annotations import MISSING
from fedpact.protocol.site.site_files import read_site
from flower_grid import Clock, FakeGrid, context
from protocol_runs import make_home


@pytest.fixture
def home(tmp_path):
    return make_home(tmp_path, alice_bob(), patience=50)


@pytest.fixture
def sites(home):
    return {name: read_site(folder) for name, folder in home.sites.items()}


@pytest.fixture
def clock(monkeypatch):
    """Time goes by when somebody waits, also for the app's own transport."""
    moving = Clock(1e9)
    monkeypatch.setattr("fedpact.protocol.flower.server_app.time.time", moving)
    monkeypatch.setattr(
        FlowerTransport.__init__,
        "__kwdefaults__",
        {**FlowerTransport.__init__.__kwdefaults__, "clock": moving, "sleep": moving.sleep},
    )
    return moving


def run(home, sites):
    grid = FakeGrid()
    for number, site in enumerate(sites.values(), start=1):
        grid.join(number, make_client_app(lambda _, site=site: site))
    app(grid, context(run_config={"operator": str(home.operator)}))
    return grid


def refusals(home):
    with Ledger.open(home.ledger) as ledger:
        return [
            coded(entry.body["code"], **entry.body["values"])
            for entry in ledger.entries()
            if entry.kind == "refuse"
        ]


def test_all_is_well(home, sites, clock):
    run(home, sites)
    assert refusals(home) == []


def test_the_books_say_that_a_site_signs_with_another_key(home, sites, clock):
    run(home, sites | {"bob": replace(sites["bob"], key=SigningKey.generate())})
    assert refusals(home) == [coded("node-other-key", site="bob")]


def test_the_books_say_that_a_site_does_not_sign(home, sites, clock):
    run(home, sites | {"bob": replace(sites["bob"], key=None)})
    assert refusals(home) == [coded("node-not-signed", site="bob")]


def test_the_books_say_that_a_site_takes_the_operator_for_somebody_else(home, sites, clock):
    run(home, sites | {"bob": replace(sites["bob"], operator=SigningKey.generate().public)})
    (why,) = refusals(home)
    assert (why.code, why.values["site"], why.values["request"]) == ("node-failed", "bob", "query.report")
    assert why.values["detail"].startswith("error 100: the message is not signed by the")


def test_what_sites_wait_for_is_there_to_be_read(home, sites, clock):
    slow, looked = sites["bob"].labeller, []

    def label(places):
        looked.append(json.loads((home.operator / FILE).read_text())["pending"])
        return slow(places) if len(looked) > 2 else [MISSING] * len(places)

    run(home, sites | {"bob": replace(sites["bob"], labeller=lambda places: np.asarray(label(places)))})
    assert looked[0] == {}
    assert list(looked[-1].values()) == ["2 of 2 samples have no label yet"]
    assert json.loads((home.operator / FILE).read_text())["pending"] == {}
