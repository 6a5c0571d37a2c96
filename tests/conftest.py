"""Property tests take the same examples every time; `--hypothesis-profile=explore` asks for new ones."""

import pytest
from hypothesis import settings

pytest.register_assert_rewrite("contracts")

settings.register_profile("fedpact", deadline=None, print_blob=True, derandomize=True)
settings.register_profile("explore", settings.get_profile("fedpact"), derandomize=False)
settings.load_profile("fedpact")
