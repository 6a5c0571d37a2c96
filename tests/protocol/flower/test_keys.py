"""Keys and certificates as Flower and gRPC read them."""

import argparse
import time
from concurrent.futures import ThreadPoolExecutor

import grpc
import pytest
from flwr.cli.supernode.register import try_load_public_key
from flwr.common.args import try_obtain_root_certificates, try_obtain_server_certificates
from flwr.supercore.primitives.asymmetric import bytes_to_public_key, uses_nist_ec_curve
from flwr.supernode.cli.flower_supernode import _try_setup_client_authentication

from fedpact.protocol.keys.key_set import make_keys


def test_flower_reads_every_file(tmp_path):
    """Flower's own functions, as flower-superlink, flower-supernode and flwr supernode register call them."""
    make_keys(tmp_path / "keys", ["alice"])
    tls, site = tmp_path / "keys/operator/tls", tmp_path / "keys/sites/alice"
    private, public = _try_setup_client_authentication(
        argparse.Namespace(auth_supernode_private_key=str(site / "supernode.key"), auth_supernode_public_key=None)
    )
    registered = bytes_to_public_key(try_load_public_key(site / "supernode.pub"))
    assert registered.public_numbers() == public.public_numbers() == private.public_key().public_numbers()
    assert uses_nist_ec_curve(registered)
    assert public.curve.name == "secp384r1"
    options = {"ssl_ca_certfile": "ca.crt", "ssl_certfile": "server.crt", "ssl_keyfile": "server.key"}
    served = try_obtain_server_certificates(
        argparse.Namespace(insecure=False, **{option: str(tls / name) for option, name in options.items()})
    )
    assert served == tuple((tls / name).read_bytes() for name in options.values())
    trusted = argparse.Namespace(insecure=False, root_certificates=str(site / "ca.crt"))
    assert try_obtain_root_certificates(trusted, "localhost:8000") == served[0]


def call(folder, host):
    """One call over gRPC with TLS, by a site to its server."""
    tls = folder / "operator/tls"
    handler = grpc.method_handlers_generic_handler(
        "fedpact.Test", {"Echo": grpc.unary_unary_rpc_method_handler(lambda request, _: request)}
    )
    listening = grpc.server(ThreadPoolExecutor(1), handlers=[handler])
    own = (tls / "server.key").read_bytes(), (tls / "server.crt").read_bytes()
    port = listening.add_secure_port("127.0.0.1:0", grpc.ssl_server_credentials([own]))
    listening.start()
    trusted = grpc.ssl_channel_credentials((folder / "sites/alice/ca.crt").read_bytes())
    try:
        with grpc.secure_channel(f"{host}:{port}", trusted) as channel:
            return channel.unary_unary("/fedpact.Test/Echo")(b"hello", timeout=5)
    finally:
        listening.stop(None).wait(10)


def test_grpc_accepts_the_server_until_its_certificate_ends(tmp_path):
    make_keys(tmp_path / "keys", ["alice"])
    for host in ("localhost", "127.0.0.1"):
        assert call(tmp_path / "keys", host) == b"hello"
    make_keys(tmp_path / "old", ["alice"], days=10, now=time.time() - 20 * 86_400)
    with pytest.raises(grpc.RpcError) as refused:
        call(tmp_path / "old", "localhost")
    assert refused.value.code() is grpc.StatusCode.UNAVAILABLE
    assert "CERTIFICATE_VERIFY_FAILED" in refused.value.details()
