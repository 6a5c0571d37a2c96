"""From a file to plain values, whatever they mean."""

import pytest

from fedpact.describe.parsing import DEEPEST, has_known_keys, one_line, parse, syntax_of
from fedpact.errors import FederationError, Problems


def noted(problems):
    with pytest.raises(FederationError) as caught:
        problems.raise_if_any()
    return caught.value.problems


def test_the_ending_tells_the_syntax(tmp_path):
    assert (syntax_of(tmp_path / "a.TOML"), syntax_of(tmp_path / "a.b.json")) == ("TOML", "JSON")
    with pytest.raises(FederationError, match=r"must end in .toml or .json; this one ends in '.yaml'"):
        syntax_of(tmp_path / "a.yaml")


def test_a_key_given_twice_is_noted_and_the_last_one_read(tmp_path):
    path, problems = tmp_path / "twice.json", Problems()
    path.write_text('{"a": {"b": 1, "b": 2}}', encoding="utf-8")
    assert parse(path, problems) == {"a": {"b": 2}}
    assert noted(problems) == ("key 'b' is given twice in one table; keep one of them",)


@pytest.mark.parametrize(("levels", "is_read"), [(DEEPEST - 1, True), (DEEPEST + 1, False), (100_000, False)])
def test_deep_nesting_is_refused(tmp_path, levels, is_read):
    path = tmp_path / "deep.json"
    path.write_text('{"a": ' + "[" * (levels - 1) + "]" * (levels - 1) + "}", encoding="utf-8")
    if is_read:
        assert "a" in parse(path, Problems())
    else:
        with pytest.raises(FederationError, match="nested too deeply"):
            parse(path, Problems())


def test_unknown_keys_are_noted_with_the_nearest():
    problems = Problems()
    assert has_known_keys({"delta": 1}, ("delta", "epsilon"), "", problems)
    assert not has_known_keys({"delta": 1, "epsilom": 2}, ("delta", "epsilon"), "here: ", problems)
    assert noted(problems) == ("here: unknown key 'epsilom' (did you mean 'epsilon'?)",)


def test_what_would_garble_a_terminal_is_escaped():
    assert one_line("naïve\n\x1b[31m") == r"naïve\n\x1b[31m"
