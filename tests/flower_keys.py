"""TLS certificates and SuperNode keys for deployments in tests."""

import datetime as dt
import ipaddress

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from fedpact.protocol.flower.local import DeploymentKeys, NodeKey


def make_keys(folder, nodes, *, days=2):
    folder.mkdir(parents=True, exist_ok=True)
    ca_key = ec.generate_private_key(ec.SECP384R1())
    ca = _certificate("fedpact test CA", ca_key.public_key(), "fedpact test CA", ca_key, is_ca=True, days=2)
    server_key = ec.generate_private_key(ec.SECP384R1())
    server = _certificate("localhost", server_key.public_key(), "fedpact test CA", ca_key, is_ca=False, days=days)
    (folder / "ca.crt").write_bytes(ca.public_bytes(serialization.Encoding.PEM))
    (folder / "server.crt").write_bytes(server.public_bytes(serialization.Encoding.PEM))
    (folder / "server.key").write_bytes(_private(server_key, serialization.PrivateFormat.PKCS8))
    return DeploymentKeys(
        ca_certificate=folder / "ca.crt",
        server_certificate=folder / "server.crt",
        server_key=folder / "server.key",
        nodes=[make_node_key(folder / f"node{i}.key") for i in range(nodes)],
    )


def make_node_key(path):
    key = ec.generate_private_key(ec.SECP384R1())
    path.write_bytes(_private(key, serialization.PrivateFormat.OpenSSH))
    public = path.with_suffix(".pub")
    public.write_bytes(
        key.public_key().public_bytes(serialization.Encoding.OpenSSH, serialization.PublicFormat.OpenSSH)
    )
    return NodeKey(private=path, public=public)


def _private(key, form):
    return key.private_bytes(serialization.Encoding.PEM, form, serialization.NoEncryption())


def _certificate(subject, key, issuer, signer, *, is_ca, days):
    now = dt.datetime.now(dt.UTC)
    names = [x509.DNSName("localhost"), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]
    return (
        x509.CertificateBuilder()
        .subject_name(_name(subject))
        .issuer_name(_name(issuer))
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(days=10))
        .not_valid_after(now + dt.timedelta(days=days))
        .add_extension(x509.BasicConstraints(ca=is_ca, path_length=None), critical=True)
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .sign(signer, hashes.SHA256())
    )


def _name(text):
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])
