"""What tests of one experiment share: a module names it as EXPERIMENT, and few settings of it as SMALL."""

import json
from pathlib import Path

import pytest

from reproduction.sweep import reproduce

RESULTS = Path(__file__).parents[2] / "docs" / "results"


@pytest.fixture(scope="module")
def run(request, tmp_path_factory):
    """Run the experiment, with some of its small settings changed."""
    name, small, store = request.module.EXPERIMENT, request.module.SMALL, tmp_path_factory.mktemp("store")
    return lambda **changes: reproduce(name, changes=small | changes, store=store, workers=1)


@pytest.fixture(scope="module")
def found(run):
    return run()


@pytest.fixture(scope="module")
def kept(request):
    return json.loads((RESULTS / f"{request.module.EXPERIMENT}.json").read_text())
