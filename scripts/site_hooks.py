"""What MkDocs asks of us while it builds the site; see ``mkdocs.yml``.

Pages that no one writes by hand are added: the Python reference, notebooks, and the index of a section that has
none. Links to files outside of ``docs`` lead to copies of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from glossary_terms import head_terms
from notebook_page import notebook_page
from reference_pages import list_of_names, reference_pages

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
_LINK = re.compile(r"(\]\()([^)#\s]+)([^)]*\))")
_INDEXES = {
    "how-to": ("How-to", "One task on each page; every page is executed by the tests."),
    "notebooks": ("Notebooks", "Executed by the tests, shown with their outputs."),
    "results": ("Results", "What was measured, and the command that measures it again."),
}

_ALONE = ("index.md", "tutorial/your-own-three-sites.md")
"""Pages of sections that have no other."""
_BOOST = 20
"""How much more a word counts in the glossary: who searches for a term wants its meaning first."""


def _generated() -> dict[str, str]:
    notebooks = sorted((DOCS / "notebooks").glob("*.ipynb"))
    pages = reference_pages() | {f"notebooks/{path.stem}.md": notebook_page(path) for path in notebooks}
    for folder, (title, about) in _INDEXES.items():
        if not (DOCS / folder / "index.md").exists():
            pages[f"{folder}/index.md"] = _index(folder, title, about, pages)
    return pages


def _index(folder: str, title: str, about: str, pages: dict[str, str]) -> str:
    texts = {path.name: path.read_text() for path in sorted((DOCS / folder).glob("*.md"))}
    texts |= {Path(uri).name: text for uri, text in pages.items() if Path(uri).parent.name == folder}
    rows = [
        f"- [{_title(text)}]({name}){_gist(text)}"
        for name, text in sorted(texts.items(), key=lambda one: _title(one[1]).lower())
    ]
    return "\n".join([f"# {title}", "", about, "", *rows, ""])


def _title(text: str) -> str:
    found = re.search(r"^# (.+)$", text, flags=re.MULTILINE)
    return found[1] if found else "Untitled"


def _gist(text: str) -> str:
    """Give the first sentence under the title, unless something else than text stands there."""
    first = re.search(r"^# .+\n+([^\n`|!<#\[].*(?:\n.+)*)", text)
    if first is None:
        return ""
    sentence = re.split(r"(?<=[.?!])\s", " ".join(first[1].split()), maxsplit=1)[0]
    return f": {sentence}" if sentence.endswith((".", "?")) else ""


def _fill(entries: list[Any], known: list[str], taken: set[str]) -> Iterator[Any]:
    """Replace every pattern of the navigation by the pages that it stands for and that are not in it yet."""
    for entry in entries:
        if isinstance(entry, dict):
            ((title, inner),) = entry.items()
            yield entry if isinstance(inner, str) else {title: list(_fill(inner, known, taken))}
        elif "*" in entry:
            yield from (uri for uri in known if _stands_for(entry, uri) and uri not in taken)
        else:
            yield entry


def _stands_for(pattern: str, uri: str) -> bool:
    return fnmatch(uri, pattern) and uri.count("/") == pattern.count("/")


def _named(entries: list[Any]) -> Iterator[str]:
    for entry in entries:
        values = entry.values() if isinstance(entry, dict) else [entry]
        for value in values:
            yield from [value] if isinstance(value, str) else _named(value)


def _place(uri: str) -> tuple[int, str]:
    """Parts of the reference stand in their own order, everything else by name."""
    return (list(reference_pages()).index(uri) if uri.startswith("reference/api/") else 0, uri)


def _outside(uri: str, text: str) -> Iterator[Path]:
    """Give the files outside of ``docs`` that a page links to."""
    for _, link, _ in _LINK.findall(text):
        target = ((DOCS / uri).parent / link).resolve()
        if target.is_file() and target.is_relative_to(ROOT) and not target.is_relative_to(DOCS):
            yield target


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add what is generated and what pages link to, and fill in the navigation."""
    generated = _generated()
    for uri, text in generated.items():
        files.append(File.generated(config, uri, content=text))
    texts = generated | {path.relative_to(DOCS).as_posix(): path.read_text() for path in DOCS.rglob("*.md")}
    for target in sorted({target for uri, text in texts.items() for target in _outside(uri, text)}):
        uri = f"files/{target.relative_to(ROOT).as_posix()}"
        files.append(File.generated(config, uri, content=target.read_bytes()))
    known = sorted((file.src_uri for file in files.documentation_pages()), key=_place)
    config.nav = list(_fill(config.nav or [], known, set(_named(config.nav or []))))
    return files


def on_page_markdown(markdown: str, page: Page, **_: Any) -> str:
    """Turn links to notebooks and to files outside of ``docs`` into links within the site."""
    folder, outside = (DOCS / page.file.src_uri).parent, set(_outside(page.file.src_uri, markdown))

    def lead(found: re.Match[str]) -> str:
        target = (folder / found[2]).resolve()
        if target.suffix == ".ipynb":
            return f"{found[1]}{found[2].removesuffix('.ipynb')}.md{found[3]}"
        if target not in outside:
            return found[0]
        ups = "../" * page.file.src_uri.count("/")
        return f"{found[1]}{ups}files/{target.relative_to(ROOT).as_posix()}{found[3]}"

    if page.file.src_uri in _ALONE:
        page.meta["hide"] = ["navigation"]
    if page.file.src_uri == "reference/glossary.md":
        page.meta["search"] = {"boost": _BOOST}
        markdown = head_terms(markdown)
    if page.file.src_uri == "reference/index.md":
        markdown = f"{markdown}\n{list_of_names()}"
    return _LINK.sub(lead, markdown)
