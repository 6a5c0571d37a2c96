"""What the API answers, typed for its OpenAPI description.

Results of the package keep their own keys (those of ``--json``); here stands what they are wrapped in.
"""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, Field


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
    evidence: str
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

    id: str
    name: str
    state: str = Field(description="waiting, running, done, failed or cancelled")
    share: float = Field(description="How much is done, from 0 to 1.")
    saying: str = Field(description="What is being done.")
    problems: list[str]
    seconds: float | None = Field(description="How long it ran.")


class PartView(BaseModel):
    """One question about a federation, and its answer if it is there."""

    part: str
    title: str
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
