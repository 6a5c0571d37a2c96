"""One TLS connection between two sockets, with OpenSSL in strict mode."""

import socket
import ssl
import threading


def shake_hands(certificate, root, name="localhost", *, key=None):
    """Connect to a server with these files, trusting ``root`` only; raises what the client raises."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    trusting = ssl.create_default_context(cadata=root.decode())
    trusting.verify_flags |= ssl.VERIFY_X509_STRICT
    here, there = socket.socketpair()

    def serve():
        try:
            with context.wrap_socket(there, server_side=True) as wrapped:
                wrapped.sendall(b"hello")
        except OSError:
            there.close()

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        with trusting.wrap_socket(here, server_hostname=name) as wrapped:
            return wrapped.recv(5)
    finally:
        here.close()
        thread.join(10)
