"""A notebook as a page: its text, its code and the outputs that were kept with it; nothing is run."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

_ESCAPES = re.compile(r"\x1b\[[0-9;]*m")
_SHOWN = ("text/html", "image/svg+xml", "image/png", "text/markdown", "text/plain")
"""The forms of an output, the one to show first."""


def _text(lines: list[str] | str) -> str:
    return lines if isinstance(lines, str) else "".join(lines)


def _fenced(text: str, language: str = "text") -> str:
    return f"```{language}\n{_ESCAPES.sub('', text).rstrip()}\n```"


def _show_data(data: dict[str, Any]) -> str:
    form = next(form for form in _SHOWN if form in data)
    value = _text(data[form])
    if form == "image/png":
        return f'<img alt="" src="data:image/png;base64,{"".join(value.split())}">'
    if form in ("text/html", "image/svg+xml"):
        # A blank line would end the block of HTML; prefixes of SVG files have no place in a page.
        value = re.sub(r"<\?xml.*?\?>|<!DOCTYPE.*?>", "", value, flags=re.DOTALL)
        value = re.sub(r"\n\s*\n", "\n", value).strip()
        return f'<div class="output">\n{value}\n</div>'
    return value if form == "text/markdown" else _fenced(value)


def _show_output(output: dict[str, Any]) -> str:
    if output["output_type"] == "stream":
        return _fenced(_text(output["text"]))
    if output["output_type"] == "error":
        return _fenced("\n".join(output["traceback"]))
    return _show_data(output["data"])


def _show_cell(cell: dict[str, Any]) -> str:
    source = _text(cell["source"])
    if cell["cell_type"] != "code":
        return source
    return "\n\n".join([_fenced(source, "python"), *map(_show_output, cell["outputs"])])


def notebook_page(path: Path) -> str:
    """Write a notebook as Markdown, with a link to the file at its end."""
    cells = [_show_cell(cell) for cell in json.loads(path.read_text())["cells"] if _text(cell["source"]).strip()]
    link = f'<a href="{path.name}" download>Download this notebook</a>'
    return "\n\n".join([*cells, link]) + "\n"
