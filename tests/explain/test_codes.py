"""Every code that the protocol finds has words, and gives the values that they name."""

import ast
from pathlib import Path
from string import Formatter

import pytest

from fedpact.explain.words import words_of
from fedpact.protocol.operator import reasons

PROTOCOL = Path(reasons.__file__).parents[1]
MADE = {
    "coded": {
        "operator": ("books-check", "problem_of", {"run"}),
        "keys": ("keys-check", "problem_of", set()),
    },
    "BrokenLedgerError": {"ledger": ("ledger-check", "why", {"seq"})},
}
"""What makes findings, in which folder -> kind and table of its words, and what is always known."""


def find_codes():
    """Go through every finding with a literal code: place, words, code, values."""
    for path in sorted(PROTOCOL.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call):
                continue
            name = getattr(node.func, "id", getattr(node.func, "attr", ""))
            place = MADE.get(name, {}).get(path.parent.name)
            texts = [
                one.value for one in node.args if isinstance(one, ast.Constant) and isinstance(one.value, str)
            ]
            if place is not None and texts:
                yield f"{path.name}:{node.lineno}", place, texts[-1], {one.arg for one in node.keywords}


SOURCE = "".join(path.read_text(encoding="utf-8") for path in PROTOCOL.rglob("*.py"))
COMPUTED = {"ended-renew", "ended-remake", "ended-ask", "preceded"}


def placeholders(text):
    return {name for _, name, _, _ in Formatter().parse(text) if name}


@pytest.mark.parametrize(
    "table", [("books-check", "problem_of"), ("ledger-check", "why"), ("keys-check", "problem_of")]
)
def test_every_code_has_words_whose_values_it_gives_and_no_words_are_left_over(table):
    found = [one for one in find_codes() if one[1][:2] == table]
    assert len(found) > 5
    words = words_of(table[0])
    for where, (_, _, always), code, given in found:
        assert f"{table[1]}.{code}" in words, f"{where}: {code} has no words"
        missing = placeholders(words.texts[f"{table[1]}.{code}"]) - given - always
        assert not missing, f"{where}: {code} does not say {missing}"
    known = {key.removeprefix(f"{table[1]}.") for key in words.texts if key.startswith(f"{table[1]}.")}
    left = known - {code for _, _, code, _ in found}
    assert [code for code in left if f'"{code}"' not in SOURCE and code not in COMPUTED] == []


def test_every_reason_has_words():
    assert {*map(str, reasons.Why), reasons.FLAGGED} <= set(words_of("reason").texts)
