"""The protocol: report, plan, contribute, pay, between an operator and its sites, with books that can be checked.

Needs ``fedpact[protocol]``; what runs on Flower is in :mod:`fedpact.protocol.flower`, imported when asked for.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from fedpact.protocol.installed import require_packages

require_packages()

from fedpact.protocol.home import RunHome, hold_home, prepare_home, read_home
from fedpact.protocol.keys.check_keys import CertificateCheck, KeysCheck, KeysCheckStatus, KeysProblem, check_keys
from fedpact.protocol.keys.key_set import KeySet, KeysStatus, add_keys, make_keys, read_keys, renew_certificate
from fedpact.protocol.keys.signing import SigningKey, check_signature, read_key
from fedpact.protocol.ledger.check import LedgerCheck, LedgerStatus
from fedpact.protocol.ledger.entry import Entry
from fedpact.protocol.ledger.export import export_ledger, rebuild_ledger
from fedpact.protocol.ledger.place import say_ledger
from fedpact.protocol.ledger.store import Ledger
from fedpact.protocol.ledger.verify import verify_ledger
from fedpact.protocol.operator.check_books import BooksCheck, BooksProblem, BooksStatus, check_books
from fedpact.protocol.operator.operator import Operator, Outgoing, read_run, resume_run, start_run
from fedpact.protocol.operator.outcome import RunOutcome, make_outcome
from fedpact.protocol.operator.payments_csv import export_payments
from fedpact.protocol.operator.run_state import RunState, RunStatus
from fedpact.protocol.operator.statements import Statement, StatementStatus, statements_of, write_statements
from fedpact.protocol.pact import Pact, load_pact, make_pact
from fedpact.protocol.run_gap import measure_run_gap
from fedpact.protocol.runs import read_outcome, read_progress, resume, run, run_home
from fedpact.protocol.simulator.faults import Faults
from fedpact.protocol.simulator.simulate_world import FailedSeedError, SimulatedWorld, simulate_world
from fedpact.protocol.site.labelling import (
    Labelling,
    LabellingStatus,
    export_labels,
    import_labels,
    read_labelling,
)
from fedpact.protocol.site.model_trainer import ModelTrainer
from fedpact.protocol.site.pool import Pool
from fedpact.protocol.site.simulated_sites import simulate_sites
from fedpact.protocol.site.site import HeldOut, Site, make_site_report
from fedpact.protocol.site.site_files import read_site
from fedpact.protocol.site.trained_sites import TrainedSites, train_sites

if TYPE_CHECKING:
    from fedpact.protocol import flower


def __getattr__(name: str) -> Any:
    if name == "flower":
        return import_module("fedpact.protocol.flower")
    raise AttributeError(f"module 'fedpact.protocol' has no attribute {name!r}")


__all__ = [
    "BooksCheck",
    "BooksProblem",
    "BooksStatus",
    "CertificateCheck",
    "Entry",
    "FailedSeedError",
    "Faults",
    "HeldOut",
    "KeySet",
    "KeysCheck",
    "KeysCheckStatus",
    "KeysProblem",
    "KeysStatus",
    "Labelling",
    "LabellingStatus",
    "Ledger",
    "LedgerCheck",
    "LedgerStatus",
    "ModelTrainer",
    "Operator",
    "Outgoing",
    "Pact",
    "Pool",
    "RunHome",
    "RunOutcome",
    "RunState",
    "RunStatus",
    "SigningKey",
    "SimulatedWorld",
    "Site",
    "Statement",
    "StatementStatus",
    "TrainedSites",
    "add_keys",
    "check_books",
    "check_keys",
    "check_signature",
    "export_labels",
    "export_ledger",
    "export_payments",
    "flower",
    "hold_home",
    "import_labels",
    "load_pact",
    "make_keys",
    "make_outcome",
    "make_pact",
    "make_site_report",
    "measure_run_gap",
    "prepare_home",
    "read_home",
    "read_key",
    "read_keys",
    "read_labelling",
    "read_outcome",
    "read_progress",
    "read_run",
    "read_site",
    "rebuild_ledger",
    "renew_certificate",
    "resume",
    "resume_run",
    "run",
    "run_home",
    "say_ledger",
    "simulate_sites",
    "simulate_world",
    "start_run",
    "statements_of",
    "train_sites",
    "verify_ledger",
    "write_statements",
]
