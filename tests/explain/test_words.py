"""Texts name values in braces, and say how these are written; every text of every kind can be read."""

from importlib.resources import files
from string import Formatter

import pytest

from fedpact.explain.words import Words, sentence, words_of, write

KINDS = sorted(place.name.removesuffix(".toml") for place in files("fedpact.explain").joinpath("words").iterdir())


@pytest.mark.parametrize(
    ("text", "value", "said"),
    [
        ("{x}", 66.11999999999999, "66.12"),
        ("{x}", 1234567, "1,234,570"),
        ("{x}", None, "–"),
        ("{x}", True, "yes"),
        ("{x}", ("a", "b", "c"), "a, b and c"),
        ("{x}", (), "nobody"),
        ("{x:#sample}", 1, "1 sample"),
        ("{x:#sample}", 0, "0 samples"),
        ("{x:#equilibrium/equilibria}", 2000, "2,000 equilibria"),
        ("{x:?is/are}", 1, "is"),
        ("{x:?is/are}", 0, "are"),
        ("{x:%}", 0.0004, "less than 0.1%"),
        ("{x:.3f}", 1.23456, "1.235"),
        ("{x:+.0%}", 0.25, "+25%"),
        ("'{x}' {{}}", "{y}", "'{y}' {}"),
    ],
)
def test_values_are_written_as_the_text_says(text, value, said):
    assert Words({"key": text}).say("key", x=value) == said


def test_a_text_or_value_that_is_not_there_is_our_own_mistake():
    words = Words({"key": "{x}"})
    assert "key" in words
    assert "other" not in words
    for key, values in (("other", {}), ("key", {})):
        with pytest.raises(KeyError):
            words.say(key, **values)


def test_tables_of_texts_have_dotted_keys_and_fields_have_names():
    words = words_of("plan")
    assert words.say("status.optimal") == "no cheaper contribution vector meets the targets"
    assert words.name("lower_bound") == "lower bound"
    assert Words({"fields.m": "samples"}).name("m") == "samples"


def test_a_kind_without_words_has_none():
    assert words_of("no-such-kind").texts == {}


@pytest.mark.parametrize("kind", KINDS)
def test_every_text_is_one_line_and_names_its_values(kind):
    for key, text in words_of(kind).texts.items():
        assert text == text.rstrip(), key
        assert "\n" not in text, key
        assert all(name is None or name.isidentifier() for _, name, _, _ in Formatter().parse(text)), key


def test_values_in_lists_are_written_too():
    assert write([1.5, None, "x"]) == "1.5, – and x"


def test_a_sentence_begins_with_a_capital_and_ends_with_a_full_stop():
    assert [sentence(text) for text in ("it is met", "Is it?", "")] == ["It is met.", "Is it?", ""]


def test_of_several_texts_those_are_said_that_hold_in_their_order():
    words = Words({"many": "{n} samples", "none": "nothing", "never": "{missing}"})
    assert words.say_those({"none": True, "never": False, "many": True}, n=2) == ("nothing", "2 samples")
