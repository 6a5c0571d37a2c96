import httpx
import pytest

from serving import serving
from web_runs import own_workers


@pytest.fixture(scope="session")
def server():
    """One server for all tests of a process; what it keeps never changes what another test sees."""
    with serving() as address:
        yield address


@pytest.fixture(scope="session")
def client(server):
    with httpx.Client(base_url=server, timeout=60) as found:
        yield found


@pytest.fixture
def new_workers():
    """Tell which worker processes a test has started so far."""
    earlier = own_workers()
    return lambda: [pid for pid in own_workers() if pid not in earlier]
