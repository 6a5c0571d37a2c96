"""What the API answers, typed for its OpenAPI description.

Results of the package keep their own keys (those of ``--json``); here stands what they are wrapped in.
"""

from __future__ import annotations

from typing import Any

from pydantic import AliasPath, BaseModel, ConfigDict, Field

from fedpact.protocol import RunStatus
from fedpact.protocol.pact import RUN_RULES


class _Described(BaseModel):
    """Values whose descriptions stand below them, as everywhere in fedpact."""

    model_config = ConfigDict(use_attribute_docstrings=True)


class Problems(_Described):
    """Why something was refused."""

    problems: list[str]
    """One sentence each: what, where, the rule, what to do next."""


class AgentView(_Described):
    """A data owner."""

    name: str
    epsilon: float
    cost: float | dict[str, Any]
    capacity: int | None


class FederationView(_Described):
    """A federation, as an address has it."""

    key: str
    """Stands in addresses."""
    source: str
    name: str
    evidence: str
    """table, predictions, reports or none"""
    fewest_points: int | None
    most_points: int | None
    hidden: list[str]
    """Whose small counts are hidden."""
    noisy: list[str]
    """Whose counts have noise."""
    confidence: float | None
    agents: list[AgentView]
    hypotheses: int
    hypotheses_given: int
    delta: float
    objective: str
    guarantee: str
    address: str
    """Of its page."""


class ExampleView(_Described):
    """A federation that comes with fedpact."""

    key: str
    summary: str


class JobView(_Described):
    """Work under way, or done."""

    model_config = ConfigDict(from_attributes=True)

    id: str
    name: str
    state: str
    """waiting, running, done, failed or cancelled"""
    share: float
    """How much is done, from 0 to 1."""
    saying: str
    """What is being done."""
    problems: list[str]
    seconds: float | None
    """How long it ran."""


class PartView(_Described):
    """One question about a federation, and its answer if it is there."""

    part: str = Field(validation_alias=AliasPath("part", "name"))
    title: str = Field(validation_alias=AliasPath("part", "title"))
    state: str
    """idle, waiting, running, done, failed or cancelled"""
    is_draft: bool
    """Whether the answer is a draft, shown until the one asked for is there."""
    has_no_plan: bool
    """Whether it failed because no plan exists."""
    answer: dict[str, Any] | None
    problems: list[str]
    job: JobView | None


class PageView(_Described):
    """A page as plain values."""

    page: str
    federation: FederationView
    options: dict[str, Any]
    problems: dict[str, str]
    """Field of the address -> what is wrong with its value."""
    parts: dict[str, PartView]


class FederationText(_Described):
    """A federation file as text."""

    text: str
    """TOML or JSON, as in a file."""
    syntax: str | None = Field(default=None, description='"toml" or "json"; found out if not given.')


class RunRequest(_Described):
    """A run to start: sites are made up from a federation, and a hypothesis labels for all of them."""

    model_config = ConfigDict(extra="forbid")

    federation: str
    """Key of the federation."""
    query: str = ""
    """What an address changes of it: what stands behind its ?."""
    method: str = "auto"
    """auto, tree, union or lp."""
    rule: str = Field(default="pwyc", description=f"{', '.join(RUN_RULES[:-1])} or {RUN_RULES[-1]}.")
    fee: float | str | dict[str, float | str] | None = None
    """What each pays for taking part, or by name; with the rule pwyc only."""
    false_alarm_rate: float | str = 0.01
    """Chance, at most, of withholding pay from an honest site."""
    teacher: str | None = None
    """The hypothesis that labels; drawn if not given."""
    seed: int = Field(default=0, ge=0, lt=2**63)
    """Of the sites' samples, and of a teacher that is drawn."""


class StepView(_Described):
    """An entry of a ledger, for people."""

    seq: int
    at: float
    """Seconds since the epoch, by the clock of who wrote it."""
    time: str
    """The same, as people write it (UTC)."""
    run: str
    kind: str
    what: str
    hash: str


class SiteView(_Described):
    """How far a site is."""

    site: str
    epsilon: float
    reported: bool
    samples: int
    """That it has labelled."""
    quota: int | None
    """That it is to label; null before there is a plan."""
    error: float | None
    """Of the chosen hypothesis on its held-out samples."""
    met: bool | None
    """Whether that meets its target."""
    paid: float | None
    received: bool
    """Whether it has signed for its statement."""
    gone: str | None
    """When and why it was lost."""
    withheld: str | None
    """Why it is not paid."""
    asked: str | None
    """The step for which an answer is waited for."""
    statement: str | None
    """Address of its statement, if it has one."""


class RunLine(_Described):
    """A run among others."""

    key: str
    name: str
    condition: str
    """preparing, running, finished, stopped, cancelled, failed, interrupted or followed"""
    problems: list[str]
    created: float | None
    """Seconds since the epoch."""
    federation: str | None = None
    """Address of what it was started from."""
    teacher: str | None = None
    seed: int | None = None
    can_cancel: bool
    can_continue: bool
    continue_with: str | None
    """The command that continues it without this server."""
    address: str


class Standing(_Described):
    """How far the last run of a ledger is; nothing is known before there is one."""

    run: str | None = None
    """Its name; null if the ledger has no run yet."""
    status: RunStatus | None = None
    """What the ledger says of it."""
    terms: dict[str, Any] = {}
    """What was agreed on."""
    outcome: dict[str, Any] | None = None
    """As "fedpact run --json" has it."""
    sites: list[SiteView] = []
    length: int = 0
    """Entries of the ledger."""
    head: str | None = None
    """Hash of the newest."""


class RunView(Standing, RunLine):
    """A run, or a ledger that is followed."""

    entries: list[StepView]
    """After the number that was asked for, up to 500."""
    more: bool
    """Whether others follow them."""
    trouble: str | None
    """Why the ledger cannot be read, if it cannot."""
    events: str
    """Address of what happens next, as server-sent events."""


class RunPageView(_Described):
    """What can be run of a federation."""

    federation: FederationView
    refused: str | None
    """Why it cannot be run here, if it cannot."""
    methods: list[str]
    rules: list[str]
    hypotheses: list[str]
    """Who may label."""
    runs: list[RunLine]


class StatementView(_Described):
    """A statement of payment, and where it is shown."""

    site: str
    amount: float
    status: str
    page: str
    address: str
    statement: dict[str, Any]
    """As the operator signed it, and where it stands in the books."""


class CheckView(_Described):
    """Whether a ledger is as it was written, and whether its books add up."""

    state: str
    """waiting, running, done, failed or cancelled"""
    is_sound: bool | None
    """Whether nothing is wrong; null until it is known."""
    ledger: dict[str, Any] | None
    books: dict[str, Any] | None
    """null if the ledger is broken"""
    problems: list[str]
    job: JobView
