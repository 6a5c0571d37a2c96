"""The API on a real server: answers are the package's, long work is a job, wrong input is a sentence."""

import io
import json
import tempfile
import zipfile

import httpx
import numpy as np
import pytest

import fedpact as fp
from fedpact.web.limits import Limits
from serving import serving

TOML = """
name = "two clinics"
delta = 0.05
epsilon = 0.1
[[agents]]
name = "alice"
distribution = {xA = 0.8, xB = 0.2}
[[agents]]
name = "bob"
distribution = {xA = 0.2, xB = 0.8}
[hypotheses]
class = "all-labelings"
"""


def send(client, text):
    return client.post("/federations.json", json={"text": text})


def send_files(client, files):
    return client.post("/federations/files.json", files=[("files", (name, data)) for name, data in files.items()])


def problems(answer, status=422):
    assert answer.status_code == status, answer.text
    return answer.json()["problems"]


def page(client, name, key="alice-bob", wait=30, **parameters):
    found = client.get(f"/federations/{key}/{name}.json", params={"wait": wait, **parameters})
    assert found.status_code == 200, found.text
    return found.json()


def test_the_plan_is_the_package_s_with_the_changes_of_the_address(client):
    fed = fp.examples.alice_bob()
    seen = page(client, "plan")
    assert seen["parts"]["plan"]["answer"]["plan"] == fp.plan(fed).to_dict()
    changed = page(client, "plan", **{"delta": "0.4", "cost[bob]": "3", "method": "exact"})
    again = fed.replace(delta=0.4, cost=[1, 3])
    assert changed["parts"]["plan"]["answer"]["plan"] == fp.plan(again, "exact", time_limit=10).to_dict()
    assert changed["federation"]["agents"][1]["cost"] == 3
    assert changed["options"] == {"method": "exact"}


def test_pages_say_what_the_package_says(client):
    fed = fp.examples.alice_bob()
    parts = page(client, "plan")["parts"]
    assert parts["against"]["answer"]["cost"] == 28
    assert parts["against"]["answer"]["plan"]["cost"] == 5
    assert parts["frontier"]["answer"]["axis"] == "epsilon"
    game = page(client, "game")["parts"]
    assert game["equilibria"]["answer"]["equilibria"] == fp.equilibria(fed).to_dict()
    assert game["dynamics"]["answer"]["dynamics"] == fp.best_response_dynamics(fed).to_dict()
    paid = page(client, "payments", fee="1")["parts"]
    rows = {(row["rule"], row["pivot"]): row for row in paid["payments"]["answer"]["rules"]}
    assert rows["pwyc", None]["settlement"] == fp.settle(fed, fp.plan(fed), "pwyc", fee=1).to_dict()
    assert paid["audit"]["state"] == "idle"
    differ = page(client, "federation")["parts"]["divergence"]["answer"]
    assert differ["values"] == fp.planning.divergence(fed).values.tolist()


def test_an_audit_runs_when_it_is_asked_for(client):
    seen = page(client, "payments", key="pwyc-not-dominant", wait=60, audit="40")["parts"]["audit"]
    assert seen["state"] == "done"
    rows = {row["rule"]: row for row in seen["answer"]["rules"]}
    assert rows["pwyc"]["audit"]["gain"] == 0
    assert rows["proportional"]["audit"]["gain"] > 0
    assert rows["proportional"]["audit"]["witness"]["agents"]


def test_wrong_values_stand_beside_their_fields_and_the_page_answers(client):
    seen = page(client, "plan", **{"delta": "7", "cost[alice]": "free", "seconds": "-1"})
    assert set(seen["problems"]) == {"delta", "cost[alice]", "seconds"}
    assert seen["parts"]["plan"]["state"] == "done"


def test_no_plan_is_an_answer_that_says_who_blocks_it(client):
    seen = page(client, "plan", capacity="1")["parts"]["plan"]
    assert seen["state"] == "failed"
    assert seen["has_no_plan"]
    assert "still misses the target" in seen["problems"][0]
    game = page(client, "game", capacity="1")["parts"]["equilibria"]
    assert game["answer"]["equilibria"]["optimum"] is None
    html = client.get("/federations/alice-bob/game", params={"capacity": "1"}).text
    assert "No plan meets every target" in html
    assert "misses the targets of alice and bob" in html


def test_requests_that_are_none_are_said_in_words(client):
    headers = {"Content-Type": "application/json"}
    assert "not valid JSON" in problems(client.post("/federations.json", content=b"{", headers=headers))[0]
    assert problems(client.post("/federations.json", json=[]))[0].startswith("the body: ")
    assert problems(client.get("/nowhere"), 404) == ["there is nothing at this address"]


def test_a_federation_is_sent_as_text_and_the_same_text_has_the_same_address(client):
    first, second = send(client, TOML), send(client, TOML)
    assert first.status_code == second.status_code == 201
    assert first.json()["key"] == second.json()["key"]
    seen = page(client, "plan", key=first.json()["key"])
    assert seen["federation"]["name"] == "two clinics"
    assert seen["parts"]["plan"]["answer"]["plan"]["contributions"] == {"alice": 3, "bob": 2}


def test_a_federation_comes_back_as_a_file_with_its_changes(client, tmp_path):
    key = send(client, TOML).json()["key"]
    for syntax in ("toml", "json"):
        found = client.get(f"/federations/{key}/file.{syntax}", params={"delta": "0.2", "cost[bob]": "2"})
        assert found.headers["content-disposition"] == f'attachment; filename="two-clinics.{syntax}"'
        path = tmp_path / f"back.{syntax}"
        path.write_bytes(found.content)
        back = fp.load(path)
        assert back.fingerprint == fp.examples.alice_bob().replace(delta=0.2, cost=[1, 2]).fingerprint
    assert client.get(f"/federations/{key}/file.exe").status_code == 422


def as_npy(array):
    buffer = io.BytesIO()
    np.save(buffer, array)
    return buffer.getvalue()


def test_files_are_sent_together(client):
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, (5, 30))
    text = 'delta=0.1\nepsilon=0.2\n[[agents]]\nname="a"\npredictions="a.npy"\n[[agents]]\nname="b"\n'
    files = {
        "network.toml": (text + 'predictions="b.npy"\n').encode(),
        "folder/a.npy": as_npy(labels),
        "C:\\data\\b.npy": as_npy(labels[:, :20]),
    }
    found = send_files(client, files)
    assert found.status_code == 201, found.text
    assert found.json()["evidence"] == "predictions"
    assert (found.json()["fewest_points"], found.json()["most_points"]) == (20, 30)
    key = found.json()["key"]
    assert page(client, "plan", key=key)["parts"]["plan"]["state"] == "done"
    refused = client.get(f"/federations/{key}/file.toml")
    assert "files of their own" in problems(refused)[0]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "nothing was sent"),
        ("delta = ", "pasted.toml: "),
        ("{", "pasted."),
        ("delta = 0.1\nepsilon = 0.1", "needs at least one agent"),
        (TOML.replace("delta = 0.05", "delta = 5"), "delta must lie strictly between 0 and 1"),
        (TOML.replace("epsilon", "epsilom"), "epsilon"),
        (TOML.replace("all-labelings", "every-labeling"), "class"),
        (TOML.replace("xA = 0.8", "xA = 0.9"), "alice"),
    ],
)
def test_a_broken_text_is_refused_with_all_its_problems(client, text, said):
    assert any(said in problem for problem in problems(send(client, text)))


@pytest.mark.parametrize(
    "path", ["/etc/passwd", "../../../../etc/passwd", "/proc/self/environ", "a.npy/../../b.npy", "//etc/hosts"]
)
@pytest.mark.parametrize("kind", ["predictions", "points", "report"])
def test_no_file_of_the_server_is_reached_through_a_field(client, path, kind):
    text = f'delta=0.1\nepsilon=0.2\n[[agents]]\nname="a"\n{kind}="{path}"\n[hypotheses]\nclass="thresholds"\n'
    said = problems(send(client, text))
    assert not any("root" in problem or "PATH=" in problem for problem in said)
    assert any("outside" in problem or "no file" in problem for problem in said)


def test_other_files_are_refused(client):
    assert "not a file of a federation" in problems(send_files(client, {"run.py": b"import os"}))[0]
    assert "exactly one file" in problems(send_files(client, {"a.npy": b"x"}))[0]
    assert "exactly one file" in problems(send_files(client, {"a.toml": b"", "b.toml": b""}))[0]
    assert "choose a federation file" in problems(client.post("/federations/files.json", files={"x": b""}))[0]
    twice = [("files", ("a.toml", b"x")), ("files", ("folder/a.toml", b"y"))]
    assert "two files" in problems(client.post("/federations/files.json", files=twice))[0]


def make_bomb():
    """A report whose counts unpack to a gigabyte."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        head = as_npy(np.zeros(1, np.int64))[:128]
        archive.writestr("counts.npy", head + bytes(1_000_000_000))
    return buffer.getvalue()


@pytest.mark.slow
def test_a_zip_bomb_is_refused_with_a_sentence(client):
    bomb = make_bomb()
    assert len(bomb) < 2_000_000
    text = 'delta=0.1\nepsilon=0.2\n[[agents]]\nname="a"\nreport="a.report.npz"\n'
    said = problems(send_files(client, {"network.toml": text.encode(), "a.report.npz": bomb}))
    assert "unpacks to far more than a report would" in said[0]


def test_an_array_that_promises_more_than_it_holds_is_refused(client):
    head = as_npy(np.zeros((2, 2), np.int64)).replace(b"(2, 2), }", b"(2, 9999999999), }")
    text = 'delta=0.1\nepsilon=0.2\n[[agents]]\nname="a"\npredictions="a.npy"\n'
    said = problems(send_files(client, {"network.toml": text.encode(), "a.npy": head}))
    assert "a.npy" in said[0]


def test_a_hundred_thousand_hypotheses_are_refused_with_the_limit(client):
    points = ", ".join(f"x{index} = 1e-5" for index in range(100_000))
    text = f'delta=0.1\nepsilon=0.2\n[[agents]]\nname="a"\ndistribution={{{points}}}\n'
    said = problems(send(client, text + '[hypotheses]\nclass="singletons"\n'))
    assert "100,001 hypotheses; at most 16,384 are enumerated" in said[0]
    labels = [[int(bit) for bit in f"{place:017b}"] for place in range(100_000)]
    agent = {"name": "a", "distribution": {f"x{bit}": "1/17" for bit in range(17)}}
    federation = {"delta": 0.1, "epsilon": 0.2, "agents": [agent], "hypotheses": {"labels": labels}}
    said = problems(send(client, json.dumps(federation)))
    assert "up to 2,000 hypotheses; the federation has 100,000" in said[0]
    many = "".join(f'[[agents]]\ndistribution={{x=1}}\nname="a{index}"\n' for index in range(300))
    said = problems(send(client, f"delta=0.1\nepsilon=0.2\n{many}[hypotheses]\nlabels=[[0],[1]]\n"))
    assert "up to 200 agents; the federation has 300" in said[0]


def test_html_in_a_name_stays_text(client):
    name = "<img src=x onerror=alert(1)>"
    key = send(client, TOML.replace('"alice"', f'"{name}"').replace("two clinics", name)).json()["key"]
    for shown in ("federation", "plan", "game", "payments"):
        page(client, shown, key=key)
        html = client.get(f"/federations/{key}/{shown}").text
        assert "<img" not in html
        assert "&lt;img" in html


def test_two_who_edit_the_same_federation_do_not_touch_each_other(client):
    key = send(client, TOML).json()["key"]
    first = page(client, "plan", key=key, **{"cost[alice]": "10"})
    second = page(client, "plan", key=key, **{"cost[bob]": "10"})
    same = page(client, "plan", key=key, **{"cost[alice]": "10"})
    assert first == same
    costs = [[agent["cost"] for agent in seen["federation"]["agents"]] for seen in (first, second)]
    assert costs == [[10, 1], [1, 10]]
    assert [agent["cost"] for agent in page(client, "plan", key=key)["federation"]["agents"]] == [1, 1]


def follow(client, job):
    with client.stream("GET", f"/jobs/{job}/events") as events:
        assert events.headers["content-type"].startswith("text/event-stream")
        for line in events.iter_lines():
            if line.startswith("data: "):
                yield json.loads(line.removeprefix("data: "))


@pytest.mark.slow
def test_long_work_is_a_job_that_says_how_far_it_is_and_can_be_cancelled(server, client):
    params = {"method": "exact", "seconds": "200", "delta": "0.031"}
    asked = client.get("/federations/arizona-hospitals/parts/plan.json", params=params).json()
    assert asked["state"] in ("waiting", "running")
    job = asked["job"]["id"]
    seen = []
    with httpx.Client(base_url=server, timeout=60) as other:
        for event in follow(client, job):
            seen.append(event)
            if "costs" in event["saying"] and event["state"] == "running":
                assert 0 <= event["share"] <= 1
                assert other.delete(f"/jobs/{job}.json").json()["state"] == "cancelled"
    assert seen[-1]["state"] == "cancelled"
    assert client.get(f"/jobs/{job}.json").json()["state"] == "cancelled"
    kept = client.get("/federations/arizona-hospitals/parts/plan.json", params=params).json()
    assert kept["state"] == "cancelled"


@pytest.mark.parametrize(
    "path",
    [
        "/federations/nobody/plan.json",
        "/federations/alice-bob/nothing",
        "/federations/alice-bob/parts/nothing",
        "/jobs/none.json",
        "/jobs/none/events",
        "/static/worker.py",
        "/static/..%2fworker.py",
        "/nowhere",
    ],
)
def test_what_is_not_there_is_said(client, path):
    assert problems(client.get(path), 404)
    seen = client.get(path, headers={"Accept": "text/html"})
    assert seen.status_code == 404


def test_the_default_opens_on_the_arizona_hospitals(client):
    assert client.get("/").headers["location"] == "/federations/arizona-hospitals/plan"


def test_plotly_comes_from_the_installed_package(client):
    found = client.get("/static/plotly.min.js")
    assert found.status_code == 200
    assert "plotly.js v" in found.text[:200]


@pytest.mark.parametrize("epsilon", ["1e-7", "1e-12", "0", "1"])
def test_any_tolerance_has_a_page(client, epsilon):
    page(client, "plan", epsilon=epsilon)
    shown = client.get("/federations/alice-bob/plan", params={"epsilon": epsilon})
    assert shown.status_code == 200


def test_numbers_beyond_all_measure_are_problems_beside_their_fields(client):
    digits = "9" * 5000
    seen = page(client, "plan", **{"cost[bob]": f'{{"quadratic": [1, {digits}]}}'})
    assert set(seen["problems"]) == {"cost[bob]"}
    assert problems(send(client, f'{{"delta": {digits}}}'))


def test_half_a_character_is_refused_with_a_sentence(client):
    text = json.dumps({"delta": 0.1, "epsilon": 0.1, "agents": [{"name": "\ud800", "distribution": {"x": 1}}]})
    assert "half of a character" in problems(send(client, text))[0]
    asked = {"federation": "alice-bob", "query": "cost[\ud800]=1"}
    body = json.dumps(asked).encode()
    assert problems(client.post("/runs.json", content=body, headers={"Content-Type": "application/json"}))


def test_an_address_keeps_every_digit(client):
    seen = page(client, "payments", fee="1234567.89", ceiling="1234.5678")
    assert seen["options"] == {"fee": "1234567.89", "ceiling": "1234.5678"}
    html = client.get("/federations/alice-bob/payments", params={"fee": "1234567.89"}).text
    assert "fee=1234567.89" in html
    assert "1.23457e" not in html


def test_an_address_without_end_is_refused(client):
    seen = client.get("/federations/alice-bob.json", params=[("x", "1")] * 1001)
    assert "at most 1,000 parameters" in problems(seen)[0]


def test_how_data_differ_is_asked_once_whatever_is_changed(client):
    first = page(client, "federation")["parts"]["divergence"]["job"]["id"]
    assert page(client, "federation", delta="0.3")["parts"]["divergence"]["job"]["id"] == first


def test_files_that_were_sent_are_gone_when_their_reader_is_stopped(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    points = ", ".join(f"x{place} = 1" for place in range(100_000))
    with serving(limits=Limits(quick_seconds=0.05)) as address, httpx.Client(base_url=address) as client:
        before = list(tmp_path.iterdir())
        answer = send(client, f"delta=0.1\nepsilon=0.1\n[[agents]]\ndistribution={{{points}}}\n")
        assert list(tmp_path.iterdir()) == before
    assert "in time" in problems(answer)[0] or "0.05 seconds" in problems(answer)[0]
