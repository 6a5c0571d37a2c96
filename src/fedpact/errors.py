"""Every exception that fedpact raises on purpose.

::

    FedpactError
    ├── FederationError (also a ValueError)   the description or the request is malformed
    │   ├── FormatError                       a stored result or file is malformed, or of another format
    │   └── RuleError                         a payment rule cannot be applied to this federation or plan
    │       └── NotOptimalError               the request needs the optimum, and the plan is only bounded
    ├── InfeasibleError                       no contribution vector can meet the targets
    │   └── NoPlanFoundError                  a method finds none within the capacities, though one may exist
    ├── MissingExtraError                     an optional package is not installed
    ├── ProtocolError                         a run between operator and sites cannot start or go on
    │   ├── LabelsPendingError                labels are not there yet, and are worth waiting for
    │   ├── MessageError                      what arrived is not a message that this side may accept
    │   └── LedgerError                       a ledger is not there, was changed, or cannot be written to
    │       └── BrokenLedgerError             an entry, or a byte beside the entries, is not what was written
    └── SolverError                           a solver stopped without an answer

The command line turns ``InfeasibleError`` into exit code 3 and the others into 1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, ParamSpec, TypeVar

__all__ = [
    "BrokenLedgerError",
    "FederationError",
    "FedpactError",
    "FormatError",
    "InfeasibleError",
    "LabelsPendingError",
    "LedgerError",
    "MessageError",
    "MissingExtraError",
    "NoPlanFoundError",
    "NotOptimalError",
    "ProtocolError",
    "RuleError",
    "SolverError",
]

P = ParamSpec("P")
T = TypeVar("T")


class FedpactError(Exception):
    """Root of all errors that fedpact raises on purpose.

    What results record of an error is without words: ``code``, one of a few stable ones, and what it is about.
    """

    code: str = "not-applicable"
    values: Mapping[str, Any] | None = None

    def __init__(
        self,
        message: str,
        *,
        code: str | None = None,
        agents: tuple[str, ...] = (),
        pair: tuple[str, str] | None = None,
        **values: Any,
    ) -> None:
        self.agents, self.pair = agents, pair
        self.code, self.values = code or self.code, values or None
        super().__init__(message)


class FederationError(FedpactError, ValueError):
    """The description of a federation, or a request about it, is malformed.

    Parameters
    ----------
    problems
        One sentence per problem, each naming the agent or field, the value, the rule and the next step.

    Examples
    --------
    >>> str(FederationError("delta must lie strictly between 0 and 1; it is 2.0"))
    'delta must lie strictly between 0 and 1; it is 2.0'
    >>> str(FederationError(["first problem", "second problem"]))
    'first problem (and 1 more problem)'
    """

    def __init__(self, problems: str | Iterable[str], **about: Any) -> None:
        self.problems = (problems,) if isinstance(problems, str) else tuple(problems)
        more = len(self.problems) - 1
        suffix = f" (and {more} more problem{'s' if more > 1 else ''})" if more else ""
        super().__init__(self.problems[0] + suffix, **about)


class FormatError(FederationError):
    """A dictionary or file is not as fedpact writes it, or of a format that this version does not read."""


class RuleError(FederationError):
    """A payment rule cannot be applied to this federation or plan; ``code`` and ``values`` say why."""


class NotOptimalError(RuleError):
    """A rule needs a plan that is proved to be optimal, and this one is only bounded."""

    code = "not-optimal"


class InfeasibleError(FedpactError):
    """No contribution vector meets the targets; says which agents and which pair of hypotheses block it."""

    code = "no-plan"


class NoPlanFoundError(InfeasibleError):
    """A method finds no contribution vector within the capacities; one that it cannot prove may exist."""

    code = "no-plan-found"

    def __init__(
        self, method: str, why: str, *, agents: tuple[str, ...] = (), pair: tuple[str, str] | None = None
    ) -> None:
        self.method, self.why = method, why
        what = f"method {method!r} cannot prove any plan within the capacities: {why}"
        super().__init__(what, agents=agents, pair=pair)

    def by(self, method: str) -> NoPlanFoundError:
        """Say the same of another method."""
        return NoPlanFoundError(method, self.why, agents=self.agents, pair=self.pair)


class MissingExtraError(FedpactError):
    """Something was asked for that needs an optional package; gives the line that installs it.

    Examples
    --------
    >>> str(MissingExtraError("drawing", extra="plot"))
    'drawing needs an optional package; install it with: pip install "fedpact[plot]"'
    """

    def __init__(self, what: str, *, extra: str) -> None:
        self.extra = extra
        super().__init__(f'{what} needs an optional package; install it with: pip install "fedpact[{extra}]"')


class SolverError(FedpactError):
    """A solver stopped without an answer; carries the solver's own status."""

    def __init__(self, message: str, *, solver_status: str) -> None:
        self.solver_status = solver_status
        super().__init__(f"{message} (solver status: {solver_status})")


class ProtocolError(FedpactError):
    """A run of the protocol cannot start or go on; says at which side and what to do."""


class MessageError(ProtocolError):
    """Bytes that arrived are not a message of the protocol, or not one that this side may accept."""


class LabelsPendingError(ProtocolError):
    """A site's labels are not there yet; says what it waits for. The operator goes on asking until it gives up."""


class LedgerError(ProtocolError):
    """A ledger is not there, is another's, was changed, or cannot be written to."""


class BrokenLedgerError(LedgerError):
    """A ledger is not as it was written; has a code for what was found, and the entry that shows it, if one does.

    Examples
    --------
    >>> str(BrokenLedgerError("missing", seq=7))
    'entry 7 is missing'
    >>> str(BrokenLedgerError("no-ledger"))
    'this is not a ledger, or the first bytes of the file were changed'
    """

    def __init__(self, code: str, *, seq: int | None = None, **values: Any) -> None:
        self.seq = seq
        super().__init__(code, code=code, **values)

    def __str__(self) -> str:
        from fedpact.explain.words import words_of  # the only place with words

        return words_of("ledger-check").say(f"why.{self.code}", seq=self.seq, **(self.values or {}))


class Problems:
    """Collects every problem of one description, so that a user sees all of them at once."""

    def __init__(self) -> None:
        self._found: list[str] = []

    def add(self, problem: str) -> None:
        """Note one problem, once."""
        if problem not in self._found:
            self._found.append(problem)

    def read(self, where: str, read: Callable[P, T], *args: P.args, **options: P.kwargs) -> T | None:
        """Read something; what is wrong with it is noted, each problem after ``where``, and the answer is None."""
        try:
            return read(*args, **options)
        except FederationError as error:
            for problem in error.problems:
                self.add(where + problem)
            return None

    def __bool__(self) -> bool:
        return bool(self._found)

    def raise_if_any(self) -> None:
        """Raise one :class:`FederationError` with everything noted so far."""
        if self._found:
            raise FederationError(self._found)

    def insist(self, found: T | None) -> T:
        """Return what was read, or raise everything noted so far: what could not be read was noted."""
        self.raise_if_any()
        assert found is not None, "what is missing was noted"
        return found
