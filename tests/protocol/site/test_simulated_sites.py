import numpy as np
import pytest

from carrier import small_federation
from fedpact.describe.federation import Federation
from fedpact.errors import FederationError
from fedpact.protocol.site.simulated_sites import give_keys, seed_for, simulate_sites
from fedpact.protocol.site.site import make_site_report
from fedpact.statistics.make_report import report


def test_sites_of_a_table_report_its_rates():
    fed = small_federation()
    for name, masses in zip(fed.names, fed.evidence.distributions, strict=True):
        own = make_site_report(simulate_sites(fed)[name])
        assert own.counts[:4] / own.n == pytest.approx(masses)
        assert own.candidates.names == fed.evidence.hypotheses


def test_the_teacher_is_never_wrong():
    for teacher in ("none", "x3"):
        sites = simulate_sites(small_federation(), teacher=teacher)
        for site in sites.values():
            index = site.pool.predicted.candidates.names.index(teacher)
            assert site.held_out.count_mistakes(index).mistakes == 0
            assert (site.labeller(np.arange(4)) == site.pool.predicted.labels[index]).all()


def test_predictions_with_labels_that_are_no_codes():
    fed = Federation.from_predictions(
        {"a": [[5, 900], [5, 5]], "b": [[7, 7], [5, 7]]}, cost=1, epsilon=0, delta=0.1
    )
    sites = simulate_sites(fed, teacher=fed.evidence.hypotheses[0])
    assert sites["a"].pool.predicted.classes == sites["b"].pool.predicted.classes == (5, 7, 900)
    assert sites["a"].pool.predicted.labels.tolist() == [[0, 2], [0, 0]]
    assert sites["b"].pool.size == 2


def test_what_cannot_be_simulated():
    own = report([[0, 1], [1, 1]], name="a")
    fed = Federation.from_reports([own], cost=1, epsilon=0.1, delta=0.1)
    with pytest.raises(FederationError, match="sites cannot be made from reports, which hold no samples"):
        simulate_sites(fed)
    with pytest.raises(FederationError, match=r"teacher must be one of the hypotheses; it is 'x7'"):
        simulate_sites(small_federation(), teacher="x7")
    with pytest.raises(FederationError, match="seed must be a whole number >= 0; it is -1"):
        simulate_sites(small_federation(), seed=-1)


def test_seeds_and_keys_are_each_sites_own():
    assert len({seed_for(seed, name) for seed in range(3) for name in ("north", "south")}) == 6
    sites, operator, public = give_keys(simulate_sites(small_federation()))
    assert {name: site.key.public for name, site in sites.items()} == public
    assert len(set(public.values())) == 3
    assert {site.operator for site in sites.values()} == {operator.public}
