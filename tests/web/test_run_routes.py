"""The Run page over a real server: runs are started, followed live, stopped, continued, checked and refused."""

import asyncio
import os
import re
import signal
import tempfile
from pathlib import Path
from types import SimpleNamespace

import httpx
import pytest

import fedpact as fp
from fedpact.explain.ledger import say_entry
from fedpact.web.app import make_app
from fedpact.web.limits import Limits
from ledgers import tampering
from serving import serving
from web_runs import held, is_alive, own_workers, prepare, read_entries, running, stream, wait_until

NAMES = ['<b onmouseover="x()">alice</b>', "bob & co"]
FED = fp.Federation.from_table(
    [[0, 0], [0, 1], [1, 0], [1, 1]],
    [[0.8, 0.2], [0.2, 0.8]],
    epsilon=0.1,
    delta=0.05,
    names=NAMES,
    name="<i>clinics</i>",
    hypotheses=["none", "<u>B</u>", "A", "both"],
)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A server that follows a sound ledger, a broken one, one that is written meanwhile and none."""
    folder = tmp_path_factory.mktemp("ledgers")
    sound, broken, written = (prepare(folder / name) for name in ("sound", "broken", "written"))
    for home in (sound, broken):
        fp.protocol.run_home(home)
    with tampering(broken.ledger) as execute:
        execute("UPDATE entries SET content = content || ' ' WHERE seq = 5")
    ledgers = [str(sound.folder), broken.ledger, written.ledger, str(folder / "nowhere.db")]
    runs = folder / "runs"
    with serving(FED, ledgers=ledgers, runs_folder=runs, limits=Limits(job_seconds=60)) as address:
        yield SimpleNamespace(address=address, sound=sound, broken=broken, written=written, runs=runs)


@pytest.fixture(scope="module")
def client(site):
    with httpx.Client(base_url=site.address, timeout=60) as found:
        yield found


def begin(client, federation="alice-bob", **asked):
    answer = client.post("/runs.json", json={"federation": federation, "method": "tree", **asked})
    assert answer.status_code == 201, answer.text
    assert answer.headers["location"] == answer.json()["address"]
    return answer.json()


def events_of(client, run, **options):
    return list(stream(client, f"{run['address']}/events", **options))


def finish(client, run):
    assert events_of(client, run)[-1] == ("over", None, {"condition": "finished", "problems": []})


def until(client, run, *conditions):
    def is_there():
        return client.get(f"{run['address']}.json").json()["condition"] in conditions

    wait_until(is_there, conditions)


@pytest.fixture(scope="module")
def done(client):
    """A run of the federation whose names hold HTML, brought to its end."""
    key = client.get("/", follow_redirects=True).url.path.split("/")[2]
    run = begin(client, key, query="delta=0.05", teacher="<u>B</u>", fee=1, seed=7)
    return SimpleNamespace(**run, from_key=key, events=events_of(client, run))


def test_a_run_is_followed_to_its_end_entry_by_entry(client, site, done):
    kinds = [kind for kind, _, _ in done.events]
    assert kinds[-1] == "over"
    assert set(kinds) == {"run", "entry", "over"}
    said = [(name, data) for kind, name, data in done.events if kind == "entry"]
    written = read_entries(site.runs / done.key)
    assert [(int(name), data["seq"], data["hash"]) for name, data in said] == [
        (entry.seq, entry.seq, entry.hash) for entry in written
    ]
    assert [data["what"] for _, data in said] == [say_entry(entry) for entry in written]
    assert [data["condition"] for kind, _, data in done.events if kind == "run"][-1] == "finished"


def test_a_stream_goes_on_where_it_was_left(client, done):
    for options in ({"headers": {"Last-Event-ID": "20"}}, {"params": {"after": 20}}):
        said = events_of(client, {"address": done.address}, **options)
        assert [name for _, name, _ in said if name] == ["21", "22", "23"]
    odd = events_of(client, {"address": done.address}, headers={"Last-Event-ID": "x"}, params={"after": 22})
    assert [name for _, name, _ in odd if name] == ["23"]


def test_a_run_as_plain_values(client, done):
    seen = client.get(f"{done.address}.json").json()
    assert (seen["condition"], seen["teacher"], seen["seed"]) == ("finished", "<u>B</u>", 7)
    assert seen["federation"] == f"/federations/{done.from_key}/run?delta=0.05"
    assert seen["outcome"]["hypothesis"] == "<u>B</u>"
    assert seen["outcome"]["payments"] == dict(zip(NAMES, [2.0, 1.0], strict=True))
    assert seen["terms"]["fee"] == dict.fromkeys(NAMES, 1.0)
    assert [(one["site"], one["samples"], one["quota"], one["met"]) for one in seen["sites"]] == [
        (NAMES[0], 3, 3, True),
        (NAMES[1], 2, 2, True),
    ]
    assert (seen["length"], seen["more"], len(seen["entries"])) == (23, False, 23)
    assert [entry["seq"] for entry in client.get(f"{done.address}.json?after=21").json()["entries"]] == [22, 23]
    line = next(run for run in client.get("/runs.json").json() if run["address"] == done.address)
    assert line == {name: seen[name] for name in line}


def test_names_are_text_on_every_page(client, done):
    pages = [done.address, f"{done.address}/progress", "/runs", f"/federations/{done.from_key}/run"]
    statements = client.get(f"{done.address}/statements.json").json()
    for page in (*pages, *(one["page"] for one in statements)):
        text = client.get(page).text
        assert not re.search(r"<b on|<u>B|<i>clin", text), page
    shown = client.get(done.address).text
    for name in ("&lt;b onmouseover=&#34;x()&#34;&gt;alice", "bob &amp; co", "&lt;u&gt;B", "&lt;i&gt;clinics"):
        assert name in shown


def test_statements_open(client, done):
    listed = client.get(f"{done.address}/statements.json").json()
    assert [(one["site"], one["amount"]) for one in listed] == [(NAMES[0], 2.0), (NAMES[1], 1.0)]
    for one in listed:
        assert one["status"] == "received"
        page = client.get(one["page"])
        assert page.headers["content-type"].startswith("text/html")
        assert "Statement of payment" in page.text
        assert "style-src 'self' 'unsafe-inline'" in page.headers["content-security-policy"]
        assert client.get(one["address"]).json() == one
        assert one["page"] in client.get(done.address).text


def test_the_ledger_is_checked(client, done):
    seen = client.get(f"{done.address}/check.json").json()
    assert (seen["state"], seen["is_sound"]) == ("done", True)
    assert (seen["ledger"]["entries"], seen["books"]["payments"], seen["books"]["followed"]) == (23, 2, 2)
    later = client.get(f"{done.address}/check.json", params={"job": seen["job"]["id"]})
    assert later.json() == seen
    for page in (f"{done.address}/check", f"{done.address}?check=now"):
        assert "The ledger is sound." in client.get(page).text
    begun = client.get(f"{done.address}/check.json?wait=0").json()
    assert begun["state"] in ("waiting", "running", "done")
    shown = client.get(f"{done.address}?check={begun['job']['id']}").text
    assert "The ledger is sound." in shown
    wrong = client.get("/runs/ledger-1/check.json", params={"job": seen["job"]["id"]})
    assert (wrong.status_code, "no check of this ledger" in wrong.text) == (404, True)
    assert client.get(f"{done.address}/check.json?job=no").status_code == 404


def test_a_form_starts_a_run_without_a_script(client, done):
    page = client.get(f"/federations/{done.from_key}/run?cost[bob %26 co]=2&method=lp")
    assert page.status_code == 200
    fields = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', page.text))
    assert fields["federation"] == done.from_key
    query = fields["query"].replace("&amp;", "&")
    assert re.search(r'<option value="lp"[^>]* selected>', page.text)
    given = {
        **fields,
        "query": query,
        "method": "lp",
        "rule": "pwyc",
        "fee": "",
        "false_alarm_rate": "0.01",
        "seed": "3",
    }
    answer = client.post("/runs", data=given)
    assert answer.status_code == 303
    run = client.get(f"{answer.headers['location']}.json").json()
    finish(client, run)
    seen = client.get(f"{run['address']}.json").json()
    assert (seen["terms"]["method"], seen["teacher"], seen["seed"]) == ("lp", None, 3)
    assert seen["outcome"]["deficit"] == sum(
        seen["outcome"]["contributions"][name] * cost for name, cost in zip(NAMES, (1, 2), strict=True)
    )


WRONG = {
    "rule": ({"rule": "vcg"}, "rule 'vcg' cannot pay in a run"),
    "fee": ({"fee": "much"}, "fee must be a number"),
    "fee-of-another-rule": ({"rule": "none", "fee": "1"}, "fee belongs to rule pwyc"),
    "false_alarm_rate": ({"false_alarm_rate": "2"}, "false_alarm_rate must lie strictly between 0 and 1"),
    "method": ({"method": "exact"}, "method 'exact' needs the joint structure"),
    "teacher": ({"teacher": "nobody"}, "teacher must be one of the hypotheses"),
    "seed": ({"seed": "-1"}, "seed: Input should be greater than or equal to 0"),
    "change": ({"query": "delta=7"}, "delta: delta must lie strictly between 0 and 1"),
}


@pytest.mark.parametrize(("wrong", "sentence"), WRONG.values(), ids=WRONG)
def test_what_is_wrong_is_said_and_what_was_given_is_kept(client, wrong, sentence):
    before = client.get("/runs.json").json()
    answer = client.post("/runs.json", json={"federation": "alice-bob", **wrong})
    assert answer.status_code == 422
    assert len(answer.json()["problems"]) == 1
    assert answer.json()["problems"][0].startswith(sentence)
    page = client.post("/runs", data={"federation": "alice-bob", "seed": "41", **wrong})
    assert page.status_code == 422
    assert 'role="alert"' in page.text
    assert sentence.replace("'", "&#39;") in page.text
    if "seed" not in wrong:
        assert 'value="41"' in page.text
    if "fee" in wrong:
        assert f'value="{wrong["fee"]}"' in page.text
    assert client.get("/runs.json").json() == before


def test_what_is_not_known_is_refused(client):
    assert client.post("/runs.json", json={"federation": "alice-bob", "folder": "/etc"}).status_code == 422
    assert client.post("/runs.json", json={"federation": "nobody"}).status_code == 404
    assert client.post("/runs", data={"federation": "nobody"}).status_code == 404
    for way, path in [
        ("GET", "/runs/no.json"),
        ("GET", "/runs/no"),
        ("GET", "/runs/no/events"),
        ("GET", "/runs/no/progress"),
        ("GET", "/runs/no/check"),
        ("GET", "/runs/no/check.json"),
        ("GET", "/runs/no/statements.json"),
        ("GET", "/runs/ledger-1/statements/no.json"),
        ("DELETE", "/runs/no.json"),
        ("POST", "/runs/no/continue.json"),
        ("POST", "/runs/no/continue"),
        ("POST", "/runs/no/cancel"),
    ]:
        answer = client.request(way, path)
        assert (answer.status_code, list(answer.json())) == (404, ["problems"]), path


@pytest.mark.parametrize(
    "place", ["../sound", "..%2Fsound", "%2Fetc%2Fpasswd", "%2e%2e", "%2e%2e%2f%2e%2e", "sound"]
)
def test_no_place_on_the_disk_is_reached(client, site, place):
    for path in (
        "/runs/{}.json",
        "/runs/{}",
        "/runs/{}/events",
        "/runs/{}/check.json",
        "/runs/{}/statements.json",
    ):
        assert client.get(path.format(place)).status_code == 404
    for ending in ("html", "json"):
        assert client.get(f"/runs/ledger-1/statements/{place}.{ending}").status_code == 404
    assert client.delete(f"/runs/{place}.json").status_code == 404


def test_reports_hold_no_samples_to_run_on(client, site):
    reports = [fp.report(array, name=name) for name, array in (("a", [[0, 1], [1, 1]]), ("b", [[0, 0], [1, 1]]))]
    fed = fp.Federation.from_reports(reports, epsilon=0.1, delta=0.1)
    app = make_app(fed)
    key = app.state.server.library.default

    async def ask():
        through = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=through, base_url="http://localhost") as inside:
            page = await inside.get(f"/federations/{key}/run")
            plain = await inside.get(f"/federations/{key}/run.json")
            refused = await inside.post("/runs.json", json={"federation": key})
            return page.text, plain.json(), refused

    page, plain, refused = asyncio.run(ask())
    sentence = "sites cannot be made from reports, which hold no samples"
    assert sentence in page
    assert re.search(r"<button[^>]* disabled>Start the run", page)
    assert plain["refused"].startswith(sentence)
    assert refused.status_code == 422
    assert refused.json()["problems"][0].startswith(sentence)


def test_a_ledger_is_followed_while_it_is_written(client, site):
    seen = []
    with running(site.written.folder):
        for event in stream(client, "/runs/ledger-3/events"):
            seen.append(event)
            if event[2].get("kind") == "close":
                break
    written = read_entries(site.written.ledger)
    assert [data["hash"] for kind, _, data in seen if kind == "entry"] == [entry.hash for entry in written]
    plain = client.get("/runs/ledger-3.json").json()
    assert (plain["condition"], plain["can_cancel"], plain["can_continue"]) == ("followed", False, False)
    assert plain["status"] == "finished"
    assert client.delete("/runs/ledger-3.json").json()["condition"] == "followed"
    refused = client.post("/runs/ledger-3/continue.json")
    assert refused.status_code == 422
    assert "there is nothing to continue" in refused.text


def test_a_home_can_be_followed_by_its_folder(client, site):
    plain = client.get("/runs/ledger-1.json").json()
    assert (plain["name"], plain["length"]) == (str(site.sound.folder), 23)
    assert client.get("/runs/ledger-1/statements/alice.html").status_code == 200
    assert "Others write this ledger" in client.get("/runs/ledger-1").text


def test_a_broken_ledger_is_a_sentence_everywhere(client):
    sentence = "entry 5 was changed: its hash is not that of its content"
    said = []
    for event in stream(client, "/runs/ledger-2/events"):
        said.append(event)
        if event[0] == "trouble":
            break
    assert said[-1] == ("trouble", None, {"trouble": sentence})
    assert client.get("/runs/ledger-2.json").json()["trouble"] == sentence
    page = client.get("/runs/ledger-2")
    assert (page.status_code, sentence in page.text) == (200, True)
    refused = client.get("/runs/ledger-2/statements.json")
    assert (refused.status_code, refused.json()) == (422, {"problems": [sentence]})
    seen = client.get("/runs/ledger-2/check.json").json()
    assert (seen["is_sound"], seen["ledger"]["broken_at"], seen["books"]) == (False, 5, None)
    assert "Do not rely on this ledger." in client.get("/runs/ledger-2/check").text


def test_a_ledger_that_is_not_there_is_a_sentence(client):
    assert client.get("/runs/ledger-4.json").json()["trouble"].startswith("there is no ledger at ")
    assert client.get("/runs/ledger-4").status_code == 200
    seen = client.get("/runs/ledger-4/check.json").json()
    assert (seen["state"], seen["is_sound"]) == ("failed", None)
    assert seen["problems"][0].startswith("there is no ledger at ")


def test_a_run_is_cancelled_and_continued(client, site):
    condition = None
    while condition != "cancelled":  # a run may be over before anybody holds its ledger
        assert condition in (None, "finished")
        run = begin(client)
        ledger = site.runs / run["key"] / "ledger.db"
        with held(ledger):
            condition = client.delete(f"{run['address']}.json").json()["condition"]
    shown = client.get(run["address"]).text
    assert "The run was cancelled." in shown
    assert f"fedpact run --resume {site.runs / run['key']}" in shown
    kinds = [kind for kind, _, _ in events_of(client, run)]
    assert kinds[-1] == "over"
    assert client.post(f"{run['address']}/continue").status_code == 303
    finish(client, run)
    assert fp.protocol.check_books(ledger).is_sound
    assert [entry.body["site"] for entry in read_entries(ledger) if entry.kind == "pay"] == ["alice", "bob"]
    assert "The run is finished." in client.get(run["address"]).text


def test_a_run_whose_process_is_killed_is_continued_and_everybody_is_paid_once(client, site):
    at_work = None
    while at_work is None:  # a run may be over before anybody holds its ledger
        run = begin(client)
        ledger = site.runs / run["key"] / "ledger.db"
        with held(ledger):
            at_work = next((pid for pid in own_workers() if str(ledger) in open_files(pid)), None)
            if at_work is not None:
                os.kill(at_work, signal.SIGKILL)
                until(client, run, "failed")
    assert "ended before the run did" in client.get(run["address"]).text
    assert client.post(f"{run['address']}/continue.json").json()["condition"] == "preparing"
    finish(client, run)
    assert fp.protocol.check_books(ledger).is_sound
    assert [entry.body["site"] for entry in read_entries(ledger) if entry.kind == "pay"] == ["alice", "bob"]


def open_files(pid):
    links = Path("/proc", str(pid), "fd").iterdir()
    return [str(link.readlink()) for link in links if link.is_symlink()]


def test_a_third_run_at_once_is_refused(client):
    first, second = (begin(client, "arizona-hospitals", method="auto") for _ in range(2))
    assert client.get(f"{second['address']}/statements.json").json() == []
    refused = client.post("/runs.json", json={"federation": "alice-bob"})
    assert refused.status_code == 503
    assert refused.json()["problems"][0].startswith("2 runs are under way")
    shown = client.post("/runs", data={"federation": "alice-bob", "seed": "5"})
    assert "2 runs are under way" in shown.text
    for run in (first, second):
        assert client.post(f"{run['address']}/cancel").status_code == 303
        assert client.get(f"{run['address']}.json").json()["condition"] == "cancelled"


def test_the_end_of_a_server_leaves_no_process_and_no_folder():
    before = set(own_workers())
    with serving() as address, httpx.Client(base_url=address, timeout=60) as client:
        run = begin(client)
        until(client, run, "running", "finished")
        (home,) = Path(tempfile.gettempdir()).glob(f"fedpact-runs-*/{run['key']}")
        workers = set(own_workers()) - before
    assert workers
    assert not any(map(is_alive, workers))
    assert not home.parent.exists()
