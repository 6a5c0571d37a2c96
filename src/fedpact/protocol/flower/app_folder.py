"""The tiny Flower project that ``flwr run`` wants: one ``pyproject.toml`` that points at fedpact's two apps.

Nothing of a run is code: what differs between runs is the run's configuration, which Flower sends to every node.
So nothing secret may stand in it; it names a folder on the SuperLink's machine.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import tomli_w

from fedpact.errors import ProtocolError

SERVER_APP = "fedpact.protocol.flower.server_app:app"
CLIENT_APP = "fedpact.protocol.flower.client_app:app"
RunConfig = Mapping[str, str | int | float | bool]


def write_app_folder(
    folder: Path,
    run_config: RunConfig,
    *,
    server_app: str = SERVER_APP,
    client_app: str = CLIENT_APP,
) -> Path:
    """Write the Flower project of a run into a folder, and return the folder.

    Parameters
    ----------
    folder
        Made if it is not there; a ``pyproject.toml`` of another project in it is not overwritten.
    run_config
        What the apps are told; every node gets to see it.
    server_app, client_app
        Where the two apps are, as ``module:name``.
    """
    path = folder / "pyproject.toml"
    if path.exists() and "[tool.flwr.app]" not in path.read_text(encoding="utf-8"):
        raise ProtocolError(f"{path} belongs to another project; give a folder of its own to the Flower app")
    folder.mkdir(parents=True, exist_ok=True)
    path.write_text(tomli_w.dumps(_project(run_config, server_app, client_app)), encoding="utf-8")
    return folder


def _project(run_config: RunConfig, server_app: str, client_app: str) -> dict[str, object]:
    return {
        "project": {
            "name": "fedpact-run",
            "version": "1.0.0",
            "description": "Report, plan, contribute, pay",
            "license": "MIT",
            "dependencies": [],
        },
        "tool": {
            "flwr": {
                "app": {
                    "publisher": "fedpact",
                    "components": {"serverapp": server_app, "clientapp": client_app},
                    "config": dict(run_config),
                }
            }
        },
    }
