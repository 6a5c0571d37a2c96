"""fedpact run, in process: what it prints, what it leaves behind, and how it goes on."""

import json
import shlex
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from rich.console import Console

import fedpact as fp
from fedpact.cli import show_run as module
from fedpact.cli.show_run import progress_table
from fedpact.explain import explain
from fedpact.protocol.operator.run_state import Ask, Gone
from fedpact.protocol.operator.statements import Evaluation

KEYS = {"contributions", "payments", "met", "status", "deficit", "plan", "hypothesis", "gone", "withheld"}


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def refused(fedpact, *words, code=1):
    found, out, err = fedpact("run", *words)
    assert (found, out) == (code, "")
    assert len(err.splitlines()) == 1
    assert err.startswith("error: ")
    return err


def entries_of(where):
    with fp.protocol.Ledger.open(where) as ledger:
        return list(ledger.entries())


def kinds(where):
    return [entry.kind for entry in entries_of(where)]


def test_alice_and_bob(fedpact, here):
    code, out, err = fedpact("run", "alice-bob", "--seed", "1", "--method", "tree")
    assert (code, err) == (0, "")
    said = " ".join(out.split())
    assert "alice 3 3 0% open (0.1) bob 2 2 0% open (0.1)" in said
    assert "wrong on 0 of 5 samples; 5 is paid in all." in said
    assert "The run is finished" in said
    ledger = here / "fedpact-runs" / "alice-bob" / "ledger.db"
    assert f"Ledger: {ledger} (check it: fedpact ledger verify {ledger.parent})" in said
    assert fedpact("ledger", "verify", str(ledger))[0] == 0


def write_clinics(fedpact, here, names=("north", "south"), more=""):
    """Two clinics' folders, and the federation that was gathered of their reports."""
    for name in names:
        (here / name).mkdir()
        (here / name / "predictions.csv").write_text("forest,stump\n" + "ill,ill\nill,healthy\n" * 40)
        (here / name / "labels.csv").write_text("label\n" + "ill\n" * 80)
        described = f'name = "{name}"\npredictions = "predictions.csv"\nlabels = "labels.csv"\n{more}'
        (here / name / "site.toml").write_text(described.format(name))
        assert fedpact("report", f"{name}/predictions.csv", "--name", name)[0] == 0
    reports = [f"{name}.report.npz" for name in names]
    assert fedpact("gather", *reports, "--epsilon", "0.2", "--delta", "0.1", "-o", "clinics.toml")[0] == 0


SITES = ("--sites", "north", "--sites", "south")
SIGNS = 'key = "../keys/sites/{0}/signing.key"\noperator = "../keys/sites/{0}/operator.pub"\n'


def test_from_reports_to_a_run_by_the_sites_own_folders(fedpact, here):
    write_clinics(fedpact, here)
    said = refused(fedpact, "clinics.toml")
    assert "give the sites' own folders (fedpact run FILE --sites FOLDER --sites FOLDER ...)" in said
    code, out, _ = fedpact("run", "clinics.toml", *SITES, "--confidence", "0.9", "--json")
    assert code == 0
    outcome = json.loads(out)
    assert (outcome["hypothesis"], outcome["status"]) == ("forest", fp.protocol.RunStatus.FINISHED.value)
    home = fp.protocol.read_home("fedpact-runs/clinics")
    assert home.sites == {name: here / name for name in ("north", "south")}
    assert home.pact.keys == {}, "sites without keys do not sign"
    code, _, err = fedpact("ledger", "verify", "fedpact-runs/clinics")
    assert (code, "statements that nobody signs" in err) == (1, True)
    assert fedpact("ledger", "verify", "fedpact-runs/clinics", "--unsigned")[0] == 0
    assert fedpact("run", "--resume", "fedpact-runs/clinics")[0] == 0


def test_sites_with_keys_sign_in_their_own_folders(fedpact, here):
    assert fedpact("keys", "make", "keys", "--sites", "north,south")[0] == 0
    write_clinics(fedpact, here, more=SIGNS)
    assert "answers only an operator with the key" in refused(fedpact, "clinics.toml", *SITES, "--home", "one")
    assert fedpact("run", "clinics.toml", *SITES, "--keys", "keys", "--home", "two")[0] == 0
    assert fp.protocol.check_books("two").status is fp.protocol.BooksStatus.SOUND


def test_folders_that_are_not_the_sites(fedpact, here):
    write_clinics(fedpact, here)
    for words, why in {
        ("clinics.toml", *SITES[:2]): "'south' is not there",
        ("clinics.toml", *SITES, *SITES[2:]): "south: site 'south' is in south already",
        ("alice-bob", *SITES): "--sites are those of a federation file; the sites of 'alice-bob' are made up",
        ("clinics.toml", *SITES, "--teacher", "forest"): "--teacher labels at sites that are made up",
        (
            "clinics.toml",
            *SITES,
            "--engine",
            "flower",
            "--superlink",
            "a:1",
        ): "--superlink is for those on machines",
    }.items():
        assert why in refused(fedpact, *words)


def test_as_json(fedpact):
    words = ("run", "alice-bob", "--teacher", "xA", "--method", "tree", "--fee", "alice=1,bob=0", "--json")
    code, out, _ = fedpact(*words, "--home", "one")
    said = json.loads(out)
    assert code == 0
    assert said.keys() >= KEYS
    assert said["contributions"] == {"alice": 3, "bob": 2}
    assert said["payments"] == {"alice": 2.0, "bob": 2.0}
    assert (said["deficit"], said["hypothesis"]) == (4.0, "xA")
    assert said["met"] == {"alice": True, "bob": True}
    assert said["plan"]["method"] == "tree"
    assert said["status"] == fp.protocol.RunStatus.FINISHED.value
    assert fp.protocol.RunOutcome.from_dict(said) == fp.protocol.read_outcome("one/ledger.db")


def test_a_finished_run_that_is_resumed_starts_nothing(fedpact, here):
    _, first, _ = fedpact("run", "alice-bob", "--home", "one", "--json")
    before = (here / "one" / "ledger.db").read_bytes()
    for where in ("one", "one/ledger.db"):
        assert fedpact("run", "--resume", where, "--json") == (0, first, "")
    assert (here / "one" / "ledger.db").read_bytes() == before


def test_two_runs_one_after_the_other(fedpact):
    assert fedpact("run", "alice-bob", "--home", "one", "--seed", "1")[0] == 0
    assert "to run and pay once more, say so with --rerun" in refused(fedpact, "alice-bob", "--home", "one")
    assert fedpact("run", "alice-bob", "--home", "one", "--seed", "2", "--rerun")[0] == 0
    assert kinds("one/ledger.db").count("close") == 2
    assert fedpact("ledger", "verify", "one/ledger.db")[0] == 0


def test_books_elsewhere(fedpact, here):
    (here / "office").mkdir()
    assert fedpact("run", "alice-bob", "--home", "one", "--ledger", "office/books.db")[0] == 0
    assert kinds("office/books.db")[-1] == "close"
    assert not (here / "one" / "ledger.db").exists()
    assert fedpact("run", "--resume", "one")[0] == 0
    assert "give the folder of the run" in refused(fedpact, "--resume", "office/books.db")


def test_keys_of_an_operator(fedpact):
    assert fedpact("keys", "make", "keys", "--sites", "alice,bob")[0] == 0
    assert fedpact("run", "alice-bob", "--home", "one", "--keys", "keys")[0] == 0
    with fp.protocol.Ledger.open("one/ledger.db") as ledger:
        assert next(ledger.entries()).body["pact"]["keys"] == fp.protocol.read_keys("keys").sites


WRONG = {
    "no-file": ([], "say which federation to run, or give --resume LEDGER"),
    "engine": (
        ["alice-bob", "--engine", "ray"],
        "engine must be one of in-process, flower, flower-sim; it is 'ray'",
    ),
    "local-in-process": (
        ["alice-bob", "--local-nodes", "2"],
        "--local-nodes and --superlink belong to --engine flower",
    ),
    "superlink-simulated": (
        ["alice-bob", "--engine", "flower-sim", "--superlink", "a:1"],
        "--local-nodes and --superlink belong to --engine flower",
    ),
    "local-and-superlink": (
        ["alice-bob", "--engine", "flower", "--local-nodes", "2", "--superlink", "a:1"],
        "give one of the two",
    ),
    "too-few-nodes": (
        ["alice-bob", "--engine", "flower", "--local-nodes", "3"],
        "--local-nodes must be the number of sites, 2 (alice, bob); it is 3",
    ),
    "unknown-example": (["alice-bop"], "'alice-bop' is neither a file nor an example"),
    "vcg": (["alice-bob", "--rule", "vcg"], "rule 'vcg' cannot pay in a run"),
    "exact": (["alice-bob", "--method", "exact"], "method 'exact' needs the joint structure"),
    "resumed-file": (["alice-bob", "--resume", "x"], "resumed as it was agreed on; leave out 'alice-bob'"),
    "resumed-fee": (["--resume", "x", "--fee", "1"], "a run is resumed as it was agreed on; leave out --fee"),
    "home-without-a-name": (["alice-bob", "--home", ""], "--home must name a folder of the run's own"),
    "teacher": (["alice-bob", "--teacher", "xC"], "teacher must be one of the hypotheses; it is 'xC'"),
    "seed": (["alice-bob", "--seed", "-1"], "seed must be a whole number >= 0; it is -1"),
    "patience": (["alice-bob", "--patience", "reprot=5"], "did you mean 'report'?"),
    "fee": (["alice-bob", "--fee", "alice=x,bob=1"], "fee"),
    "no-home": (["--resume", "nowhere"], "/nowhere; start one with: fedpact run FILE"),
}


@pytest.mark.parametrize(
    "kind",
    [pytest.param(kind, marks=[pytest.mark.flower] * ("flower" in words)) for kind, (words, _) in WRONG.items()],
)
def test_what_cannot_be_run_is_one_line_and_opens_no_run(fedpact, here, kind):
    words, line = WRONG[kind]
    assert line in refused(fedpact, *words)
    assert not [path for path in here.rglob("ledger.db") if kinds(path)]


TIGHT = """
delta = 0.05
epsilon = 0.05
[[agents]]
name = "alice"
capacity = 1
distribution = {xA = 0.5, xB = 0.5}
[hypotheses]
class = "all-labelings"
"""


def test_without_a_plan_the_run_stops_and_says_how_to_go_on(fedpact, here):
    (here / "tight.toml").write_text(TIGHT)
    code, out, err = fedpact("run", "tight.toml", "--home", "my home", "--json")
    assert code == 3
    assert json.loads(out)["status"] == fp.protocol.RunStatus.STOPPED.value
    assert err.startswith("error: no plan exists: even with everybody at capacity, alice")
    assert err.endswith(f"; resume with: fedpact run --resume {shlex.quote(str(here / 'my home'))}\n")
    assert len(err.splitlines()) == 1
    assert fedpact("run", *shlex.split(err)[-2:])[0] == 3, "nothing has changed"
    assert kinds("my home/ledger.db")[-5:] == ["stop", "resume", "ask", "answer", "stop"], "reports may be mended"
    assert "is not finished" in refused(fedpact, "tight.toml", "--home", "my home")
    (here / "tight.toml").write_text(TIGHT.replace("capacity = 1\n", ""))
    assert fedpact("run", "tight.toml", "--home", "my home", "--rerun")[0] == 0, "other terms are another run"
    assert "abandon" in kinds("my home/ledger.db")
    assert fedpact("ledger", "verify", "my home")[0] == 0


OWN = """
name = "own"
delta = 0.05
epsilon = 0.1
[[agents]]
name = "alice"
cost = 2.0
distribution = {xA = 0.8, xB = 0.2}
[[agents]]
name = "bob"
distribution = {xA = 0.2, xB = 0.8}
[hypotheses]
class = "all-labelings"
"""


def test_a_plan_beyond_the_budget_stops_before_anybody_labels(fedpact, here):
    (here / "own.toml").write_text(OWN)
    code, out, err = fedpact("run", "own.toml", "--method", "tree", "--budget", "6", "--json")
    assert (code, json.loads(out)["why"]["code"]) == (3, "over-budget")
    assert err.startswith("error: the plan asks for 5 samples and comes to 7 in all, and the budget is 6; resume")
    ledger = "fedpact-runs/own/ledger.db"
    assert not any(entry.body.get("step") == "contribute" for entry in entries_of(ledger))
    assert fedpact("run", "--resume", "fedpact-runs/own")[0] == 3, "nothing has changed"
    code, out, _ = fedpact("run", "--resume", "fedpact-runs/own", "--budget", "7", "--json")
    assert (code, sum(json.loads(out)["payments"].values())) == (0, 7.0)
    assert "approve" in kinds(ledger)
    assert fedpact("ledger", "verify", "fedpact-runs/own")[0] == 0


def test_on_a_terminal_the_plan_is_asked_about(fedpact, here, monkeypatch):
    (here / "own.toml").write_text(OWN)
    monkeypatch.setattr("fedpact.cli.run.sys.stdin.isatty", lambda: True, raising=False)
    asked, answers = [], [False, True]
    monkeypatch.setattr("fedpact.cli.run.typer.confirm", lambda text, err: (asked.append(text), answers.pop(0))[1])
    assert fedpact("run", "own.toml", "--method", "tree", "--budget", "1")[0] == 3
    assert fedpact("run", "--resume", "fedpact-runs/own")[0] == 0
    assert asked == ["The plan asks for 5 samples and comes to 7 in all, and the budget is 1. Go on?"] * 2


def test_a_site_that_is_not_there_is_named(fedpact, here):
    (here / "tight.toml").write_text(TIGHT)
    fedpact("run", "tight.toml", "--home", "one")
    (here / "one" / "sites" / "alice" / "site.toml").unlink()
    assert "not a site's folder; there is no site.toml in it" in refused(fedpact, "--resume", "one")


def test_an_interrupted_run_goes_on(fedpact, here, monkeypatch):
    """By a key, as soon as everybody has reported."""
    whole = fp.protocol.run_home

    def interrupt(place, watch=None):
        def stop(state, pending):
            if len(state.reports) == 2:
                raise KeyboardInterrupt

        return whole(place, watch=stop)

    monkeypatch.setattr(fp.protocol, "run_home", interrupt)
    code, out, err = fedpact("run", "alice-bob", "--home", "one", "--teacher", "xA", "--method", "tree")
    assert (code, out) == (130, "")
    assert err == f"interrupted; resume with: fedpact run --resume {here / 'one'}\n"
    assert kinds("one/ledger.db").count("close") == 0
    monkeypatch.undo()
    monkeypatch.chdir(here)
    assert "is not finished" in refused(fedpact, "alice-bob", "--home", "one")
    code, out, _ = fedpact("run", *shlex.split(err)[-2:], "--json")
    assert code == 0
    assert json.loads(out)["contributions"] == {"alice": 3, "bob": 2}
    found = kinds("one/ledger.db")
    assert (found.count("open"), found.count("resume"), found.count("close")) == (1, 1, 1)
    assert fedpact("ledger", "verify", "one/ledger.db")[0] == 0


def test_a_run_that_was_interrupted_before_it_began(fedpact, here, monkeypatch):
    """Also where another was finished before it, which is not taken for it."""

    def interrupt(place, watch=None):
        raise KeyboardInterrupt

    for opened in (1, 2):
        with monkeypatch.context() as patched:
            patched.setattr(fp.protocol, "run_home", interrupt)
            assert fedpact("run", "alice-bob", "--home", "one", "--rerun")[0] == 130
        assert kinds("one/ledger.db").count("open") == opened - 1
        assert fedpact("run", "--resume", "one")[0] == 0
        assert kinds("one/ledger.db").count("close") == opened


def shown(table):
    console = Console(width=120)
    with console.capture() as caught:
        console.print(table)
    return [" ".join(line.split()) for line in caught.get().splitlines()]


def state(**known):
    asks = {
        f"contribute/{name}/1": Ask(
            request=f"contribute/{name}/1", site=name, step="contribute", body={}, asked=0.0, deadline=1.0
        )
        for name in ("[alice]", "bob")
    }
    nothing = {"plan": None, "gone": {}, "reports": {}, "contributed": {}, "evaluated": {}, "payments": {}}
    return SimpleNamespace(asks=asks, **{**nothing, **known})


PLACE = SimpleNamespace(pact=SimpleNamespace(names=("[alice]", "bob")))
STATES = {
    "at-first": (state(), {}, ["[alice]", "bob"]),
    "reported": (state(reports={"bob": None}), {}, ["[alice]", "bob yes"]),
    "waiting": (
        state(plan=SimpleNamespace(contributions={"[alice]": 3, "bob": 2}), contributed={"bob": 2}),
        {"contribute/[alice]/1": "3 of 3 samples have no label yet"},
        ["[alice] 0 of 3 3 of 3 samples have no label yet", "bob 2 of 2"],
    ),
    "gone": (
        state(gone={"bob": Gone(step="report", code="late", values={"seconds": 60.0})}),
        {"contribute/bob/1": "it waits"},
        ["[alice]", "bob no answer within 60 s"],
    ),
    "paid": (
        state(
            evaluated={"[alice]": SimpleNamespace(n=8, mistakes=1), "bob": SimpleNamespace(n=0, mistakes=0)},
            payments={"bob": {"amount": 2.5}},
        ),
        {},
        ["[alice] 12.5% wrong", "bob 2.5"],
    ),
}


@pytest.mark.parametrize("kind", STATES)
def test_progress_shows_every_site(kind):
    known, pending, lines = STATES[kind]
    head, *rows = shown(progress_table(PLACE, known, pending))
    assert head == "site reported samples evaluated paid"
    assert rows == lines


def test_progress_is_for_terminals_only(fedpact, monkeypatch):
    seen = []
    monkeypatch.setattr(module.sys.stderr, "isatty", lambda: True, raising=False)
    monkeypatch.setattr(module, "progress_table", lambda *given: seen.append(given) or "")
    assert fedpact("run", "alice-bob", "--home", "one")[0] == 0
    assert [sorted(given[1].reports) for given in seen][-1] == ["alice", "bob"]
    monkeypatch.setattr(module.sys.stderr, "isatty", lambda: False, raising=False)
    count = len(seen)
    assert fedpact("run", "alice-bob", "--home", "two")[0] == 0
    assert len(seen) == count > 3


def test_a_run_in_which_every_candidate_erred_leads_on(fedpact, monkeypatch):
    run_home = fp.protocol.run_home
    assert "realizability" not in fedpact("run", "alice-bob", "--home", "one")[1]
    monkeypatch.setattr(
        fp.protocol, "run_home", lambda *given, **more: replace(run_home(*given, **more), mistakes=2)
    )
    code, out, _ = fedpact("run", "alice-bob", "--home", "two")
    assert code == 0
    assert out.splitlines()[-1].endswith("settle it: fedpact realizability " + str(Path("two").resolve()))


def test_what_an_operator_should_not_overlook_is_said(fedpact, monkeypatch):
    fed = fp.examples.alice_bob()
    good = fp.protocol.run(fed, teacher="xA", method="tree")
    assert len(explain(good).sentences) == 2, "few samples do not tell"
    gone = {"bob": Gone(step="evaluate", code="late", values={"seconds": 60.0})}
    wrong = Evaluation(n=40, mistakes=20, error=0.5, epsilon=0.1, met=False)
    seen = {"met": {"alice": False, "bob": None}, "evaluation": {"alice": wrong, "bob": None}}
    bad = replace(good, mistakes=2, gone=gone, **seen)
    unrealizable, missed, _ = explain(bad).sentences
    assert "wrong on 2." in unrealizable
    assert missed == "Targets missed on held-out samples: alice."
    assert explain(bad).tables[0].rows[1][-1] == "gone at 'evaluate': no answer within 60 s"
    tiny = replace(good, payments={"alice": 4.4e-16, "bob": 0.5})
    assert [row[2] for row in explain(tiny).tables[0].rows] == [0.0, 0.5]


@pytest.mark.flower
def test_a_run_is_resumed_where_it_was_unless_another_engine_is_named(fedpact, monkeypatch):
    """Nothing of what carried it first is in the way of what is asked for now."""
    fed, went = fp.examples.alice_bob(), []
    fp.protocol.prepare_home("one", fp.protocol.make_pact(fed), engine="flower", superlink="127.0.0.1:9")

    def leave(place, address, watch=None):
        went.append(address)
        raise KeyboardInterrupt

    monkeypatch.setattr(fp.protocol.flower, "run_at_superlink", leave)
    for words, said in (([], ""), (["--superlink", "127.0.0.1:8"], " --superlink 127.0.0.1:8")):
        code, _, err = fedpact("run", "--resume", "one", *words)
        assert code == 130
        assert err.endswith(f"fedpact run --resume {Path('one').resolve()}{said}\n")
    assert went == ["127.0.0.1:9", "127.0.0.1:8"]
    assert "site 'alice' is not on this machine" in refused(fedpact, "--resume", "one", "--engine", "in-process")
