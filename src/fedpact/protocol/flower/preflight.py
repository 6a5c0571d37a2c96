"""Look at a SuperLink before a SuperNode is sent there: Flower's own tries go on for ever and never say why."""

from __future__ import annotations

import socket
import ssl
from pathlib import Path

from fedpact.errors import ProtocolError
from fedpact.protocol.flower.superlink import SuperLinkConnection, is_healthy, read_address

HOST = "127.0.0.1"
_IN_THE_CLEAR = ("WRONG_VERSION_NUMBER", "HTTP_REQUEST", "HTTP_RESPONSE")


def say_silence(superlink: str, *, within: float = 5.0) -> str | None:
    """Say why nobody can be reached at an address, or None if somebody listens there."""
    try:
        with socket.create_connection(read_address(superlink), timeout=within):
            return None
    except OSError as error:
        return error.strerror or str(error) or type(error).__name__


def check_line(superlink: str, root_certificates: Path | None, home: Path) -> None:
    """Refuse a SuperLink that listens, but not as this site would speak: with TLS, or without.

    Raises
    ------
    ProtocolError
        If one of the two speaks TLS and the other does not, or the certificate is not accepted.
    """
    if is_healthy(SuperLinkConnection(address=superlink, root_certificates=root_certificates, home=home)):
        return
    if root_certificates is None and _has_tls(superlink) is True:
        raise ProtocolError(
            f"the SuperLink at {superlink} speaks TLS only; give the folder of keys that the operator handed "
            "over: --keys KEYS"
        )
    if root_certificates is not None and _has_tls(superlink) is False:
        raise ProtocolError(
            f"what listens at {superlink} speaks no TLS; ask the operator for the SuperLink's address, and "
            "whether it was started with its certificates"
        )


def _has_tls(superlink: str, within: float = 5.0) -> bool | None:
    """Whether who listens shakes hands, whoever it is, or answers in the clear; None if it does neither."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    try:
        with (
            socket.create_connection(read_address(superlink), timeout=within) as line,
            context.wrap_socket(line),
        ):
            return True
    except ssl.SSLError as error:
        return False if error.reason in _IN_THE_CLEAR else None
    except OSError:
        return None


def check_port(port: int) -> None:
    """Refuse a port of this machine on which somebody listens already."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError as error:
            raise ProtocolError(
                f"port {port} cannot be used on this machine ({error.strerror}); give another --port, or leave it "
                "out: a free one is taken then"
            ) from None
