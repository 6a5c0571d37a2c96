"""``fedpact export-html``: one page with everything, or one line about why not."""

import json

import numpy as np
import pytest

import fedpact as fp

FILE = "examples/alice-bob.toml"


def refused(fedpact, *words):
    code, out, err = fedpact("export-html", *words)
    assert (code, out) == (1, "")
    assert err.startswith("error: ")
    assert err.count("\n") == 1
    return err


def test_it_writes_one_page_with_the_plan(fedpact, tmp_path):
    path = tmp_path / "plan.html"
    code, out, err = fedpact("export-html", FILE, "-o", str(path), "--audit", "8")
    assert (code, err) == (0, "")
    assert str(path) in out
    page = path.read_text(encoding="utf-8")
    plan = fp.plan(fp.load(FILE))
    assert f"cost of {plan.cost:g}" in page
    assert "Does it pay to misreport?" in page
    assert "<script src" not in page
    assert "<link" not in page


def test_it_says_in_json_what_it_wrote(fedpact, tmp_path):
    path = tmp_path / "plan.html"
    code, out, _ = fedpact("export-html", FILE, "-o", str(path), "--method", "lp", "--json")
    assert code == 0
    assert json.loads(out) == {
        "file": str(path),
        "bytes": path.stat().st_size,
        "federation": fp.load(FILE).fingerprint,
    }


def test_a_file_that_is_there_is_not_written_over_unless_it_is_meant(fedpact, tmp_path):
    path = tmp_path / "plan.html"
    path.write_text("mine")
    assert "replace it with --force" in refused(fedpact, FILE, "-o", str(path))
    assert path.read_text() == "mine"
    assert fedpact("export-html", FILE, "-o", str(path), "--force", "--method", "lp")[0] == 0
    assert path.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((FILE, "-o", "plan.pdf"), "ends in .html"),
        ((FILE, "-o", "nowhere/plan.html"), "no such folder"),
        ((FILE, "-o", "x.html", "--method", "magic"), "method must be one of"),
        (("nobody", "-o", "x.html"), "neither a file nor an example"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(fedpact, words, said):
    assert said in refused(fedpact, *words)


def test_a_federation_without_a_plan_has_a_report_that_says_so(fedpact, tmp_path):
    path = tmp_path / "blocked.toml"
    fp.examples.alice_bob().replace(capacity=1).save(path)
    assert fedpact("export-html", str(path), "-o", str(tmp_path / "x.html"))[0] == 0
    assert "still misses the target" in (tmp_path / "x.html").read_text(encoding="utf-8")


@pytest.mark.slow
def test_with_a_confidence_the_page_has_the_plan_that_allows_for_it(fedpact, tmp_path):
    labels = np.random.default_rng(0).integers(0, 2, (3, 4, 60))
    fed = fp.Federation.from_predictions(dict(zip("abc", labels, strict=True)), epsilon=0.1, delta=0.05)
    plans = [fp.plan(fed), fp.plan(fed, confidence=0.95)]
    assert plans[0].cost < plans[1].cost
    fed.save(tmp_path / "models.toml")
    words = ("export-html", str(tmp_path / "models.toml"), "--confidence", "0.95", "-o", str(tmp_path / "x.html"))
    assert fedpact(*words)[0] == 0
    page = (tmp_path / "x.html").read_text(encoding="utf-8")
    assert f"cost of {plans[1].cost:g}" in page
    assert "known with confidence 0.95" in page
    assert "are taken for the truth" not in page


def test_a_table_has_no_use_for_a_confidence(fedpact):
    assert "confidence has no meaning for a table" in refused(fedpact, FILE, "-o", "x.html", "--confidence", "0.9")
