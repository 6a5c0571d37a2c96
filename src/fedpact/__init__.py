"""Who in a federation should label how many samples, at what cost, for what pay, and what if nobody plans.

``fedpact`` implements and corrects "Incentives in Federated Learning with Heterogeneous Agents" (Procaccia,
Shao, Shapira, ICLR 2026).
"""

from importlib import import_module as _import_module
from importlib.metadata import version as _version
from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

from fedpact import candidates
from fedpact.coalition.result import GroupsLookedAt, LeavingGroup, Share, ShareStatus
from fedpact.coalition.share import share
from fedpact.comparison.compare import compare
from fedpact.comparison.equilibria import equilibria
from fedpact.comparison.result import ComparedRow, Comparison
from fedpact.describe import classes, examples
from fedpact.describe.candidate_list import CandidateList
from fedpact.describe.costs import Linear, PiecewiseLinear, Quadratic
from fedpact.describe.federation import Federation
from fedpact.describe.files import load, save
from fedpact.describe.noise import Noise
from fedpact.describe.report_files import read_report
from fedpact.describe.reports import Report
from fedpact.describe.settings import Agent
from fedpact.describe.summary import FileCheck, Summary, check, summarise
from fedpact.describe.ties import TIE
from fedpact.errors import (
    BrokenLedgerError,
    FederationError,
    FedpactError,
    InfeasibleError,
    LabelsPendingError,
    LedgerError,
    MessageError,
    MissingExtraError,
    NoPlanFoundError,
    NotOptimalError,
    ProtocolError,
    SolverError,
)
from fedpact.experiments.averaging import reproduce_averaging
from fedpact.experiments.averaging_result import (
    AveragingExperiment,
    AveragingRow,
    AveragingSetting,
    AveragingStatus,
)
from fedpact.experiments.contribution_check import (
    ContributionSimulation,
    HonestSites,
    LyingSites,
    SimulationStatus,
    reproduce_contribution_check,
)
from fedpact.experiments.coverage import CoverageRow, CoverageSimulation, CoverageStatus, reproduce_coverage
from fedpact.experiments.digit_sites import load_digit_sites
from fedpact.experiments.heart_disease import load_hospitals
from fedpact.experiments.obliviousness import reproduce_obliviousness
from fedpact.experiments.obliviousness_map import ObliviousnessMap, ObliviousnessPoint
from fedpact.experiments.plan_privately import plan_privately, reproduce_digits, reproduce_hospitals
from fedpact.experiments.price_of_stability import StabilityCurve, StabilityRow, reproduce_price_of_stability
from fedpact.experiments.private_plan import CandidateRun, PrivatePlan, PrivatePlanning, SiteReport
from fedpact.experiments.site_data import Labelled, SiteData
from fedpact.experiments.truthfulness import TruthfulnessRow, TruthfulnessSoak, reproduce_truthfulness
from fedpact.game.best_response import best_response
from fedpact.game.dynamics import Dynamics, DynamicsStatus, best_response_dynamics
from fedpact.game.mixed import MixedEquilibrium, MixedStatus, mixed_equilibrium
from fedpact.game.regret import Regret, is_equilibrium, regret
from fedpact.game.result import Equilibria, EquilibriaStatus, PricedEquilibrium
from fedpact.mechanism.audit.audit import audit
from fedpact.mechanism.audit.compare_rules import RuleComparison, RuleRow, compare_rules
from fedpact.mechanism.audit.result import Audit, AuditFinding, AuditStatus
from fedpact.mechanism.contribution.check import check_contribution
from fedpact.mechanism.contribution.check_mistakes import check_mistakes
from fedpact.mechanism.contribution.power import PowerCurve, PowerRow, PowerStatus, contribution_power
from fedpact.mechanism.contribution.result import CheckedPair, ContributionCheck, ContributionStatus
from fedpact.mechanism.obliviousness.obliviousness import is_locally_oblivious, obliviousness
from fedpact.mechanism.obliviousness.refute_payment import Refutation, example_payments, refute_payment
from fedpact.mechanism.obliviousness.result import (
    NeighbourPlan,
    Obliviousness,
    ObliviousnessStatus,
    SteeringOutcome,
    SteeringReport,
)
from fedpact.mechanism.payment.rules import Truthful
from fedpact.mechanism.payment.settle import settle
from fedpact.mechanism.payment.settlement import Settlement, SettlementStatus
from fedpact.mechanism.witness import Witness
from fedpact.planning.build_cover import Cover, cover
from fedpact.planning.frontier import Frontier, FrontierPoint, frontier
from fedpact.planning.more_points import MorePoints
from fedpact.planning.plan import plan
from fedpact.planning.plan_cover import CoverPlan, CoverPlanStatus, plan_cover
from fedpact.planning.result import BindingPair, Plan, PlanStatus
from fedpact.planning.shadow_prices import EpsilonPrice, ShadowPrices, shadow_prices
from fedpact.planning.tradeoff import Tradeoff, TradeoffStatus, tradeoff
from fedpact.protocol.training.averaging import (
    Averaged,
    LeftOut,
    average_weights,
    check_weights,
    fed_avg,
    rng_of_round,
)
from fedpact.protocol.training.averaging_gap import AveragingGap, GapRound, GapScore, GapStatus, measure_gap
from fedpact.statistics.add_noise import add_noise
from fedpact.statistics.confidence import at_confidence
from fedpact.statistics.disagreement import disagreement
from fedpact.statistics.make_report import hide_small_counts, report
from fedpact.statistics.realizability import realizability
from fedpact.statistics.realizability_result import ErrorRate, Realizability, RealizabilityStatus
from fedpact.statistics.standalone import standalone
from fedpact.statistics.verification import Interval, Verification, VerificationStatus, verify

if _TYPE_CHECKING:
    from fedpact.protocol.flower.join import join_federation
    from fedpact.protocol.flower.run_on_flower import (
        run_at_superlink,
        run_in_flower_simulation,
        run_on_local_flower,
    )
    from fedpact.protocol.home import RunHome, prepare_home, read_home
    from fedpact.protocol.keys.check_keys import CertificateCheck, KeysCheck, KeysCheckStatus, check_keys
    from fedpact.protocol.keys.key_set import KeySet, KeysStatus, add_keys, make_keys, read_keys, renew_certificate
    from fedpact.protocol.keys.signing import (
        SigningKey,
        check_signature,
        read_key,
    )
    from fedpact.protocol.ledger.check import LedgerCheck, LedgerStatus
    from fedpact.protocol.ledger.entry import Entry
    from fedpact.protocol.ledger.export import export_ledger, rebuild_ledger
    from fedpact.protocol.ledger.store import Ledger
    from fedpact.protocol.ledger.verify import verify_ledger
    from fedpact.protocol.operator.check_books import BooksCheck, BooksProblem, BooksStatus, check_books
    from fedpact.protocol.operator.operator import Operator, Outgoing, resume_run, start_run
    from fedpact.protocol.operator.outcome import RunOutcome
    from fedpact.protocol.operator.run_state import RunState, RunStatus
    from fedpact.protocol.operator.say_entry import say_entry
    from fedpact.protocol.operator.statements import Statement, StatementStatus, statements_of, write_statements
    from fedpact.protocol.pact import Pact, load_pact, make_pact
    from fedpact.protocol.run import read_outcome, read_progress, resume, run, run_home
    from fedpact.protocol.simulator.faults import Faults
    from fedpact.protocol.simulator.simulate_world import FailedSeedError, SimulatedWorld, simulate_world
    from fedpact.protocol.simulator.soak import FailedSeed, FaultsSoak, FaultsStatus, reproduce_faults
    from fedpact.protocol.site.labelling import (
        Labelling,
        LabellingStatus,
        export_labels,
        import_labels,
        read_labelling,
    )
    from fedpact.protocol.site.pool import Pool
    from fedpact.protocol.site.simulated_sites import simulate_sites
    from fedpact.protocol.site.site import HeldOut, Site, make_site_report
    from fedpact.protocol.site.site_files import read_site
    from fedpact.protocol.site.trained_sites import TrainedSites, train_sites
    from fedpact.protocol.training.rounds import ModelTrainer
    from fedpact.protocol.training.run_gap import measure_run_gap
    from fedpact.protocol.training.terms import TrainingTerms

_WITH_EXTRAS = {
    "fedpact.protocol.flower.join": ("join_federation",),
    "fedpact.protocol.flower.run_on_flower": (
        "run_at_superlink",
        "run_in_flower_simulation",
        "run_on_local_flower",
    ),
    "fedpact.protocol.home": (
        "RunHome",
        "prepare_home",
        "read_home",
    ),
    "fedpact.protocol.keys.check_keys": (
        "CertificateCheck",
        "KeysCheck",
        "KeysCheckStatus",
        "check_keys",
    ),
    "fedpact.protocol.keys.key_set": (
        "KeySet",
        "KeysStatus",
        "add_keys",
        "make_keys",
        "read_keys",
        "renew_certificate",
    ),
    "fedpact.protocol.keys.signing": (
        "SigningKey",
        "check_signature",
        "read_key",
    ),
    "fedpact.protocol.ledger.check": (
        "LedgerCheck",
        "LedgerStatus",
    ),
    "fedpact.protocol.ledger.entry": ("Entry",),
    "fedpact.protocol.ledger.export": (
        "export_ledger",
        "rebuild_ledger",
    ),
    "fedpact.protocol.ledger.store": ("Ledger",),
    "fedpact.protocol.ledger.verify": ("verify_ledger",),
    "fedpact.protocol.operator.check_books": (
        "BooksCheck",
        "BooksProblem",
        "BooksStatus",
        "check_books",
    ),
    "fedpact.protocol.operator.operator": (
        "Operator",
        "Outgoing",
        "resume_run",
        "start_run",
    ),
    "fedpact.protocol.operator.outcome": ("RunOutcome",),
    "fedpact.protocol.operator.run_state": (
        "RunState",
        "RunStatus",
    ),
    "fedpact.protocol.operator.say_entry": ("say_entry",),
    "fedpact.protocol.operator.statements": (
        "Statement",
        "StatementStatus",
        "statements_of",
        "write_statements",
    ),
    "fedpact.protocol.pact": (
        "Pact",
        "load_pact",
        "make_pact",
    ),
    "fedpact.protocol.run": (
        "read_outcome",
        "read_progress",
        "resume",
        "run",
        "run_home",
    ),
    "fedpact.protocol.simulator.faults": ("Faults",),
    "fedpact.protocol.simulator.simulate_world": (
        "FailedSeedError",
        "SimulatedWorld",
        "simulate_world",
    ),
    "fedpact.protocol.simulator.soak": (
        "FailedSeed",
        "FaultsSoak",
        "FaultsStatus",
        "reproduce_faults",
    ),
    "fedpact.protocol.site.labelling": (
        "Labelling",
        "LabellingStatus",
        "export_labels",
        "import_labels",
        "read_labelling",
    ),
    "fedpact.protocol.site.pool": ("Pool",),
    "fedpact.protocol.site.simulated_sites": ("simulate_sites",),
    "fedpact.protocol.site.site": (
        "HeldOut",
        "Site",
        "make_site_report",
    ),
    "fedpact.protocol.site.site_files": ("read_site",),
    "fedpact.protocol.site.trained_sites": (
        "TrainedSites",
        "train_sites",
    ),
    "fedpact.protocol.training.rounds": ("ModelTrainer",),
    "fedpact.protocol.training.run_gap": ("measure_run_gap",),
    "fedpact.protocol.training.terms": ("TrainingTerms",),
}
"""Names that need an optional package, by module; they are imported when they are first asked for."""

_MODULES = {name: module for module, names in _WITH_EXTRAS.items() for name in names}


def __getattr__(name: str) -> _Any:
    """Import a name of the protocol, or say which package it needs."""
    if name not in _MODULES:
        raise AttributeError(f"module 'fedpact' has no attribute {name!r}")
    try:
        found = getattr(_import_module(_MODULES[name]), name)
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package not in ("sqlalchemy", "cryptography", "flwr"):
            raise
        extra = "flower" if package == "flwr" else "protocol"
        raise MissingExtraError(f"fedpact.{name}", extra=extra) from error
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULES})


__version__ = _version("fedpact")

__all__ = [
    "TIE",
    "Agent",
    "Audit",
    "AuditFinding",
    "AuditStatus",
    "Averaged",
    "AveragingExperiment",
    "AveragingGap",
    "AveragingRow",
    "AveragingSetting",
    "AveragingStatus",
    "BindingPair",
    "BooksCheck",
    "BooksProblem",
    "BooksStatus",
    "BrokenLedgerError",
    "CandidateList",
    "CandidateRun",
    "CertificateCheck",
    "CheckedPair",
    "ComparedRow",
    "Comparison",
    "ContributionCheck",
    "ContributionSimulation",
    "ContributionStatus",
    "Cover",
    "CoverPlan",
    "CoverPlanStatus",
    "CoverageRow",
    "CoverageSimulation",
    "CoverageStatus",
    "Dynamics",
    "DynamicsStatus",
    "Entry",
    "EpsilonPrice",
    "Equilibria",
    "EquilibriaStatus",
    "ErrorRate",
    "FailedSeed",
    "FailedSeedError",
    "Faults",
    "FaultsSoak",
    "FaultsStatus",
    "Federation",
    "FederationError",
    "FedpactError",
    "FileCheck",
    "Frontier",
    "FrontierPoint",
    "GapRound",
    "GapScore",
    "GapStatus",
    "GroupsLookedAt",
    "HeldOut",
    "HonestSites",
    "InfeasibleError",
    "Interval",
    "KeySet",
    "KeysCheck",
    "KeysCheckStatus",
    "KeysStatus",
    "Labelled",
    "Labelling",
    "LabellingStatus",
    "LabelsPendingError",
    "LeavingGroup",
    "Ledger",
    "LedgerCheck",
    "LedgerError",
    "LedgerStatus",
    "LeftOut",
    "Linear",
    "LyingSites",
    "MessageError",
    "MissingExtraError",
    "MixedEquilibrium",
    "MixedStatus",
    "ModelTrainer",
    "MorePoints",
    "NeighbourPlan",
    "NoPlanFoundError",
    "Noise",
    "NotOptimalError",
    "Obliviousness",
    "ObliviousnessMap",
    "ObliviousnessPoint",
    "ObliviousnessStatus",
    "Operator",
    "Outgoing",
    "Pact",
    "PiecewiseLinear",
    "Plan",
    "PlanStatus",
    "Pool",
    "PowerCurve",
    "PowerRow",
    "PowerStatus",
    "PricedEquilibrium",
    "PrivatePlan",
    "PrivatePlanning",
    "ProtocolError",
    "Quadratic",
    "Realizability",
    "RealizabilityStatus",
    "Refutation",
    "Regret",
    "Report",
    "RuleComparison",
    "RuleRow",
    "RunHome",
    "RunOutcome",
    "RunState",
    "RunStatus",
    "Settlement",
    "SettlementStatus",
    "ShadowPrices",
    "Share",
    "ShareStatus",
    "SigningKey",
    "SimulatedWorld",
    "SimulationStatus",
    "Site",
    "SiteData",
    "SiteReport",
    "SolverError",
    "StabilityCurve",
    "StabilityRow",
    "Statement",
    "StatementStatus",
    "SteeringOutcome",
    "SteeringReport",
    "Summary",
    "Tradeoff",
    "TradeoffStatus",
    "TrainedSites",
    "TrainingTerms",
    "Truthful",
    "TruthfulnessRow",
    "TruthfulnessSoak",
    "Verification",
    "VerificationStatus",
    "Witness",
    "__version__",
    "add_keys",
    "add_noise",
    "at_confidence",
    "audit",
    "average_weights",
    "best_response",
    "best_response_dynamics",
    "candidates",
    "check",
    "check_books",
    "check_contribution",
    "check_keys",
    "check_mistakes",
    "check_signature",
    "check_weights",
    "classes",
    "compare",
    "compare_rules",
    "contribution_power",
    "cover",
    "disagreement",
    "equilibria",
    "example_payments",
    "examples",
    "export_labels",
    "export_ledger",
    "fed_avg",
    "frontier",
    "hide_small_counts",
    "import_labels",
    "is_equilibrium",
    "is_locally_oblivious",
    "join_federation",
    "load",
    "load_digit_sites",
    "load_hospitals",
    "load_pact",
    "make_keys",
    "make_pact",
    "make_site_report",
    "measure_gap",
    "measure_run_gap",
    "mixed_equilibrium",
    "obliviousness",
    "plan",
    "plan_cover",
    "plan_privately",
    "prepare_home",
    "read_home",
    "read_key",
    "read_keys",
    "read_labelling",
    "read_outcome",
    "read_progress",
    "read_report",
    "read_site",
    "realizability",
    "rebuild_ledger",
    "refute_payment",
    "regret",
    "renew_certificate",
    "report",
    "reproduce_averaging",
    "reproduce_contribution_check",
    "reproduce_coverage",
    "reproduce_digits",
    "reproduce_faults",
    "reproduce_hospitals",
    "reproduce_obliviousness",
    "reproduce_price_of_stability",
    "reproduce_truthfulness",
    "resume",
    "resume_run",
    "rng_of_round",
    "run",
    "run_at_superlink",
    "run_home",
    "run_in_flower_simulation",
    "run_on_local_flower",
    "save",
    "say_entry",
    "settle",
    "shadow_prices",
    "share",
    "simulate_sites",
    "simulate_world",
    "standalone",
    "start_run",
    "statements_of",
    "summarise",
    "tradeoff",
    "train_sites",
    "verify",
    "verify_ledger",
    "write_statements",
]
