"""Experiments: what the paper claims and what fedpact claims, computed, and the data that they are about."""

from __future__ import annotations

from fedpact.experiments.catalogue import list_experiments
from fedpact.experiments.data.digit_sites import load_digit_sites
from fedpact.experiments.data.digit_writers import load_digit_writers
from fedpact.experiments.data.femnist import load_femnist
from fedpact.experiments.data.heart_disease import load_hospitals
from fedpact.experiments.data.roles import Roles
from fedpact.experiments.data.shakespeare import load_roles
from fedpact.experiments.data.site_data import Labelled, SiteData
from fedpact.experiments.data.writers import Writers
from fedpact.experiments.private_plan import CandidateRun, PrivatePlan, PrivatePlanning, SiteReport
from fedpact.experiments.private_planning import plan_privately
from fedpact.experiments.simulate_contributions import (
    ContributionSimulation,
    HonestSites,
    LyingSites,
    SimulationStatus,
    simulate_contributions,
)
from fedpact.experiments.sweep.reproduce import reproduce
from fedpact.experiments.sweep.reproduction import Reproduction
from fedpact.experiments.sweep.settings import read_change, show_settings
from fedpact.experiments.sweep.write_results import write_page, write_results

__all__ = [
    "CandidateRun",
    "ContributionSimulation",
    "HonestSites",
    "Labelled",
    "LyingSites",
    "PrivatePlan",
    "PrivatePlanning",
    "Reproduction",
    "Roles",
    "SimulationStatus",
    "SiteData",
    "SiteReport",
    "Writers",
    "list_experiments",
    "load_digit_sites",
    "load_digit_writers",
    "load_femnist",
    "load_hospitals",
    "load_roles",
    "plan_privately",
    "read_change",
    "reproduce",
    "show_settings",
    "simulate_contributions",
    "write_page",
    "write_results",
]
