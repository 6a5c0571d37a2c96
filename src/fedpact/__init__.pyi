# The public names, each from where it is made. Type checkers read this file, and so does __init__.py.
from fedpact import candidates, experiments, protocol, training, web
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
from fedpact.describe.interrupts import interrupts_end_all
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
from fedpact.game.best_response import best_response
from fedpact.game.dynamics import Dynamics, DynamicsStatus, best_response_dynamics
from fedpact.game.mixed import MixedEquilibrium, MixedStatus, mixed_equilibrium
from fedpact.game.regret import Regret, is_equilibrium, regret
from fedpact.game.result import Equilibria, EquilibriaStatus, PricedEquilibrium
from fedpact.mechanism.audit.audit import audit
from fedpact.mechanism.audit.compare_rules import RuleComparison, RuleRow, compare_rules
from fedpact.mechanism.audit.result import Audit, AuditFinding, AuditStatus
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
from fedpact.mechanism.sample_checks.check import check_contribution
from fedpact.mechanism.sample_checks.check_mistakes import check_mistakes
from fedpact.mechanism.sample_checks.power import PowerCurve, PowerRow, PowerStatus, contribution_power
from fedpact.mechanism.sample_checks.result import CheckedPair, ContributionCheck, ContributionStatus
from fedpact.mechanism.witness import Witness
from fedpact.planning.build_cover import Cover, cover
from fedpact.planning.frontier import Frontier, FrontierPoint, frontier
from fedpact.planning.more_points import MorePoints
from fedpact.planning.plan import plan
from fedpact.planning.plan_cover import CoverPlan, CoverPlanStatus, plan_cover
from fedpact.planning.result import BindingPair, Plan, PlanStatus
from fedpact.planning.shadow_prices import EpsilonPrice, ShadowPrices, shadow_prices
from fedpact.planning.tradeoff import Tradeoff, TradeoffStatus, tradeoff
from fedpact.statistics.add_noise import add_noise
from fedpact.statistics.confidence import at_confidence
from fedpact.statistics.disagreement import disagreement
from fedpact.statistics.divergence import Divergence, divergence
from fedpact.statistics.make_report import hide_small_counts, report
from fedpact.statistics.realizability import realizability
from fedpact.statistics.realizability_result import ErrorRate, Realizability, RealizabilityStatus
from fedpact.statistics.standalone import standalone
from fedpact.statistics.verification import Interval, Verification, VerificationStatus, verify

__version__: str

__all__ = [
    "TIE",
    "Agent",
    "Audit",
    "AuditFinding",
    "AuditStatus",
    "BindingPair",
    "BrokenLedgerError",
    "CandidateList",
    "CheckedPair",
    "ComparedRow",
    "Comparison",
    "ContributionCheck",
    "ContributionStatus",
    "Cover",
    "CoverPlan",
    "CoverPlanStatus",
    "Divergence",
    "Dynamics",
    "DynamicsStatus",
    "EpsilonPrice",
    "Equilibria",
    "EquilibriaStatus",
    "ErrorRate",
    "Federation",
    "FederationError",
    "FedpactError",
    "FileCheck",
    "Frontier",
    "FrontierPoint",
    "GroupsLookedAt",
    "InfeasibleError",
    "Interval",
    "LabelsPendingError",
    "LeavingGroup",
    "LedgerError",
    "Linear",
    "MessageError",
    "MissingExtraError",
    "MixedEquilibrium",
    "MixedStatus",
    "MorePoints",
    "NeighbourPlan",
    "NoPlanFoundError",
    "Noise",
    "NotOptimalError",
    "Obliviousness",
    "ObliviousnessStatus",
    "PiecewiseLinear",
    "Plan",
    "PlanStatus",
    "PowerCurve",
    "PowerRow",
    "PowerStatus",
    "PricedEquilibrium",
    "ProtocolError",
    "Quadratic",
    "Realizability",
    "RealizabilityStatus",
    "Refutation",
    "Regret",
    "Report",
    "RuleComparison",
    "RuleRow",
    "Settlement",
    "SettlementStatus",
    "ShadowPrices",
    "Share",
    "ShareStatus",
    "SolverError",
    "SteeringOutcome",
    "SteeringReport",
    "Summary",
    "Tradeoff",
    "TradeoffStatus",
    "Truthful",
    "Verification",
    "VerificationStatus",
    "Witness",
    "__version__",
    "add_noise",
    "at_confidence",
    "audit",
    "best_response",
    "best_response_dynamics",
    "candidates",
    "check",
    "check_contribution",
    "check_mistakes",
    "classes",
    "compare",
    "compare_rules",
    "contribution_power",
    "cover",
    "disagreement",
    "divergence",
    "equilibria",
    "example_payments",
    "examples",
    "experiments",
    "frontier",
    "hide_small_counts",
    "interrupts_end_all",
    "is_equilibrium",
    "is_locally_oblivious",
    "load",
    "mixed_equilibrium",
    "obliviousness",
    "plan",
    "plan_cover",
    "protocol",
    "read_report",
    "realizability",
    "refute_payment",
    "regret",
    "report",
    "save",
    "settle",
    "shadow_prices",
    "share",
    "standalone",
    "summarise",
    "tradeoff",
    "training",
    "verify",
    "web",
]
