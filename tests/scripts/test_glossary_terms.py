"""Terms of the glossary as the site shows them."""

from pathlib import Path

from glossary_terms import head_terms

GLOSSARY = Path(__file__).parents[2] / "docs" / "reference" / "glossary.md"


def test_every_term_has_a_heading_and_letters_keep_their_table():
    text = GLOSSARY.read_text()
    letters, _, terms = text.partition("## Terms\n")
    shown = head_terms(text)
    assert shown.startswith(letters)
    assert shown.count("\n### ") == sum(line.startswith("| ") for line in terms.splitlines()) - 1
    assert "\n|" not in shown.removeprefix(letters)
    ratio = "cost over lower bound: how far above the optimum at most; `Plan.ratio` [guarantees]"
    assert f"### ratio\n\n{ratio}" in shown
