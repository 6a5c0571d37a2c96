"""Experiments: what the paper claims and what fedpact claims, computed, and the data that they are about."""

from __future__ import annotations

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
from fedpact.experiments.price_of_stability import StabilityCurve, StabilityRow, reproduce_price_of_stability
from fedpact.experiments.private_plan import CandidateRun, PrivatePlan, PrivatePlanning, SiteReport
from fedpact.experiments.private_planning import plan_privately, reproduce_digits, reproduce_hospitals
from fedpact.experiments.site_data import Labelled, SiteData
from fedpact.experiments.truthfulness import TruthfulnessRow, TruthfulnessSoak, reproduce_truthfulness

__all__ = [
    "AveragingExperiment",
    "AveragingRow",
    "AveragingSetting",
    "AveragingStatus",
    "CandidateRun",
    "ContributionSimulation",
    "CoverageRow",
    "CoverageSimulation",
    "CoverageStatus",
    "HonestSites",
    "Labelled",
    "LyingSites",
    "ObliviousnessMap",
    "ObliviousnessPoint",
    "PrivatePlan",
    "PrivatePlanning",
    "SimulationStatus",
    "SiteData",
    "SiteReport",
    "StabilityCurve",
    "StabilityRow",
    "TruthfulnessRow",
    "TruthfulnessSoak",
    "load_digit_sites",
    "load_hospitals",
    "plan_privately",
    "reproduce_averaging",
    "reproduce_contribution_check",
    "reproduce_coverage",
    "reproduce_digits",
    "reproduce_hospitals",
    "reproduce_obliviousness",
    "reproduce_price_of_stability",
    "reproduce_truthfulness",
]
