"""Every number in README and docs comes from a committed JSON, or is given; see quotations.py."""

import pytest

import reproduction.catalogue
import reproduction.page
import results_pages
import write_benchmarks
from quotations import (
    ADVICE,
    ROOT,
    Quotation,
    find_uncovered,
    known_phrases,
    read_given,
    read_quotations,
    read_results,
    to_pattern,
)

QUOTATIONS = read_quotations()
RESULTS = results_pages.RESULTS
EXPERIMENTS = reproduction.catalogue.HOMES
KEPT = sorted(path.stem for path in RESULTS.glob("*.json"))
WRITTEN = [name for name in KEPT if name in EXPERIMENTS or name in results_pages.WRITERS]
PROSE = [
    page
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    if page not in {RESULTS / f"{name}.md" for name in WRITTEN} and "reference" not in page.parts
]


SPEEDS = write_benchmarks.write_table(read_results("benchmarks")["rows"])
"""The table of the README that `make bench` writes."""


def name_of(page):
    return str(page.relative_to(ROOT))


def write_page(name, found):
    if name in results_pages.WRITERS:
        return results_pages.write_page(name, found)
    return reproduction.page.write_page(found)


@pytest.mark.parametrize("name", WRITTEN)
def test_a_page_of_results_is_that_of_its_json(name):
    assert (RESULTS / f"{name}.md").read_text() == write_page(name, results_pages.read(name))


@pytest.mark.parametrize("name", [name for name in WRITTEN if name in EXPERIMENTS])
def test_an_experiment_is_kept_with_its_command(name):
    assert results_pages.read(name)["command"].split()[:3] == ["make", "reproduce", f"NAME={name}"]


def test_whatever_is_kept_has_a_writer():
    assert set(KEPT) - set(WRITTEN) == {"growth"}, "name its page in WRITERS of scripts/results_pages.py"


@pytest.mark.parametrize("quotation", QUOTATIONS, ids=lambda one: f"{one.page}: {one.says[:40]}")
def test_a_page_says_what_was_measured(quotation):
    said = quotation.render()
    assert quotation.holds or said != quotation.says, "it takes nothing from the JSON"
    page = (ROOT / quotation.page).read_text()
    where = (
        ", ".join(f"docs/results/{source}.json" for source in quotation.sources) or "its own blocks and formulas"
    )
    assert to_pattern(said).search(page), f"by {where}, {quotation.page} should say:\n{said}"
    assert quotation.find_false() == [], f"not so by {where}; {quotation.page}: {said}"


@pytest.mark.parametrize("page", PROSE, ids=name_of)
def test_every_number_of_a_page_is_quoted_or_given(page):
    left = find_uncovered(page.read_text(), [*known_phrases(name_of(page), QUOTATIONS), to_pattern(SPEEDS)])
    found = "\n".join(f"{name_of(page)}:{line}: {number}  in  {sentence}" for line, number, sentence in left)
    assert not left, f"numbers without a source:\n{found}\n{ADVICE}"


def test_every_given_phrase_is_needed():
    pages = {name_of(page): page.read_text() for page in PROSE}
    stale = [
        f"{where}: {phrase}"
        for where, phrases in read_given().items()
        for phrase, pattern in phrases.items()
        if not any(pattern.search(text) for page, text in pages.items() if where in (page, "everywhere"))
    ]
    assert stale == [], "tests/docs/given.toml lists what no page says"


# The checker itself


PAGE = """\
# 1. Costs of A1

The plan costs 17 samples, `k = 3` of them free, as [ERRATA
B2](errata-2.md) says.

    fedpact plan --m 3

1. Alone it is 20,000, for h_1 and log2 of H.

```python
print(5)
```
"""


def test_numbers_in_prose_are_found_with_their_lines():
    found = find_uncovered(PAGE, [])
    assert [(number.line, number.text) for number in found] == [(3, "17"), (8, "20,000")]
    assert found[0].sentence.startswith("The plan costs 17 samples")


@pytest.mark.parametrize(
    ("phrase", "left"),
    [
        ("plan costs 17", ["20,000"]),
        ("costs 17 samples, `k = 3` of them", ["20,000"]),
        ("Alone it is 20,000, for", ["17"]),
        ("it is 20", ["17", "20,000"]),
        ("costs 18", ["17", "20,000"]),
    ],
)
def test_a_phrase_covers_its_own_numbers_whole_and_no_others(phrase, left):
    assert [number.text for number in find_uncovered(PAGE, [to_pattern(phrase)])] == left


def test_a_new_measured_number_is_found_in_a_real_page():
    page = ROOT / "docs" / "explanation" / "game.md"
    text = page.read_text() + "\nOn a new federation it takes 17.3 seconds.\n"
    (left,) = find_uncovered(text, known_phrases(name_of(page), QUOTATIONS))
    assert (left.line, left.text) == (text.count("\n"), "17.3")


def test_a_quotation_is_a_sentence_over_the_json():
    one = Quotation(
        page="README.md",
        says="{len(first)} networks, {word(2)} sites: {first[0].lp.cost:g}",
        sources=("ladder",),
        let={"first": "[row for row in rows if row.hypotheses == 5][:1]"},
        holds=("epsilon == 0.1", "first[0].lp.cost < first[0].tree.cost"),
    )
    assert one.render() == "1 networks, two sites: 30"
    assert one.find_false() == ["first[0].lp.cost < first[0].tree.cost"]
