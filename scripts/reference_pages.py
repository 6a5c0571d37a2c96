"""The pages of the Python reference: one for each part of fedpact, from what the parts list as theirs.

Nothing is imported: where a public name comes from is read in the ``__init__`` that lists it.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from pathlib import Path

SOURCE = Path(__file__).parents[1] / "src"
LAYERS = {
    "describe": "Describe a federation",
    "statistics": "What samples show: rates, reports, guarantees",
    "planning": "Plan contributions",
    "game": "Play without a plan",
    "comparison": "Compare ways, and price equilibria",
    "coalition": "Share the cost",
    "mechanism": "Pay, audit, check",
    "candidates": "Candidates and their predictions",
    "training": "Train together",
    "protocol": "Report, plan, contribute, pay",
    "experiments": "Experiments and data",
    "web": "The page in the browser",
    "errors": "Errors",
}
"""The parts of fedpact, in one direction, and what each is for."""
NESTED = {"classes": "describe", "examples": "describe"}
"""Modules that are public names of ``fedpact`` themselves, and the part that they belong to."""
EXPLAINED = ("describe", "statistics", "planning", "game", "comparison", "coalition", "mechanism")
"""Parts whose modules state the mathematics that they carry out."""
_ABOUT_MODULES = "What is computed, why that is right, and where it differs from the paper."
_TEXT_ONLY = "{members: false, heading_level: 3}"


@dataclass(frozen=True, slots=True)
class Name:
    """A public name: how a user writes it, and the part that it belongs to."""

    path: str
    layer: str


def _listed(package: str) -> tuple[list[str], dict[str, str]]:
    """Read ``__all__`` of a package, and the module that each name is imported from, in its stub if it has one."""
    file = SOURCE / package.replace(".", "/") / "__init__.py"
    stub = file.with_suffix(".pyi")
    tree = ast.parse((stub if stub.exists() else file).read_text())
    listed: list[str] = []
    origin: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            origin |= {alias.name: str(node.module) for alias in node.names}
        elif isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            listed = ast.literal_eval(node.value)
    return listed, origin


def _is_package(path: str) -> bool:
    return (SOURCE / path.replace(".", "/") / "__init__.py").exists()


def _layer_of(name: str, origin: dict[str, str]) -> str:
    if name in NESTED:
        return NESTED[name]
    return origin[name].split(".")[1] if name in origin else "describe"


def public_names(package: str = "fedpact") -> list[Name]:
    """List every public name of a package and of the packages that it offers."""
    listed, origin = _listed(package)
    names = []
    for name in listed:
        path = f"{package}.{name}"
        if _is_package(path):
            names += public_names(path)
        else:
            layer = _layer_of(name, origin) if package == "fedpact" else package.split(".")[1]
            names.append(Name(path, layer))
    return names


def _reading_order(name: Name) -> tuple[bool, str]:
    """Put what can be called first, what it returns after that."""
    return (name.path.rpartition(".")[2][0].isupper(), name.path)


def _summary(package: str) -> str:
    path = SOURCE / package.replace(".", "/")
    file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    return (ast.get_docstring(ast.parse(file.read_text())) or "").partition("\n\n")[0].replace("\n", " ")


def _says_more(file: Path) -> bool:
    """Whether a module explains itself at length."""
    return "\n\n" in (ast.get_docstring(ast.parse(file.read_text())) or "")


def _modules(layer: str) -> list[str]:
    """List the modules of a part that say what they compute, and how."""
    files = sorted((SOURCE / "fedpact" / layer).rglob("*.py")) if layer in EXPLAINED else []
    return [
        ".".join(file.relative_to(SOURCE).with_suffix("").parts)
        for file in files
        if file.stem != "__init__" and _says_more(file)
    ]


def _page(layer: str, names: list[Name]) -> str:
    head = f"# {LAYERS[layer]}\n\n{_summary(f'fedpact.{layer}')}\n"
    page = head + "".join(f"\n::: {name.path}\n" for name in names)
    if modules := _modules(layer):
        page += f"\n## What the modules say\n\n{_ABOUT_MODULES}\n"
    return page + "".join(f"\n::: {module}\n    options: {_TEXT_ONLY}\n" for module in modules)


def reference_pages() -> dict[str, str]:
    """Make the Markdown of every page, by its path in ``docs``."""
    names = sorted(public_names(), key=_reading_order)
    return {
        f"reference/api/{layer}.md": _page(layer, [name for name in names if name.layer == layer])
        for layer in LAYERS
    }


def list_of_names() -> str:
    """List the parts with all their names, each with a link to its heading, as Markdown."""
    lines = []
    names = sorted(public_names(), key=_reading_order)
    for layer, title in LAYERS.items():
        own = [name.path for name in names if name.layer == layer]
        links = ", ".join(f"[`{path.removeprefix('fedpact.')}`](api/{layer}.md#{path})" for path in own)
        lines.append(f"**[{title}](api/{layer}.md)**: {links}\n")
    return "\n".join(lines)
