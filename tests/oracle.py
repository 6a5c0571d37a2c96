"""What is true, by enumeration in exact rationals. Shares no code with the engine.

Which points the pooled sample has seen is followed draw by draw, as a probability for every set of points. A
hypothesis survives if it agrees with the truth on every seen point; ties among survivors are broken against
the agent. Errors count as bad strictly above epsilon.
"""

from collections import defaultdict
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations

ONE = Fraction(1)


@dataclass(frozen=True)
class Instance:
    """Finitely many points, in fractions."""

    labels: tuple[tuple[int, ...], ...]
    distributions: tuple[tuple[Fraction, ...], ...]
    epsilon: tuple[Fraction, ...]
    delta: Fraction

    @cached_property
    def differ(self):
        """differ[h][g]: the points where h and g differ, one bit each."""
        return [
            [sum(1 << x for x, (a, b) in enumerate(zip(one, two, strict=True)) if a != b) for two in self.labels]
            for one in self.labels
        ]

    def rate(self, agent, h, g):
        """p_agent(h, g)."""
        return (
            sum(mass for x, mass in enumerate(self.distributions[agent]) if self.differ[h][g] >> x & 1) + 0 * ONE
        )


@dataclass(frozen=True)
class Answers:
    """Everything about one contribution vector, for every truth; the answer is the worst over truths."""

    failure: list[list[Fraction]]
    """[truth][agent] probability that some survivor is bad for the agent."""
    error: list[list[Fraction]]
    """[truth][agent] expected error of the agent's worst survivor."""
    joint: list[Fraction]
    """[truth] probability that some survivor is bad for somebody."""

    def worst(self, objective, agent):
        return max(row[agent] for row in self.by_truth(objective))

    def by_truth(self, objective):
        return self.failure if objective == "pac" else self.error


def draw_once(states, distribution):
    """Distribution of the seen set after one more draw."""
    after = defaultdict(Fraction)
    for seen, chance in states.items():
        for point, mass in enumerate(distribution):
            if mass:
                after[seen | 1 << point] += chance * mass
    return dict(after)


def seen_sets(distributions, m):
    """Seen set -> probability, when agent j draws m[j] times."""
    states = {0: ONE}
    for distribution, draws in zip(distributions, m, strict=True):
        for _ in range(draws):
            states = draw_once(states, distribution)
    return states


def answer(instance, m):
    return answer_states(instance, seen_sets(instance.distributions, m))


def answer_states(instance, states):
    hypotheses, agents = range(len(instance.labels)), range(len(instance.distributions))
    out = Answers([], [], [])
    for truth in hypotheses:
        rates = [[instance.rate(i, truth, h) for h in hypotheses] for i in agents]
        failure, error, joint = [0 * ONE for _ in agents], [0 * ONE for _ in agents], 0 * ONE
        for seen, chance in states.items():
            survivors = [h for h in hypotheses if not instance.differ[truth][h] & seen]
            worst = [max(rates[i][h] for h in survivors) for i in agents]
            bad = [worst[i] > instance.epsilon[i] for i in agents]
            for i in agents:
                failure[i] += chance * bad[i]
                error[i] += chance * worst[i]
            joint += chance * any(bad)
        out.failure.append(failure)
        out.error.append(error)
        out.joint.append(joint)
    return out


def threshold(instance, objective, agent):
    return instance.delta if objective == "pac" else instance.epsilon[agent]


def count_alone(instance, objective, agent, most=200):
    """n_ind: the fewest samples with which the agent alone meets its target; None if more than ``most``."""
    states = {0: ONE}
    for count in range(most + 1):
        if answer_states(instance, states).worst(objective, agent) <= threshold(instance, objective, agent):
            return count
        states = draw_once(states, instance.distributions[agent])
    return None


def family_value(sets, weights, mass, m):
    """E[largest weight among the sets that no draw falls into]; what is left of an agent's mass lies elsewhere."""
    elsewhere = [(*row, 1 - sum(row)) for row in mass]
    masks = [sum(1 << x for x, inside in enumerate(row) if inside) for row in sets]
    return sum(
        (
            chance * max((w for w, mask in zip(weights, masks, strict=True) if not mask & seen), default=0 * ONE)
            for seen, chance in seen_sets(elsewhere, m).items()
        ),
        start=0 * ONE,
    )


def family_value_by_subsets(sets, weights, mass, m):
    """The same by inclusion and exclusion over sub-families: for few sets over many points."""
    order = sorted(range(len(sets)), key=lambda a: -weights[a])
    levels = [weights[a] for a in order] + [0]
    value = 0
    for j in range(len(order)):
        if levels[j] > levels[j + 1]:
            value += (levels[j] - levels[j + 1]) * _some_missed([sets[a] for a in order[: j + 1]], mass, m)
    return value


def _some_missed(sets, mass, m):
    total = 0
    for size in range(1, len(sets) + 1):
        for some in combinations(sets, size):
            union = [any(column) for column in zip(*some, strict=True)]
            missed = ONE
            for row, draws in zip(mass, m, strict=True):
                missed *= (1 - sum(share for share, inside in zip(row, union, strict=True) if inside)) ** draws
            total -= (-1) ** size * missed
    return total


def coupons_left(n, draws):
    """Probability that uniform draws from n points leave some point unseen, counted in positive integers."""
    ways = [1] + [0] * n
    for _ in range(draws):
        ways = [0] + [ways[d] * d + ways[d - 1] * (n - d + 1) for d in range(1, n + 1)]
    return 1 - Fraction(ways[n], n**draws)


def count_mistakes(labels, distributions, m, chances):
    """Mistakes of every hypothesis -> probability, when agent j draws m[j] times.

    ``chances`` (point) are the labels that a draw of the point may have, each with its probability.
    """
    states = {(0,) * len(labels): ONE}
    for distribution, draws in zip(distributions, m, strict=True):
        for _ in range(draws):
            after = defaultdict(Fraction)
            for mistakes, chance in states.items():
                for point, mass in enumerate(distribution):
                    for label, share in chances(point).items() if mass else ():
                        wrong = tuple(
                            count + (own[point] != label) for count, own in zip(mistakes, labels, strict=True)
                        )
                        after[wrong] += chance * mass * share
            states = dict(after)
    return states


def chance_of_bad_choice(states, bad):
    """Probability that some bad hypothesis makes the fewest mistakes."""
    return sum(
        (chance for mistakes, chance in states.items() if any(mistakes[h] == min(mistakes) for h in bad)),
        start=0 * ONE,
    )


def even_noise(labels, truth, noise):
    """Labels of the truth, wrong with probability ``noise``: then any other that hypotheses give is as likely."""

    def chances(point):
        right = labels[truth][point]
        others = sorted({own[point] for own in labels} - {right})
        return {right: 1 - noise, **{label: noise / len(others) for label in others}} if others else {right: ONE}

    return chances


def noise_towards(labels, truth, other, noise):
    """Labels of the truth, wrong with probability ``noise`` where ``other`` differs, and then the other's."""

    def chances(point):
        right, wrong = labels[truth][point], labels[other][point]
        return {right: ONE} if right == wrong else {right: 1 - noise, wrong: noise}

    return chances


def not_behind(steps):
    """Pr[a walk is not above 0 at its end]; ``steps`` are pairs of the chances of +1 and of -1."""
    states = {0: ONE}
    for up, down in steps:
        after = defaultdict(Fraction)
        for place, chance in states.items():
            for step, share in ((1, up), (-1, down), (0, 1 - up - down)):
                after[place + step] += chance * share
        states = dict(after)
    return sum((chance for place, chance in states.items() if place <= 0), start=0 * ONE)
