"""What the README prints, runs; what it names, exists."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import fedpact as fp
from fedpact.experiments.data.femnist import LEAF
from fedpact.protocol.site.site_files import KEYS as SITE_KEYS

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def fenced(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, flags=re.DOTALL)


def test_the_python_of_the_readme_runs_as_printed(capsys):
    names: dict[str, object] = {}
    for code in fenced("python"):
        exec(compile(code, "README.md", "exec"), names)
    assert capsys.readouterr().out.splitlines() == [
        "{'alice': 14, 'bob': 14}",
        "{'alice': 3, 'bob': 2} 5.0 5.0",
        "True 0.0256 exact",
        "28.0 14.0 5.0",
        "((0, 14), (1, 7), (2, 3), (3, 2), (7, 1), (14, 0))",
        "True 1.0 2.8",
        "((0, 0), (14, 14))",
        "no pure equilibrium exists: every profile was searched",
        "{'alice': 2.0, 'bob': 1.0} 3.0",
        "0.0 28.0",
        "{'alice': 3, 'bob': 2} {'alice': 3.0, 'bob': 2.0} h2",
        "17.0 36.0",
        "[28, 24, 21, 17]",
    ]


def test_the_file_in_the_readme_loads(tmp_path):
    (text,) = fenced("toml")
    path = tmp_path / "readme.toml"
    path.write_text(text)
    assert fp.load(path).names == ("alice", "bob")


def test_the_page_on_obliviousness_prints_what_it_shows(capsys):
    page = (ROOT / "docs" / "explanation" / "obliviousness.md").read_text()
    (code, shown) = re.findall(r"```(?:python)?\n(.*?)```", page, flags=re.DOTALL)
    exec(compile(code, "obliviousness.md", "exec"), {})
    assert capsys.readouterr().out == shown


@pytest.mark.parametrize("name", ["candidates", "confidence", "training"])
def test_a_page_prints_what_its_comments_say(name, capsys, tmp_path, monkeypatch):
    page = (ROOT / "docs" / "explanation" / f"{name}.md").read_text()
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for code in re.findall(r"```python\n(.*?)```", page, flags=re.DOTALL):
        exec(compile(code, f"{name}.md", "exec"), names)
        assert capsys.readouterr().out.splitlines() == re.findall(r"^# (.*)$", code, flags=re.MULTILINE)


@pytest.mark.parametrize("command", sorted(set(re.findall(r"`fedpact ([\w-]+)", README))))
def test_commands_of_the_readme_exist(command):
    from fedpact.cli import app

    names = {entry.callback.__name__.replace("_", "-") for entry in app.registered_commands}
    assert command in names | {group.name for group in app.registered_groups}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_between_pages_lead_somewhere(page):
    links = re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text())
    assert [link for link in links if not (page.parent / link).exists()] == []


def test_errata_that_the_code_cites_are_explained():
    page = (ROOT / "docs/explanation/errata.md").read_text()
    explained = set(re.findall(r"^### ([ABC]\d)", page, flags=re.MULTILINE))
    source = "\n".join(path.read_text() for path in (ROOT / "src").rglob("*.py"))
    cited = set(re.findall(r"\b([ABC]\d)\b", " ".join(re.findall(r"ERRATA ([ABC]\d[^.;)]*)", source))))
    assert cited
    assert cited <= explained


def test_the_ladder_of_the_readme_is_the_measured_one():
    measured = json.loads((ROOT / "docs/results/ladder.json").read_text())["rows"]
    shown = [row for row in measured if (row["family"], row["sites"], row["delta"]) == ("networks", 2, 0.05)]
    for method in ("lp", "union", "tree", "exact"):
        costs = [f"{row[method]['cost']:g}" for row in shown]
        line = next(line for line in README.splitlines() if line.startswith(f"| `{method}`"))
        assert [cell.strip() for cell in line.split("|")[2:-1]] == costs


RESULTS = [
    path
    for path in sorted((ROOT / "docs" / "results").glob("*.json"))
    if path.stem in fp.experiments.list_experiments()
]


@pytest.mark.parametrize("path", RESULTS, ids=lambda path: path.stem)
def test_the_page_of_an_experiment_is_that_of_its_json(path):
    found = fp.experiments.Reproduction.from_dict(json.loads(path.read_text()))
    page = path.with_suffix(".md").read_text()
    command = page.split("```")[1].strip()
    assert command.startswith(f"fedpact reproduce {path.stem}")
    assert page == fp.experiments.write_page(found, command)


def test_what_is_said_of_compositions_is_what_was_measured():
    said = " ".join((ROOT / "docs" / "results" / "paper.md").read_text().split())
    found = measured("composition-femnist").results
    assert all(row["p"] < 1e-6 for row in found["trend_in_lambda"])
    helps = [row["p"] < 0.01 for row in found["trend_in_m"]]
    assert f"in {sum(helps)} of {len(helps)} trends (p < 0.01)" in said
    others = [row for row, is_help in zip(found["trend_in_m"], helps, strict=True) if not is_help]
    assert {(row["metric"], row["agent"], row["lambda"]) for row in others} == {
        ("loss", "agent 1", 0.0), ("loss", "agent 2", 1.0)
    }  # fmt: skip
    assert sum(row["metric"] == "accuracy" for row in found["trend_in_m"]) == 44
    assert (min(found["sizes"]), max(found["sizes"]), found["seeds"]) == (10, 250, 100)
    found = measured("composition-shakespeare").results
    clear = {(row["agent"], row["m"]) for row in found["trend_in_lambda"]
             if row["metric"] == "loss" and row["p"] < 0.01}  # fmt: skip
    assert clear == {("agent 1", 10_000), ("agent 1", 20_000), ("agent 1", 42_000), ("agent 2", 42_000)}
    helps = [row["p"] < 0.01 for row in found["trend_in_m"]]
    assert f"more samples help in {sum(helps)} of {len(helps)} trends ({found['seeds']} seeds" in said


def test_what_is_said_of_the_planners_table_is_what_was_measured():
    said = " ".join((ROOT / "docs" / "results" / "paper.md").read_text().split())
    rows = [row for row in measured("planner-table").results["rows"] if row["part"] == "table"]
    assert all(row["is_proved"] for row in rows)
    assert f"while all {len(rows)} of ours are" in said
    spans = []
    for delta in (0.05, 0.4):
        own = [row["samples"]["lp"] / row["samples"]["exact"] for row in rows if row["delta"] == delta]
        spans.append(f"{min(own):.2f} to {max(own):.2f} at delta = {delta:g}")
    assert ", ".join(spans) in said
    assert max(row["samples"]["tree"] - row["samples"]["exact"] for row in rows) == 1
    above = sorted(row["samples"]["union"] - row["samples"]["exact"] for row in rows)
    assert above[-2:] == [2, 3]
    (worst,) = (row for row in rows if row["samples"]["union"] - row["samples"]["exact"] == 3)
    assert (worst["samples"]["exact"], worst["delta"]) == (6, 0.4)


def test_what_is_said_of_plans_that_are_carried_out_is_what_was_measured():
    said = " ".join((ROOT / "docs" / "results" / "paper.md").read_text().split())
    writers, hospitals = measured("federated").results["federations"]
    met = {way: sum(fed["ways"][way]["met"] for fed in (writers, hospitals)) for way in writers["ways"]}
    targets = sum(fed["ways"]["plan"]["targets"] for fed in (writers, hospitals))
    assert f"the plan meets {met['plan']} of {targets} targets; as many samples in equal shares meet " in said
    assert f"equal shares meet {met['equal']}, each site alone {met['alone']}" in said
    for way in ("plan", "equal"):
        before, after = (writers["ways"][way][key] for key in ("start_all", "trained_all"))
        assert f"from {before['mean']:.1%} to {after[0]['mean']:.1%}" in said
    assert sum(count > 0.05 for count in writers["ways"]["plan"]["m"]) == 2
    for fed in (writers, hospitals):
        near = [np.mean(way["within"]) for way in fed["ways"].values()]
        assert max(near) - min(near) < 0.1


def test_the_speed_of_the_search_for_equilibria_is_that_of_the_benchmarks():
    page = (ROOT / "docs" / "explanation" / "game.md").read_text()
    said = [int(times) for times in re.findall(r"over (\d+) times less", page)]
    rows = json.loads((ROOT / "docs" / "results" / "benchmarks.json").read_text())["rows"]
    measured = [row for row in rows if row["what"].startswith("pure equilibria")]
    assert len(said) == len(measured) == 2
    assert all(row["ratio"] > times and row["ours"] < 0.1 for row, times in zip(measured, said, strict=True))


def measured(name: str) -> fp.experiments.Reproduction:
    """Read the results that are kept of an experiment."""
    return fp.experiments.Reproduction.from_dict(json.loads((ROOT / f"docs/results/{name}.json").read_text()))


def test_the_soak_is_told_as_it_was_measured():
    rows, page = measured("truthfulness").results["rows"], (ROOT / "docs/results/truthfulness.md").read_text()
    for row in rows:
        assert f"| {row['method']} | {row['federations']:,} | {row['tried']:,} | {row['gain']:g} |" in page
    assert [(row["tried"], row["gain"]) for row in rows] == [(20_000, 0)] * 5
    payments = (ROOT / "docs/explanation/payments.md").read_text().replace("\n", " ")
    assert "but 100,000 misreports, 20,000 with each of five planners, found none under `pwyc`" in payments


def test_the_coverage_is_told_as_it_was_measured():
    found, page = measured("coverage").results, (ROOT / "docs/results/coverage.md").read_text()
    for row in found["rows"]:
        cells = (
            f"{row['n']:,}",
            row["plan"],
            f"{row['federations']:,}",
            row["missed"],
            row["undecided"],
            f"{row['missed'] / row['federations']:.3f}",
            f"{row['low']:.3f} - {row['high']:.3f}",
        )
        assert f"| {' | '.join(map(str, cells))} | {row['cost_ratio']:.2f} |" in page
    for n, family in sorted({(row["n"], row["family"]) for row in found["by_family"]}):
        own = {row["plan"]: row for row in found["by_family"] if (row["n"], row["family"]) == (n, family)}
        rows = [own[plan] for plan in ("confident", "trusting", "optimal")]
        cells = [f"{row['missed']} of {row['federations']}" for row in rows]
        cells += [f"{row['cost_ratio']:.2f}" for row in rows]
        assert f"| {n:,} | {family} | {' | '.join(cells)} |" in page
    confident = [row for row in found["rows"] if row["plan"] == "confident"]
    assert sum(row["federations"] for row in confident) >= 1000
    promise = 1 - found["confidence"]
    assert all(row["high"] <= promise for row in confident)
    assert "plans at the confidence miss no more often than promised" in page
    assert all(row["low"] > promise for row in found["rows"] if row["plan"] != "confident")


def test_the_readme_and_the_page_on_confidence_tell_the_measured_coverage():
    rows = {(row["plan"], row["n"]): row for row in measured("coverage").results["rows"]}
    share = {key: row["missed"] / row["federations"] for key, row in rows.items()}
    page = (ROOT / "docs" / "explanation" / "confidence.md").read_text()
    for n in sorted({n for _, n in rows}):
        keys = [(plan, n) for plan in ("confident", "trusting", "optimal")]
        cells = [f"{share[key]:.1%}" for key in keys] + [f"{rows[key]['cost_ratio']:.2f}" for key in keys]
        assert f"| {n:,} | {' | '.join(cells)} |" in page
    total = sum(row["federations"] for (plan, _), row in rows.items() if plan == "confident")
    highest = max(row["high"] for (plan, _), row in rows.items() if plan == "confident")
    assert f"draws {total:,} federations" in page
    assert f"Not one of the {total:,} confident plans missed; with 99% certainty the chance is below" in page
    assert f"below {highest:.1%} at each n" in page
    few, many = (f"{share['trusting', n]:.0%}" for n in (30, 1000))
    assert f"missed it in {few} of them with 30 points per site, and in {many}" in README.replace("\n", " ")


def test_averaging_is_told_as_it_was_measured():
    found, page = measured("averaging"), (ROOT / "docs/results/averaging.md").read_text()
    for row in found.results["rows"]:
        batch = "all" if row["batch"] is None else row["batch"]
        losses = f"{row['loss']:.3f} | {row['pooled_loss']:.3f}"
        accuracies = f"{row['accuracy']:.1%} | {row['pooled_accuracy']:.1%} | {row['worst_site_gap']:.1%}"
        key = f"{row['model']} | {row['start']} | {row['sites']} | {batch} | {row['epochs']}"
        assert f"| {key} | {losses} | {accuracies} |" in page
    for one in found.results["draws"]:
        assert f"| {one['seed']} | {one['chosen']} | {' | '.join(map(str, one['m'].values()))} |" in page
    assert [one["seed"] for one in found.results["draws"]] == list(range(found.seeds)) == [0, 1, 2]
    assert "from blank weights, more such local steps leave the training loss further behind" in page
    for model in ("softmax", "network"):
        assert (
            f"{model}, from the chosen candidate, where the protocol starts: held-out points tell 0 of 24" in page
        )


def test_the_faults_are_told_as_they_were_simulated():
    found, page = measured("faults").results, (ROOT / "docs/results/faults.md").read_text()
    assert (found["worlds"], found["failed"]) == (20_000, [])
    assert "every invariant held after every step of every world" in page
    for key, name in (
        ("loss", "messages lost"),
        ("server_crash", "crashes of the operator"),
        ("paid", "payments"),
    ):
        assert f"| {name} | {found['tally'][key]:,} |" in page
    explained = (ROOT / "docs/explanation/faults.md").read_text()
    assert f"What happened in {found['worlds']:,} worlds" in explained
    mutations = (ROOT / "tests/protocol/simulator/test_mutations.py").read_text()
    count = len(re.findall(r'^    "[^"]+": \($|^    "[^"]+": \(.*\),$', mutations, flags=re.MULTILINE))
    assert f"each of {count} lines" in explained


@pytest.mark.parametrize("name", ["hospitals", "digits"])
def test_the_plans_from_reports_are_those_of_the_file(name):
    found, page = measured(name).results, (ROOT / f"docs/results/{name}.md").read_text()
    for run in found["runs"]:
        assert f"{run['least_error']:.1%}" in page
        for one in run["plans"]:
            level = "-" if one["confidence"] is None else f"{one['confidence']:g}"
            quotas = " | ".join(str(count) for count in one["plan"]["contributions"].values())
            row = f"| {run['H']:,} | {one['epsilon']:g} | {level} | {quotas} | {one['plan']['cost']:g} |"
            assert f"{row} {one['plan']['lower_bound']:.6g} |" in page
            assert one["has_capacities"]


@pytest.mark.parametrize("name", ["sharing", "payments"])
def test_the_command_in_a_page_prints_what_it_shows(name):
    page = (ROOT / "docs" / "explanation" / f"{name}.md").read_text()
    ((words, shown),) = re.findall(r"```\n\$ fedpact (.*?)\n(.*?)```", page, flags=re.DOTALL)
    command = [sys.executable, "-m", "fedpact", *shlex.split(words)]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert [line.rstrip() for line in printed.splitlines()] == shown.splitlines()


def test_the_python_of_the_page_on_payments_prints_what_it_says(capsys):
    page = (ROOT / "docs" / "explanation" / "payments.md").read_text()
    (code,) = re.findall(r"```python\n(.*?)```", page, flags=re.DOTALL)
    exec(compile(code, "payments.md", "exec"), {})
    said = re.findall(r"  # (.*)$", code, flags=re.MULTILINE)
    assert len(said) == 5
    assert capsys.readouterr().out.splitlines() == said


def test_the_python_of_the_page_on_contributions_prints_what_it_says(capsys):
    page = (ROOT / "docs" / "explanation" / "contributions.md").read_text()
    code = "\n".join(re.findall(r"```python\n(.*?)```", page, flags=re.DOTALL))
    exec(compile(code, "contributions.md", "exec"), {})
    said = re.findall(r"(?:^|  )# ((?:\[|True|False|\d+ of).*)$", code, flags=re.MULTILINE)
    assert len(said) == 8
    assert capsys.readouterr().out.splitlines() == said
    flagged, sites = re.findall(r"([\d,]+) of ([\d,]+) are flagged", page)[0]
    assert f"{flagged} of {sites.replace(',', '')} WITHIN" == said[3]


def test_the_page_on_privacy_prints_what_it_says(capsys):
    page = (ROOT / "docs" / "explanation" / "privacy.md").read_text()
    names: dict[str, object] = {}
    blocks = re.findall(r"```python\n(.*?)```", page, flags=re.DOTALL)
    for code in blocks:
        exec(compile(code, "privacy.md", "exec"), names)
    said = re.findall(r"print.*  # (.*)$", "".join(blocks), flags=re.MULTILINE)
    shown = re.findall(r"^\| \d.*$", page, flags=re.MULTILINE)
    printed = capsys.readouterr().out.splitlines()
    assert (len(said), len(shown)) == (3, 9)
    assert printed[:3] == said
    for now, then in zip(printed[3:], shown, strict=True):
        assert now.split("|")[:-2] == then.split("|")[:-2]
        # Noise moves the cost with noise by a few samples from run to run.
        cost, expected = (float(row.split("|")[-2]) for row in (now, then))
        assert abs(cost - expected) <= 2 + 0.15 * expected


def test_the_python_of_the_page_on_realizability_prints_what_it_says(capsys):
    page = (ROOT / "docs" / "explanation" / "realizability.md").read_text()
    code = "\n".join(re.findall(r"```python\n(.*?)```", page, flags=re.DOTALL))
    exec(compile(code, "realizability.md", "exec"), {})
    said = re.findall(r"^# (.*)$", code, flags=re.MULTILINE)
    assert len(said) == 4
    assert capsys.readouterr().out.splitlines() == said
    assert re.findall(r"wrong about (\d+) percent.* where (\d+) was the bound", page) == [("24", "71")]
    assert said[-1].endswith(" True 0.24 0.71")


def follow(page: str) -> dict[str, str]:
    """Every block of a how-to in order, in this folder: python, files by the name in their first line, commands.

    Returns what each command printed, by its first words.
    """
    names: dict[str, object] = {}
    printed = {}
    text = (ROOT / "docs" / "how-to" / page).read_text()
    for language, code in re.findall(r"```(python|toml)?\n(.*?)```", text, flags=re.DOTALL):
        if language == "toml":
            Path(code.partition("\n")[0].removeprefix("# ")).write_text(code)
            continue
        if language:
            exec(compile(code, page, "exec"), names)
            continue
        for line in code.splitlines():
            words = shlex.split(line.removeprefix("$ fedpact "))
            command = [sys.executable, "-m", "fedpact", *words]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            is_group = words[0] in ("keys", "label", "ledger", "site")
            printed[" ".join(words[:2] if is_group else words[:1])] = done.stdout
    return printed


def test_the_files_of_the_how_to_go_from_report_to_check(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    printed = follow("files-only.md")
    assert list(printed) == ["report", "gather", "plan", "pay", "check-contribution", "realizability"]
    assert "all this with probability 0.95" in printed["plan"]
    assert "every agent is at least as well off as alone" in printed["pay"]
    assert fp.ContributionStatus.CONSISTENT.value in printed["check-contribution"]
    assert fp.RealizabilityStatus.CONSISTENT.value in printed["realizability"]


def test_the_how_to_on_runs_leaves_books_that_verify(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    printed = follow("run-a-federation.md")
    assert "finished: contributions are verified" in printed["run"]
    assert "intact" in printed["ledger verify"]
    assert {path.suffix for path in Path("statements").iterdir()} == {".html", ".json"}
    assert Path("books.csv").read_text().count("\n") > 20
    assert Path("payments.csv").read_text().count("\n") == 3
    assert "2 candidates on 60 points; labels up to 60 samples; signs its answers" in printed["site check"]
    assert fp.protocol.KeysCheckStatus.SOUND.value in printed["keys check"]
    assert "sound as the terms of a run" in printed["check"]
    assert fp.protocol.load_pact("network.toml").names == ("north", "south")
    north = fp.protocol.read_site("north")
    assert north.trainer is not None
    assert (north.least, north.most, north.minimum_count, north.held_out.labels.tolist()) == (5, 200, 5, [1, 0, 0])


def test_the_how_to_shows_every_key_of_a_site_s_folder():
    text = (ROOT / "docs" / "how-to" / "run-a-federation.md").read_text()
    shown = text[text.index("# north/site.toml") :].partition("```")[0]
    keys = re.findall(r"^(?:# )?([a-z_]+) = ", shown, flags=re.MULTILINE)
    assert sorted(keys) == sorted([*SITE_KEYS, "weights"])
    assert "parquet" in shown


def test_the_how_to_on_experiments_says_what_the_program_says():
    text = (ROOT / "docs" / "how-to" / "reproduce-the-paper.md").read_text()
    assert LEAF in text
    assert "Computed in ..." in text
    pages = re.findall(r"\]\(([a-z-]+\.md)\)", (ROOT / "docs" / "results" / "paper.md").read_text())
    assert len(pages) > 5
    for page in pages:
        assert re.search(r"Computed in [\d,.]+ s", (ROOT / "docs" / "results" / page).read_text())


def test_the_how_to_on_experiments_names_what_there_is(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    text = (ROOT / "docs" / "how-to" / "reproduce-the-paper.md").read_text()
    (code,) = re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL)
    exec(compile(code, "reproduce-the-paper.md", "exec"), {})
    assert capsys.readouterr().out.strip() == re.search(r"# (\[.*\])", code)[1]
    assert Path("price.svg").stat().st_size > 1000
    commands = re.findall(r"^fedpact reproduce ([a-z][a-z-]+)(.*)$", text, flags=re.MULTILINE)
    assert len(commands) == 5
    for name, rest in commands:
        helped = subprocess.run(
            [sys.executable, "-m", "fedpact", "reproduce", name, "--help"],
            capture_output=True, text=True, check=True, env=os.environ | {"COLUMNS": "200"},
        ).stdout  # fmt: skip
        assert all(word in helped for word in re.findall(r"--[a-z-]+", rest.partition("#")[0]))
