"""What the API answers, typed for its OpenAPI description.

Results of the package keep their own keys (those of ``--json``); here stands what they are wrapped in.
"""

from __future__ import annotations

from typing import Any

from pydantic import AliasPath, BaseModel, ConfigDict, Field

from fedpact.protocol import RunStatus
from fedpact.protocol.pact import RUN_RULES


class Problems(BaseModel):
    """Why something was refused."""

    problems: list[str] = Field(description="One sentence each: what, where, the rule, what to do next.")


class AgentView(BaseModel):
    """A data owner."""

    name: str
    epsilon: float
    cost: float | dict[str, Any]
    capacity: int | None


class FederationView(BaseModel):
    """A federation, as an address has it."""

    key: str = Field(description="Stands in addresses.")
    source: str
    name: str
    evidence: str = Field(description="table, predictions, reports or none")
    fewest_points: int | None
    most_points: int | None
    hidden: list[str] = Field(description="Whose small counts are hidden.")
    noisy: list[str] = Field(description="Whose counts have noise.")
    confidence: float | None
    agents: list[AgentView]
    hypotheses: int
    hypotheses_given: int
    delta: float
    objective: str
    guarantee: str
    address: str = Field(description="Of its page.")


class ExampleView(BaseModel):
    """A federation that comes with fedpact."""

    key: str
    summary: str


class JobView(BaseModel):
    """Work under way, or done."""

    model_config = ConfigDict(from_attributes=True)

    id: str
    name: str
    state: str = Field(description="waiting, running, done, failed or cancelled")
    share: float = Field(description="How much is done, from 0 to 1.")
    saying: str = Field(description="What is being done.")
    problems: list[str]
    seconds: float | None = Field(description="How long it ran.")


class PartView(BaseModel):
    """One question about a federation, and its answer if it is there."""

    part: str = Field(validation_alias=AliasPath("part", "name"))
    title: str = Field(validation_alias=AliasPath("part", "title"))
    state: str = Field(description="idle, waiting, running, done, failed or cancelled")
    is_draft: bool = Field(description="Whether the answer is a draft, shown until the one asked for is there.")
    has_no_plan: bool = Field(description="Whether it failed because no plan exists.")
    answer: dict[str, Any] | None
    problems: list[str]
    job: JobView | None


class PageView(BaseModel):
    """A page as plain values."""

    page: str
    federation: FederationView
    options: dict[str, Any]
    problems: dict[str, str] = Field(description="Field of the address -> what is wrong with its value.")
    parts: dict[str, PartView]


class FederationText(BaseModel):
    """A federation file as text."""

    text: str = Field(description="TOML or JSON, as in a file.")
    syntax: str | None = Field(default=None, description='"toml" or "json"; found out if not given.')


class RunRequest(BaseModel):
    """A run to start: sites are made up from a federation, and a hypothesis labels for all of them."""

    model_config = ConfigDict(extra="forbid")

    federation: str = Field(description="Key of the federation.")
    query: str = Field(default="", description="What an address changes of it: what stands behind its ?.")
    method: str = Field(default="auto", description="auto, tree, union or lp.")
    rule: str = Field(default="pwyc", description=f"{', '.join(RUN_RULES[:-1])} or {RUN_RULES[-1]}.")
    fee: float | str | dict[str, float | str] | None = Field(
        default=None, description="What each pays for taking part, or by name; with the rule pwyc only."
    )
    false_alarm_rate: float | str = Field(
        default=0.01, description="Chance, at most, of withholding pay from an honest site."
    )
    teacher: str | None = Field(default=None, description="The hypothesis that labels; drawn if not given.")
    seed: int = Field(
        default=0, ge=0, lt=2**63, description="Of the sites' samples, and of a teacher that is drawn."
    )


class StepView(BaseModel):
    """An entry of a ledger, for people."""

    seq: int
    at: float = Field(description="Seconds since the epoch, by the clock of who wrote it.")
    time: str = Field(description="The same, as people write it (UTC).")
    run: str
    kind: str
    what: str
    hash: str


class SiteView(BaseModel):
    """How far a site is."""

    site: str
    epsilon: float
    reported: bool
    samples: int = Field(description="That it has labelled.")
    quota: int | None = Field(description="That it is to label; null before there is a plan.")
    error: float | None = Field(description="Of the chosen hypothesis on its held-out samples.")
    met: bool | None = Field(description="Whether that meets its target.")
    paid: float | None
    received: bool = Field(description="Whether it has signed for its statement.")
    gone: str | None = Field(description="When and why it was lost.")
    withheld: str | None = Field(description="Why it is not paid.")
    asked: str | None = Field(description="The step for which an answer is waited for.")
    statement: str | None = Field(description="Address of its statement, if it has one.")


class RunLine(BaseModel):
    """A run among others."""

    key: str
    name: str
    condition: str = Field(
        description="preparing, running, finished, stopped, cancelled, failed, interrupted or followed"
    )
    problems: list[str]
    created: float | None = Field(description="Seconds since the epoch.")
    federation: str | None = Field(default=None, description="Address of what it was started from.")
    teacher: str | None = None
    seed: int | None = None
    can_cancel: bool
    can_continue: bool
    continue_with: str | None = Field(description="The command that continues it without this server.")
    address: str


class Standing(BaseModel):
    """How far the last run of a ledger is; nothing is known before there is one."""

    run: str | None = Field(default=None, description="Its name; null if the ledger has no run yet.")
    status: RunStatus | None = Field(default=None, description="What the ledger says of it.")
    terms: dict[str, Any] = Field(default={}, description="What was agreed on.")
    outcome: dict[str, Any] | None = Field(default=None, description='As "fedpact run --json" has it.')
    sites: list[SiteView] = []
    length: int = Field(default=0, description="Entries of the ledger.")
    head: str | None = Field(default=None, description="Hash of the newest.")


class RunView(Standing, RunLine):
    """A run, or a ledger that is followed."""

    entries: list[StepView] = Field(description="After the number that was asked for, up to 500.")
    more: bool = Field(description="Whether others follow them.")
    trouble: str | None = Field(description="Why the ledger cannot be read, if it cannot.")
    events: str = Field(description="Address of what happens next, as server-sent events.")


class RunPageView(BaseModel):
    """What can be run of a federation."""

    federation: FederationView
    refused: str | None = Field(description="Why it cannot be run here, if it cannot.")
    methods: list[str]
    rules: list[str]
    hypotheses: list[str] = Field(description="Who may label.")
    runs: list[RunLine]


class StatementView(BaseModel):
    """A statement of payment, and where it is shown."""

    site: str
    amount: float
    status: str
    page: str
    address: str
    statement: dict[str, Any] = Field(description="As the operator signed it, and where it stands in the books.")


class CheckView(BaseModel):
    """Whether a ledger is as it was written, and whether its books add up."""

    state: str = Field(description="waiting, running, done, failed or cancelled")
    is_sound: bool | None = Field(description="Whether nothing is wrong; null until it is known.")
    ledger: dict[str, Any] | None
    books: dict[str, Any] | None = Field(description="null if the ledger is broken")
    problems: list[str]
    job: JobView
