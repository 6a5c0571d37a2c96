"""The outsider: whoever reaches the gate runs nothing, and whoever keeps the SuperLink runs nothing at a site."""

import asyncio
import ssl
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

import httpx
import psutil
import pytest
from flwr.superlink.routers.control.router import router as control
from flwr.superlink.routers.fleet.router import router as fleet

from fedpact.errors import ProtocolError
from fedpact.protocol.flower.gate import make_gate
from fedpact.protocol.flower.node import connect
from fedpact.protocol.flower.processes import ProcessGroup, flower_environment, free_port
from fedpact.protocol.flower.run_on_flower import run_at_superlink
from fedpact.protocol.flower.superlink import SuperLinkConnection
from fedpact.protocol.home import RunHome
from fedpact.protocol.keys.key_set import TLS, complete_keys, make_keys
from fedpact.protocol.operator.run_state import RunStatus
from fedpact.protocol.runs import read_outcome
from protocol_runs import ladder, make_home

EVIL = """
from pathlib import Path
from flwr.app import Message, RecordDict
from flwr.clientapp import ClientApp
from flwr.serverapp import ServerApp

here = Path({here!r})
app = ClientApp()
for kind in (app.train, app.query, app.evaluate):
    @kind()
    def take(message, context):
        (here / f"client-{{context.node_id}}").write_text("ran")
        return Message(RecordDict(), reply_to=message)

server = ServerApp()

@server.main()
def main(grid, context):
    nodes = [one.node_id for one in grid.get_nodes()]
    sent = [Message(RecordDict(), node, kind) for node in nodes for kind in ("train", "query", "evaluate")]
    replies = list(grid.send_and_receive(sent, timeout=60))
    good = sum(not reply.has_error() for reply in replies)
    (here / "server").write_text(f"{{len(nodes)}} {{good}} {{len(replies)}}")
"""
PROJECT = """
[project]
name = "evil"
version = "1.0.0"
license = "MIT"
[tool.flwr.app]
publisher = "evil"
[tool.flwr.app.components]
serverapp = "evil:server"
clientapp = "evil:app"
[tool.flwr.app.config]
"""


def write_evil(folder: Path) -> Path:
    folder.mkdir()
    (folder / "evil.py").write_text(EVIL.format(here=str(folder)))
    (folder / "pyproject.toml").write_text(PROJECT)
    return folder


@dataclass(frozen=True)
class Open:
    home: RunHome
    gate: str
    inside: str
    processes: ProcessGroup

    @property
    def root(self) -> Path:
        return self.home.keys / TLS / "ca.crt"

    def connection(self, address: str, name: str) -> SuperLinkConnection:
        return SuperLinkConnection(address=address, root_certificates=self.root, home=self.home.folder / name)


def wait_for(claim, within=120.0):
    until = time.monotonic() + within
    while not claim():
        assert time.monotonic() < until
        time.sleep(0.1)


@pytest.fixture(scope="module")
def opened(tmp_path_factory):
    """A SuperLink behind its gate, and three sites that joined through it, as the how-to says."""
    home = make_home(tmp_path_factory.mktemp("gate"), ladder(), seed=5)
    gate, inside = f"127.0.0.1:{free_port()}", free_port()
    folders = complete_keys(home.keys).folders
    processes = ProcessGroup(home.folder, flower_environment(home.folder / "flower"))
    command = [sys.executable, "-m", "fedpact"]
    options = [
        "--keys",
        str(home.keys),
        "--listen",
        gate,
        "--port",
        str(inside),
        "--home",
        str(home.folder / "link"),
    ]
    try:
        processes.start("link", [*command, "superlink", *options])
        wait_for(lambda: "sites join" in processes.new_log("link"))
        found = Open(home=home, gate=gate, inside=f"127.0.0.1:{inside}", processes=processes)
        for name in folders:
            found.connection(found.inside, "flower").register(home.keys / folders[name] / "supernode.pub")
        for name, folder in home.sites.items():
            keys = str(home.keys / folders[name])
            join = ["site", "join", str(folder), "--superlink", gate, "--keys", keys]
            processes.start(name, [*command, *join])
        for name in home.sites:
            wait_for(lambda name=name: "connected to" in processes.new_log(name))
        yield found
    finally:
        processes.end()


@pytest.mark.slow
def test_a_run_comes_through_the_gate(opened):
    run_at_superlink(opened.home, opened.inside, within=200)
    assert read_outcome(opened.home.ledger).status is RunStatus.FINISHED


@pytest.mark.slow
def test_who_has_the_certificate_and_no_key_starts_nothing_at_the_gate(opened, tmp_path):
    with pytest.raises(ProtocolError, match="404 Not Found"):
        opened.connection(opened.gate, "outsider").submit(write_evil(tmp_path / "evil"))
    with pytest.raises(ProtocolError, match=r"register-node.*/404"):
        opened.connection(opened.gate, "outsider").register(opened.home.keys / "sites" / "north" / "supernode.pub")


@pytest.mark.slow
def test_nothing_but_the_fleet_api_is_there(opened):
    verify = ssl.create_default_context(cafile=str(opened.root))
    with httpx.Client(base_url=f"https://{opened.gate}", verify=verify) as client:
        assert client.get("/health").status_code == 200
        paths = [route.path for route in control.routes]
        assert "/v1/control/start-run" in paths
        assert {client.post(path).status_code for path in paths} == {404}
        assert client.get("/openapi.json").status_code == 404


@pytest.mark.slow
def test_a_node_whose_key_is_not_registered_is_refused(opened, tmp_path):
    make_keys(tmp_path / "stranger", ["north"])
    keys = tmp_path / "stranger" / "sites" / "north"
    (keys / "ca.crt").write_bytes(opened.root.read_bytes())
    with pytest.raises(httpx.HTTPStatusError), connect(opened.gate, keys):
        pass


@pytest.mark.slow
def test_whoever_keeps_the_superlink_runs_no_code_at_a_site(opened, tmp_path):
    """The bundle's server app runs on the operator's machine; what it sends to sites is a message, no code."""
    evil = write_evil(tmp_path / "evil")
    connection = opened.connection(opened.inside, "keeper")
    run = connection.submit(evil)
    wait_for(lambda: connection.is_over(run), within=200)
    nodes, good, replies = map(int, (evil / "server").read_text().split())
    assert (nodes, good) == (3, 0)
    assert replies == 9, "sites answer that they know no such thing"
    assert not list(evil.glob("client-*"))
    assert all(opened.processes.started[name].poll() is None for name in opened.home.sites), "they go on"


class Behind:
    """A SuperLink that notes what reaches it."""

    def __init__(self):
        self.seen = []

    def __call__(self, request):
        assert "cookie" not in request.headers
        self.seen.append((request.method, request.url.raw_path.decode()))
        return httpx.Response(200, content=b"answer", headers={"content-type": "application/x-protobuf"})


KEYED = [(b"flwr-public-key", b"key"), (b"content-type", b"application/x-protobuf"), (b"cookie", b"\xff")]


@pytest.fixture
def behind(monkeypatch, tmp_path):
    """Asks the gate as a server would, with a path as it came; and what came through."""
    make_keys(tmp_path / "keys", ["north"])
    found, client = Behind(), httpx.AsyncClient
    line = client(transport=httpx.MockTransport(found), base_url="https://superlink")
    monkeypatch.setattr(httpx, "AsyncClient", lambda **options: line)
    gate = make_gate("127.0.0.1:1", tmp_path / "keys" / TLS / "ca.crt")

    def ask(method, path, content=b"", headers=KEYED):
        raw, _, query = path.partition("?")
        scope = {"type": "http", "method": method, "path": unquote(raw), "raw_path": raw.encode()}
        scope |= {"query_string": query.encode(), "headers": headers, "http_version": "1.1", "scheme": "https"}
        sent = []

        async def receive():
            return {"type": "http.request", "body": content, "more_body": False}

        async def send(part):
            sent.append(part)

        asyncio.run(gate(scope, receive, send))
        return sent[0]["status"], b"".join(part.get("body", b"") for part in sent[1:])

    return ask, found.seen


def test_every_call_of_a_node_is_passed_on(behind):
    ask, seen = behind
    paths = [route.path for route in fleet.routes]
    assert len(paths) > 8
    assert {ask("POST", path) for path in paths} == {(200, b"answer")}
    assert seen == [("POST", path) for path in paths]


@pytest.mark.parametrize(
    "path",
    [
        "/v1/control/start-run",
        "/v1/fleet/../control/start-run",
        "/v1/fleet/..",
        "/v1/fleet/%2e%2e",
        "/v1/fleet/%2e%2e/control/start-run",
        "/v1/fleet/..%2fcontrol%2fstart-run",
        "/v1/fleet/pull-messages/../../control/start-run",
        "//v1/control/start-run",
        "/v1/fleet/pull-messages?to=/v1/control/start-run",
        "/v1/fleet/pull-messages%00",
        "/v1/fleet/pull%2dmessages",
        "/V1/control/start-run",
        "/v1/runtime/pull-task-input",
        "/docs",
        "/",
    ],
)
def test_no_other_way_leads_through(behind, path):
    ask, seen = behind
    for method in ("POST", "GET", "PUT"):
        assert ask(method, path)[0] in (404, 405)
    assert seen == []


def test_too_much_is_not_passed_on(behind, monkeypatch):
    ask, seen = behind
    monkeypatch.setattr("fedpact.protocol.flower.gate._MOST", 10)
    assert ask("POST", "/v1/fleet/push-object", b"x" * 11)[0] == 413
    assert seen == []


def test_who_shows_no_key_is_not_even_read(behind):
    ask, seen = behind
    assert ask("POST", "/v1/fleet/push-object", b"x" * 11, headers=[])[0] == 401
    assert ask("GET", "/health", headers=[])[0] == 200
    assert seen == [("GET", "/health")]


@pytest.mark.slow
def test_a_gate_whose_superlink_ends_says_so_and_ends(tmp_path):
    make_keys(tmp_path / "keys", ["north"])
    processes = ProcessGroup(tmp_path, flower_environment(tmp_path / "flower"))
    options = [
        "--listen",
        f"127.0.0.1:{free_port()}",
        "--port",
        str(free_port()),
        "--home",
        str(tmp_path / "link"),
    ]
    try:
        command = [sys.executable, "-m", "fedpact", "superlink", "--keys", str(tmp_path / "keys"), *options]
        gate = processes.start("link", command)
        wait_for(lambda: "sites join" in processes.new_log("link"))
        for child in psutil.Process(gate.pid).children(recursive=True):
            child.kill()
        assert gate.wait(20) == 1
        assert "error: the SuperLink ended: " in processes.new_log("link")
    finally:
        processes.end()
