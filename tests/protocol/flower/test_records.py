import pytest
from flwr.app import ConfigRecord, MetricRecord, RecordDict

from fedpact.errors import MessageError
from fedpact.protocol.flower.records import STEPS, from_content, to_content


def test_bytes_travel_unchanged():
    data = bytes(range(256))
    assert from_content(to_content(data)) == data


FOREIGN = {
    "nothing": RecordDict(),
    "another-name": RecordDict({"other": ConfigRecord({"data": b"x"})}),
    "another-key": RecordDict({"fedpact": ConfigRecord({"code": b"x"})}),
    "one-key-more": RecordDict({"fedpact": ConfigRecord({"data": b"x", "more": 1})}),
    "one-record-more": RecordDict({"fedpact": ConfigRecord({"data": b"x"}), "more": ConfigRecord({})}),
    "numbers": RecordDict({"fedpact": MetricRecord({"data": 1})}),
    "text": RecordDict({"fedpact": ConfigRecord({"data": "x"})}),
    "too-long": to_content(b"x" * 11),
}


@pytest.mark.parametrize("content", FOREIGN.values(), ids=FOREIGN)
def test_anything_else_is_refused(content):
    with pytest.raises(MessageError):
        from_content(content, most=10)


def test_message_types_are_what_flower_routes():
    for message_type in STEPS.values():
        category, action = message_type.split(".")
        assert category in {"query", "train", "evaluate"}
        assert action.isidentifier()
