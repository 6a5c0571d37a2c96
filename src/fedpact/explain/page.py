"""An explanation as a page to print and file: one HTML file that loads nothing from elsewhere."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from string import Template

from fedpact.explain.explanation import Explanation
from fedpact.explain.html import write_table
from fedpact.explain.words import words_of, write

_PAGE = Template("""\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>$title</title>
<style>
body { max-width: 180mm; margin: 8mm auto; padding: 0 6mm; color: #1a1d21; background: #fff;
  font: 10pt/1.4 "Helvetica Neue", Arial, "Liberation Sans", sans-serif; }
h1 { margin: 0 0 1mm; font-size: 18pt; line-height: 1.2; }
h2 { margin: 5mm 0 1mm; font-size: 9pt; text-transform: uppercase; letter-spacing: 0.08em; color: #5c6670; }
p { margin: 0 0 1.5mm; }
.headline { font-size: 12pt; font-weight: 600; border-bottom: 2px solid #1a1d21; padding-bottom: 3mm; }
dl { margin: 0; display: grid; grid-template-columns: 30mm 1fr; gap: 0.5mm 4mm; }
dt { color: #5c6670; }
dd { margin: 0; overflow-wrap: anywhere; }
table { width: 100%; border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: 1.2mm 2mm; text-align: left; border-bottom: 1px solid #d5dae0; overflow-wrap: anywhere; }
tr { break-inside: avoid; }
tfoot td { font-weight: 600; border-bottom: 2px solid #1a1d21; }
.note { margin-top: 3mm; }
@page { size: A4; margin: 14mm; }
@media print { body { max-width: none; margin: 0; padding: 0; font-size: 9pt; line-height: 1.3; } }
</style>
</head>
<body>
<h1>$title</h1>
<p class="headline">$headline</p>
$body
</body>
</html>
""")


def _list(pairs: Iterable[tuple[str, str]]) -> str:
    said = "".join(f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in pairs)
    return f"<dl>{said}</dl>" if said else ""


def to_page(said: Explanation) -> str:
    """Write an explanation as a page by itself.

    Examples
    --------
    >>> page = to_page(Explanation(kind="x", title="Bill", headline="<b> is paid."))
    >>> [line for line in page.splitlines() if "paid" in line]
    ['<p class="headline">&lt;b&gt; is paid.</p>']
    """
    parts = [
        _list((fact.label, write(fact.value)) for fact in said.facts if fact.value is not None),
        *(write_table(table, heading="h2", has_bars=False) for table in said.tables),
        f"<h2>{escape(words_of('common').say('certificate'))}</h2>" if said.points else "",
        _list((point.question, point.answer) for point in said.points),
        *(f'<p class="note">{escape(sentence)}</p>' for sentence in said.sentences),
    ]
    title, headline = escape(said.title), escape(said.headline)
    return _PAGE.substitute(title=title, headline=headline, body="\n".join(filter(None, parts)))
