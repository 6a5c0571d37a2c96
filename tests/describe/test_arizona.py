"""The hospitals of Arizona, counted and turned into a federation."""

import numpy as np

from fedpact.describe.arizona import arizona_hospitals, group_features, read_hospitals


def test_the_counts():
    hospitals = read_hospitals()
    assert len(hospitals) == 17
    assert sum(hospital.total for hospital in hospitals) == 3589
    assert {len(hospital.patients) for hospital in hospitals} == {16}
    by_feature = np.zeros(4, dtype=int)
    for hospital in hospitals:
        for group, count in hospital.patients.items():
            by_feature += count * np.array(group_features(group))
    assert (by_feature / 3589).round(4).tolist() == [0.467, 0.664, 0.6183, 0.2655]


def test_the_federation():
    federation = arizona_hospitals()
    assert federation.H_given == 3**4 + 1
    assert "bypass & not urgent" in federation.hypotheses
    hospital = federation.names.index("hospital 6.5")
    point = federation.evidence.points.index("bypass-man-urgent-to75")
    assert federation.evidence.distributions[hospital, point] == 53 / 376


def test_costs_follow_the_mean_stay():
    federation = arizona_hospitals()
    hospitals = read_hospitals()
    mean = sum(h.days for h in hospitals) / 3589
    costs = [float(agent.cost(1)) for agent in federation.agents]
    np.testing.assert_allclose(costs, [h.days / h.total / mean for h in hospitals], rtol=0, atol=0.00501)
    assert (min(costs), max(costs)) == (0.72, 1.46)
