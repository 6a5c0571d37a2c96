from pathlib import Path

import pytest

from fedpact.protocol.flower.failures import explain

SAID = {
    "[Errno 98] error while attempting to bind on address: address already in use": "its port is in use",
    "ssl.SSLError: certificate verify failed: certificate has expired (_ssl.c:992)": "has expired",
    "ssl.SSLError: certificate verify failed: self-signed certificate": "not trusted",
    "ERROR: Exit Code: 305\nFailed to initialize the connection": "key is not registered",
    "ERROR: Exit Code: 305\nFailed to initialize": "ask the operator to start the run first",
    "ERROR: Exit Code: 600\nSuperLink address (`x`) cannot be parsed.": "--superlink must be HOST:PORT",
    "ModuleNotFoundError: No module named 'fedpact'": "a Python module is missing",
    "INFO: hello\n\x1b[91mERROR\x1b[0m: something new\n\n": "it says 'ERROR: something new'",
    "": "it says nothing",
}


@pytest.mark.parametrize(("text", "line"), SAID.items())
def test_a_log_becomes_one_line(text, line):
    told = explain(text, Path("node0.log"))
    assert line in told
    assert told.endswith("(log: node0.log)")
    assert "\n" not in told
