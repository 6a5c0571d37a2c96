import sys
from pathlib import Path

import numpy as np
import pytest

from carrier import OPERATOR, key_of, small_federation
from fedpact.candidates.predicted import Predicted
from fedpact.describe.candidate_list import CandidateList
from fedpact.describe.federation import Federation
from fedpact.errors import FedpactError, ProtocolError
from fedpact.protocol.keys.signing import save_key
from fedpact.protocol.messages import Evaluated
from fedpact.protocol.site.annotations import Annotations
from fedpact.protocol.site.simulated_sites import simulate_sites
from fedpact.protocol.site.site import make_site_report
from fedpact.protocol.site.site_files import read_site
from fedpact.protocol.site.site_store import FolderStore
from fedpact.protocol.site.write_site import write_site
from fedpact.statistics.make_report import report

PREDICTIONS = "never,odd\nhealthy,healthy\nhealthy,ill\nhealthy,ill\n"


@pytest.fixture
def home(tmp_path):
    """A site's folder with everything that can be in it."""
    folder = tmp_path / "clinic"
    folder.mkdir()
    (folder / "predictions.csv").write_text(PREDICTIONS)
    (folder / "labels.csv").write_text("label\nhealthy\nill\ndead\n")
    (folder / "later.csv").write_text("never,odd\nhealthy,ill\nhealthy,ill\n")
    (folder / "later-labels.csv").write_text("label\nill\nhealthy\n")
    np.save(folder / "masses.npy", np.array([0.5, 0.25, 0.25]))
    save_key(key_of("clinic"), folder / "signing.key")
    (folder / "operator.pub").write_text(OPERATOR.public + "\n")
    write_toml(folder)
    return folder


LINES = {
    "name": '"clinic"',
    "predictions": '"predictions.csv"',
    "classes": '["healthy", "ill", "dead"]',
    "labels": '"labels.csv"',
    "held_out": '{predictions = "later.csv", labels = "later-labels.csv"}',
    "key": '"signing.key"',
    "operator": '"operator.pub"',
    "most": "200",
    "seed": "7",
    "minimum_count": "2",
}


def write_toml(folder, **changes):
    lines = {**LINES, **changes}
    text = "".join(f"{key} = {value}\n" for key, value in lines.items() if value is not None)
    (folder / "site.toml").write_text(text)


def test_a_folder_is_read(home):
    for place in (home, str(home), home / "site.toml"):
        site = read_site(place)
        assert (site.name, site.most, site.seed, site.minimum_count) == ("clinic", 200, 7, 2)
        assert (site.key.public, site.operator) == (key_of("clinic").public, OPERATOR.public)
        assert site.pool.size == 3
        assert site.labeller(np.array([2, 0, 1])).tolist() == [2, 0, 1], (
            "a label that no candidate predicts is wrong"
        )
        assert site.held_out.count_mistakes(1) == Evaluated(n=2, mistakes=1)
    assert isinstance(site.store, FolderStore)
    assert site.store.folder == home / ".fedpact"


def test_name_and_predictions_are_enough(home):
    write_toml(home, **dict.fromkeys(set(LINES) - {"name", "predictions"}))
    site = read_site(home)
    assert isinstance(site.labeller, Annotations)
    assert (site.key, site.operator, site.most, site.seed, site.held_out) == (None,) * 5


def test_masses_a_report_and_a_key_as_it_is(home):
    own = report(np.array([[0, 0, 0], [0, 1, 1]]), name="clinic", candidates=["never", "odd"])
    own.save(home / "clinic.npz")
    write_toml(home, masses='"masses.npy"', report='"clinic.npz"', operator=f'"{OPERATOR.public}"')
    site = read_site(home)
    assert site.pool.size is None
    assert make_site_report(site).counts.tolist() == [2]
    assert site.operator == OPERATOR.public


def test_a_function_labels(home, monkeypatch):
    (home / "clinic_labels.py").write_text(
        "def look_up(places):\n    return ['ill' if p else 'healthy' for p in places]\n"
    )
    monkeypatch.syspath_prepend(str(home))
    write_toml(home, labels=None, labeller='"clinic_labels:look_up"')
    assert read_site(home).labeller(np.array([0, 2])).tolist() == [0, 1]
    sys.modules.pop("clinic_labels")


WRONG = {
    "unknown-key": (
        {"prediction": '"a.csv"'},
        "site.toml: unknown key 'prediction' (did you mean 'predictions'?)",
    ),
    "no-name": ({"name": None}, "site.toml: name is missing"),
    "no-predictions": ({"predictions": None}, "site.toml: predictions is missing"),
    "labels-twice": ({"labeller": '"a:b"'}, "site.toml: labels and labeller cannot both be given; take one"),
    "predictions-missing": ({"predictions": '"gone.csv"'}, "gone.csv: no such file"),
    "labels-missing": ({"labels": '"gone.csv"'}, "gone.csv: no such file"),
    "labels-short": (
        {"labels": '"later-labels.csv"'},
        "later-labels.csv: labels must be one for each of 3 points; they are 2",
    ),
    "labels-two-columns": (
        {"labels": '"predictions.csv"'},
        "predictions.csv: labels must be one column (.csv) or one row (.npy)",
    ),
    "key-missing": ({"key": '"gone.key"'}, "gone.key"),
    "operator": ({"operator": '"12ab"'}, "12ab"),
    "masses-missing": ({"masses": '"gone.npy"'}, "gone.npy: no such file"),
    "masses-no-numbers": ({"masses": '"labels.csv"'}, "labels.csv: line 2: 'label' must be a number"),
    "masses-two-columns": ({"masses": '"wide.csv"'}, "wide.csv: must have one column; it has 2"),
    "masses-pickled": ({"masses": '"pickled.npy"'}, "pickled.npy: not an .npy array that can be read without"),
    "masses-no-header": ({"masses": '"numbers.csv"'}, "numbers.csv: line 1 must be a header of different names"),
    "ids-missing": ({"ids": '"gone.csv"'}, "gone.csv: no such file"),
    "ids-short": ({"ids": '"later-labels.csv"'}, "ids must be one line for each of 3 points; they are 2"),
    "ids-twice": ({"ids": '"twice.csv"'}, "twice.csv: ids must be different; 'a' is there twice"),
    "ids-which": (
        {"ids": '"predictions.csv"'},
        "predictions.csv: the first line must name the column id once; id is not",
    ),
    "ids-among-predictions": (
        {"predictions": '"with-ids.csv"', "classes": None},
        "column 'ID' would be a candidate, and differs at every point; put it into a file of its own",
    ),
    "least": ({"least": "-4"}, "least must be a whole number >= 1; it is -4"),
    "masses-of-another": ({"masses": '"weights.npy"'}, "masses must be a number for each of 3 points"),
    "held-out": ({"held_out": '{predictions = "later.csv"}'}, "held_out must have predictions and labels; it is"),
    "held-out-labels": (
        {"held_out": '{predictions = "later.csv", labels = "labels.csv"}'},
        "held_out must have a label for each of 2 points; it has 3",
    ),
    "held-out-weights": (
        {"held_out": '{predictions = "later.csv", labels = "later-labels.csv", weights = "masses.npy"}'},
        "held_out weights must be a whole number >= 0 for each of 2 points",
    ),
    "held-out-weights-below-0": (
        {"held_out": '{predictions = "later.csv", labels = "later-labels.csv", weights = "weights.npy"}'},
        "held_out weights must be a whole number >= 0 for each of 2 points",
    ),
    "held-out-candidates": (
        {
            "held_out": '{predictions = "labels.csv", labels = "labels.csv"}',
            "classes": '["healthy", "ill", "dead"]',
        },
        "held_out must be of the same candidates: one has 2 candidates and the other 1",
    ),
    "most": ({"most": "-1"}, "most must be a whole number >= 0; it is -1"),
    "seed": ({"seed": '"x"'}, "seed must be a number"),
    "minimum-count": ({"minimum_count": "1.5"}, "minimum_count must be a whole number >= 0; it is 1.5"),
    "classes": (
        {"classes": '["healthy"]'},
        "predictions.csv: line 3: the label of 'odd' is 'ill', which is not among the",
    ),
    "labeller-malformed": (
        {"labels": None, "labeller": '"look_up"'},
        "labeller must be a function as in \"module:function\"; it is 'look_up'",
    ),
    "labeller-missing": (
        {"labels": None, "labeller": '"no_such_module:f"'},
        "labeller 'no_such_module:f' cannot be imported: No module named 'no_such_module'",
    ),
    "labeller-no-function": ({"labels": None, "labeller": '"math:pi"'}, "labeller must be a function as in"),
    "report-of-another": (
        {"report": '"other.npz"'},
        "other.npz: the report is that of 'north'; this site is 'clinic'",
    ),
    "report-on-others": (
        {"report": '"renamed.npz"'},
        "renamed.npz: the report is about other candidates than the predictions: candidate 2 is 'odd' in one",
    ),
    "report-on-more": ({"report": '"more.npz"'}, "more.npz: the report is about 3 candidates; 2 are predicted"),
    "report-missing": ({"report": '"gone.npz"'}, "gone.npz: no such file"),
    "no-toml": ({"seed": "= 7"}, "site.toml: not valid TOML"),
}


@pytest.mark.parametrize("kind", WRONG)
def test_a_folder_that_cannot_be_read(kind, home):
    changes, line = WRONG[kind]
    two, three = np.array([[0, 0], [0, 1]]), np.array([[0, 0], [0, 1], [1, 1]])
    report(two, name="north", candidates=["never", "odd"]).save(home / "other.npz")
    report(two, name="clinic", candidates=["never", "even"]).save(home / "renamed.npz")
    report(three, name="clinic").save(home / "more.npz")
    np.save(home / "pickled.npy", np.array([{"a": 1}] * 3, dtype=object), allow_pickle=True)
    np.save(home / "weights.npy", np.array([3, -1]))
    (home / "numbers.csv").write_text("1,2\n3,4\n5,6\n")
    (home / "wide.csv").write_text("x,y\n1,2\n3,4\n")
    (home / "twice.csv").write_text("id\na\nb\na\n")
    (home / "with-ids.csv").write_text("ID,never\np1,healthy\np2,healthy\np3,ill\n")
    write_toml(home, **changes)
    with pytest.raises(FedpactError) as caught:
        read_site(home)
    assert line in str(caught.value)
    assert "\n" not in str(caught.value)
    if not isinstance(caught.value, ProtocolError):
        assert str(caught.value).startswith(str(home)), "the file is named"


def test_every_problem_of_the_table_is_listed(home):
    write_toml(home, name=None, predictions=None, sede="1")
    with pytest.raises(FedpactError) as caught:
        read_site(home)
    assert len(caught.value.problems) == 3


def test_every_problem_of_the_folder_is_listed(home):
    files = {"masses": '"gone.npy"', "labels": '"gone.csv"', "key": '"gone.key"', "report": '"gone.npz"'}
    write_toml(home, sede="1", least="-4", most='"x"', **files)
    with pytest.raises(FedpactError) as caught:
        read_site(home)
    said = [problem.removeprefix(f"{home}/") for problem in caught.value.problems]
    assert [problem.partition(" ")[0] + problem.partition(" ")[2][:9] for problem in said] == [
        "site.toml:unknown k",
        "site.toml:most must",
        "site.toml:least mus",
        "gone.key:no such f",
        "gone.npy:no such f",
        "gone.csv:no such f",
        "gone.npz:no such f",
    ]


def test_numbers_may_stand_in_csv_files(home):
    (home / "masses.csv").write_text("mass\n0.5\n1/4\n0.25\n")
    (home / "weights.csv").write_text("weight\n3\n1\n")
    later = '{predictions = "later.csv", labels = "later-labels.csv", weights = "weights.csv"}'
    write_toml(home, masses='"masses.csv"', held_out=later)
    site = read_site(home)
    assert site.pool.masses.tolist() == [0.5, 0.25, 0.25]
    assert site.held_out.weights.tolist() == [3, 1]
    assert site.held_out.count_mistakes(1).n == 4


@pytest.mark.parametrize("place", ["gone", "gone/site.toml"])
def test_no_folder(place, tmp_path):
    with pytest.raises(
        FedpactError, match=r"gone(/site.toml)?: no such folder; a site's folder, with site.toml in it, is wanted"
    ):
        read_site(tmp_path / place)


def predicted_federation():
    classes = ("gesund", "krank", "tot")
    rng = np.random.default_rng(2)
    listed = CandidateList.from_names(["a", "b", "c"])
    made = {
        name: Predicted(labels=rng.integers(3, size=(3, 8)), candidates=listed, classes=classes)
        for name in ("north", "south")
    }
    return Federation.from_predictions(made, cost=1, epsilon=0.2, delta=0.1)


@pytest.mark.parametrize("make", [small_federation, predicted_federation], ids=["table", "predictions"])
def test_what_is_written_is_read(make, tmp_path):
    for name, site in simulate_sites(make(), seed=3).items():
        again = read_site(write_site(site, tmp_path / name))
        assert (again.name, again.seed, again.most, again.minimum_count) == (name, site.seed, None, 0)
        assert (again.pool.predicted.labels == site.pool.predicted.labels).all()
        assert again.pool.predicted.candidates == site.pool.predicted.candidates
        assert make_site_report(again).counts.tolist() == make_site_report(site).counts.tolist()
        places = np.arange(site.pool.predicted.n)
        assert (again.labeller(places) == site.labeller(places)).all()
        for index in range(3):
            assert again.held_out.count_mistakes(index) == site.held_out.count_mistakes(index)
        if site.pool.masses is not None:
            assert (again.pool.masses == site.pool.masses).all()
    assert not list(Path(tmp_path).rglob("*.pkl"))


def test_a_third_label_has_to_be_listed_or_the_check_would_take_the_site_for_a_liar(home):
    """Where there are two labels, candidates that differ are never both wrong; here honest samples say so."""
    for classes in (None, '["healthy", "ill"]'):
        write_toml(home, classes=classes)
        with pytest.raises(FedpactError, match=r"labels\.csv: label 'dead' is none of .*list every label"):
            read_site(home)
    write_toml(home)
    assert make_site_report(read_site(home)).n_classes == 3


def test_a_third_label_of_a_function_is_said_at_the_site(home, monkeypatch):
    monkeypatch.syspath_prepend(str(home))
    (home / "clinic_labels.py").write_text("def look_up(places):\n    return ['dead' for _ in places]\n")
    write_toml(home, labels=None, labeller='"clinic_labels:look_up"', classes=None)
    with pytest.raises(FedpactError, match="label 'dead' is none of those that are predicted, healthy, ill"):
        read_site(home).labeller(np.array([0, 1]))


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ("[None for _ in places]", "at point 1 it is None"),
        ("['ill', '']", "at point 2 it is ''"),
        ("['ill', 1]", "all of one kind; at point 2 it is 1"),
        ("[0, 1]", "must be all strings or all whole numbers; predictions are strings and labels whole numbers"),
    ],
    ids=["none", "empty", "mixed", "numbers"],
)
def test_what_a_function_returns_must_be_labels(home, monkeypatch, answer, message):
    """With three classes and more a strange label is a mistake of every candidate, but it must be a label."""
    monkeypatch.syspath_prepend(str(home))
    monkeypatch.delitem(sys.modules, "clinic_labels", raising=False)
    (home / "clinic_labels.py").write_text(f"def look_up(places):\n    return {answer}\n")
    write_toml(home, labels=None, labeller='"clinic_labels:look_up"')
    with pytest.raises(FedpactError, match=f"^labeller 'clinic_labels:look_up': labels .*{message}$"):
        read_site(home).labeller(np.array([0, 1]))
    sys.modules.pop("clinic_labels")


def test_labels_in_numbers_of_predictions_in_words_are_refused(home):
    np.save(home / "codes.npy", np.array([0, 1, 2]))
    write_toml(home, labels='"codes.npy"')
    with pytest.raises(FedpactError, match=r"codes\.npy: labels and predictions must be all strings or all whole"):
        read_site(home)
    np.save(home / "words.npy", np.array(["ill", "dead", "healthy"]))
    write_toml(home, labels='"words.npy"')
    assert read_site(home).labeller(np.arange(3)).tolist() == [1, 2, 0]
