"""Answers of all parts about a federation, worked out once for a test run."""

import functools
from unittest import mock

import fedpact as fp
from fedpact.web import questions
from fedpact.web.export import answer_all
from fedpact.web.library import Known
from fedpact.web.view import read_view

EVIL = "<img src=x onerror=alert(1)><b>bold</b>"
ENDING = "</script><script>alert(2)</script> & <!--"
_SLOW = ("arizona-hospitals", "singletons")


def read(fed, asked=(), key="sent-1", source="a test"):
    return read_view(Known(key=key, federation=fed, source=source), list(asked))


def answer_parts(view):
    return {state.part.name: state for state in answer_all(view)}


@functools.cache
def answer_example(key):
    """Return the view and the parts of an example; what takes minutes is asked for in a short form."""
    asked = [("seconds", "0.5"), ("audit", "4")] if key not in _SLOW else [("seconds", "0.1"), ("method", "union")]
    view = read(fp.examples.build(key), asked, key=key)
    with mock.patch.object(questions, "_CURVE", 3):
        return view, answer_parts(view)


@functools.cache
def answer_strangers():
    """Return the view and the parts of a federation whose names are not harmless."""
    fed = fp.Federation.from_table(
        [[0, 0], [0, 1], [1, 0], [1, 1]],
        [[0.8, 0.2], [0.2, 0.8]],
        epsilon=0.1,
        delta=0.05,
        names=[EVIL, ENDING],
        hypotheses=[f"{EVIL}{place}" for place in range(4)],
        points=[f"{ENDING}{place}" for place in range(2)],
        name=EVIL,
    )
    view = read(fed, [("audit", "8"), ("seconds", "1")])
    return view, answer_parts(view)


@functools.cache
def answer_many_strangers():
    """The same for three agents, whose game is drawn in another way."""
    fed = fp.examples.no_pure_equilibrium()
    names = [EVIL, ENDING, f"{EVIL}2"]
    table = fed.evidence
    renamed = fp.Federation.from_table(
        table.labels, table.distributions, epsilon=1 / 3, delta=2 / 3, names=names, name=EVIL, cost=[1, 2, 3]
    )
    view = read(renamed, [("seconds", "1")])
    return view, answer_parts(view)
