from importlib import metadata

import pytest

from fedpact.errors import MissingExtraError, ProtocolError
from fedpact.protocol.flower import check_version, require_flower


def test_without_flower_the_line_that_installs_it(monkeypatch):
    def missing(name):
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "version", missing)
    with pytest.raises(MissingExtraError, match=r'pip install "fedpact\[flower\]"'):
        require_flower()


def test_an_older_flower_is_refused_and_a_newer_one_is_not():
    for version in ("1.40.0", "1.9.2", "0.99"):
        with pytest.raises(ProtocolError, match=f"flwr is {version}"):
            check_version(version)
    for version in ("1.41.0", "1.42.0rc1", "2.0"):
        check_version(version)
