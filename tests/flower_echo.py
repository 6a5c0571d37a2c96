"""An operator and sites that exchange plain bytes over Flower, to try the carrier without the protocol."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Outgoing:
    site: str
    data: bytes
    step: str
    deadline: float = float("inf")


@dataclass(frozen=True)
class EchoSite:
    name: str

    def answer(self, data):
        return self.name.encode() + b" heard " + data

    def hello(self, challenge):
        return self.name.encode() + b":" + challenge


def identify_echo(challenge, reply):
    name, _, said = reply.partition(b":")
    return name.decode() if said == challenge else None


@dataclass
class EchoOperator:
    """One request per site and round; a round ends when enough have answered or its time is over.

    In the first round all have to answer.
    """

    sites: list[str]
    rounds: int
    patience: float
    enough: int | None = None
    step: str = "report"
    answers: list[list[str]] = field(default_factory=list)
    ends: list[float] = field(default_factory=list)
    wake_at: float | None = None
    state: None = None

    @property
    def is_over(self):
        return len(self.ends) == self.rounds

    def advance(self, now):
        if self.answers and (len(self.answers[-1]) >= self._enough() or now >= self.wake_at):
            self.ends.append(now)
        if self.is_over:
            return []
        if len(self.ends) == len(self.answers):
            self.answers.append([])
            self.wake_at = now + self.patience
        number = len(self.answers)
        heard = {answer.split()[0] for answer in self.answers[-1]}
        return [Outgoing(site, f"round {number}".encode(), self.step) for site in self.sites if site not in heard]

    def _enough(self):
        return len(self.sites) if self.enough is None or len(self.answers) == 1 else self.enough

    def receive(self, data, now):
        if data.decode().endswith(f"round {len(self.answers)}") and data.decode() not in self.answers[-1]:
            self.answers[-1].append(data.decode())
