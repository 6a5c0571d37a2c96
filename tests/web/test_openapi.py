"""The API against its own description: whatever is sent, no answer is our bug."""

from typing import get_args

import pytest
from hypothesis import HealthCheck, given, settings

from fedpact.web.app import make_app
from fedpact.web.limits import Limits
from fedpact.web.parts import PAGES, PARTS
from fedpact.web.routes import PageName, PartName
from serving import serving

schemathesis = pytest.importorskip("schemathesis")
pytestmark = pytest.mark.slow
SCHEMA = schemathesis.openapi.from_dict(make_app().openapi())
OPERATIONS = {found.ok().label: found.ok() for found in SCHEMA.get_all_operations()}
CASES = [(name, key) for name in OPERATIONS for key in (None, "alice-bob") if key is None or "{key}" in name]
"""Every operation with whatever key is drawn, and with one that there is."""


@pytest.fixture(scope="module")
def hurried():
    """A server whose work ends soon."""
    with serving(limits=Limits(job_seconds=2, quick_seconds=5)) as address:
        yield address


@pytest.mark.slow
@pytest.mark.parametrize(("name", "key"), CASES)
def test_whatever_is_sent_no_answer_is_a_bug(name, key, hurried):
    @settings(
        max_examples=3 if "export.html" in name else 15, deadline=None, suppress_health_check=list(HealthCheck)
    )
    @given(case=OPERATIONS[name].as_strategy())
    def send(case):
        if case.query and "wait" in case.query:
            case.query["wait"] = 0
        if key is not None:
            case.path_parameters["key"] = key
        answer = case.call(base_url=hurried, timeout=30)
        case.validate_response(answer, checks=[schemathesis.checks.not_a_server_error])

    send()


def test_pages_and_parts_of_the_description_are_those_there_are():
    assert set(get_args(PageName)) == set(PAGES)
    assert set(get_args(PartName)) == set(PARTS)


def test_the_description_is_typed(client):
    found = client.get("/openapi.json").json()
    assert found["info"]["title"] == "fedpact"
    for path, operations in found["paths"].items():
        for operation in operations.values():
            good = next(answer for status, answer in operation["responses"].items() if status in ("200", "201"))
            kinds = good["content"].items()
            assert any("$ref" in str(kind) or name.startswith("text/") for name, kind in kinds), path
            assert operation["summary"]
