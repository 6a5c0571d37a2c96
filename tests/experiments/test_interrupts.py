"""An interrupt ends an experiment; what a search had found until then is not kept as its answer."""

import pytest

import fedpact as fp


def interrupt(*_, **__):
    raise KeyboardInterrupt


@pytest.mark.parametrize(
    ("name", "where"),
    [
        ("hardness", "fedpact.planning.exact._explore"),
        ("exchangeability", "fedpact.planning.exact._explore"),
        ("coverage", "fedpact.planning.exact._explore"),
        ("mechanisms", "fedpact.planning.exact._explore"),
        ("no-pure-equilibrium", "fedpact.game.pure_equilibria._search_boxes"),
        ("price-of-stability", "fedpact.planning.exact._explore"),
    ],
)
def test_nothing_is_kept_of_a_search_that_was_interrupted(name, where, monkeypatch, tmp_path):
    monkeypatch.setattr(where, interrupt)
    try:
        fp.experiments.reproduce(name, quick=True, workers=1, store=tmp_path)
    except (KeyboardInterrupt, fp.errors.SolverError):
        pass
    else:
        pytest.fail("the interrupt was swallowed")
    after = {path.read_text() for path in tmp_path.glob("*.json")}
    monkeypatch.undo()
    fp.experiments.reproduce(name, quick=True, workers=1, store=tmp_path / "whole")
    whole = {path.read_text().split('"seconds"')[0] for path in (tmp_path / "whole").glob("*.json")}
    assert {text.split('"seconds"')[0] for text in after} <= whole
