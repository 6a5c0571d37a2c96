"""A small real use of each extra: a program that runs in an empty folder, and fails if the extra does not work."""

from __future__ import annotations

START = """
import subprocess, sys
from pathlib import Path
import fedpact as fp
import numpy as np

def fedpact(*words, code=0):
    done = subprocess.run([sys.executable, "-m", "fedpact", *words], capture_output=True, text=True)
    assert done.returncode == code, (words, done.returncode, done.stdout, done.stderr)
    return done.stdout + done.stderr
"""
ONNX = (
    "CAg6WQosCgF4EgF5IgZBcmdNYXgqCwoEYXhpcxgBoAECKg8KCGtlZXBkaW1zGACgAQISAWdaFAoBeBIPCg0IARIJCgMSAW4KAggCYhAKAXkS"
    "CwoJCAcSBQoDEgFuQgQKABAN"
)
"""A model that says which of two numbers is larger."""

USES = {
    "plot": """
fedpact("plan", "alice-bob", "--plot", "plan.png")
assert Path("plan.png").read_bytes().startswith(b"\\x89PNG")
""",
    "notebook": """
import ipykernel
assert fp.plan(fp.examples.alice_bob()).to_dataframe()["agent"].tolist() == ["alice", "bob"]
""",
    "game": """
assert "mixed equilibrium" in fedpact("game", "alice-bob", "--mixed")
""",
    "sklearn": """
from sklearn.tree import DecisionTreeClassifier
points = np.random.default_rng(0).normal(size=(60, 3))
tree = DecisionTreeClassifier(max_depth=1).fit(points, points[:, 0] > 0)
assert (fp.sites.predict({"tree": tree}, points).labels[0] == (points[:, 0] > 0)).all()
""",
    "onnx": f"""
import base64
Path("larger.onnx").write_bytes(base64.b64decode("{ONNX}"))
found = fp.sites.predict({{"larger": "larger.onnx"}}, np.eye(2, dtype="f"))
assert found.labels.tolist() == [[0, 1]]
""",
    "parquet": """
rules = {"first": lambda x: x[:, 0] > 0, "second": lambda x: x[:, 1] > 0}
fp.sites.write_predictions(fp.sites.predict(rules, np.eye(2)), "says.parquet")
fedpact("report", "says.parquet", "--name", "alice")
assert fp.sites.read_report("alice.report.npz").H == 2
""",
    "privacy": """
Path("says.csv").write_text("one,two\\n0,1\\n1,1\\n")
fedpact("report", "says.csv", "--name", "alice", "--classes", "0,1", "--privacy", "1,0.00001")
assert fp.sites.read_report("alice.report.npz").noise is not None
""",
    "protocol": """
import json
assert json.loads(fedpact("run", "alice-bob", "--json"))["status"] == "finished"
assert json.loads(fedpact("ledger", "verify", "fedpact-runs/alice-bob", "--json"))["status"] == "intact"
""",
    "postgresql": """
said = fedpact("ledger", "verify", "postgresql://nobody@127.0.0.1:1/none", code=1)
assert "pip install" not in said and "127.0.0.1" in said, said
""",
    "reproduction": """
import joblib, matplotlib, quantecon, sklearn, threadpoolctl, torch
""",
    "hub": """
import httpx
from flwr_datasets.partitioner import NaturalIdPartitioner
""",
    "ray": """
from ray.util.joblib import register_ray
register_ray()
""",
    "web": """
import json
from urllib.request import urlopen
fedpact("export-html", "alice-bob", "-o", "plan.html")
words = [sys.executable, "-u", "-m", "fedpact", "serve", "alice-bob", "--port", "0", "--json"]
with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as server:
    try:
        address = json.loads(server.stdout.readline())["address"]
        assert b"alice" in urlopen(address, timeout=60).read()
    finally:
        server.terminate()
""",
    "flower": """
import json
assert json.loads(fedpact("run", "alice-bob", "--engine", "flower-sim", "--json"))["status"] == "finished"
""",
}
