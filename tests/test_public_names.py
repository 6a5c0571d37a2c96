"""What ``import fedpact as fp`` and its parts offer is what they list."""

import subprocess
import sys
from types import ModuleType

import pytest

import fedpact as fp

PARTS = {
    "fedpact": (fp, {"candidates", "classes", "examples", "experiments", "protocol", "training", "web"}),
    "candidates": (fp.candidates, set()),
    "training": (fp.training, set()),
    "experiments": (fp.experiments, set()),
    "protocol": (fp.protocol, {"flower"}),
    "flower": (fp.protocol.flower, set()),
    "web": (fp.web, {"Limits", "make_app", "make_report", "serve"}),
}
HELPERS = {"TYPE_CHECKING", "Any", "annotations", "import_module", "require_flower", "require_packages"}


@pytest.mark.parametrize(("part", "inner"), PARTS.values(), ids=PARTS)
def test_a_part_offers_what_it_lists(part, inner):
    own = {name for name, value in vars(part).items() if name[0] != "_" and not isinstance(value, ModuleType)}
    offered = (own - HELPERS) | inner | ({"__version__"} if part is fp else set())
    assert sorted(offered) == sorted(part.__all__)
    assert all(hasattr(part, name) for name in part.__all__)


@pytest.mark.parametrize("part", [fp, fp.protocol, fp.web])
def test_what_is_not_there_is_said(part):
    with pytest.raises(AttributeError, match=f"module '{part.__name__}' has no attribute 'plam'"):
        part.plam  # noqa: B018


def _run(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)


def test_importing_the_package_imports_nothing_heavy():
    heavy = {"cryptography", "flwr", "matplotlib", "numba", "scipy.stats", "sklearn", "sqlalchemy", "torch"}
    assert _run(f"import sys, fedpact; print({heavy} & set(sys.modules))").stdout.strip() == "set()"


def test_without_its_packages_the_protocol_says_what_to_install():
    code = (
        "import importlib.util as u; found = u.find_spec\n"
        "u.find_spec = lambda name, *more: None if name == 'sqlalchemy' else found(name, *more)\n"
        "import fedpact as fp\n"
        "try: fp.protocol.Ledger\n"
        "except fp.MissingExtraError as error: print(error)"
    )
    assert _run(code).stdout.strip() == (
        'the protocol needs an optional package; install it with: pip install "fedpact[protocol]"'
    )


def test_experiments_need_no_protocol():
    assert _run("import sys, fedpact.experiments; print('sqlalchemy' in sys.modules)").stdout.strip() == "False"
