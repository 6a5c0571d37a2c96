"""One direction: describe | drawing, candidates, statistics | planning | game, selection, comparison | coalition |
mechanism, protocol, explain, cli | web; results stand below all of them.
"""

import ast
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src" / "fedpact"
RANK = {
    "describe": 0,
    "drawing": 0,
    "candidates": 0.5,
    "statistics": 1,
    "planning": 2,
    "game": 2,
    "selection": 2.5,
    "comparison": 3,
    "coalition": 3,
    "mechanism": 3,
    "protocol": 4,
    "explain": 4.2,
    "cli": 5,
    "web": 5,
}
OUTERMOST = {"cli", "web"}
"""Layers that may use the public package as well as the layers before them."""
PLACE = {
    "flwr": {"protocol"},
    "sqlalchemy": {"protocol"},
    "cryptography": {"protocol"},
    "quantecon": {"game"},
    "opendp": {"statistics"},
    "torch": set(),
    "sklearn": set(),
    "onnxruntime": {"candidates"},
    "pyarrow": {"candidates"},
    "matplotlib": {"drawing"},
    "pandas": {"result", "rows", "statistics"},
    "click": set(),  # newer releases of typer come without it
    "fastapi": {"web"},
    "plotly": {"web"},
}
FOR_ALL = {"coded", "errors", "formats", "lazy", "plain", "result", "rows", "version"}
ROOT = {"__init__", "__main__", "sites", *FOR_ALL}
SAY = {"fedpact.errors", "fedpact.protocol.operator.statements", "fedpact.result"}
"""What shows itself in words asks ``explain`` for them, when it is shown."""


def imports(module, source, *, is_package=False):
    """Absolute names of everything that a module imports, wherever the import stands."""
    parts = module.split(".") + (["__init__"] if is_package else [])
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = parts[: -node.level] if node.level else []
            name = ".".join([*base, *([node.module] if node.module else [])])
            yield from (f"{name}.{alias.name}" for alias in node.names)


def violations(module, source, *, is_package=False):
    """What a module imports against the rule, one sentence each."""
    layer = module.split(".")[1] if "." in module else "__init__"
    if layer not in RANK and layer not in ROOT:
        return [f"{module} stands in no layer"]
    names = imports(module, source, is_package=is_package)
    said = [name for name in names if not (module in SAY and name.startswith("fedpact.explain."))]
    return [f"{module} imports {name}" for name in said if not _is_allowed(layer, name.split("."))]


def _is_allowed(layer, name):
    if name[0] != "fedpact":
        return layer in PLACE.get(name[0], {layer})
    inside = name[1] if len(name) > 1 else "__init__"
    if layer in ("__init__", "__main__") or inside in FOR_ALL or inside == layer:
        return True
    if layer in OUTERMOST and inside not in RANK:
        return True
    return inside in RANK and layer in RANK and RANK[inside] < RANK[layer]


def modules():
    for path in sorted(SOURCE.rglob("*.py")):
        parts = path.relative_to(SOURCE.parent).with_suffix("").parts
        is_package = parts[-1] == "__init__"
        yield path, ".".join(parts[:-1] if is_package else parts), is_package


def test_imports_point_one_way():
    for path, module, is_package in modules():
        assert violations(module, path.read_text(encoding="utf-8"), is_package=is_package) == [], path


BROKEN = {
    "upwards": ("fedpact.describe.agents", "from fedpact.statistics.engine import Engine"),
    "upwards-in-a-function": ("fedpact.statistics.engine", "def f():\n    import fedpact.planning.lp as lp"),
    "from-the-package": ("fedpact.statistics.engine", "from fedpact import game"),
    "relative": ("fedpact.statistics.engine", "from ..planning import lp"),
    "relative-package": ("fedpact.statistics.engine", "from .. import mechanism"),
    "siblings": ("fedpact.planning.lp", "from fedpact.game.dynamics import respond"),
    "the-public-package-inside": ("fedpact.planning.lp", "import fedpact as fp"),
    "a-public-name-inside": ("fedpact.mechanism.audit.audit", "from fedpact import verify"),
    "web-through-cli": ("fedpact.web.routes", "from fedpact.cli.plan import show"),
    "errors-know-nobody": ("fedpact.errors", "from fedpact.describe.names import suggest"),
    "flower-in-planning": ("fedpact.planning.lp", "import flwr.serverapp"),
    "opendp-in-describe": ("fedpact.describe.reports", "def f():\n    import opendp.prelude as dp"),
    "torch-in-candidates": ("fedpact.candidates.predict", "def f():\n    import torch"),
    "sklearn-in-candidates": ("fedpact.candidates.predict", "def f():\n    from sklearn import tree"),
    "planning-that-compares": ("fedpact.planning.lp", "from fedpact.comparison.compare import compare"),
    "drawing-knows-no-result": ("fedpact.drawing", "from fedpact.planning.result import Plan"),
    "plotly-at-the-root": ("fedpact", "import plotly.graph_objects as go"),
    "no-layer": ("fedpact.utils", "import math"),
}
SOUND = {
    "leftwards": (
        "fedpact.mechanism.audit.audit",
        "from fedpact.planning.lp import solve\nimport fedpact.game.pure",
    ),
    "own-layer": ("fedpact.game.pure", "from fedpact.game import dynamics\nfrom . import mixed"),
    "errors": ("fedpact.describe.names", "from fedpact.errors import FederationError"),
    "cli": (
        "fedpact.cli.plan",
        "import fedpact as fp\nfrom fedpact import load\nfrom fedpact.errors import FedpactError\nfrom . import x",
    ),
    "plumbing-in-cli": ("fedpact.cli.run", "from fedpact.protocol.home import hold_home"),
    "flower": ("fedpact.protocol.server_app", "from flwr.serverapp import ServerApp"),
    "onnx-in-candidates": ("fedpact.candidates.adapt_onnx", "def f():\n    import onnxruntime"),
    "results-show": ("fedpact.describe.reports", "from fedpact.result import Shown"),
    "root": ("fedpact", "from fedpact.planning.lp import plan"),
    "light": ("fedpact.planning.lp", "import numpy as np\nfrom scipy import sparse"),
}


@pytest.mark.parametrize(("module", "source"), BROKEN.values(), ids=BROKEN)
def test_the_check_finds_a_violation(module, source):
    assert len(violations(module, source)) == 1


@pytest.mark.parametrize(("module", "source"), SOUND.values(), ids=SOUND)
def test_the_check_lets_sound_imports_pass(module, source):
    assert violations(module, source) == []


def test_a_package_s_own_relative_imports_start_at_itself():
    assert list(imports("fedpact.game", "from .pure import find", is_package=True)) == ["fedpact.game.pure.find"]
    assert list(imports("fedpact.game.pure", "from .mixed import find")) == ["fedpact.game.mixed.find"]


def test_no_two_folders_on_the_path_have_a_module_of_the_same_name():
    """Those of tests hid one of the benchmarks, and ``make bench`` found nothing to run."""
    folders = ("tests", "benchmarks", "scripts")
    stems = [
        path.stem
        for folder in folders
        for path in (SOURCE.parents[1] / folder).glob("*.py")
        if path.stem != "conftest"
    ]
    assert len(stems) == len(set(stems))
