"""Who in a federation should label how many samples, at what cost, for what pay, and what if nobody plans.

``fedpact`` implements and corrects "Incentives in Federated Learning with Heterogeneous Agents" (Procaccia,
Shao, Shapira, ICLR 2026).
"""

from importlib.metadata import version as _version

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
    FederationError,
    FedpactError,
    InfeasibleError,
    LedgerError,
    MessageError,
    MissingExtraError,
    NoPlanFoundError,
    NotOptimalError,
    ProtocolError,
    SolverError,
)
from fedpact.experiments.contribution_check import (
    ContributionSimulation,
    HonestSites,
    LyingSites,
    SimulationStatus,
    reproduce_contribution_check,
)
from fedpact.experiments.coverage import CoverageRow, CoverageSimulation, CoverageStatus, reproduce_coverage
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
from fedpact.statistics.add_noise import add_noise
from fedpact.statistics.confidence import at_confidence
from fedpact.statistics.disagreement import disagreement
from fedpact.statistics.make_report import hide_small_counts, report
from fedpact.statistics.realizability import realizability
from fedpact.statistics.realizability_result import ErrorRate, Realizability, RealizabilityStatus
from fedpact.statistics.standalone import standalone
from fedpact.statistics.verification import Interval, Verification, VerificationStatus, verify

__version__ = _version("fedpact")

__all__ = [
    "TIE",
    "Agent",
    "Audit",
    "AuditFinding",
    "AuditStatus",
    "BindingPair",
    "CandidateList",
    "CandidateRun",
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
    "HonestSites",
    "InfeasibleError",
    "Interval",
    "Labelled",
    "LeavingGroup",
    "LedgerError",
    "Linear",
    "LyingSites",
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
    "ObliviousnessMap",
    "ObliviousnessPoint",
    "ObliviousnessStatus",
    "PiecewiseLinear",
    "Plan",
    "PlanStatus",
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
    "Settlement",
    "SettlementStatus",
    "ShadowPrices",
    "Share",
    "ShareStatus",
    "SimulationStatus",
    "SiteData",
    "SiteReport",
    "SolverError",
    "StabilityCurve",
    "StabilityRow",
    "SteeringOutcome",
    "SteeringReport",
    "Summary",
    "Tradeoff",
    "TradeoffStatus",
    "Truthful",
    "TruthfulnessRow",
    "TruthfulnessSoak",
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
    "classes",
    "compare",
    "compare_rules",
    "contribution_power",
    "cover",
    "disagreement",
    "equilibria",
    "example_payments",
    "examples",
    "frontier",
    "hide_small_counts",
    "is_equilibrium",
    "is_locally_oblivious",
    "load",
    "mixed_equilibrium",
    "obliviousness",
    "plan",
    "plan_cover",
    "plan_privately",
    "read_report",
    "realizability",
    "refute_payment",
    "regret",
    "report",
    "reproduce_contribution_check",
    "reproduce_coverage",
    "reproduce_digits",
    "reproduce_hospitals",
    "reproduce_obliviousness",
    "reproduce_price_of_stability",
    "reproduce_truthfulness",
    "save",
    "settle",
    "shadow_prices",
    "share",
    "standalone",
    "summarise",
    "tradeoff",
    "verify",
]
