"""How many labels it takes to choose a candidate with proof, and whether the proof holds.

1. Public predictions, nothing assumed: labels until every site's choice is proved
   (:mod:`reproduction.selection.count_labels`).
2. One candidate labels, rightly or with some labels wrong: labels beside a plan's samples
   (:mod:`reproduction.selection.label_by_candidate`).
3. Hospitals and writers with their true labels: how often every site's choice is near its best candidate
   (:mod:`reproduction.selection.label_truly`).
4. Simulated sites on which promises are hard to keep: how often they are broken
   (:mod:`reproduction.selection.simulate_runs`).

The hospitals are four, with 50 models of eight families trained from the public quarter of their patients
(:mod:`reproduction.train_candidates`); they are the class of the experiment *federated*. The writers are the two
of FEMNIST with most images, shrunk to ``side`` by ``side`` pixels; their 50 models are logistic regressions,
forests and nearest neighbours, trained from images of other writers. A seed draws who is public and what each
model is trained from.
"""

from __future__ import annotations

from reproduction.experiment import Experiment, Stage
from reproduction.selection import count_labels, label_by_candidate, label_truly, simulate_runs
from reproduction.selection.page import conclude, draw, tabulate
from reproduction.selection.sites import cut_training, prepare, train_class
from reproduction.selection.sum_up import sum_up

SELECTION = Experiment(
    name="selection",
    about="Labels until each site's choice of a candidate is proved, and how often the proof is wrong.",
    prepare=prepare,
    stages=(
        Stage(cut=cut_training, compute=train_class, is_training=True),
        Stage(cut=count_labels.cut, compute=count_labels.count_labels),
        Stage(cut=label_by_candidate.cut, compute=label_by_candidate.label_by_candidate),
        Stage(cut=label_truly.cut, compute=label_truly.label_truly),
        Stage(cut=simulate_runs.cut, compute=simulate_runs.simulate_runs),
    ),
    sum_up=sum_up,
    tabulate=tabulate,
    conclude=conclude,
    draw=draw,
    reads_data=True,
    packages=("scikit-learn", "highspy"),
)
