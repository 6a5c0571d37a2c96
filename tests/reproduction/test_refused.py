"""Malformed settings are refused in one line, before anything is computed."""

import pytest

import fedpact as fp
from reproduction.sweep import reproduce

RULES = [
    (
        [],
        "must hold at least one value",
        {
            "no-pure-equilibrium": "agents",
            "exchangeability": "heterogeneity alice_bob",
            "mechanisms": "examples",
            "hardness": "sizes deltas",
            "contribution-check": "quotas lies",
            "coverage": "points",
            "digits": "candidates",
            "price-of-stability": "epsilon",
            "obliviousness": "pac expected",
            "truthfulness": "planners",
            "planner-table": "H deltas",
            "composition-femnist": "m",
            "composition-shakespeare": "m",
            "selection": "collection_epsilon batches noise run_batches",
        },
    ),
    (
        0,
        "must be 1 or more",
        {
            "no-pure-equilibrium": "points seeds",
            "exchangeability": "most_samples",
            "mechanisms": "reports",
            "hardness": "max_nodes",
            "contribution-check": "sites lying_sites",
            "coverage": "seeds max_nodes",
            "digits": "seeds",
            "obliviousness": "parts",
            "truthfulness": "reports seeds",
            "planner-table": "networks batch",
            "composition-shakespeare": "test_windows",
            "federated": "draws networks batch seeds",
            "selection": "orders writers public_images truth_draws label_orders quota_draws runs seeds",
        },
    ),
    (
        1,
        "must lie strictly between 0 and 1",
        {
            "exchangeability": "epsilon delta",
            "contribution-check": "level confidence",
            "coverage": "confidence limits_hold",
            "digits": "delta confidence",
            "price-of-stability": "delta",
            "obliviousness": "delta",
            "composition-femnist": "test_share",
            "federated": "epsilon delta test_share",
            "selection": "collection_delta confidence epsilon truth_delta label_delta run_delta run_confidence "
            "limits_hold",
        },
    ),
    (
        0.0,
        "must be above 0",
        {
            "no-pure-equilibrium": "concentration",
            "planner-table": "learning_rate",
            "federated": "learning_rate",
        },
    ),
]
"""A value, the rule that it breaks, and the settings of every experiment that have the rule."""

REFUSED = {
    "no-pure-equilibrium": [
        ({"agents": [1]}, "agents must be 2 or more"),
        ({"agents": [9]}, "agents must be at most 6"),
        ({"points": 40}, "points must be at most 6"),
        ({"epsilon": [0.4, 0.1]}, "epsilon must be two numbers, the lower first"),
        ({"delta": [0.5]}, "delta must be two numbers"),
        ({"rings": [[0.3, 0.3]]}, "rings must be lists of own mass, epsilon and delta"),
        ({"moves": [2.0]}, "moves must be shares between 0 and 1"),
        ({"nudge": 1e-12}, "nudge must lie between"),
        ({"orders": ["random"]}, "orders must be one of round-robin, simultaneous"),
        ({"starts": -1}, "starts must be"),
        ({"parts": 50}, "parts must be at most 4"),
    ],
    "exchangeability": [
        ({"heterogeneity": [1.5]}, "heterogeneity must lie between 0 and 1"),
        ({"alice_bob": [0.4]}, "epsilon must be at most 0.25"),
        ({"concentrations": [0.0]}, "concentrations must be above 0"),
        ({"points": 9}, "points must be at most 3"),
        ({"agents": 1}, "agents must be 2 or more"),
        ({"hypotheses": 5000}, "hypotheses must be at most 20"),
        ({"random_points": -1}, "random_points must be"),
    ],
    "mechanisms": [
        ({"examples": ["alice-rob"]}, "did you mean 'alice-bob'"),
        ({"examples": ["arizona-hospitals"]}, "examples must have at most 4 agents"),
        ({"agents": [3, 2]}, "agents must be two whole numbers, the fewest first"),
        ({"agents": [1, 2]}, "agents must be 2 or more"),
        ({"hypotheses": [3, 500]}, "hypotheses must be at most 20"),
        ({"method": "guess"}, "method must be one of"),
        ({"fee": -1.0}, "fee must lie between 0 and 10"),
        ({"recover": 2.0}, "recover must lie between 0 and 1"),
        ({"ceiling": 0.5}, "ceiling must lie between 1 and 1000"),
    ],
    "hardness": [
        ({"sizes": [4]}, "sizes must be pairs of elements and sets"),
        ({"sizes": [[40, 4]]}, "sizes: elements must be at most 16"),
        ({"agent_sizes": [[0, 4]]}, "agent_sizes: elements must be 1 or more"),
        ({"agent_sizes": [[4, 400]]}, "agent_sizes: sets must be at most 40"),
        ({"density": 0.0}, "density must lie"),
        ({"agent_density": 1.5}, "agent_density must lie"),
        ({"deltas": [1.0]}, "deltas must lie"),
    ],
    "contribution-check": [
        ({"federation": "alice-rob"}, "did you mean 'alice-bob'"),
        ({"quotas": [1.5]}, "quotas must be"),
        ({"lies": [2]}, "lies must lie between 0 and 1"),
    ],
    "coverage": [
        ({"points": [0]}, "points must be 1 or more; it is 0"),
        ({"method": "exact"}, "method must be one of lp, union, tree; it is 'exact'"),
    ],
    "obliviousness": [
        ({"pac": [1.5]}, "pac must be a whole number"),
        ({"expected": [-3]}, "expected must be a whole number"),
        ({"parts": 1000}, "parts must be at most 100"),
        ({"pac_H": 2}, "pac_H must be 4 or more"),
        ({"expected_H": 1000}, "expected_H must be at most 100"),
        ({"pac_epsilon": 2.0}, "pac_epsilon must lie"),
        ({"searched": [7]}, "searched must be a plan of two agents"),
        ({"searched": [7, 60]}, "searched must be a plan of two agents that the paper's masses exist for"),
    ],
    "noise": [({"candidates": [1]}, "candidates must be 2 or more")],
    "liars": [({"liars": [6]}, "liars must be"), ({"method": "exact"}, "method must be one of lp, union, tree")],
    "price-of-stability": [
        ({"epsilon": ["1/2"]}, "epsilon must"),
        ({"epsilon": ["no"]}, "epsilon must be a number"),
    ],
    "digits": [
        ({"candidates": [1]}, "candidates must be 2 or more; it is 1"),
        ({"epsilon": [0.1, "0.1"]}, "epsilon must be one value or several different ones"),
        ({"epsilon": [2]}, "epsilon must lie between 0 and 1; it is 2"),
        ({"method": "exact"}, "method must be one of lp, union, tree"),
    ],
    "truthfulness": [
        ({"planners": ["guess"]}, "planners must be one of auto, lp, union, tree, exact; it is 'guess'"),
        ({"examples": ["alice-rob"]}, "did you mean 'alice-bob'"),
    ],
    "planner-table": [
        ({"H": [1]}, "H must be"),
        ({"H": [500]}, "H = 500 is more than the 30 checkpoints"),
        ({"deltas": [1.0]}, "deltas must lie"),
        ({"epsilon": 2.0}, "epsilon must lie"),
        ({"more_writers": [8]}, "8 sites leave nobody public"),
        ({"public_images": 10**6}, "public_images = 1000000 is more than"),
        ({"grid_H": [40]}, "H = 40 is more than the 30 checkpoints"),
        ({"writers_H": [40]}, "H = 40 is more than the 30 checkpoints"),
        ({"grid_epsilons": ["3/2"]}, "grid_epsilons must lie between 0 and 1; it is 1.5"),
        ({"more_writers": ["x"]}, "more_writers must be a number"),
        ({"max_nodes": -1}, "max_nodes must be a whole number >= 0"),
    ],
    "composition-femnist": [
        ({"m": [5000]}, "m = 5000 with lambda = 0 takes 5000 images of writer writer-2, which has 2.. for"),
        ({"lambdas": [1.5]}, "lambdas must lie between 0 and 1"),
        ({"writers": ["writer-1", "nobody"]}, "writer 'nobody' is not in"),
        ({"writers": ["writer-1"]}, "writers must be two different names"),
        ({"variants": ["three"]}, "variants must be some of"),
        ({"variants": [["two writers"]]}, "variants must be some of"),
    ],
    "composition-shakespeare": [
        ({"m": [45_000]}, r"m = 45000 with lambda = 0 takes 45000 windows of role role-2, which has 19260 for"),
        (
            {"m": [20_000], "lambdas": [0.5, 1.0]},
            "lambda = 1 takes 20000 windows of role role-1, which has 19260",
        ),
        ({"test_windows": 19_900}, "which has 0 for training"),
        ({"test_windows": 30_000, "lambdas": [1.0]}, "test_windows must be at most the 19920 of role role-1"),
        ({"lambdas": [-0.5]}, "lambdas must lie between 0 and 1"),
        ({"roles": ["role-1", "ophelia"]}, r"role 'ophelia' is not in .*; it has role-1"),
        ({"roles": ["role-1", "role-1"]}, "roles must be two different names"),
    ],
    "federated": [
        ({"federations": []}, r"federations must be some of writers, hospitals; they are \[\]"),
        ({"federations": ["banks"]}, "federations must be some of writers, hospitals"),
        ({"method": "exact"}, "method must be one of lp, union, tree"),
        ({"H": 1}, "H must be 2 or more"),
        ({"H": 501}, "H must be at most 500"),
        ({"H": 50}, "H = 50 is more than the 20 checkpoints"),
        ({"writers": 1}, "writers must be 2 or more"),
        ({"writers": 8}, "writers: 8 sites leave nobody public"),
        ({"public_images": 10**6}, "public_images = 1000000 is more than"),
    ],
    "selection": [
        ({"collections": ["pacs", "pacs"]}, "collections must be different ones"),
        ({"federations": ["banks"]}, "federations must be one of arizona-hospitals, hospitals, writers"),
        ({"collection_epsilon": [0.1, 0.05]}, "collection_epsilon must hold every value once"),
        ({"collection_epsilon": [1.5]}, "collection_epsilon must lie between 0 and 1"),
        ({"batches": [0]}, "batches must be 1 or more"),
        ({"noise": [0.5]}, "noise must be below 1/2; it is 0.5"),
        ({"H": 1}, "H must be 2 or more"),
        ({"side": 100}, "side must be at most 28"),
        ({"writers": 8}, "writers: 8 sites leave nobody public"),
        ({"public_images": 10**6}, "public_images = 1000000 is more than"),
        ({"method": "exact"}, "method must be one of lp, union, tree"),
    ],
}
TORCH = ("planner-table", "composition-femnist", "composition-shakespeare", "federated")


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.torch] if name in TORCH else []) for name in REFUSED]
)
def test_malformed_settings_are_refused(name, tmp_path):
    if name in TORCH:
        pytest.importorskip("torch")
    broken = [({key: value}, f"{key} {rule}") for value, rule, keys in RULES for key in keys.get(name, "").split()]
    for changes, said in broken + REFUSED[name]:
        with pytest.raises(fp.FederationError, match=said) as caught:
            reproduce(name, quick=True, changes=changes, store=tmp_path, workers=1)
        assert "\n" not in str(caught.value)
    assert {path.name for path in tmp_path.iterdir()} <= {".writable"}
