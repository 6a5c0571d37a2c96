"""Which targets are met, and at what cost, by quotas from a plan and federated risk minimisation.

The paper plans contributions and proves what they suffice for; it trains nothing with them. Here the quotas are
carried out at two federations (:mod:`reproduction.federated.sites`): writers of FEMNIST, and the four
hospitals of the heart-disease data. For every seed

1. quotas come from a plan, and as many samples are asked for in equal shares, pooled or each site alone
   (:mod:`reproduction.federated.quotas`);
2. the quotas are labelled by the worst teacher of the class, thousands of times, and beside the share of draws in
   which a target is missed stands its probability (:func:`fedpact.verify`);
3. they carry their true labels, which no candidate need get right: how far is the chosen candidate from the best
   one of a site? (:mod:`reproduction.federated.risk_minimisation`).

A seed draws the class, which points are for testing, and the samples; of hospitals also which patients are public.
In the last step all ways take the beginning of the same draws, so that they differ by how many are asked for and
by nothing else. What a plan promises is seen in the second step; of the third nothing is promised.
"""

from __future__ import annotations

from reproduction.experiment import Experiment, Stage
from reproduction.federated.cells import cut_networks, cut_runs, prepare
from reproduction.federated.page import conclude, draw, tabulate
from reproduction.federated.run_ways import run_ways
from reproduction.federated.sum_up import sum_up
from reproduction.planner_table.checkpoints import train_networks

FEDERATED = Experiment(
    name="federated",
    about="Quotas of a plan, carried out by writers and hospitals: targets met, against equal quotas and alone.",
    prepare=prepare,
    stages=(
        Stage(cut=cut_networks, compute=train_networks, is_training=True),
        Stage(cut=cut_runs, compute=run_ways),
    ),
    sum_up=sum_up,
    tabulate=tabulate,
    conclude=conclude,
    draw=draw,
    reads_data=True,
    packages=("scikit-learn", "torch", "highspy"),
)
