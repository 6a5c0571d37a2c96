"""A Ray cluster of two nodes on this machine, for tests."""

import os
import re
import signal
import socket
import subprocess
import sys
import time
from contextlib import contextmanager, suppress
from pathlib import Path


def find_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def start_node(*words, folder):
    """Start a node that stays in the foreground, with a session of its own, so that all of it can be ended."""
    ray = Path(sys.executable).with_name("ray")
    limits = ("--num-cpus=1", "--object-store-memory=100000000", "--disable-usage-stats", "--block")
    with (folder / f"node-{len(list(folder.iterdir()))}.log").open("w") as log:
        return subprocess.Popen([ray, "start", *words, *limits], stdout=log, stderr=log, start_new_session=True)


def end_node(node):
    """End a node's processes, and no others."""
    with suppress(ProcessLookupError):
        os.killpg(node.pid, signal.SIGTERM)
    try:
        node.wait(timeout=20)
    except subprocess.TimeoutExpired:
        os.killpg(node.pid, signal.SIGKILL)
        node.wait()


def count_nodes(address):
    code = f"import ray; ray.init({address!r}, log_to_driver=False); print(len(ray.nodes()), 'nodes')"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    return int(match[1]) if (match := re.search(r"(\d+) nodes", found.stdout)) else 0


@contextmanager
def two_nodes(folder):
    """Start two nodes on loopback; yields the address of the cluster."""
    address = f"127.0.0.1:{find_port()}"
    host, port = address.split(":")
    temporary = f"--temp-dir={folder / 'ray'}"
    head = start_node(
        "--head",
        f"--node-ip-address={host}",
        f"--port={port}",
        "--include-dashboard=false",
        temporary,
        folder=folder,
    )
    nodes = [head]
    try:
        wait_for(lambda: can_connect(host, int(port)))
        nodes.append(start_node(f"--address={address}", f"--node-ip-address={host}", folder=folder))
        wait_for(lambda: count_nodes(address) == 2)
        yield address
    finally:
        for node in reversed(nodes):
            end_node(node)


def can_connect(host, port):
    with suppress(OSError), socket.create_connection((host, port), timeout=1):
        return True
    return False


def wait_for(is_ready, seconds=90):
    end = time.monotonic() + seconds
    while not is_ready():
        assert time.monotonic() < end, "the cluster does not start"
        time.sleep(0.5)
