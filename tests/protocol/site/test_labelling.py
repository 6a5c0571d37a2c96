import csv
import io
import threading
import time
import tomllib
from dataclasses import replace

import numpy as np
import pytest
import tomli_w
from hypothesis import given
from hypothesis import strategies as st

from fedpact.describe.federation import Federation
from fedpact.errors import FederationError, ProtocolError
from fedpact.protocol.ledger.store import Ledger
from fedpact.protocol.operator.operator import start_run
from fedpact.protocol.operator.run_state import RunStatus
from fedpact.protocol.pact import make_pact
from fedpact.protocol.runs import carry_out, resume, run
from fedpact.protocol.site.annotations import Annotations
from fedpact.protocol.site.labelling import (
    LabellingStatus,
    LabellingStep,
    export_labels,
    import_labels,
    read_labelling,
)
from fedpact.protocol.site.simulated_sites import give_keys, simulate_sites
from fedpact.protocol.site.site_files import read_site
from fedpact.protocol.site.site_store import FolderStore
from fedpact.protocol.site.write_site import write_site

CLASSES = ("healthy", "ill")
TRUTH = np.array([0, 1, 1, 0, 1, 0, 0, 1] * 5)


def federation(west=40):
    """Two clinics with 40 points each, the first the cheaper one; the three candidates differ on many."""
    predictions = np.array([TRUTH, 1 - TRUTH, np.roll(TRUTH, 1)])
    return Federation.from_predictions(
        {"east": predictions, "west": predictions},
        cost=[1, 5],
        epsilon=0.2,
        delta=0.1,
        capacity=[40, west],
        hypotheses=["a", "b", "c"],
    )


def write_desk(folder, *, name="east", **more):
    """The folder of a site where people label."""
    folder.mkdir()
    lines = [
        ",".join("abc"),
        *(",".join(CLASSES[c] for c in (t, 1 - t, r)) for t, r in zip(TRUTH, np.roll(TRUTH, 1), strict=True)),
    ]
    (folder / "predictions.csv").write_text("\n".join(lines) + "\n")
    table = {"name": name, "predictions": "predictions.csv", "classes": list(CLASSES), **more}
    (folder / "site.toml").write_text(tomli_w.dumps(table))
    return folder


def want(folder, *places, name="run"):
    """Let a run have asked for labels of points, numbered from 0."""
    store = FolderStore(folder / ".fedpact")
    store.save(name, {**store.load(name), "wanted": sorted(places)})


@pytest.fixture
def desk(tmp_path):
    folder = write_desk(tmp_path / "east")
    want(folder, 2, 5, 7)
    return folder


def read_rows(path):
    return list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8-sig"))))


def fill(path, label=lambda point: CLASSES[TRUTH[point - 1]]):
    """Fill in the labels as an annotator would."""
    rows = read_rows(path)
    out = io.StringIO()
    writer = csv.DictWriter(out, rows[0], lineterminator="\r\n")
    writer.writeheader()
    writer.writerows({**row, "label": label(int(row["point"]))} for row in rows)
    path.write_text(out.getvalue(), encoding="utf-8-sig")


def test_what_is_wanted_goes_out_and_comes_back(desk, tmp_path):
    todo = tmp_path / "todo.csv"
    out = export_labels(desk, todo)
    assert (out.wanted, out.labelled, out.missing, out.added) == (3, 0, 3, 0)
    assert (out.site, out.run, out.file, out.status) == ("east", "run", str(todo), LabellingStatus.WAITING)
    assert [row["point"] for row in read_rows(todo)] == ["3", "6", "8"]
    fill(todo)
    back = import_labels(desk, todo)
    assert (back.wanted, back.labelled, back.missing, back.added) == (3, 3, 0, 3)
    assert back.status is LabellingStatus.COMPLETE
    assert (desk / "annotations.csv").read_text() == "point,label\n3,ill\n6,healthy\n8,ill\n"
    assert read_labelling(desk) == replace(back, step=LabellingStep.LOOKED, added=0, file=None)


def test_half_a_file_is_taken_and_the_rest_is_exported_again(desk, tmp_path):
    export_labels(desk, tmp_path / "todo.csv")
    fill(tmp_path / "todo.csv", lambda point: "ill" if point == 6 else "")
    assert import_labels(desk, tmp_path / "todo.csv").missing == 2
    export_labels(desk, tmp_path / "rest.csv")
    assert [row["point"] for row in read_rows(tmp_path / "rest.csv")] == ["3", "8"]
    fill(tmp_path / "rest.csv")
    (tmp_path / "rest.csv").write_bytes((tmp_path / "rest.csv").read_bytes() + b"6,ill\r\n")
    again = import_labels(desk, tmp_path / "rest.csv")
    assert (again.added, again.missing) == (2, 0)


def test_people_see_the_examples_beside_and_their_columns_are_not_ours(tmp_path):
    folder = write_desk(tmp_path / "east", examples="points.csv")
    lines = ["Label;age;note", *(f"old;{20 + i};böse, {i}" for i in range(40))]
    (folder / "points.csv").write_bytes(b"\xef\xbb\xbf" + "\r\n".join(lines).encode())
    want(folder, 0, 39)
    export_labels(folder, tmp_path / "todo.csv")
    assert read_rows(tmp_path / "todo.csv") == [
        {"point": "1", "label": "", "example Label": "old", "age": "20", "note": "böse, 0"},
        {"point": "40", "label": "", "example Label": "old", "age": "59", "note": "böse, 39"},
    ]
    fill(tmp_path / "todo.csv")
    assert import_labels(folder, tmp_path / "todo.csv").added == 2


def test_examples_that_do_not_fit_the_points_are_refused(tmp_path):
    folder = write_desk(tmp_path / "east", examples="points.csv")
    (folder / "points.csv").write_text("age\n20\n21\n")
    want(folder, 0)
    with pytest.raises(FederationError, match="one line for each of 40 points; they are 2"):
        export_labels(folder, tmp_path / "todo.csv")
    assert not (tmp_path / "todo.csv").exists()


def test_labels_may_be_written_in_other_capitals(desk, tmp_path):
    (tmp_path / "todo.csv").write_text("point;LABEL\n3;ILL\n6; Healthy\n")
    import_labels(desk, tmp_path / "todo.csv")
    assert (desk / "annotations.csv").read_text() == "point,label\n3,ill\n6,healthy\n"


def test_capitals_count_where_classes_differ_by_them(tmp_path):
    path = tmp_path / "annotations.csv"
    path.write_text("point,label\n1,a\n2,A\n")
    assert Annotations(path, ("a", "A"), 2)(np.array([0, 1])).tolist() == [0, 1]
    path.write_text("point,label\n1,true\n2,FALSE\n")
    assert Annotations(path, (False, True), 2)(np.array([0, 1])).tolist() == [1, 0]


BAD = {
    "unknown-point": ("3,ill\n41,ill", "line 3: point must be a number from 1 to 40; it is '41'"),
    "no-point": ("3,ill\n,ill", "line 3: point must be a number"),
    "point-zero": ("0,ill", "line 2: point must be a number from 1 to 40; it is '0'"),
    "not-a-number": ("six,ill", "it is 'six'"),
    "a-huge-number": ("9" * 5000 + ",ill", "point must be a number"),
    "unknown-label": (
        "3,ill\n6,sick",
        "line 3: the label of point 6 must be one of healthy, ill; it is 'sick'",
    ),
    "two-labels": ("3,ill\n6,ill\n3,healthy", "line 4: point 3 is labelled both 'ill' and 'healthy'"),
    "not-asked-for": ("3,ill\n4,ill", "point 4 was never to be labelled here; is this another site's file"),
    "nothing-filled-in": ("3,\n6,", "no label is filled in"),
    "several": ("3,sick\n99,ill", r"it is 'sick' \(and 1 more problem\)"),
    "a-line-in-a-label": ('3,"ill\nill"', r"it is 'ill\\nill'"),
}


@pytest.mark.parametrize(("rows", "message"), BAD.values(), ids=BAD)
def test_a_bad_file_is_one_line_and_changes_nothing(desk, tmp_path, rows, message):
    (desk / "annotations.csv").write_text("point,label\n8,ill\n")
    (tmp_path / "todo.csv").write_text(f"point,label\n{rows}\n")
    with pytest.raises(FederationError, match=message) as caught:
        import_labels(desk, tmp_path / "todo.csv")
    assert "\n" not in str(caught.value)
    assert (desk / "annotations.csv").read_text() == "point,label\n8,ill\n"
    assert sorted(path.name for path in desk.iterdir() if path.name[0] != ".") == [
        "annotations.csv",
        "predictions.csv",
        "site.toml",
    ]


def test_a_label_that_was_kept_before_is_not_changed_by_an_import(desk, tmp_path):
    (desk / "annotations.csv").write_text("point,label\n3,healthy\n")
    (tmp_path / "todo.csv").write_text("point,label\n3,ill\n6,ill\n")
    with pytest.raises(
        FederationError, match=r"point 3 is labelled 'ill', and 'healthy' in .*change it there first"
    ):
        import_labels(desk, tmp_path / "todo.csv")
    assert (desk / "annotations.csv").read_text() == "point,label\n3,healthy\n"


def test_work_done_for_an_older_run_is_not_lost(desk, tmp_path):
    export_labels(desk, tmp_path / "todo.csv")
    want(desk, 5, 6, name="newer")
    fill(tmp_path / "todo.csv")
    back = import_labels(desk, tmp_path / "todo.csv")
    assert (back.run, back.added, back.wanted, back.missing) == ("newer", 3, 2, 1)
    assert read_labelling(desk, run="run").missing == 0


def test_an_export_replaces_nothing_unless_forced_and_never_the_site_s_own_files(desk, tmp_path):
    todo = tmp_path / "todo.csv"
    todo.write_text("somebody's work")
    with pytest.raises(FederationError, match="is there already; import what was filled in"):
        export_labels(desk, todo)
    assert todo.read_text() == "somebody's work"
    export_labels(desk, todo, force=True)
    assert len(read_rows(todo)) == 3
    (desk / "annotations.csv").write_text("point,label\n3,ill\n")
    (desk / "later.csv").write_text("not read by those who label")
    with (desk / "site.toml").open("a") as described:
        described.write('held_out = {predictions = "later.csv", labels = "later.csv"}\n')
    for name in ("annotations.csv", "predictions.csv", "site.toml", "later.csv"):
        before = (desk / name).read_bytes()
        with pytest.raises(FederationError, match="one of the site's own files"):
            export_labels(desk, desk / name, force=True)
        assert (desk / name).read_bytes() == before
    with pytest.raises(FederationError, match="cannot be written: No such file"):
        export_labels(desk, tmp_path / "nowhere" / "todo.csv")


def test_without_a_run_nothing_is_wanted(tmp_path):
    folder = write_desk(tmp_path / "east")
    FolderStore(folder / ".fedpact").save("run", {"answers": {}})
    assert read_labelling(folder).status is LabellingStatus.NOT_ASKED
    with pytest.raises(FederationError, match="nothing is to be labelled at site 'east': no run has asked"):
        export_labels(folder, tmp_path / "todo.csv")
    (tmp_path / "todo.csv").write_text("point,label\n3,ill\n")
    with pytest.raises(FederationError, match=r"no run has asked.* site 'east' expects none"):
        import_labels(folder, tmp_path / "todo.csv")


def test_when_all_is_labelled_nothing_is_exported(desk, tmp_path):
    (desk / "annotations.csv").write_text("point,label\n3,ill\n6,ill\n8,ill\n")
    with pytest.raises(FederationError, match="every label asked for is there"):
        export_labels(desk, tmp_path / "todo.csv")
    assert not (tmp_path / "todo.csv").exists()


def test_a_run_may_be_named(desk, tmp_path):
    want(desk, 9, name="newer")
    assert export_labels(desk, tmp_path / "a.csv").run == "newer"
    assert export_labels(desk, tmp_path / "b.csv", run="run").wanted == 3
    with pytest.raises(
        FederationError, match=r"run 'rum' has not asked site 'east' for labels; did you mean 'run'\?"
    ):
        read_labelling(desk, run="rum")


def test_a_wrong_folder_is_one_line(tmp_path):
    with pytest.raises(FederationError, match=r"nowhere: no such folder; a site's folder, with site\.toml in it"):
        read_labelling(tmp_path / "nowhere")
    with pytest.raises(FederationError, match=r"not a site's folder; there is no site\.toml in it"):
        read_labelling(tmp_path)
    (tmp_path / "site.toml").write_text("name = ")
    with pytest.raises(FederationError, match=r"site\.toml: not valid TOML"):
        read_labelling(tmp_path)
    folder = write_desk(tmp_path / "column", labels="labels.csv")
    with pytest.raises(FederationError, match=r"labels come from labels = 'labels\.csv', and not from people"):
        read_labelling(folder)


def test_a_broken_record_is_one_line(desk):
    (desk / ".fedpact" / "x.json").write_text("{")
    with pytest.raises(ProtocolError, match=r"x\.json: the site record cannot be read"):
        read_labelling(desk)


def test_who_bring_labels_at_once_all_bring_them(desk, tmp_path):
    want(desk, *range(40))
    for point in range(1, 41):
        (tmp_path / f"{point}.csv").write_text(f"point,label\n{point},ill\n")
    threads = [
        threading.Thread(target=import_labels, args=(desk, tmp_path / f"{point}.csv")) for point in range(1, 41)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert read_labelling(desk).missing == 0


@given(
    labels=st.dictionaries(st.integers(0, 39), st.sampled_from(CLASSES), min_size=1),
    separator=st.sampled_from(",;\t"),
    newline=st.sampled_from(["\n", "\r\n"]),
    order=st.randoms(use_true_random=False),
)
def test_whatever_a_spreadsheet_does_to_the_file_the_labels_arrive(
    labels, separator, newline, order, tmp_path_factory
):
    home = tmp_path_factory.mktemp("home")
    folder = write_desk(home / "east")
    want(folder, *range(40))
    columns = ["label", "point", "note"]
    order.shuffle(columns)
    rows = [{"point": str(place + 1), "label": label, "note": "x y"} for place, label in labels.items()]
    order.shuffle(rows)
    lines = [separator.join(columns), *(separator.join(row[name] for name in columns) for row in rows)]
    (home / "todo.csv").write_bytes(
        "".join(line + newline for line in [*lines, separator * 2, ""]).encode("utf-8-sig")
    )
    assert import_labels(folder, home / "todo.csv").added == len(labels)
    codes = Annotations(folder / "annotations.csv", CLASSES, 40)(np.arange(40))
    assert codes.tolist() == [CLASSES.index(labels[place]) if place in labels else -1 for place in range(40)]


def wait_for(happened, seconds=60.0):
    until = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < until
        time.sleep(0.01)


def test_a_run_waits_for_people_and_goes_on(tmp_path):
    """A bad file on the way does not cost the site its place: it says what is wrong, and waits."""
    folder, todo = write_desk(tmp_path / "east"), tmp_path / "todo.csv"
    sites = {**simulate_sites(federation(), teacher="a"), "east": read_site(folder)}
    ended, says = [], []

    def watch(state, pending):
        says.extend(pending.values())

    def work():
        ended.append(run(federation(), sites, retry=0.05, method="tree", watch=watch))

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    wait_for(lambda: any("samples have no label yet" in why for why in says))
    asked = export_labels(folder, todo)
    (folder / "annotations.csv").write_text("point,label\n1,sick\n")
    wait_for(lambda: any("its labels cannot be read" in why for why in says))
    assert not any("sick" in why for why in says)
    (folder / "annotations.csv").unlink()
    fill(todo, lambda point: CLASSES[TRUTH[point - 1]] if point % 2 else "")
    if any(int(row["point"]) % 2 for row in read_rows(todo)):
        import_labels(folder, todo)
    fill(todo)
    import_labels(folder, todo)
    thread.join(60)
    (seen,) = ended
    assert seen.status is RunStatus.FINISHED
    assert seen.gone == {}
    assert seen.hypothesis == "a"
    assert seen.contributions["east"] == asked.wanted > 0
    assert read_labelling(folder).wanted == 0


def test_a_stopped_run_is_resumed_when_the_labels_are_there(tmp_path):
    """The site ran out of time and nobody can do without it; the labels come, and the ledger is resumed."""
    fed, folder, todo = federation(west=1), write_desk(tmp_path / "east"), tmp_path / "todo.csv"
    sites, key, public = give_keys({**simulate_sites(fed, teacher="a"), "east": read_site(folder)})
    pact = make_pact(
        fed, method="tree", retry=0.05, patience={"contribute": 0.3}, keys=public, operator=key.public
    )
    books = Ledger.create(tmp_path / "run.ledger")
    stopped = carry_out(start_run(books, pact, now=time.time(), key=key), sites)
    assert stopped.status is RunStatus.STOPPED
    assert stopped.gone["east"].code == "late"
    export_labels(folder, todo)
    fill(todo)
    import_labels(folder, todo)
    books.close()
    seen = resume(tmp_path / "run.ledger", sites, key=key)
    assert seen.status is RunStatus.FINISHED
    assert seen.contributions["east"] > 0


def test_a_folder_written_for_a_site_keeps_its_examples_key(tmp_path):
    site = simulate_sites(federation(), teacher="a")["east"]
    folder = write_site(site, tmp_path / "east")
    table = tomllib.loads((folder / "site.toml").read_text())
    (folder / "site.toml").write_text(tomli_w.dumps({**table, "examples": "points.csv"}))
    assert read_site(folder).name == "east"
