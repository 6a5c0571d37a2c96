import httpx
import pytest

from serving import serving


@pytest.fixture(scope="session")
def server():
    """One server for all tests of a process; what it keeps never changes what another test sees."""
    with serving() as address:
        yield address


@pytest.fixture(scope="session")
def client(server):
    with httpx.Client(base_url=server, timeout=60) as found:
        yield found
