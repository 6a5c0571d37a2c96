"""The same two apps in Flower's own simulation: the nodes are Ray actors on this machine.

A simulated node has no configuration but its number, so here, and only here, the run's configuration says where
the sites are: ``sites``, a list of folders as JSON, one per node. Ray's processes are ended with the run, and only
those of this run.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

from flwr.app import Context

from fedpact.errors import ProtocolError
from fedpact.protocol.flower.app_folder import SERVER_APP, RunConfig, write_app_folder
from fedpact.protocol.flower.client_app import Answerer, make_client_app
from fedpact.protocol.flower.local import LocalDeployment
from fedpact.protocol.flower.superlink import FlowerStatus

SIMULATED_CLIENT_APP = "fedpact.protocol.flower.simulation:app"


def simulate(
    home: Path,
    sites: Sequence[Path],
    run_config: RunConfig,
    *,
    server_app: str = SERVER_APP,
    client_app: str = SIMULATED_CLIENT_APP,
    within: float = 600.0,
) -> FlowerStatus:
    """Run the operator's app with one simulated node per site folder, and return how the run ended.

    Parameters
    ----------
    home
        A folder of this run's own: Flower's files and the logs ``superlink.log`` and ``run.log``.
    sites
        The folder of each site; node ``i`` is site ``i``.
    run_config
        What the apps are told beside the folders.
    server_app, client_app
        Where the two apps are, as ``module:name``.
    within
        Seconds until the run has to be over.
    """
    folders = json.dumps([str(site.resolve()) for site in sites])
    app_folder = write_app_folder(
        home / "app", {**run_config, "sites": folders}, server_app=server_app, client_app=client_app
    )
    # Ray's sockets need a short path, and its folder is of no use afterwards.
    scratch = tempfile.mkdtemp(prefix="fedpact-ray-")
    try:
        with LocalDeployment(home, [], is_simulation=True, environment={"RAY_TMPDIR": scratch}) as deployment:
            return deployment.wait(deployment.submit(app_folder, simulation=_resources(len(sites))), within=within)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _resources(nodes: int) -> dict[str, int | str]:
    return {
        "num-supernodes": nodes,
        "client-resources-num-cpus": 1,
        "init-args-num-cpus": max(1, min(nodes, os.cpu_count() or 1)),
    }


def site_of_partition(context: Context) -> Answerer:
    """Read the site of a simulated node: the folder that stands at the node's number."""
    from fedpact.protocol.site.site_files import read_site

    folder = partition_folder(context)
    site: Answerer = read_site(folder)
    return site


def partition_folder(context: Context) -> Path:
    """Find the folder of a simulated node."""
    folders, number = context.run_config.get("sites"), context.node_config.get("partition-id")
    if not isinstance(folders, str) or not isinstance(number, int):
        raise ProtocolError(
            "a simulated node needs 'sites' in the run configuration and a partition-id of its own"
        )
    return Path(json.loads(folders)[number])


app = make_client_app(site_of_partition)
