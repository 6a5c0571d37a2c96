"""A site does not tell its labels bit by bit: of many runs on the same people it answers some."""

import pytest

from fedpact.describe.examples import alice_bob
from fedpact.protocol.messages import (
    Contributed,
    Evaluated,
    Refused,
    Reported,
    Request,
    read_answer,
    write_request,
)
from fedpact.protocol.site.simulated_sites import simulate_sites
from fedpact.protocol.site.site import RUNS
from fedpact.protocol.site.site_files import read_site
from fedpact.protocol.site.write_site import write_site

BODIES = {"report": {"candidates": None}, "contribute": {"have": 0, "total": 1}, "evaluate": {"index": 0}}


def ask(site, run, step, **body):
    request = Request(run=run, request=f"{step}/{run}", site=site.name, step=step, body=BODIES[step] | body)
    return read_answer(site.answer(write_request(request)), {}).body


@pytest.fixture(params=["in memory", "in a folder"])
def site(request, tmp_path):
    """A site that is made anew for every message, as a process would, if it keeps a folder."""
    made = simulate_sites(alice_bob(), teacher="xA")["alice"]
    if request.param == "in memory":
        return lambda: made
    folder = write_site(made, tmp_path / "alice")
    return lambda: read_site(folder)


@pytest.mark.parametrize(("step", "told"), [("contribute", Contributed), ("evaluate", Evaluated)])
def test_after_some_runs_it_tells_no_more_counts(site, step, told):
    """The attack of a quota of one sample, again and again, and that of evaluations."""
    for number in range(RUNS):
        assert isinstance(ask(site(), f"run-{number}", step), told)
    refused = ask(site(), "one more", step)
    assert isinstance(refused, Refused)
    assert "has told counts of its labels in 10 runs" in refused.why
    assert isinstance(ask(site(), "run-3", step), told), "what was told is told again, and nothing else"


def test_one_run_is_one_run_whatever_it_asks(site):
    for number in range(RUNS):
        assert isinstance(ask(site(), f"run-{number}", "contribute"), Contributed)
        assert isinstance(ask(site(), f"run-{number}", "evaluate"), Evaluated)


def test_reports_tell_nothing_of_labels(site):
    for number in range(RUNS + 3):
        assert isinstance(ask(site(), f"run-{number}", "report"), Reported)


def test_a_site_says_how_many_runs_it_wants(tmp_path):
    folder = write_site(simulate_sites(alice_bob(), teacher="xA")["alice"], tmp_path / "alice")
    path = folder / "site.toml"
    path.write_text(path.read_text().replace("minimum_count", "runs = 2\nminimum_count", 1))
    for number in range(2):
        assert isinstance(ask(read_site(folder), f"run-{number}", "contribute"), Contributed)
    assert isinstance(ask(read_site(folder), "third", "contribute"), Refused)


def test_in_one_run_it_answers_few_requests(site):
    told = [ask_more(site(), number) for number in range(6)]
    assert [isinstance(one, Contributed) for one in told] == [True] * 5 + [False]
    assert "has answered 5 requests for samples in this run" in told[-1].why


def ask_more(site, number):
    body = {"have": number, "total": number + 1}
    request = Request(
        run="run", request=f"contribute/{site.name}/{number + 1}", site=site.name, step="contribute", body=body
    )
    return read_answer(site.answer(write_request(request)), {}).body
