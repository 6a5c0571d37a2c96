"""A network for tests: real operator, real sites, a clock of its own, and one fault where a case wants it."""

import heapq
import itertools
from dataclasses import replace

import numpy as np

import fedpact as fp
from fedpact.errors import MessageError
from fedpact.planning.plan import plan
from fedpact.protocol.drive import drive
from fedpact.protocol.keys.signing import SigningKey
from fedpact.protocol.ledger.entry import NOTHING_BEFORE, Row, check_chain, make_entry
from fedpact.protocol.messages import Answer, write_answer
from fedpact.protocol.operator.operator import start_run
from fedpact.protocol.operator.outcome import make_outcome
from fedpact.protocol.pact import make_pact
from fedpact.protocol.site.simulated_sites import simulate_sites

OPERATOR = SigningKey.from_seed(bytes(32))
PATIENCE = 60.0
START = 1_000.0
MOST_REQUESTS = 500
_PLANS = {}


def key_of(name):
    """The key of a site, the same in every test."""
    return SigningKey.from_seed(name.encode().ljust(32, b"."))


def small_federation(**terms):
    """Three sites, four points, five candidates: nothing is ill, or just one of the points is."""
    labels = np.vstack([np.zeros(4, dtype=int), np.eye(4, dtype=int)])
    masses = [[0.4, 0.3, 0.2, 0.1], [0.1, 0.2, 0.3, 0.4], [0.25, 0.25, 0.25, 0.25]]
    given = {"cost": [1, 2, 3], "epsilon": 0.15, "delta": 0.1, "names": ["north", "south", "east"], **terms}
    return fp.Federation.from_table(labels, masses, hypotheses=["none", "x1", "x2", "x3", "x4"], **given)


def with_test_keys(sites):
    """Give sites the keys of these tests."""
    return {name: replace(site, key=key_of(name), operator=OPERATOR.public) for name, site in sites.items()}


def kept_plan(fed, method, **options):
    """Plan as fedpact does, each federation once."""
    asked = fed.fingerprint, method, repr(sorted(options.items()))
    if asked not in _PLANS:
        _PLANS[asked] = plan(fed, method, **options)
    return _PLANS[asked]


def plan_by(planner, operator):
    """Let an operator plan otherwise than fedpact does."""
    operator.planner = planner
    return operator


class ListLedger:
    """A ledger in a list: the real entries, hashed and chained, without a database."""

    def __init__(self):
        self.kept = []

    @property
    def head(self):
        return self.kept[-1].hash if self.kept else NOTHING_BEFORE

    def __len__(self):
        return len(self.kept)

    def append(self, kind, body, *, run, at):
        return self.append_all([(kind, body)], run=run, at=at)[0]

    def append_all(self, items, *, run, at):
        new = []
        for kind, body in items:
            entry = make_entry(seq=len(self.kept) + 1, at=at, run=run, kind=kind, body=body, previous=self.head)
            self.kept.append(entry)
            new.append(entry)
        return new

    def entries(self, start=1):
        return iter(self.kept[start - 1 :])

    def last(self, kind):
        return next((entry for entry in reversed(self.kept) if entry.kind == kind), None)

    def check(self):
        """Raise unless the chain is intact."""
        assert list(check_chain(Row.of(entry) for entry in self.kept)) == self.kept


class Carrier:
    """Carries messages, each in a tenth of a second; ``harm`` says what becomes of one instead.

    ``harm(carrier, outgoing)`` returns what arrives, as pairs of a delay and bytes, or None for no harm.
    """

    def __init__(self, sites, harm=None, now=START):
        self.sites, self.harm, self.now = dict(sites), harm, now
        self.asked, self.said, self.notes = [], [], []
        self._coming, self._order = [], itertools.count()

    def clock(self):
        return self.now

    def answer(self, outgoing):
        """What the site itself says; nothing if it does not answer."""
        try:
            return self.sites[outgoing.site].answer(outgoing.data)
        except MessageError as error:
            self.notes.append(str(error))
            return None

    def send(self, outgoing):
        self.asked.append(outgoing)
        assert len(self.asked) < MOST_REQUESTS, "the run does not come to an end"
        coming = self.harm(self, outgoing) if self.harm is not None else None
        if coming is None:
            said = self.answer(outgoing)
            coming = [] if said is None else [(0.1, said)]
        for delay, data in coming:
            heapq.heappush(self._coming, (self.now + delay, next(self._order), data))

    def receive(self, until):
        if not self._coming or self._coming[0][0] > until:
            self.now = max(self.now, until)
            return []
        self.now, _, data = heapq.heappop(self._coming)
        self.said.append(data)
        return [data]


def run_over(operator, carrier):
    """Bring a run to its end."""
    return make_outcome(drive(operator, carrier, carrier.clock), operator.ledger.head)


def start(fed, sites, ledger, *, now=START, planner=kept_plan, **terms):
    """Open a run of sites that have the keys of these tests."""
    agreed = {"patience": PATIENCE, "retry": 5, "false_alarm_rate": 1e-6, **terms}
    public = {name: key_of(name).public for name in fed.names}
    pact = make_pact(fed, keys=public, operator=OPERATOR.public, **agreed)
    return plan_by(planner, start_run(ledger, pact, now=now, key=OPERATOR))


def run_with(harm=None, *, fed=None, teacher="none", seed=1, sites=None, ledger=None, **terms):
    """Run a federation with one harm done to it: the outcome, the operator, the carrier."""
    fed = small_federation() if fed is None else fed
    ledger = ListLedger() if ledger is None else ledger
    given = with_test_keys(simulate_sites(fed, teacher=teacher, seed=seed)) if sites is None else sites
    carrier = Carrier(given, harm)
    operator = start(fed, given, ledger, **terms)
    return run_over(operator, carrier), operator, carrier


def forge(state, ask, body, *, key=None, **changes):
    """An answer to a request, with whatever is wrong with it."""
    said = {
        "run": state.run,
        "request": ask.request,
        "site": ask.site,
        "step": ask.step,
        "body": body,
        **changes,
    }
    return write_answer(Answer(**said), key)


def check_books(entries, fed):
    """Read as an auditor would: nobody is asked or paid twice, and all are paid what they gave unless flagged."""
    bodies = {kind: [entry.body for entry in entries if entry.kind == kind] for kind in ("ask", "answer", "pay")}
    for kind, key in (("ask", "request"), ("answer", "request"), ("pay", "site")):
        names = [body[key] for body in bodies[kind]]
        assert len(set(names)) == len(names), f"{kind} twice"
    asks = {ask["request"]: ask for ask in bodies["ask"]}
    given = dict.fromkeys(fed.names, 0)
    for answer in bodies["answer"]:
        ask = asks[answer["request"]]
        if ask["step"] == "contribute":
            assert ask["body"]["have"] == given[ask["site"]], "asked for samples that were given"
            given[ask["site"]] += answer["body"]["m"]
    chosen = next((entry.body for entry in entries if entry.kind == "choose"), {"withheld": {}})
    for pay in bodies["pay"]:
        cost = fed.agents[fed.names.index(pay["site"])].cost(given[pay["site"]])
        assert pay["statement"]["contributed"] == given[pay["site"]]
        assert pay["statement"]["amount"] == (0 if pay["site"] in chosen["withheld"] else cost)
    if entries[-1].kind == "close":
        assert {name for name, count in given.items() if count} <= {pay["site"] for pay in bodies["pay"]}
    return given
