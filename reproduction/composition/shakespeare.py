"""Composition of text: models trained on mixtures of what two roles say, tested on each role.

The paper's first study (appendix, effect of data composition), on text: for m windows of 80 characters, a share
lambda of them agent 1's, an LSTM is trained with cross entropy and SOAP to guess the next character, and tested
on both agents. Agent 1 is Hamlet, agent 2 Iago.

What differs from the paper. It counts 112,116 windows, in another edition, and does not say which it tests on.
Here Iago has 44,507. Windows overlap, and a hold-out of single ones would test on text that training has seen:
so a stretch of 2,000 windows of either text is held out, drawn anew for every seed, and 80 windows on either
side of it, which reach into it, are left out. That leaves Iago 42,347 and lets m end at 42,000, not 45,000;
larger m go with lambdas that take fewer of Iago's. The paper states neither the network's size nor the batch:
here 32 hidden units and 100 windows. There is no variant with five others as agent 2, for only these two roles
are read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import fedpact as fp
from reproduction.composition.boxes import sum_up_boxes
from reproduction.composition.mixtures import (
    Stock,
    check_sizes,
    cut_cells,
    pick_agents,
    read_mixtures,
    train_mixtures,
)
from reproduction.composition.show_boxes import conclude_boxes, draw_composition, tabulate_boxes
from reproduction.composition.stretches import count_held_out, draw_stretches
from reproduction.data.embedded_roles import load_embedded_roles
from reproduction.data.roles import Roles, cut_windows
from reproduction.data.shakespeare import load_roles
from reproduction.experiment import Answer, Arrays, Experiment, Settings, Stage, Task
from reproduction.read_settings import LEAVES_OUT
from reproduction.values import read_whole_number

TWO = "two roles"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Data:
    """What agent 1 and agent 2 say."""

    source: str
    classes: int
    """Characters of the alphabet."""
    sizes: Mapping[str, int]
    """Windows of agent 1 and agent 2, by their names."""
    arrays: Arrays
    """The characters of both, and whose they are."""


def _load(settings: Settings, data: str | None) -> Roles:
    """Load the plays; without a folder a quick run takes two drawn texts."""
    return load_embedded_roles() if data is None and settings[LEAVES_OUT] else load_roles(data)


def _prepare(settings: Settings, data: str | None) -> _Data:
    roles = _load(settings, data)
    names = pick_agents(settings["roles"], list(roles.sizes), "role")
    codes = [roles.codes(name) for name in names]
    return _Data(
        source=roles.source,
        classes=len(roles.alphabet),
        sizes={name: roles.sizes[name] for name in names},
        arrays={
            "codes": np.concatenate(codes),
            "role": np.repeat(np.arange(2, dtype=np.uint8), list(map(len, codes))),
        },
    )


def _cut(settings: Settings, data: _Data, earlier: Sequence[Sequence[Answer]]) -> list[Task]:
    settings = read_mixtures(settings)
    tested = read_whole_number(settings["test_windows"], "test_windows", least=1)
    name, smallest = min(data.sizes.items(), key=lambda item: item[1])
    if tested > smallest:
        raise fp.FederationError(f"test_windows must be at most the {smallest} of role {name}; it is {tested}")
    first, second = (
        Stock(f"role {name}", size, max(0, size - count_held_out(tested))) for name, size in data.sizes.items()
    )
    check_sizes(settings, (first, second), "windows")
    return cut_cells(settings, {TWO: data.arrays}, classes=data.classes, test_windows=tested)


def _compute(cell: Mapping[str, Any], arrays: Arrays) -> Answer:
    import torch

    from reproduction.networks import small_lstm

    codes, role = np.asarray(arrays["codes"], dtype=np.uint8), np.asarray(arrays["role"])
    windows = [cut_windows(codes[role == one]) for one in range(2)]
    before = torch.from_numpy(np.concatenate([own.before for own in windows]))
    following = torch.from_numpy(np.concatenate([own.following for own in windows]).astype(np.int64))
    sizes = [len(own.following) for own in windows]
    draws = [
        draw_stretches(sizes, cell["test_windows"], np.random.default_rng([seed, 0])) for seed in cell["seeds"]
    ]
    return train_mixtures(cell, draws, small_lstm, before, following, apart=True)


def _sum_up(settings: Settings, data: _Data, answers: Sequence[Sequence[Answer]]) -> Answer:
    return {"agents": list(data.sizes)} | sum_up_boxes(read_mixtures(settings)["lambdas"], answers[0])


COMPOSITION_SHAKESPEARE = Experiment(
    name="composition-shakespeare",
    about="Models that guess the next character, trained on mixtures of two roles' text, tested on each role.",
    prepare=_prepare,
    stages=(Stage(cut=_cut, compute=_compute, is_training=True),),
    sum_up=_sum_up,
    tabulate=tabulate_boxes,
    conclude=conclude_boxes,
    draw=draw_composition,
    reads_data=True,
    packages=("torch",),
)
