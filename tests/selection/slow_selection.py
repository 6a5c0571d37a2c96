"""Selection as one would write it down, in plain Python: sets and dictionaries, a pair at a time."""

import math
from itertools import combinations

from fedpact.selection.bets import THETAS

TIE = 1e-9


class SlowSite:
    """One site, nothing assumed: bets on pairs, leader, rivals, and where they differ."""

    def __init__(self, said, mass, epsilon, threshold):
        self.said, self.mass, self.epsilon, self.threshold = said, mass, epsilon, threshold
        self.H, self.points = len(said), range(len(mass))
        self.pairs = [(h, g) for h in range(self.H) for g in range(self.H) if h != g]
        self.rest = {(h, g): {x for x in self.points if said[h][x] != said[g][x]} for h, g in self.pairs}
        self.p = {pair: sum(mass[x] for x in own) for pair, own in self.rest.items()}
        self.gap = dict.fromkeys(self.pairs, 0.0)
        self.capital = {pair: [1.0] * len(THETAS) for pair in self.pairs}
        self.won = {pair for pair in self.pairs if self.p[pair] <= epsilon + TIE}
        self.drawn = set()
        self.look()

    def look(self):
        left = {pair: sum(self.mass[x] for x in own) for pair, own in self.rest.items()}
        self.won |= {pair for pair in self.pairs if self.gap[pair] + left[pair] <= self.epsilon + TIE}
        lost = {h for h, g in self.pairs if self.gap[h, g] - left[h, g] > self.epsilon + TIE}

        def lack(h, g):
            if (h, g) in self.won:
                return 0.0
            return max(0.0, math.log(self.threshold) - math.log(sum(self.capital[h, g]) / len(THETAS)))

        def order(h):
            others = [g for g in range(self.H) if g != h]
            lacks = [lack(h, g) for g in others]
            far = sum(self.p[h, g] for g in others if (h, g) not in self.won)
            is_proved = all((h, g) in self.won for g in others)
            most = math.inf if h in lost else max(lacks, default=0.0)
            return not is_proved, round(most, 9), round(sum(lacks), 9), round(far, 9), h

        self.leader = min(range(self.H), key=order)
        self.rivals = {g for g in range(self.H) if g != self.leader and (self.leader, g) not in self.won}
        self.region = {
            x
            for x in self.points
            if x not in self.drawn and any(self.said[g][x] != self.said[self.leader][x] for g in self.rivals)
        }

    def learn(self, point, label):
        outside = [x for x in self.points if x not in self.drawn and x not in self.region]
        own = self.said[self.leader]
        inside = {h for h in range(self.H) if all(self.said[h][x] == own[x] for x in outside)}
        for h, g in self.pairs:
            if point not in self.rest[h, g]:
                continue
            z = int(self.said[h][point] != label) - int(self.said[g][point] != label)
            mean = (self.epsilon - self.gap[h, g]) / sum(self.mass[x] for x in self.rest[h, g])
            if {h, g} <= inside and -1 < mean < 1:
                self.capital[h, g] = [
                    own * (1 + theta * (mean - z) / (1 - mean))
                    for own, theta in zip(self.capital[h, g], THETAS, strict=True)
                ]
                if sum(self.capital[h, g]) / len(THETAS) >= self.threshold:
                    self.won.add((h, g))
            self.gap[h, g] += self.mass[point] * z
            self.rest[h, g].remove(point)
        self.drawn.add(point)
        self.look()


class SlowTruth:
    """All sites, one truth: who is left, and what every point is worth."""

    def __init__(self, said, epsilon, delta, noise):
        self.said, self.epsilon, self.noise = said, epsilon, noise
        self.H, self.alive, self.mistakes = len(said[0]), set(range(len(said[0]))), [0] * len(said[0])
        self.delta, self.capital = delta, [1.0] * self.H
        self.asked = set()

    def differ(self, site, h, g):
        own = self.said[site]
        return sum(a != b for a, b in zip(own[h], own[g], strict=True)) / len(own[h])

    def is_bad(self, h, g):
        return any(self.differ(site, h, g) > self.epsilon + TIE for site in range(len(self.said)))

    def has_common_centre(self):
        return any(not any(self.is_bad(c, g) for g in self.alive) for c in self.alive)

    def worth(self):
        """(site, point) -> weight of the pairs that may not stand in for each other and differ there."""
        fewest = min(self.mistakes[h] for h in self.alive)
        weight = {h: (self.noise / (1 - self.noise)) ** (self.mistakes[h] - fewest) for h in self.alive}
        found = {}
        for site, own in enumerate(self.said):
            for x in range(len(own[0])):
                if (site, x) not in self.asked:
                    found[site, x] = sum(
                        weight[h] * weight[g]
                        for h, g in combinations(sorted(self.alive), 2)
                        if own[h][x] != own[g][x] and self.is_bad(h, g)
                    )
        return found

    def learn(self, site, point, label):
        self.asked.add((site, point))
        said, everybody = [own[point] for own in self.said[site]], range(self.H)
        if self.noise == 0:
            self.alive = {h for h in self.alive if said[h] == label}
        else:
            weight = [(self.noise / (1 - self.noise)) ** own for own in self.mistakes]
            for t in everybody:
                others = sum(weight[h] for h in everybody if h != t)
                differ = sum(weight[h] for h in everybody if said[h] != said[t])
                chance = self.noise + (1 - 2 * self.noise) * (differ / others if others else 0)
                self.capital[t] *= chance / self.noise if said[t] != label else (1 - chance) / (1 - self.noise)
            self.alive = {t for t in self.alive if self.capital[t] < 1 / self.delta * (1 - 1e-9)}
        for h in everybody:
            self.mistakes[h] += said[h] != label
