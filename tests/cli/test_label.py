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
    assert "Labels of [east]" in out
    assert "Wrote todo.csv: 2 points to label" in out
    assert "Next: fedpact label import 'the site' todo.csv" in out
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
    assert "The run waits for labels: export them, fill in the column label, import the file" in out
    assert out.splitlines()[2].split() == ["run-1", "2", "1", "1", "0"]


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


def test_export_says_which_point_is_which(fedpact, desk):
    _, out, _ = fedpact("label", "export", "the site", "-o", "todo.csv")
    assert "Point 1 is the first line of the site's predictions below the names, point 2 the second" in out


def test_import_says_which_rows_repeat_others(fedpact, desk):
    desk.with_name("todo.csv").write_text("point,label\n2,no\n2,no\n4,yes\n2,no\n")
    code, out, _ = fedpact("label", "import", "the site", "todo.csv")
    assert code == 0
    assert "2 new labels; 2 rows repeat another" in out
    desk.with_name("todo.csv").write_text("point,label\n2,no\n2,no\n")
    assert "0 new labels; 1 row repeats another" in fedpact("label", "import", "the site", "todo.csv")[1]


def test_status_after_a_contribution_says_what_was_contributed(fedpact, desk):
    FolderStore(desk / ".fedpact").save("run-1", {"wanted": [], "drawn": 2, "number": 1})
    code, out, _ = fedpact("label", "status", "the site")
    assert code == 0
    assert out.splitlines()[2].split() == ["run-1", "0", "0", "0", "2"]
    assert "Every sample that was asked for is labelled and contributed: nothing is to be done now" in out
    assert json.loads(fedpact("label", "status", "the site", "--json")[1])["contributed"] == 2


def test_the_site_s_own_ids_go_out_and_are_checked_when_they_come_back(fedpact, desk):
    with (desk / "site.toml").open("a") as file:
        file.write('ids = "ids.csv"\n')
    (desk / "ids.csv").write_text("id,ward\np1,x\n=p2,x\np3,y\n0007,y\n")
    fedpact("label", "export", "the site", "-o", "todo.csv")
    todo = desk.with_name("todo.csv")
    assert todo.read_text(encoding="utf-8-sig") == "point,id,label\n2,'=p2,\n4,0007,\n"
    todo.write_text("point,id,label\n2,=p2,no\n4,p3,no\n")
    code, out, err = fedpact("label", "import", "the site", "todo.csv")
    assert (code, out) == (1, "")
    assert err == (
        "error: todo.csv, line 3: point 4 is '0007' at this site, and 'p3' in the file; were points moved?\n"
    )
    assert not (desk / "annotations.csv").exists()
    for text in ("point,id,label\n2,'=p2,no\n", "point,label\n4,no\n"):
        todo.write_text(text)
        assert fedpact("label", "import", "the site", "todo.csv")[0] == 0
    assert (desk / "annotations.csv").read_text() == "point,label\n2,no\n4,no\n"


def test_what_people_are_shown_is_no_formula(fedpact, desk):
    with (desk / "site.toml").open("a") as file:
        file.write('examples = "notes.csv"\n')
    (desk / "notes.csv").write_text("note\na\n=cmd()\nb\n-3\n")
    fedpact("label", "export", "the site", "-o", "todo.csv")
    assert desk.with_name("todo.csv").read_text(encoding="utf-8-sig") == "point,label,note\n2,,'=cmd()\n4,,-3\n"


def test_what_is_wrong_with_the_site_s_file_names_it(fedpact, desk):
    with (desk / "site.toml").open("a") as file:
        file.write("lables = 1\nleast = -4\n")
    code, out, err = fedpact("label", "status", "the site")
    assert (code, out) == (1, "")
    assert err == (
        "error: the site/site.toml: unknown key 'lables' (did you mean 'labels'?) (and 1 more problem)\n"
    )
