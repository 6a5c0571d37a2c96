"""Property tests take the same examples every time; `--hypothesis-profile=explore` asks for new ones."""

import os
import signal
from importlib.util import find_spec

import pytest
from hypothesis import settings

pytest.register_assert_rewrite("contracts", "refusals")

settings.register_profile("fedpact", deadline=None, print_blob=True, derandomize=True)
settings.register_profile("explore", settings.get_profile("fedpact"), derandomize=False)
settings.load_profile("fedpact")

BIG = ("flwr", "onnx", "playwright", "psycopg", "ray", "torch")
"""What `make test` does without; modules that import one of them ask for it by ``pytest.importorskip``."""
FLOWER = ("src/fedpact/protocol/flower", "tests/protocol/flower", "tests/flower_grid.py")
"""Packages that need Flower to be read at all."""


def pytest_configure(config):
    """Leave out Flower's packages where it is not installed; skip nothing where everything is to be tested."""
    missing = [name for name in BIG if find_spec(name) is None]
    if missing and os.environ.get("FEDPACT_ALL_EXTRAS"):
        raise pytest.UsageError(f"make test-slow needs {', '.join(missing)}: pip install -e '.[test-slow]'")
    if "flwr" in missing:
        config.option.ignore = [*(config.option.ignore or []), *(config.rootpath / one for one in FLOWER)]


@pytest.fixture(autouse=True, scope="session")
def own_cache(tmp_path_factory):
    """Keep answers of experiments apart from the user's."""
    os.environ["FEDPACT_CACHE"] = str(tmp_path_factory.mktemp("answers"))


@pytest.fixture(autouse=True, scope="session")
def signals_as_in_a_terminal():
    """Hear what a shell ignores for work in its background, so that what tests start can be interrupted."""
    for number, default in ((signal.SIGINT, signal.default_int_handler), (signal.SIGHUP, signal.SIG_DFL)):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, default)
