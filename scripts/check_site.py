"""Look through the built site: nothing in it is loaded from elsewhere, and every public name has a heading.

python scripts/check_site.py build/site
"""

from __future__ import annotations

import re
import sys
from html.parser import HTMLParser
from pathlib import Path

from reference_pages import public_names

_LOADS = {"script": "src", "link": "href", "img": "src", "iframe": "src", "source": "src", "video": "src"}
_ELSEWHERE = re.compile(r"(?:https?:)?//")
_IN_STYLE = re.compile(r"(?:url\(|@import)\s*[\"']?\s*((?:https?:)?//[^\"')\s]+)")


class _Page(HTMLParser):
    """Collects what a page loads, and its headings."""

    def __init__(self) -> None:
        super().__init__()
        self.loaded: list[str] = []
        self.anchors: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        if tag in _LOADS and values.get("rel") != "canonical":
            self.loaded.append(values.get(_LOADS[tag], ""))
        if re.fullmatch(r"h[1-6]", tag) and "id" in values:
            self.anchors.add(values["id"])


def _read(path: Path) -> _Page:
    page = _Page()
    page.feed(path.read_text())
    return page


def loaded_from_elsewhere(site: Path) -> list[str]:
    """List every script, style, font or image that a page or a style sheet takes from another host."""
    found = []
    for path in sorted(site.rglob("*.html")):
        text = path.read_text()
        urls = [url for url in _read(path).loaded if _ELSEWHERE.match(url)] + _IN_STYLE.findall(text)
        found += [f"{path.relative_to(site)}: {url}" for url in urls]
    for path in sorted(site.rglob("*.css")):
        found += [f"{path.relative_to(site)}: {url}" for url in _IN_STYLE.findall(path.read_text())]
    return found


def names_without_heading(site: Path) -> list[str]:
    """List the public names that no page of the Python reference has a heading for."""
    anchors = set().union(*(_read(path).anchors for path in (site / "reference" / "api").glob("*.html")))
    return [name.path for name in public_names() if name.path not in anchors]


def main() -> None:
    """Print what is wrong with the site, and fail if anything is."""
    site = Path(sys.argv[1])
    problems = [f"loaded from elsewhere: {one}" for one in loaded_from_elsewhere(site)]
    problems += [f"no heading in the reference: {name}" for name in names_without_heading(site)]
    print("\n".join(problems) or f"{site}: nothing is loaded from elsewhere, every public name has a heading")
    sys.exit(bool(problems))


if __name__ == "__main__":
    main()
