"""A real server on a free port of the loopback, for tests; it and its workers end with the block."""

import contextlib
import socket
import threading

import uvicorn

from fedpact.web.app import make_app


@contextlib.contextmanager
def serving(fed=None, **options):
    """Serve until the block ends; yields the address."""
    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    server = uvicorn.Server(
        uvicorn.Config(make_app(fed, **options), log_level="warning", ws="none", timeout_graceful_shutdown=1)
    )
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    try:
        while not server.started:
            assert thread.is_alive(), "the server did not start"
            thread.join(0.02)
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(20)
        listening.close()
        assert not thread.is_alive(), "the server did not end"
