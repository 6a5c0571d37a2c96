"""Every result class, found by introspection: its dictionary is plain data with codes, and reads back."""

import json
import re
from dataclasses import MISSING, fields
from enum import Enum

import numpy as np
import pytest

from fedpact.errors import FormatError
from fedpact.explain.words import words_of
from fedpact.plain import hints_of, key_of
from instances import build, find_results

RESULTS = find_results()
CODE = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
SEEDS = range(30)


def write(entry: object) -> str:
    return json.dumps(entry, allow_nan=False)


@pytest.mark.parametrize("kind", RESULTS)
def test_a_result_reads_back_what_it_wrote(kind):
    cls = RESULTS[kind]
    for seed in SEEDS:
        result = build(cls, np.random.default_rng(seed))
        entry = json.loads(write(result.to_dict()))
        again = cls.from_dict(entry)
        assert write(again.to_dict()) == write(entry)
        if cls.__eq__ is not object.__eq__ and not any(
            isinstance(v, np.ndarray) for v in vars_of(result).values()
        ):
            assert again == result


def vars_of(result):
    return {one.name: getattr(result, one.name) for one in fields(result)}


@pytest.mark.parametrize("kind", RESULTS)
def test_a_dictionary_says_what_it_is(kind):
    entry = build(RESULTS[kind], np.random.default_rng(1)).to_dict()
    assert list(entry)[:2] == ["kind", "schema"]
    assert entry["kind"] == kind
    assert type(entry["schema"]) is int


def codes_of(cls):
    """The enums that a class holds, itself and in its parts: key -> enum."""
    found, seen = {}, set()

    def walk(hint):
        if isinstance(hint, type) and issubclass(hint, Enum):
            return [hint]
        if hasattr(hint, "__dataclass_fields__"):
            if hint in seen:
                return []
            seen.add(hint)
            for one in fields(hint):
                for enum in walk(hints_of(hint)[one.name]):
                    found[key_of(one), enum] = enum
            return []
        return [enum for part in getattr(hint, "__args__", ()) for enum in walk(part)]

    walk(cls)
    return found


@pytest.mark.parametrize("kind", RESULTS)
def test_statuses_are_codes_and_each_has_its_words(kind):
    for (key, _), enum in codes_of(RESULTS[kind]).items():
        for member in enum:
            assert CODE.fullmatch(str(member.value)), f"{enum.__name__}.{member.name} is no code"
            assert str(member) == member.value, f"{enum.__name__} is no StrEnum"
        if key == "status" and hints_of(RESULTS[kind]).get("status") is enum:
            missing = [member.value for member in enum if f"status.{member}" not in words_of(kind)]
            assert not missing, f"words/{kind}.toml lacks [status] {missing}"


def is_required(one):
    return one.default is MISSING and one.default_factory is MISSING and not one.metadata.get("is_optional")


@pytest.mark.parametrize("kind", RESULTS)
def test_a_malformed_dictionary_is_refused_in_one_line(kind):
    cls = RESULTS[kind]
    entry = build(cls, np.random.default_rng(2)).to_dict()
    required = next(key_of(one) for one in fields(cls) if is_required(one))
    wrong = {
        "is missing": {key: value for key, value in entry.items() if key != required},
        "is not a key": entry | {"surplus": 1},
        "has schema 99": entry | {"schema": 99},
        "has kind 'soup'": entry | {"kind": "soup"},
        "'schema' is missing": {key: value for key, value in entry.items() if key != "schema"},
    }
    if isinstance(hints_of(cls).get("status"), type) and issubclass(hints_of(cls)["status"], Enum):
        wrong["must be one of"] = entry | {"status": "no such code"}
    for said, malformed in wrong.items():
        with pytest.raises(FormatError, match=re.escape(said)) as caught:
            cls.from_dict(malformed)
        assert "\n" not in str(caught.value)
