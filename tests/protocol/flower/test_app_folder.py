import tomllib

import pytest

from fedpact.errors import ProtocolError
from fedpact.protocol.flower.app_folder import write_app_folder


def test_the_project_points_at_the_two_apps(tmp_path):
    folder = write_app_folder(tmp_path / "app", {"operator": "/srv/operator"})
    app = tomllib.loads((folder / "pyproject.toml").read_text())["tool"]["flwr"]["app"]
    assert app["components"] == {
        "serverapp": "fedpact.protocol.flower.server_app:app",
        "clientapp": "fedpact.protocol.flower.client_app:app",
    }
    assert app["config"] == {"operator": "/srv/operator"}


def test_it_can_be_written_again_but_not_over_another_project(tmp_path):
    write_app_folder(tmp_path, {"rounds": 1})
    write_app_folder(tmp_path, {"rounds": 2})
    assert "rounds = 2" in (tmp_path / "pyproject.toml").read_text()
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "mine"\n')
    with pytest.raises(ProtocolError, match="another project"):
        write_app_folder(tmp_path, {})


def test_flower_takes_it(tmp_path):
    from flwr.cli.config_utils import load_and_validate

    _, warnings = load_and_validate(write_app_folder(tmp_path, {"a": 1}) / "pyproject.toml")
    assert warnings == []
