"""What ``import fedpact as fp`` offers is what it lists."""

import subprocess
import sys
from types import ModuleType

import pytest

import fedpact as fp


def test_the_package_offers_what_it_lists_and_its_layers():
    offered = {name for name, value in vars(fp).items() if name[0] != "_" and not isinstance(value, ModuleType)}
    offered |= {"__version__", "candidates", "classes", "examples", *fp._MODULES}
    assert sorted(offered) == sorted(fp.__all__)


@pytest.mark.parametrize("name", fp._MODULES)
def test_what_needs_an_extra_is_imported_when_it_is_asked_for(name):
    assert getattr(fp, name).__module__ == fp._MODULES[name]


def test_importing_the_package_imports_nothing_heavy():
    heavy = {"cryptography", "flwr", "matplotlib", "numba", "scipy.stats", "sklearn", "sqlalchemy", "torch"}
    code = f"import sys, fedpact; print({heavy} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.strip() == "set()"


def test_without_its_package_a_name_says_what_to_install(monkeypatch):
    def refuse(module):
        raise ModuleNotFoundError("No module named 'sqlalchemy'", name="sqlalchemy")

    monkeypatch.setattr(fp, "_import_module", refuse)
    monkeypatch.delitem(vars(fp), "Ledger", raising=False)
    with pytest.raises(fp.MissingExtraError, match=r'pip install "fedpact\[protocol\]"'):
        fp.Ledger  # noqa: B018
