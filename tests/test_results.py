"""Every result class, found by introspection: its dictionary is plain data with codes, and reads back."""

import contextlib
import json
import re
from dataclasses import fields
from enum import Enum

import numpy as np
import pytest

from fedpact.errors import FormatError
from fedpact.explain.words import words_of
from fedpact.plain import hint_of, key_of
from fedpact.result import Result, read_result
from result_instances import build, find_results

RECORDS = find_results()
RESULTS = {kind: cls for kind, cls in RECORDS.items() if issubclass(cls, Result)}
CODE = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
SEEDS = range(30)


def write(entry: object) -> str:
    return json.dumps(entry, allow_nan=False)


@pytest.mark.parametrize("kind", RECORDS)
def test_a_result_reads_back_what_it_wrote(kind):
    cls = RECORDS[kind]
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
    result = build(RESULTS[kind], np.random.default_rng(1))
    entry = result.to_dict()
    assert list(entry)[:2] == ["kind", "schema"]
    assert entry["kind"] == kind
    assert type(entry["schema"]) is int
    if "experiments" not in RESULTS[kind].__module__:
        assert write(read_result(entry).to_dict()) == write(entry)


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
            for name in (*(one.name for one in fields(hint)), *getattr(hint, "DERIVED", ())):
                for enum in walk(hint_of(hint, name)):
                    found[name, enum] = enum
            return []
        return [enum for part in getattr(hint, "__args__", ()) for enum in walk(part)]

    walk(cls)
    return found


@pytest.mark.parametrize("kind", RESULTS)
def test_codes_are_short_and_stable(kind):
    for enum in codes_of(RESULTS[kind]).values():
        for member in enum:
            assert CODE.fullmatch(str(member.value)), f"{enum.__name__}.{member.name} is no code"
            assert str(member) == member.value, f"{enum.__name__} is no StrEnum"


@pytest.mark.parametrize("kind", RESULTS)
def test_every_result_has_a_status_and_each_status_its_words(kind):
    cls = RESULTS[kind]
    assert "status" in build(cls, np.random.default_rng(3)).to_dict()
    said = [key for key in words_of(kind).texts if key.startswith("status.")]
    assert not said or {f"status.{member}" for member in hint_of(cls, "status")} == set(said)


@pytest.mark.parametrize("kind", RESULTS)
def test_a_malformed_dictionary_is_refused_in_one_line(kind):
    cls = RESULTS[kind]
    entry = build(cls, np.random.default_rng(2)).to_dict()
    wrong = {
        "is not a key": entry | {"surplus": 1},
        "has schema 99": entry | {"schema": 99},
        "has kind 'soup'": entry | {"kind": "soup"},
        "must be one of": entry | {"status": "no such code"},
    }
    optional = {key_of(one) for one in fields(cls) if one.metadata.get("is_optional")}
    for key in entry:
        if key not in optional:
            wrong[f"{key!r} is missing"] = {other: value for other, value in entry.items() if other != key}
    for said, malformed in wrong.items():
        with pytest.raises(FormatError, match=re.escape(said)) as caught:
            cls.from_dict(malformed)
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize("kind", RECORDS)
def test_a_value_of_another_type_is_refused_or_read_and_nothing_else(kind):
    entry = build(RECORDS[kind], np.random.default_rng(4)).to_dict()
    for key in entry:
        for value in ([[]], {"a": [None]}, "no such code", -1, None):
            with contextlib.suppress(FormatError):
                RECORDS[kind].from_dict(entry | {key: value})
