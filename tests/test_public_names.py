"""What ``import fedpact as fp`` and its parts offer is what they list."""

import ast
import subprocess
import sys
from pathlib import Path
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
    assert all(hasattr(part, name) for name in part.__all__)
    own = {name for name, value in vars(part).items() if name[0] != "_" and not isinstance(value, ModuleType)}
    offered = (own - HELPERS) | inner | ({"__version__"} if part is fp else set())
    assert sorted(offered) == sorted(part.__all__)


def test_the_package_lists_its_names_before_they_are_asked_for():
    code = "import fedpact as fp; print(set(fp.__all__) - set(dir(fp)) == {'experiments', 'protocol', 'web'})"
    assert _run(code).stdout.strip() == "True"


def test_type_checkers_see_the_public_names():
    lines = ast.parse(Path(fp.__file__).with_suffix(".pyi").read_text()).body
    (listed,) = (ast.literal_eval(line.value) for line in lines if isinstance(line, ast.Assign))
    assert sorted(listed) == fp.__all__


def test_a_public_name_is_that_of_the_module_that_makes_it():
    from fedpact.describe import examples
    from fedpact.planning.plan import plan

    assert fp.plan is plan
    assert fp.examples is examples


@pytest.mark.parametrize("part", [fp, fp.protocol, fp.web])
def test_what_is_not_there_is_said(part):
    with pytest.raises(AttributeError, match=f"module '{part.__name__}' has no attribute 'plam'"):
        part.plam  # noqa: B018


def _run(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)


HEAVY = {
    "cryptography",
    "flwr",
    "highspy",
    "matplotlib",
    "numba",
    "pandas",
    "scipy",
    "sklearn",
    "sqlalchemy",
    "torch",
}


@pytest.mark.parametrize(
    ("code", "heavy"),
    [
        ("import fedpact", {"email", "numpy", "rich", "typer", *HEAVY}),
        ("import fedpact.cli", {"numpy", *HEAVY}),
        ("import fedpact as fp; [getattr(fp, x) for x in dir(fp)]", HEAVY - {"highspy", "scipy"}),
    ],
    ids=["the-package", "the-command-line", "every-name"],
)
def test_importing_brings_nothing_heavy_and_no_warning(code, heavy):
    words = [sys.executable, "-W", "error", "-c", f"import sys; {code}; print({heavy} & set(sys.modules))"]
    done = subprocess.run(words, capture_output=True, text=True, check=True, timeout=60)
    assert (done.stdout.strip(), done.stderr) == ("set()", "")


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
