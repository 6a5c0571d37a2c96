"""The pages of the Python reference: one for each part of fedpact, from what the parts list as theirs.

Nothing is imported: public names are read in the stub of the part, or in its ``__all__``.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from pathlib import Path

SOURCE = Path(__file__).parents[1] / "src"
PARTS = {
    "": "What most people need",
    "costs": "Costs",
    "examples": "Examples",
    "planning": "Plans and statistics",
    "game": "Play without a plan",
    "mechanism": "Pay, audit, check",
    "sites": "What a site runs",
    "protocol": "Report, plan, contribute, pay",
    "protocol.flower": "The protocol on Flower",
    "web": "The page in the browser",
    "errors": "Errors",
    "planning.classes": "Classes of hypotheses",
}
"""The parts of fedpact with public names, and what each is for."""
WHOLE = ("costs", "examples", "planning.classes")
"""Parts that are one module each, shown whole."""
EXPLAINED = ("describe", "statistics", "planning", "game", "comparison", "coalition", "mechanism")
"""Packages whose modules state the mathematics that they carry out."""
_TEXT_ONLY = "{members: false, heading_level: 2}"


@dataclass(frozen=True, slots=True)
class Name:
    """A public name: how a user writes it, and the part that it belongs to."""

    path: str
    part: str

    @property
    def page(self) -> str:
        """The page that it stands on."""
        return page_of(self.part)


def page_of(part: str) -> str:
    """Name the page of a part."""
    return f"{part.replace('.', '-') or 'fedpact'}.md"


def _file(module: str) -> Path:
    path = SOURCE / module.replace(".", "/")
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


def _listed(module: str) -> list[str]:
    """Read the public names of a module, in its stub if it has one."""
    stub = _file(module).with_suffix(".pyi")
    if stub.exists():
        lines = [line.split() for line in stub.read_text().splitlines() if line.startswith("from ")]
        return [words[3] for words in lines if not words[3].startswith("_")]
    tree = ast.parse(_file(module).read_text())
    (listed,) = (
        ast.literal_eval(node.value)
        for node in tree.body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"
    )
    return list(listed)


def public_names() -> list[Name]:
    """List every public name, what can be called first, what it returns after that."""
    names = []
    for part in PARTS:
        if part in WHOLE:
            names.append(Name(f"fedpact.{part}", part))
        else:
            module = f"fedpact.{part}".rstrip(".")
            inner = {name for name in _listed(module) if f"{part}.{name}".lstrip(".") not in PARTS}
            listed = sorted(inner, key=lambda name: (name[0].isupper(), name))
            names += [Name(f"{module}.{name}", part) for name in listed]
    return names


def _text(module: str) -> str:
    return ast.get_docstring(ast.parse(_file(module).read_text())) or ""


def _page(part: str) -> str:
    about = "" if part in WHOLE else _text(f"fedpact.{part}".rstrip(".")).partition("\n\n")[0] + "\n"
    names = "".join(f"\n::: {name.path}\n" for name in public_names() if name.part == part)
    return f"# {PARTS[part]}\n\n{about}{names}"


def _explanations() -> str:
    """Make the page of what the modules say about the mathematics that they carry out."""
    files = [file for package in EXPLAINED for file in sorted((SOURCE / "fedpact" / package).rglob("*.py"))]
    modules = [".".join(file.relative_to(SOURCE).with_suffix("").parts) for file in files if file.stem[0] != "_"]
    head = "# What the modules say\n\nWhat is computed, why that is right, and where it differs from the paper.\n"
    explained = [module for module in modules if "\n\n" in _text(module)]
    return head + "".join(f"\n::: {module}\n    options: {_TEXT_ONLY}\n" for module in explained)


def reference_pages() -> dict[str, str]:
    """Make the Markdown of every page, by its path in ``docs``."""
    pages = {page_of(part): _page(part) for part in PARTS} | {"modules.md": _explanations()}
    return {f"reference/api/{page}": text for page, text in pages.items()}


def list_of_names() -> str:
    """List the parts with all their names, each with a link to its heading, as Markdown."""
    lines = []
    for part, title in PARTS.items():
        own = [name for name in public_names() if name.part == part]
        links = ", ".join(f"[`{name.path.removeprefix('fedpact.')}`](api/{name.page}#{name.path})" for name in own)
        lines.append(f"**[{title}](api/{page_of(part)})**: {links}\n")
    return "\n".join(lines)
