"""Where a node of Flower's simulation finds its site; a whole run on Ray is in ``test_run_on_flower.py``."""

import json

import pytest

from fedpact.errors import ProtocolError
from fedpact.protocol.flower.simulation import partition_folder
from flower_grid import context


def test_a_node_knows_its_folder_by_its_number():
    run_config = {"sites": json.dumps(["/x/a", "/x/b"])}
    assert partition_folder(context(run_config=run_config, **{"partition-id": 1})).name == "b"
    with pytest.raises(ProtocolError, match="simulated node"):
        partition_folder(context(run_config=run_config))
