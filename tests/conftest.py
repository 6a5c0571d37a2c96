"""Property tests take the same examples every time; `--hypothesis-profile=explore` asks for new ones."""

import os
import signal

import pytest
from hypothesis import settings

pytest.register_assert_rewrite("contracts")

settings.register_profile("fedpact", deadline=None, print_blob=True, derandomize=True)
settings.register_profile("explore", settings.get_profile("fedpact"), derandomize=False)
settings.load_profile("fedpact")


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
