"""A site joins a federation: one SuperNode, in the foreground, that answers for the site of a folder."""

from __future__ import annotations

import os
import subprocess
from os import PathLike
from pathlib import Path

from fedpact.errors import ProtocolError
from fedpact.protocol.flower.local import node_config
from fedpact.protocol.flower.superlink import flower_command, flower_environment, is_loopback
from fedpact.protocol.site.site_files import read_site


def _folder_of(where: str | PathLike[str]) -> Path:
    path = Path(where).resolve()
    return path.parent if path.is_file() else path


def join_command(
    folder: str | PathLike[str], superlink: str, *, keys: str | PathLike[str] | None = None, port: int = 9094
) -> list[str]:
    """Return the command that starts a site's SuperNode.

    Parameters
    ----------
    folder
        The site's folder, or its ``site.toml``; it is read first, so that what is wrong with it shows before
        anything is started.
    superlink
        ``HOST:PORT``.
    keys
        The folder that the operator handed over, with ``ca.crt`` and ``supernode.key``. Without one there is
        neither TLS nor authentication, which is refused for any SuperLink but one of this machine.
    port
        On which the SuperNode listens for its own processes, on this machine only.
    """
    home = _folder_of(folder)
    read_site(home)
    settings = node_config({"site": str(home)})
    command = [flower_command("flower-supernode"), "--superlink", superlink, "--node-config", settings]
    command += ["--host", "127.0.0.1", "--port", str(port)]
    if keys is None:
        if not is_loopback(superlink):
            raise ProtocolError(f"a SuperLink at {superlink} is not joined without keys; give the folder of yours")
        return [*command, "--insecure"]
    own = Path(keys).resolve()
    for name in ("ca.crt", "supernode.key"):
        if not (own / name).is_file():
            raise ProtocolError(
                f"{own} has no {name}; it must be the folder that 'fedpact keys make' made for a site"
            )
    root, key = str(own / "ca.crt"), str(own / "supernode.key")
    return [*command, "--root-certificates", root, "--auth-supernode-private-key", key]


def join_federation(
    folder: str | PathLike[str], superlink: str, *, keys: str | PathLike[str] | None = None, port: int = 9094
) -> int:
    """Answer for a site until interrupted; returns how the SuperNode ended."""
    command = join_command(folder, superlink, keys=keys, port=port)
    home = _folder_of(folder) / ".flower"
    home.mkdir(exist_ok=True)
    with subprocess.Popen(command, env={**os.environ, **flower_environment(home)}) as node:
        try:
            return node.wait()
        except KeyboardInterrupt:
            node.terminate()
            return node.wait()
