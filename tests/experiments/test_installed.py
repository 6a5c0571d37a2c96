import pytest

from fedpact.errors import MissingExtraError
from fedpact.experiments import installed
from fedpact.experiments.catalogue import find_experiment
from fedpact.experiments.installed import require_packages


@pytest.mark.parametrize(
    ("missing", "name", "engine", "extras"),
    [
        ({"torch"}, "hardness", "local", "experiments"),
        ({"ray"}, "hardness", "ray", "ray"),
        ({"cryptography", "joblib"}, "faults", "local", "experiments,protocol"),
    ],
)
def test_all_that_is_missing_is_named_at_once(missing, name, engine, extras, monkeypatch):
    monkeypatch.setattr(installed, "find_spec", lambda package: None if package in missing else package)
    with pytest.raises(MissingExtraError, match=rf"fedpact\[{extras}\]"):
        require_packages(find_experiment(name), engine)


def test_what_an_experiment_does_not_need_may_be_missing(monkeypatch):
    monkeypatch.setattr(installed, "find_spec", lambda package: None if package in ("ray", "opendp") else package)
    require_packages(find_experiment("hardness"), "local")
