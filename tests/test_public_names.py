"""What ``import fedpact as fp`` offers is what it lists."""

from types import ModuleType

import fedpact as fp


def test_the_package_offers_what_it_lists_and_its_layers():
    offered = [name for name, value in vars(fp).items() if name[0] != "_" and not isinstance(value, ModuleType)]
    assert sorted([*offered, "__version__", "candidates", "classes", "examples"]) == sorted(fp.__all__)
