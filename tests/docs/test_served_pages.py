"""Pages that need a server, followed with one that is there."""

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from pages import ROOT, follow
from postgresql import find_programs, running_server
from ray_cluster import find_port, two_nodes

HOW_TO = ROOT / "docs" / "how-to"


@pytest.mark.docs
@pytest.mark.postgresql
def test_the_books_are_kept_in_postgresql(tmp_path, monkeypatch):
    programs = find_programs()
    if programs is None:
        pytest.skip("PostgreSQL's initdb is neither on the PATH nor in /usr/lib/postgresql/*/bin")
    monkeypatch.chdir(tmp_path)
    with running_server(programs) as url:
        assert follow(HOW_TO / "use-postgresql.md", {"postgresql://books@db.example.org/books": url})


@pytest.mark.docs
@pytest.mark.flower
def test_a_federation_runs_on_flower_with_tls(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FLWR_HOME", str(tmp_path / "flower"))
    for name, value in {"FLWR_TELEMETRY_ENABLED": "0", "FLWR_DISABLE_UPDATE_CHECK": "1"}.items():
        monkeypatch.setenv(name, value)
    gate, own = find_port(), find_port()
    here = {
        "--listen 0.0.0.0:9092": f"--listen 127.0.0.1:{gate} --port {own}",
        "fl.example.org:9092": f"localhost:{gate}",
        "127.0.0.1:9093": f"127.0.0.1:{own}",
    }
    assert follow(HOW_TO / "run-on-flower-with-tls.md", here | {"--host fl.example.org": "--host localhost"})


@pytest.mark.docs
@pytest.mark.ray
@pytest.mark.slow
def test_a_sweep_runs_on_a_cluster(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    with TemporaryDirectory(prefix="ray") as folder, two_nodes(Path(folder)) as address:
        assert follow(HOW_TO / "scale-a-sweep-on-ray.md", {"HOST:6379": address})
