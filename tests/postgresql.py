"""A PostgreSQL server for the tests: started on a free port in a folder of its own, stopped when they end."""

import contextlib
import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from pathlib import Path


def find_programs():
    """The folder of initdb and pg_ctl; nothing if there is no server on this machine."""
    found = shutil.which("initdb")
    places = [Path(found).resolve().parent] if found else []
    places += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return next((place for place in places if (place / "initdb").exists() and (place / "pg_ctl").exists()), None)


def _as_whom():
    """Root may not run a server; nobody may."""
    if os.geteuid():
        return {}
    nobody = pwd.getpwnam("nobody")
    return {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}


def _free_port():
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return listening.getsockname()[1]


@contextlib.contextmanager
def running_server(programs):
    """Start a server; gives the URL of its first database."""
    folder = Path(tempfile.mkdtemp(prefix="fedpact-postgresql-"))
    whom = _as_whom()
    if whom:
        os.chown(folder, whom["user"], whom["group"])

    def run(program, *words):
        subprocess.run(
            [programs / program, "-D", folder / "data", *words],
            cwd=folder,
            check=True,
            timeout=60,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            **whom,
        )

    port = _free_port()
    try:
        run("initdb", "-A", "trust", "-U", "fedpact", "-E", "UTF8", "--locale=C", "-N")
        options = f"-p {port} -k {folder} -h 127.0.0.1 -c fsync=off"
        run("pg_ctl", "-o", options, "-l", folder / "log", "-w", "-s", "start")
        try:
            yield f"postgresql://fedpact@127.0.0.1:{port}/postgres"
        finally:
            run("pg_ctl", "-m", "fast", "-w", "-s", "stop")
    finally:
        shutil.rmtree(folder)
