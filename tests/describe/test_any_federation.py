"""Whatever takes a federation takes its file, and the name of an example."""

import inspect
from pathlib import Path

import pytest

import fedpact as fp
from fedpact.describe.any_federation import read_federation

PARTS = (fp, fp.game, fp.mechanism, fp.planning)
NEEDED = {
    "at_confidence": {"confidence": 0.9},
    "best_response": {"m": [1, 1]},
    "forecast": {"runs": 1, "batch": 9},
    "frontier": {"delta": [0.1]},
    "mixed_equilibrium": {"worth": 100},
    "audit": {"n_misreports": 1},
    "compare_rules": {"n_misreports": 1, "ceiling": 1},
    "obliviousness": {"n_misreports": 1},
    "regret": {"m": [1, 1]},
    "select": {"labels": "h1"},
    "settle": {"plan": [3, 2]},
    "verify": {"m": [3, 2]},
}
FUNCTIONS = {
    name: function
    for part in PARTS
    for name in part.__all__
    if inspect.isfunction(function := getattr(part, name)) and "fed" in inspect.signature(function).parameters
}


def test_the_federation_comes_first_and_options_by_name():
    positional = {"plan": ["method"], "settle": ["plan", "rule"], "verify": ["m"], "audit": ["rule"]}
    for name, function in FUNCTIONS.items():
        first, *others = inspect.signature(function).parameters.values()
        assert (first.name, first.default) == ("fed", inspect.Parameter.empty)
        options = [one.name for one in others if one.kind is one.POSITIONAL_OR_KEYWORD]
        if name in positional:
            assert options == positional[name]
        else:
            assert all(one.default is one.empty for one in others if one.name in options), name
    assert len(FUNCTIONS) > 20


def say(function, given, options):
    """What comes of it: the kind of the answer, or why there is none."""
    try:
        return type(function(given, **options))
    except fp.FederationError as error:
        return str(error)


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_a_function_of_a_federation_takes_the_name_of_an_example(name, tmp_path):
    options = {"path": tmp_path / "saved.toml"} if name == "save" else NEEDED.get(name, {})
    fed = fp.examples.build("pwyc-not-dominant")
    assert say(FUNCTIONS[name], "pwyc-not-dominant", options) == say(FUNCTIONS[name], fed, options)


def test_a_path_works_and_so_does_its_text(tmp_path):
    path = tmp_path / "network.toml"
    fp.save("alice-bob(0.05)", path)
    wanted = fp.plan(fp.examples.alice_bob(0.05)).contributions
    for given in (path, str(path), "alice-bob(0.05)"):
        assert fp.plan(given).contributions == wanted
    assert fp.check("alice-bob").summary == fp.planning.summarise("alice-bob")
    assert fp.protocol.run(path, method="tree", teacher="xA").contributions == wanted
    assert "alice" in fp.web.export_html("alice-bob", method="union")


def test_a_federation_is_handed_on():
    fed = fp.examples.alice_bob()
    assert read_federation(fed) is fed


REFUSED = [
    ("alice-bop", "'alice-bop' is neither a file nor an example; did you mean 'alice-bob'?"),
    ("alice-bop(0.1)", "'alice-bop(0.1)' is neither a file nor an example; did you mean 'alice-bob'?"),
    ("", "'' is neither a file nor an example; known: 'alice-bob', "),
    ("nowhere.toml", "nowhere.toml: no such file"),
    (Path("nowhere"), "nowhere: "),
    ("alice.report.npz", "alice.report.npz is one site's report, not a federation; make one of all reports"),
    ("alice-bob(2)", "example 'alice-bob': "),
    (3, "a federation, its file or the name of an example is needed; it is 3"),
]


def test_what_is_neither_is_said_in_one_line():
    for given, message in REFUSED:
        with pytest.raises(fp.FederationError) as caught:
            fp.plan(given)
        assert str(caught.value).startswith(message)
        assert len(str(caught.value).splitlines()) == 1
