"""What ``import fedpact as fp`` and its parts offer is what they list; most of it in few names."""

import ast
import inspect
import re
import subprocess
import sys
from enum import Enum
from types import ModuleType
from typing import Any

import pytest

import fedpact as fp

PARTS = {
    part.__name__: part
    for part in (fp, fp.game, fp.mechanism, fp.planning, fp.sites, fp.errors, fp.costs, fp.protocol, fp.web)
}
LISTED = ("fedpact.game", "fedpact.mechanism", "fedpact.planning", "fedpact.sites", "fedpact.errors")
"""Parts whose text names all that is in them."""
MOST = 45
each_part = pytest.mark.parametrize("part", PARTS.values(), ids=PARTS)


def test_the_front_door_is_small():
    assert len(fp.__all__) <= MOST


@pytest.mark.flower
@each_part
def test_a_part_offers_what_it_lists_and_says_what_that_is(part):
    assert inspect.getdoc(part)
    for name in part.__all__:
        value: Any = getattr(part, name)
        assert inspect.getdoc(value), name
        assert isinstance(value, ModuleType) or value.__name__ == name


@pytest.mark.parametrize("name", LISTED)
def test_the_text_of_a_part_lists_its_names(name):
    text = inspect.getdoc(PARTS[name])
    assert [one for one in PARTS[name].__all__ if not re.search(rf"\b{one}\b", text)] == []


def test_a_name_stands_in_one_place():
    inner = [name for part in PARTS.values() if part not in (fp, fp.errors) for name in part.__all__]
    assert sorted(inner) == sorted(set(inner) - set(fp.__all__))


@pytest.mark.flower
@each_part
def test_every_part_of_a_public_result_is_public(part):
    """Whatever a field holds that is an enumeration can be named by whoever reads it."""
    public = {getattr(one, name) for one in PARTS.values() for name in one.__all__}
    for name in part.__all__:
        fields = getattr(getattr(part, name), "__dataclass_fields__", {})
        home = vars(sys.modules[getattr(part, name).__module__]) if fields else {}
        kinds = [home.get(str(field.type)) for field in fields.values()]
        assert [
            kind for kind in kinds if isinstance(kind, type) and issubclass(kind, Enum) and kind not in public
        ] == []


def test_the_package_lists_its_names_before_they_are_asked_for():
    code = "import fedpact as fp; print(set(fp.__all__) - set(dir(fp)) == {'protocol', 'web'})"
    assert _run(code).stdout.strip() == "True"


def test_completion_offers_public_names_only():
    code = "import fedpact as fp; fp.plan('alice-bob'); print({*dir(fp)} - {*fp.__all__})"
    assert all(name.startswith("__") for name in ast.literal_eval(_run(code).stdout))


def test_a_public_name_is_that_of_the_module_that_makes_it():
    from fedpact.describe import examples
    from fedpact.planning.plan import plan
    from fedpact.planning.shadow_prices import shadow_prices

    assert fp.plan is plan
    assert fp.planning.shadow_prices is shadow_prices  # and not the file of that name
    assert fp.examples is examples


@each_part
def test_what_is_not_there_is_said(part):
    with pytest.raises(AttributeError, match=f"module '{part.__name__}' has no attribute 'plam'"):
        part.plam  # noqa: B018


REFUSED = [
    (fp, "shadow_prices", "fedpact.planning.shadow_prices"),
    (fp, "Quadratic", "fedpact.costs.Quadratic"),
    (fp, "SolverError", "fedpact.errors.SolverError"),
    (fp.game, "equilibria", "fedpact.equilibria"),
    (fp.mechanism, "regret", "fedpact.game.regret"),
    (fp.sites, "from_torch", "fedpact.sites.predict with functions that ask modules, or .onnx files"),
    (fp.mechanism, "Refutation", "in the program reproduction/ of the repository: reproduction.refute_payment"),
]


def test_what_is_elsewhere_is_said_with_its_place():
    for part, name, place in REFUSED:
        with pytest.raises(AttributeError) as said:
            getattr(part, name)
        assert str(said.value) == f"module '{part.__name__}' has no attribute '{name}'; it is {place}"


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
        ("import fedpact as fp; fp.planning, fp.game, fp.mechanism, fp.sites", {"numpy", *HEAVY}),
    ],
    ids=["the-package", "the-command-line", "every-name", "the-parts"],
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
        "except fp.errors.MissingExtraError as error: print(error)"
    )
    assert _run(code).stdout.strip() == (
        'the protocol needs an optional package; install it with: pip install "fedpact[protocol]"'
    )
