import io
import pickle
import zipfile

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fedpact.describe import report_files
from fedpact.describe.candidate_list import CandidateList, digest_of
from fedpact.describe.report_files import from_bytes, read_report, to_bytes
from fedpact.describe.reports import Noise, Report, hide_counts
from fedpact.errors import FederationError


@pytest.fixture(scope="module")
def scratch(tmp_path_factory):
    return tmp_path_factory.mktemp("reports")


def count(labels):
    """(P,) in the slowest way."""
    H = len(labels)
    return np.array([(labels[h] != labels[g]).sum() for h in range(H) for g in range(h + 1, H)], dtype=int)


@st.composite
def sent_reports(draw):
    """A report of labels that were drawn, with or without candidates, hidden counts and noise."""
    H, n, classes = draw(st.integers(1, 6)), draw(st.integers(1, 9)), draw(st.integers(1, 3))
    labels = draw(st.lists(st.lists(st.integers(0, classes - 1), min_size=n, max_size=n), min_size=H, max_size=H))
    minimum = draw(st.integers(0, 4))
    names = draw(st.none() | st.lists(st.text(min_size=1, max_size=4), min_size=H, max_size=H, unique=True))
    digests = None if names is None else tuple(digest_of(name, "weights") for name in names)
    return Report(
        name=draw(st.text(min_size=1, max_size=5).filter(lambda name: not name.endswith("\0"))),
        n=n,
        n_classes=classes,
        counts=hide_counts(count(np.array(labels)), n, minimum),
        minimum_count=minimum,
        candidates=None if names is None else CandidateList(names=tuple(names), digests=digests),
        noise=draw(st.none() | st.just(Noise(scale=1.5, privacy_epsilon=0.5, privacy_delta=1e-6))),
    )


@given(sent_reports())
@settings(deadline=None)
def test_a_report_is_read_back(scratch, sent):
    sent.save(scratch / "site.npz")
    got = read_report(scratch / "site.npz")
    for field in ("name", "n", "n_classes", "H", "minimum_count", "candidates", "noise"):
        assert getattr(got, field) == getattr(sent, field)
    np.testing.assert_array_equal(got.counts, sent.counts)
    assert from_bytes(to_bytes(sent)).candidates == sent.candidates


def test_a_file_of_version_0_1_with_noise_is_read():
    sent = Noise(scale=1.5, privacy_epsilon=0.5, privacy_delta=1e-6)
    noise = {"mechanism": "discrete-gaussian", "scale": 1.5, "epsilon": 0.5, "delta": 1e-6}
    buffer = io.BytesIO()
    np.savez(buffer, **FIELDS, **noise)
    assert from_bytes(buffer.getvalue()).noise == sent
    with np.load(io.BytesIO(to_bytes(Report(**ALICE, noise=sent)))) as written:
        assert {key: written[key].tolist() for key in noise} == noise


def test_a_report_on_500_models_is_small():
    labels = np.random.default_rng(0).integers(0, 10, (500, 5_000))
    h, g = np.triu_indices(500, k=1)
    counts = np.array([(labels[a] != labels[b]).sum() for a, b in zip(h[:2000], g[:2000], strict=True)])
    wide = np.resize(counts, len(h))  # as varied as real counts are
    candidates = CandidateList.from_names(f"checkpoint-{index}.onnx" for index in range(500))
    sent = Report(name="site", n=5_000, n_classes=10, counts=wide, candidates=candidates)
    assert len(to_bytes(sent)) < 1_000_000


ALICE = {"name": "alice", "n": 10, "n_classes": 2, "counts": np.array([2, 5, 3])}
FIELDS = {"format": 1, **ALICE}


def archive(**changes):
    buffer = io.BytesIO()
    fields = {key: value for key, value in {**FIELDS, **changes}.items() if value is not None}
    np.savez_compressed(buffer, **{key: np.asarray(value) for key, value in fields.items()})
    return buffer.getvalue()


def zipped(members):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as file:
        for name, content in members.items():
            file.writestr(name, content)
    return buffer.getvalue()


def array():
    buffer = io.BytesIO()
    np.save(buffer, np.zeros(3))
    return buffer.getvalue()


FILES = [
    (b"", "not a fedpact report"),
    (b"hello", "not a fedpact report"),
    (pickle.dumps({"name": "alice"}), "not a fedpact report"),
    (array(), "not a fedpact report"),
    (archive()[:-30], "not a fedpact report"),
    (archive(name=np.array([{}], dtype=object)), "not a fedpact report"),
    (zipped({}), "not a fedpact report; it lacks format, name, n, n_classes, counts"),
    (zipped(dict.fromkeys(FIELDS, "1")), "the file has report format"),
    (archive(n=None), "not a fedpact report; it lacks n"),
    (archive(format=3), "the file has report format 3; this fedpact reads format 2"),
    (archive(format=[1] * 99), "the file has report format [1, 1, 1"),
    (archive(n="ten"), "n must be a number or a fraction like \"1/3\"; it is 'ten'"),
    (archive(n=2.5), "n must be a whole number >= 1; it is 2.5"),
    (archive(n=1e300), "n must lie between 1 and 9,007,199,254,740,992; it is 1e+300"),
    (archive(format=2), "the report was damaged or changed after it was written"),
    (archive(format=2, checksum="0" * 64), "damaged or changed"),
    (
        archive(mechanism="none", scale=1, epsilon=1, delta=0.1),
        "noise: mechanism must be one of discrete-gaussian; it is 'none'",
    ),
    (archive(candidates='["a", "b", "c"]'), "16 hexadecimal digits for each of the 3 names"),
    (archive(candidates="a, b, c"), "its candidates cannot be read"),
    (archive(candidates="[1, 2, 3]", digests="[1, 2, 3]"), "names must be some different strings"),
    (
        archive(counts=[2, 6, 3], n_classes=3),
        "those of no data set: 'h1' and 'h3' cannot differ more often than both do from a third ('h2')",
    ),
    (archive(counts=[8, 8, 8]), "on points with two labels"),
    (archive(counts=[2, 4, 3]), "on points with two labels"),
    (archive(counts=[2, 5, 11]), "counts must lie between 0 and n = 10"),
]


def test_refuses_files(tmp_path):
    for content, message in FILES:
        (tmp_path / "x.npz").write_bytes(content)
        with pytest.raises(FederationError) as caught:
            read_report(tmp_path / "x.npz")
        assert str(caught.value).startswith(f"{tmp_path / 'x.npz'}: ")
        assert message in str(caught.value)
        assert len(str(caught.value).splitlines()) == 1


def test_a_missing_file_and_a_folder_are_named(tmp_path):
    with pytest.raises(FederationError, match=r"x\.npz: no such file"):
        read_report(tmp_path / "x.npz")
    with pytest.raises(FederationError, match="cannot be read: Is a directory"):
        read_report(tmp_path)


def test_a_report_that_cannot_be_written_is_one_sentence(tmp_path):
    sent = from_bytes(archive())
    with pytest.raises(FederationError, match="the report cannot be written"):
        sent.save(tmp_path / "no-folder" / "alice.npz")


def test_a_changed_count_is_noticed(tmp_path):
    """Somebody opens the archive and writes another count, in range and with all triangles in order."""
    sent = from_bytes(archive(n_classes=3))
    with np.load(io.BytesIO(to_bytes(sent))) as written:
        fields = dict(written)
    fields["counts"] = np.array([2, 5, 4], dtype=np.uint8)
    with pytest.raises(FederationError, match="damaged or changed"):
        from_bytes(archive(**fields))


def test_suppressed_counts_break_no_triangle(scratch):
    """1 and 1 were sent as 0; the third pair's 2 is more than 0 + 0 but not more than what those may stand for."""
    sent = Report(name="a", n=9, n_classes=2, counts=np.array([0, 0, 2]), minimum_count=2)
    sent.save(scratch / "hidden.npz")
    assert read_report(scratch / "hidden.npz").counts.tolist() == [0, 0, 2]


def test_noise_may_break_triangles(scratch):
    sent = Report(
        name="a",
        n=9,
        n_classes=2,
        counts=np.array([0, 0, 2]),
        noise=Noise(scale=1, privacy_epsilon=1, privacy_delta=0.1),
    )
    sent.save(scratch / "noisy.npz")
    assert read_report(scratch / "noisy.npz").noise == sent.noise


def bomb(field, value, *, compression=zipfile.ZIP_DEFLATED):
    """A report with one field that takes little and unpacks to much."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", compression) as whole:
        for key, content in {"format": 2, "name": "a", "n": 9, "n_classes": 2, field: value}.items():
            part = io.BytesIO()
            np.save(part, np.asarray(content))
            whole.writestr(f"{key}.npy", part.getvalue())
    return made.getvalue()


@pytest.mark.parametrize("compression", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
@pytest.mark.parametrize("field", ["counts", "name", "other"])
def test_a_file_that_unpacks_to_far_more_than_it_holds_is_not_unpacked(field, compression, monkeypatch):
    sent = bomb(field, np.zeros(70_000_000, dtype=np.uint8), compression=compression)
    assert len(sent) < 200_000
    monkeypatch.delattr(np, "load")
    with pytest.raises(FederationError, match="unpacks to far more"):
        from_bytes(sent)


def test_counts_that_are_nearly_all_zero_are_no_bomb():
    H = 2000
    counts = np.zeros(H * (H - 1) // 2, dtype=np.uint8)
    sent = Report(name="a", n=9, n_classes=3, counts=counts)
    assert len(to_bytes(sent)) < len(counts) / 100
    assert from_bytes(to_bytes(sent)).H == H


@pytest.mark.parametrize("point", [0x110000, 0x7F000000, 0xD800], ids=["beyond", "far-beyond", "half"])
@pytest.mark.parametrize("field", ["name", "candidates", "version", "n"])
def test_texts_of_what_is_no_character_are_refused(field, point):
    """Python itself breaks on some of them, and an operator that read such a report broke with it."""
    sent = Report(
        name="a", n=3, n_classes=2, counts=np.array([1]), candidates=CandidateList.from_names(["f", "g"])
    )
    with np.load(io.BytesIO(to_bytes(sent))) as archive:
        fields = {key: archive[key] for key in archive.files if key != "checksum"}
    fields[field] = np.array([point], dtype=np.uint32).view("U1")[0:1].reshape(())
    buffer = io.BytesIO()
    np.savez(buffer, **fields, checksum=np.asarray(report_files._checksum(fields)))
    with pytest.raises(FederationError, match=f"its {field} holds what is no character, or half of one"):
        from_bytes(buffer.getvalue())
