"""A statement of payment as a page that a bookkeeper can print and file; nothing is loaded from elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from html import escape
from string import Template
from typing import Any

from fedpact.protocol.operator.money import count_decimals, format_money, without_dust

_PAGE = Template("""\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>$title</title>
<style>
:root { color-scheme: light; --ink: #1a1d21; --soft: #5c6670; --line: #d5dae0; --band: #f4f6f8;
  --warn: #8f2d12; }
* { box-sizing: border-box; }
body { margin: 0; background: #e9ecef; color: var(--ink);
  font: 10pt/1.4 "Source Sans 3", "Helvetica Neue", Arial, "Liberation Sans", sans-serif; }
main { width: 210mm; min-height: 297mm; margin: 8mm auto; padding: 20mm 20mm 16mm; background: #fff;
  box-shadow: 0 1px 6px rgb(0 0 0 / 18%); }
header { display: flex; justify-content: space-between; align-items: flex-start; gap: 10mm;
  border-bottom: 2px solid var(--ink); padding-bottom: 4mm; }
h1 { margin: 0; font-size: 20pt; font-weight: 600; letter-spacing: -0.01em; line-height: 1.15; }
h2 { margin: 6mm 0 1.5mm; font-size: 8.5pt; font-weight: 600; text-transform: uppercase; letter-spacing: 0.08em;
  color: var(--soft); break-after: avoid; }
p { margin: 0 0 2mm; }
.soft { color: var(--soft); }
.due { text-align: right; white-space: nowrap; }
.due b { display: block; font-size: 20pt; font-weight: 600; line-height: 1.15; }
.parties { display: grid; grid-template-columns: 1fr 1fr; gap: 4mm 10mm; margin-top: 5mm; align-items: start; }
.parties dl { grid-template-columns: 21mm 1fr; }
dl { margin: 0; display: grid; grid-template-columns: 30mm 1fr; gap: 0.5mm 4mm; align-content: start;
  align-items: baseline; }
dt { color: var(--soft); }
dd { margin: 0; overflow-wrap: anywhere; }
table { width: 100%; border-collapse: collapse; font-variant-numeric: tabular-nums lining-nums; }
th, td { padding: 1.4mm 2mm; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line);
  overflow-wrap: anywhere; }
thead th { font-size: 8.5pt; font-weight: 600; color: var(--soft); border-bottom: 1px solid var(--ink); }
.number { text-align: right; white-space: nowrap; }
tr { break-inside: avoid; }
tfoot td { font-weight: 600; border-bottom: 0; border-top: 1px solid var(--ink); }
.total td { font-size: 12.5pt; background: var(--band); border-bottom: 2px solid var(--ink); }
.note { margin: 4mm 0 0; padding: 3mm 4mm; border-left: 3px solid var(--warn); background: #fbf3f0; }
.note b { color: var(--warn); }
.mono { font: 7.5pt/1.5 ui-monospace, "DejaVu Sans Mono", "Liberation Mono", Menlo, monospace; }
table + p { margin-top: 2mm; }
footer { margin-top: 6mm; padding-top: 2.5mm; break-inside: avoid; border-top: 1px solid var(--line);
  font-size: 8.5pt; color: var(--soft); }
header p { margin: 0.5mm 0 0; }
@page { size: A4; margin: 14mm 20mm 13mm;
  @bottom-right { content: counter(page) " / " counter(pages); font: 8.5pt Arial, sans-serif; color: #5c6670; } }
@media print {
  body { background: #fff; font-size: 9.5pt; line-height: 1.35; }
  h2 { margin-top: 4.5mm; }
  th, td { padding-block: 1.1mm; }
  .note { margin-top: 3mm; padding-block: 2mm; }
  footer { margin-top: 4mm; }
  main { width: auto; min-height: 0; margin: 0; padding: 0; box-shadow: none; }
  .total td, .note { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
@media screen and (max-width: 220mm) {
  main { width: auto; margin: 0; padding: 8mm 6mm; }
  header, .parties { display: block; }
  .due { text-align: left; margin-top: 4mm; }
}
</style>
</head>
<body>
<main>
<header>
<div><h1>Statement of payment</h1><p class="soft">No. $number<br>issued $issued</p></div>
<div class="due"><span class="soft">$due_label</span><b>$due</b></div>
</header>
<div class="parties">$parties</div>
$notes
<h2>Samples labelled</h2>
$requests
<h2>Settlement</h2>
$settlement
<p class="soft">Amounts are in the unit in which the pact states costs.</p>
<h2>Verification</h2>
$checks
<h2>Books</h2>
$books
<footer>$footer</footer>
</main>
</body>
</html>
""")
_RULES = {
    "pwyc": "pay what you contribute: the cost of the samples, less the fee for taking part",
    "equal-split": "the cost of the samples, less an equal share of what all sites' samples cost",
    "proportional": "the cost of the samples, less a share of all costs by what each site would need alone",
    "none": "nothing is paid",
}


class _Money:
    """Writes the amounts of one statement, all with the same decimals.

    Examples
    --------
    >>> write = _Money([15.2, 0.0, 4.44e-16])
    >>> write(15.2), write(-4.44e-16), write(-0.5)
    ('15.20', '0.00', '−0.50')
    """

    def __init__(self, amounts: Iterable[float]) -> None:
        listed = list(amounts)
        self.total = max(map(abs, listed))
        self.decimals = count_decimals(listed)

    def __call__(self, value: float) -> str:
        return format_money(value, self.decimals, self.total)


def _money_of(body: Mapping[str, Any]) -> _Money:
    return _Money(body[key] for key in ("labelling", "fee", "withheld", "amount"))


def _rate(value: float) -> str:
    """Write a price, which has decimals of its own.

    Examples
    --------
    >>> _rate(0.8), _rate(1 / 3)
    ('0.80', '0.333333')
    """
    return _Money([value])(value)


def _time(text: str | None) -> str:
    """Write a time for people.

    Examples
    --------
    >>> _time("2001-09-09T01:46:40Z")
    '2001-09-09 01:46:40 UTC'
    """
    return "no answer" if text is None else escape(text).replace("T", " ").replace("Z", " UTC")


def _list(pairs: Iterable[tuple[str, str]]) -> str:
    return f"<dl>{''.join(f'<dt>{name}</dt><dd>{value}</dd>' for name, value in pairs)}</dl>"


def _mono(text: object) -> str:
    return f'<span class="mono">{escape(str(text))}</span>'


def _say_cost(cost: Any) -> str:
    """Say what a sample costs."""
    match cost:
        case {"quadratic": [linear, quadratic]}:
            return f"{_rate(linear)} m + {_rate(quadratic)} m² for m samples"
        case {"breakpoints": list(points), "slopes": list(slopes)}:
            steps = [
                f"{_rate(slope)} up to sample {point:g}" for point, slope in zip(points, slopes, strict=False)
            ]
            last = _rate(slopes[-1])
            return f"{', '.join(steps)}, then {last}" if steps else f"{last} per sample"
        case int() | float():
            return f"{_rate(cost)} per sample"
    return str(cost)


def _parties(body: Mapping[str, Any]) -> str:
    site = [("Site", f"<b>{escape(body['site'])}</b>"), ("Federation", escape(body["pact"]))]
    if body["left"] is not None:
        site.append(("Left", escape(body["left"])))
    run = [
        ("Run", _mono(body["run"])),
        ("Opened", _time(body["opened"])),
        ("Settled", _time(body["settled"])),
    ]
    return _list(site) + _list(run)


def _notes(status: str, body: Mapping[str, Any], *, is_forged: bool) -> str:
    notes = []
    if body["why"] is not None:
        withheld = _money_of(body)(body["withheld"])
        notes.append(f"<b>Payment withheld.</b> {withheld} is not paid: {escape(body['why'])}.")
    if is_forged:
        notes.append(f"<b>Not valid.</b> {escape(status)}.")
    return "".join(f'<p class="note">{note}</p>' for note in notes)


def _requests(body: Mapping[str, Any]) -> str:
    rows = [
        f"<tr><td>{_time(one['asked'])}</td><td>{_time(one['answered'])}</td>"
        f'<td class="number">{one["first"]:,}–{one["last"]:,}</td><td class="number">{one["quota"]:,}</td>'
        f'<td class="number">{one["delivered"]:,}</td></tr>'
        for one in body["requests"]
    ]
    if not rows:
        return "<p>This site was not asked for samples.</p>"
    head = '<th>Asked</th><th>Answered</th><th class="number">Samples</th><th class="number">Quota</th>'
    return (
        f'<table><thead><tr>{head}<th class="number">Delivered</th></tr></thead><tbody>{"".join(rows)}</tbody>'
        f'<tfoot><tr><td colspan="3">Total</td><td class="number">{body["quota"]:,}</td>'
        f'<td class="number">{body["contributed"]:,}</td></tr></tfoot></table>'
    )


def _due_label(body: Mapping[str, Any]) -> str:
    owed = without_dust(body["amount"], _money_of(body).total) < 0
    return "Owed to the operator" if owed else "Payable to the site"


def _line(what: str, amount: str, kind: str = "") -> str:
    return f'<tr{kind}><td>{what}</td><td class="number">{amount}</td></tr>'


def _settlement(body: Mapping[str, Any]) -> str:
    """Lines that add up to what is paid, whatever the rule."""
    money = _money_of(body)
    count, net = body["contributed"], body["amount"] + body["withheld"]
    gross = net + body["fee"]
    label = "Fee for taking part" if body["rule"] == "pwyc" else "Share of all costs"
    lines = [_line(f"{count:,} samples labelled, at {escape(_say_cost(body['cost']))}", money(body["labelling"]))]
    if body["rule"] == "none":
        lines.append(_line("Not paid for under this rule", money(gross - body["labelling"])))
    if without_dust(body["fee"], money.total):
        lines.append(_line(label, money(-body["fee"])))
    if body["why"] is not None:
        lines.append(_line("Withheld", money(-body["withheld"])))
    total = _due_label(body)
    lines.append(_line(total, money(abs(body["amount"])), ' class="total"'))
    rule = escape(f"{body['rule']}: {_RULES.get(body['rule'], 'see the pact')}")
    return f"<p>Rule {rule}.</p><table><tbody>{''.join(lines)}</tbody></table>"


def _checks(body: Mapping[str, Any]) -> str:
    check, seen = body["check"], body["evaluation"]
    pairs = [("Contribution", "no samples, so nothing to check")]
    if check is not None:
        pairs = [
            ("Contribution", escape(check["status"])),
            ("Level", f"an honest site is flagged with a chance of {check['false_alarm_rate']:g} at most"),
            ("Compared", f"{check['tested']:,} pairs of candidates on {check['m']:,} samples"),
        ]
    pairs.append(("Chosen", escape(str(body["hypothesis"]))))
    if seen is not None:
        verdict = "met" if seen["met"] else "missed"
        pairs.append(
            (
                "Target",
                f"error {seen['error']:.4g} on {seen['n']:,} held-out samples; "
                f"at most {seen['epsilon']:g} was asked for: {verdict}",
            )
        )
    return _list(pairs)


def _books(found: Mapping[str, Any], body: Mapping[str, Any]) -> str:
    receipt = found["receipt"]
    signed = "none" if receipt is None else f"{_time(receipt['at'])}, entry {receipt['entry']:,}"
    return _list(
        [
            ("Status", escape(found["status"])),
            ("Pact", _mono(body["pact_digest"])),
            ("Statement", _mono(found["digest"])),
            ("Ledger", f"entry {found['entry']:,} {_mono(found['hash'])}"),
            ("Operator's key", _mono(body["operator"] or "none")),
            ("Signature", _mono(body.get("signature", "none"))),
            ("Site's key", _mono(body["site_key"] or "none")),
            ("Receipt", signed),
        ]
    )


def to_html(found: Mapping[str, Any]) -> str:
    """Return the page of what :meth:`fedpact.protocol.Statement.to_dict` gives."""
    body = found["statement"]
    return _PAGE.substitute(
        title=escape(f"Statement of payment: {body['site']}, run {body['run']}"),
        number=escape(f"{body['run']}/{found['entry']}"),
        issued=_time(body["issued"]),
        due_label=_due_label(body),
        due=_money_of(body)(abs(body["amount"])),
        parties=_parties(body),
        notes=_notes(found["status"], body, is_forged=found["status"].startswith("the signature is not")),
        requests=_requests(body),
        settlement=_settlement(body),
        checks=_checks(body),
        books=_books(found, body),
        footer=(
            "The digest is the SHA-256 of the statement, signature (Ed25519) included, in canonical JSON; "
            "the JSON file beside this page holds it. To check the books: fedpact ledger verify LEDGER."
        ),
    )
