import json

import pytest
import tomli_w

from fedpact.protocol.site.site_store import FolderStore


@pytest.fixture
def desk(tmp_path, monkeypatch):
    """A site of four points, of which a run wants the labels of two."""
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "the site"
    folder.mkdir()
    (folder / "predictions.csv").write_text("a,b\nyes,no\nno,no\nyes,yes\nno,yes\n")
    (folder / "site.toml").write_text(tomli_w.dumps({"name": "[east]", "predictions": "predictions.csv"}))
    FolderStore(folder / ".fedpact").save("run-1", {"wanted": [1, 3]})
    return folder


def test_export_fill_in_import(fedpact, desk):
    code, out, _ = fedpact("label", "export", "the site", "-o", "todo.csv")
    assert code == 0
    assert "site [east]" in out
    assert "wrote todo.csv: 2 points to label" in out
    assert "next: fedpact label import 'the site' todo.csv" in out
    desk.with_name("todo.csv").write_text("point;label\r\n2;no\r\n4;\r\n")
    code, out, _ = fedpact("label", "import", "the site", "todo.csv", "--json")
    assert code == 0
    assert {key: json.loads(out)[key] for key in ("wanted", "labelled", "missing", "added", "run")} == {
        "wanted": 2,
        "labelled": 1,
        "missing": 1,
        "added": 1,
        "run": "run-1",
    }
    code, out, _ = fedpact("label", "status", "the site")
    assert code == 0
    assert "the run waits for labels: export them, fill in the column label, import the file" in out
    assert out.splitlines()[2].split() == ["run-1", "2", "1", "1"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("export", "nowhere", "-o", "x.csv"), "nowhere: no such folder"),
        (("import", "the site", "none.csv"), "none.csv: no such file"),
        (("export", "the site", "-o", "there.csv"), "there.csv: is there already"),
        (("status", "the site", "--run", "other"), "run 'other' has not asked site '[east]' for labels"),
    ],
)
def test_bad_input_is_one_line(fedpact, desk, words, message):
    desk.with_name("there.csv").write_text("kept")
    code, out, err = fedpact("label", *words)
    assert (code, out) == (1, "")
    assert err.startswith(f"error: {message}")
    assert err.count("\n") == 1
    assert desk.with_name("there.csv").read_text() == "kept"


def test_force_replaces_a_file(fedpact, desk):
    desk.with_name("there.csv").write_text("old")
    assert fedpact("label", "export", "the site", "-o", "there.csv", "--force")[0] == 0
    assert desk.with_name("there.csv").read_text(encoding="utf-8-sig") == "point,label\n2,\n4,\n"
