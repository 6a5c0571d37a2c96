"""Property tests take the same examples every time; `--hypothesis-profile=explore` asks for new ones."""

import os

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
