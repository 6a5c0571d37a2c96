"""The same sweep gives the same results here and on a cluster."""

import socket
import tempfile
import threading
import warnings
from pathlib import Path

import pytest

import fedpact as fp
from fedpact.experiments.sweep.run_tasks import open_engine
from pages import ROOT, follow
from ray_cluster import find_port, two_nodes

pytest.importorskip("ray")


@pytest.fixture(scope="module")
def cluster():
    # Ray's sockets have names that must be short.
    with tempfile.TemporaryDirectory(prefix="r") as folder, two_nodes(Path(folder)) as address:
        yield address


def run(tmp_path, name, **options):
    found = fp.experiments.reproduce(name, quick=True, store=tmp_path / str(len(options)), **options).to_dict()
    del found["wall_time"]
    return found


@pytest.mark.parametrize("name", ["hardness", "composition-femnist"])
def test_two_nodes_give_the_json_of_one_machine(tmp_path, cluster, name):
    local = run(tmp_path, name, workers=1)
    assert run(tmp_path, name, engine="ray", address=cluster) == local


def test_the_how_to_on_ray_says_what_happens(tmp_path, monkeypatch, cluster):
    monkeypatch.chdir(tmp_path)
    follow(ROOT / "docs" / "how-to" / "scale-a-sweep-on-ray.md", {"HOST:6379": cluster})


def test_an_address_that_does_not_answer_is_said_at_once(tmp_path):
    address = f"127.0.0.1:{find_port()}"
    with pytest.raises(fp.FederationError, match=f"no Ray cluster answers at {address}") as caught:
        run(tmp_path, "hardness", engine="ray", address=address)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("address", ["nowhere", "localhost:", ":80", "localhost:port"])
def test_an_address_has_a_host_and_a_port(tmp_path, address):
    with pytest.raises(fp.FederationError, match="address must be HOST:PORT"):
        run(tmp_path, "hardness", engine="ray", address=address)


def test_what_answers_and_is_no_cluster_is_said(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"127.0.0.1:{server.getsockname()[1]}"
        with pytest.raises(fp.FederationError, match="no Ray cluster answers") as caught:
            run(tmp_path, "hardness", engine="ray", address=address)
    assert "\n" not in str(caught.value)


def test_a_process_that_joblib_replaces_does_not_end_its_thread():
    """joblib warns of it in a thread of its own, which nobody hears from again if that is an error."""

    def warn():
        try:
            warnings.warn(
                "A worker stopped while some jobs were given to the executor.", UserWarning, stacklevel=1
            )
        except UserWarning as error:
            raised.append(error)

    raised = []
    with open_engine("local", workers=2):
        thread = threading.Thread(target=warn)
        thread.start()
        thread.join()
    assert not raised
    with pytest.raises(UserWarning):
        warnings.warn("A worker stopped while some jobs were given to the executor.", UserWarning, stacklevel=1)
