from importlib import metadata

import pytest

from fedpact.errors import MissingExtraError, ProtocolError
from fedpact.protocol.flower.installed import check_version, require_flower


def test_without_flower_the_line_that_installs_it(monkeypatch):
    def missing(name):
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "version", missing)
    with pytest.raises(MissingExtraError, match=r'pip install "fedpact\[flower\]"'):
        require_flower()


@pytest.mark.parametrize("version", ["1.40.0", "1.9.2", "0.99"])
def test_an_older_flower_is_refused(version):
    with pytest.raises(ProtocolError, match=f"flwr is {version}"):
        check_version(version)


@pytest.mark.parametrize("version", ["1.41.0", "1.42.0rc1", "2.0"])
def test_a_newer_one_is_not(version):
    check_version(version)
