"""Why a message is not accepted, a site is given up, or a run stops: the codes that ledgers keep."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from fedpact.coded import Coded, coded
from fedpact.describe.parsing import one_line
from fedpact.errors import FedpactError, MessageError
from fedpact.protocol.messages import NotSignedError

FLAGGED = "flagged"
"""Why a site is not paid: the check of its contribution flagged it."""
_MOST_WORDS = 500
"""Characters, at most, of what somebody else said."""


class Why(StrEnum):
    """Codes of ``refuse``, ``gone`` and ``stop``."""

    LATE = "late"
    """No answer within the time agreed on."""
    REFUSED = "refused"
    """The site says that it will not."""
    UNUSABLE = "unusable"
    """The site's answer cannot be read."""
    REPORT_OF_ANOTHER = "report-of-another"
    """The report is another site's."""
    POOL_TOO_LARGE = "pool-too-large"
    """The site can label more points than it reports on."""
    OTHER_CANDIDATES = "other-candidates"
    """The report is about other candidates."""
    OTHER_NUMBER = "other-number-of-candidates"
    """The report is about more or fewer candidates."""
    WRONG_LENGTH = "wrong-length"
    """There is not one count of mistakes for each candidate."""
    TOO_MANY = "too-many-samples"
    """More samples than were asked for."""
    OTHER_STATEMENT = "other-statement"
    """The receipt is for another statement."""
    MALFORMED = "malformed"
    """What arrived is no message of the protocol."""
    NOT_SIGNED = "not-signed"
    """A message is not signed with the key of the site that it names."""
    OTHER_RUN = "other-run"
    """An answer is about another run."""
    NOT_ASKED = "not-asked"
    """An answer to what the site was not asked."""
    ANSWERED_DIFFERENTLY = "answered-differently"
    """A second answer that differs from the first."""
    GIVEN_UP = "given-up"
    """An answer of a site that was given up."""
    NODE_OTHER_GREETING = "node-other-greeting"
    """A node that names a site answers another greeting than the one it was sent."""
    NODE_NOT_SIGNED = "node-not-signed"
    """A node that names a site does not sign."""
    NODE_OTHER_KEY = "node-other-key"
    """A node that names a site signs with another key."""
    NODE_FAILED = "node-failed"
    """A node answers a request with an error."""
    CANDIDATES_DIFFER = "candidates-differ"
    """The sites do not compare the same candidates."""
    NOBODY_LEFT = "nobody-left"
    """No site is left that has reported."""
    TOO_MANY_CANDIDATES = "too-many-candidates"
    """The report is about more candidates than anybody compares."""
    HIDES_TOO_MUCH = "hides-too-much"
    """The report hides larger counts than the pact allows."""
    TOO_MANY_CLASSES = "too-many-classes"
    """The report says that there are more labels than the pact allows."""
    OVER_BUDGET = "over-budget"
    """The plan comes to more than the operator has agreed to pay."""
    NO_PLAN = "no-plan"
    """There is no plan for the sites that are left."""


class NotAcceptedError(MessageError):
    """What a site says cannot be used, and why."""

    def __init__(self, why: Why, **values: Any) -> None:
        self.why = coded(why, **values)
        super().__init__(str(why))


def cut(text: str) -> str:
    """Cut what somebody else made long, or full of control characters, to what people can read."""
    line = one_line(text)
    return line if len(line) <= _MOST_WORDS else f"{line[: _MOST_WORDS - 3]}..."


def reason_of(error: FedpactError, otherwise: Why) -> Coded:
    """Return what an error says as a code."""
    if isinstance(error, NotAcceptedError):
        return error.why
    if isinstance(error, NotSignedError):
        return coded(Why.NOT_SIGNED, site=cut(error.site))
    return coded(otherwise, detail=cut(str(error)))
