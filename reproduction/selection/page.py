"""The page of :mod:`reproduction.selection.experiment`: tables, sentences and figure, from its results."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from reproduction.experiment import Table
from reproduction.figures import Figure, StepPanel, draw_step_panels
from reproduction.selection.count_labels import CHOSEN_BEFORE, DISTRIBUTIONS, POOLS
from reproduction.selection.label_by_candidate import ASKED, CHOSEN
from reproduction.selection.label_truly import ADAPTIVE, PLAN
from reproduction.selection.simulate_runs import COUNTED

Row = Mapping[str, Any]

FIRST_TRIAL = {
    ("mmlu_pro", 0.05): 1841,
    ("mmlu_pro", 0.1): 1200,
    ("pacs", 0.05): 170,
    ("pacs", 0.1): 60,
    ("qnli", 0.05): 188,
    ("qnli", 0.1): 79,
    ("mrpc_train", 0.05): 58,
    ("mrpc_train", 0.1): 48,
    ("emotion_detection", 0.05): 29,
    ("emotion_detection", 0.1): 0,
}
"""Labels of the promise about pools in trials before there was a program."""
FIRST_BY_CANDIDATE = {
    ("arizona-hospitals", 0.0, ASKED): "7.39 (14.3)",
    ("arizona-hospitals", 0.0, CHOSEN): "5.3 (10.8)",
    ("hospitals", 0.0, ASKED): "7.1 (13)",
    ("hospitals", 0.0, CHOSEN): "5.6 (6)",
    ("hospitals", 0.05, CHOSEN): "9.5 (20)",
    ("hospitals", 0.1, CHOSEN): "13.4 (31)",
    ("writers", 0.0, ASKED): "3.8 (8)",
    ("writers", 0.0, CHOSEN): "2.1 (3)",
    ("writers", 0.2, CHOSEN): "8.1 (14)",
}
"""Federation, noise and way -> mean (most) cost of the same trials, with other models."""


def _ways(results: Row) -> dict[tuple[str, float], dict[str, Row]]:
    """Sort rows: (collection, epsilon) -> way -> row."""
    found: dict[tuple[str, float], dict[str, Row]] = {}
    for row in results["collections"]:
        found.setdefault((row["collection"], row["epsilon"]), {})[row["way"]] = row
    return found


def _span(row: Row, say: str = ",.0f") -> str:
    """Say the mean, and the most.

    Examples
    --------
    >>> _span({"mean": 1334.3, "most": 1500})
    '1,334 (1,500)'
    """
    return f"{row['mean']:{say}} ({row['most']:{say}})"


def _show_collections(results: Row) -> Table:
    rows = []
    for (name, epsilon), ways in _ways(results).items():
        pools, distributions, first = ways[POOLS], ways[DISTRIBUTIONS], FIRST_TRIAL.get((name, epsilon))
        rows.append(
            (
                name,
                f"{len(pools['sites'])}",
                f"{pools['candidates']}",
                f"{pools['points']:,}",
                f"{epsilon:g}",
                _span(pools),
                "-" if first is None else f"{first:,}",
                f"{pools['certified']:.0%}",
                _span(distributions),
                f"{distributions['certified']:.0%}",
                f"{pools['above'] + distributions['above']}",
                "-" if pools["hoeffding"] is None else f"{pools['hoeffding']:,}",
            )
        )
    columns = (
        "predictions",
        "sites",
        "H",
        "points",
        "epsilon",
        "labels, pools",
        "first trial",
        "proved",
        "labels, distributions",
        "proved",
        "above epsilon",
        "Hoeffding",
    )
    orders = results["collections"][0]["orders"]
    title = f"Public predictions, nothing assumed: labels, mean (most) of {orders} orders"
    return Table(f"{title}; delta {results['collection_delta']:g} over all sites", columns, rows)


def _show_batches(results: Row) -> Table:
    batches = list(dict.fromkeys(row["batch"] for row in results["collections"]))
    rows = []
    for (name, epsilon), ways in _ways(results).items():
        own = [ways[POOLS if batch == 1 else f"batch {batch}"] for batch in batches]
        rows.append((name, f"{epsilon:g}", *(f"{row['mean']:,.0f} in {row['rounds']:,.1f}" for row in own)))
    columns = ("predictions", "epsilon", *(f"{batch} at once" for batch in batches))
    return Table("Batches, promise about pools: labels in rounds, means", columns, rows)


def _show_clean(results: Row) -> Table:
    rows = []
    for fed in results["truths"]:
        own = {row["way"]: row for row in fed["rows"] if row["noise"] == 0}
        plans = [f"{fed['plans'][method]:.4g}" for method in ("lp", results["method"])]
        said = [f"{own[way]['mean']:.2f} ({own[way]['most']:.4g})" for way in (ASKED, CHOSEN)]
        first = [FIRST_BY_CANDIDATE.get((fed["federation"], 0.0, way), "-") for way in (ASKED, CHOSEN)]
        missed = f"{own[ASKED]['missed']} of {own[ASKED]['runs']:,}", f"{own[CHOSEN]['missed']}"
        rows.append(
            (
                fed["federation"],
                f"{fed['sites']}",
                f"{fed['candidates']:.3g}",
                *plans,
                said[0],
                first[0],
                missed[0],
                said[1],
                first[1],
                missed[1],
            )
        )
    columns = (
        "federation",
        "sites",
        "H",
        "lp",
        results["method"],
        ASKED,
        "first trial",
        "missed",
        CHOSEN,
        "first trial",
        "missed",
    )
    title = f"One candidate labels: cost, mean (most); epsilon {results['epsilon']:g}"
    return Table(f"{title}, delta {results['truth_delta']:g}", columns, rows)


def _show_noisy(results: Row) -> Table:
    rows = [
        (
            fed["federation"],
            f"{row['noise']:.0%}",
            f"{row['mean']:.1f} ({row['most']:.4g})",
            FIRST_BY_CANDIDATE.get((fed["federation"], row["noise"], CHOSEN), "-"),
            f"{row['certified']:.1%}",
            f"{row['missed']:,} of {row['runs']:,}",
        )
        for fed in results["truths"]
        for row in fed["rows"]
        if row["noise"]
    ]
    columns = ("federation", "labels wrong", "labels, mean (most)", "first trial", "proved", "missed")
    return Table(f"One candidate labels, some labels wrong; delta {results['truth_delta']:g}", columns, rows)


def _show_true_labels(results: Row) -> Table:
    rows = []
    for fed in results["true_labels"]:
        for way, own in fed["ways"].items():
            low, high = own["limits"]
            rows.append(
                (
                    fed["federation"],
                    way,
                    f"{own['all_near']:,} of {own['draws']:,}",
                    f"{own['all_near'] / own['draws']:.1%}",
                    f"{low:.1%} - {high:.1%}",
                    ", ".join(f"{share:.0%}" for share in own["near"]),
                    f"{own['labels']:,.1f} ({own['most']:,})",
                    f"{fed['agnostic_plan']:,.0f}",
                    f"{sum(fed['points']):,}",
                )
            )
    columns = (
        "federation",
        "way",
        "every site near its best",
        "share",
        "limits",
        "each site",
        "labels, mean (most)",
        "agnostic plan",
        "points",
    )
    title = f"True labels: draws in which choices are within {results['epsilon']:g} of the best"
    return Table(f"{title}; delta {results['label_delta']:g} over all sites", columns, rows, 2)


def _show_runs(results: Row) -> Table:
    rows = []
    for row in results["runs"]:
        counts = (f"{row[key]:,} (at most {row['limits'][key][1]:.1%})" for key in COUNTED)
        rows.append(
            (row["case"], f"{row['bound']:g}", f"{row['runs']:,}", *counts, f"{row['labels']:.1f}"),
        )
    columns = ("assumed", "promised", "runs", "missed", "false at a random stop", "ever false", "labels, mean")
    title = "Simulated near ties: runs in which a promise is broken"
    return Table(f"{title}; delta {results['run_delta']:g}", columns, rows)


def tabulate(results: Row) -> list[Table]:
    """Show public predictions, batches, one truth, true labels and simulated runs."""
    tables = []
    if results["collections"]:
        tables += [_show_collections(results), _show_batches(results)]
    if results["truths"]:
        tables.append(_show_clean(results))
    if any(row["noise"] for fed in results["truths"] for row in fed["rows"]):
        tables.append(_show_noisy(results))
    if results["true_labels"]:
        tables.append(_show_true_labels(results))
    return [*tables, _show_runs(results)]


def _say_collections(results: Row) -> list[str]:
    rows = results["collections"]
    above, false = (sum(row[key] for row in rows) for key in ("above", "false"))
    total = sum(row["orders"] * len(row["sites"]) for row in rows)
    said = [
        f"public predictions: of {total:,} choices {above:,} that were proved have a regret above epsilon on the "
        f"site's points, and {false:,} certificates say less than is true"
    ]
    pairs = [(ways[POOLS], ways[DISTRIBUTIONS]) for ways in _ways(results).values() if ways[POOLS]["mean"]]
    ratios = [other["mean"] / own["mean"] for own, other in pairs]
    if ratios:
        times = sorted({f"{ratio:.2f}" for ratio in (min(ratios), max(ratios))})
        share = min(row["certified"] for row in rows if row["way"] == DISTRIBUTIONS)
        said.append(
            f"the promise about distributions takes {' to '.join(times)} times the labels of that about pools; at "
            f"{1 - share:.0%} of the sites of a row at most points run out before it is proved"
        )
    for (name, epsilon), ways in _ways(results).items():
        if CHOSEN_BEFORE in ways:
            saved = 1 - ways[CHOSEN_BEFORE]["mean"] / max(ways[POOLS]["mean"], 1)
            said.append(
                f"{name}, epsilon {epsilon:g}: sites one after the other, expecting what was chosen before, take "
                f"{ways[CHOSEN_BEFORE]['mean']:,.0f} labels, {abs(saved):.0%} {'fewer' if saved >= 0 else 'more'}"
            )
    return said


def _say_truths(fed: Row, results: Row) -> str:
    own = {row["way"]: row for row in fed["rows"] if row["noise"] == 0}
    plan = fed["plans"][results["method"]]
    noisy = [row for row in fed["rows"] if row["noise"]]
    missed, runs = sum(row["missed"] for row in noisy), sum(row["runs"] for row in noisy)
    misses = "misses, which it must not" if own[CHOSEN]["missed"] else "never misses"
    said = (
        f"{fed['federation']}, one candidate labels: of a plan's samples for {plan:.4g} those for "
        f"{own[ASKED]['mean']:.3g} are asked on average, the others implied; adaptive labelling asks for "
        f"{own[CHOSEN]['mean']:.3g} and {misses}"
    )
    return f"{said}; with wrong labels {missed:,} of {runs:,} runs miss" if runs else said


def _say_true_labels(fed: Row, delta: float) -> str:
    plan, adaptive = (fed["ways"][way] for way in (PLAN, ADAPTIVE))
    share = adaptive["all_near"] / adaptive["draws"]
    kept = "as promised" if share >= 1 - delta else "less often than promised"
    return (
        f"{fed['federation']}, true labels: with a plan's quotas every site is near its best candidate in "
        f"{plan['all_near'] / plan['draws']:.0%} of draws, with {plan['labels']:.3g} labels; adaptive labelling "
        f"that assumes nothing takes {adaptive['labels']:.3g}, and they are in {share:.1%}, {kept}; a plan that "
        f"assumes nothing asks for {fed['agnostic_plan']:,.0f}"
    )


def judge(row: Row) -> Callable[[str], bool]:
    """Tell of each count whether its lower limit refutes the promise."""
    return lambda key: row["limits"][key][0] > row["bound"] + 1e-12


def _say_runs(results: Row) -> list[str]:
    rows = results["runs"]
    refuted = [row["case"] for row in rows if any(map(judge(row), COUNTED))]
    within = [row["case"] for row in rows if all(row[key] <= row["bound"] * row["runs"] for key in COUNTED)]
    runs, readings = (sum(row[key] for row in rows) for key in ("runs", "readings"))
    said = f"simulated near ties: {runs:,} runs, {readings:,} readings of the certificate; "
    if refuted:
        return [f"{said}more often than promised it is wrong with {'; '.join(refuted)}"]
    said += f"in {len(within)} of {len(rows)} cases misses and wrong certificates are no more than promised"
    none = [row["case"] for row in rows if row["bound"] == 0]
    return [said, f"{', '.join(none)}: never wrong, which is a certainty and not a chance"]


def conclude(results: Row) -> list[str]:
    """Say how many labels are needed, whether promises are kept, and what is not compared."""
    said = _say_collections(results) if results["collections"] else []
    said += [_say_truths(fed, results) for fed in results["truths"]]
    said += [_say_true_labels(fed, results["label_delta"]) for fed in results["true_labels"]]
    said += _say_runs(results)
    return [
        *said,
        "first trial: what the method took before there was a program; orders of points, and the models of "
        "hospitals and writers, were others",
        "Hoeffding: labels for the same promise by Hoeffding's inequality and a union bound, whatever pools hold",
        "limits are Clopper and Pearson's, all of a table right at once with probability "
        f"{results['limits_hold']:g}",
        "nobody else is on this page: Model Selector, ModelPicker, CODA and SELECT-LLM label until the best "
        "candidate is found in hindsight; they have no rule for stopping and promise nothing, so their labels are "
        "not these",
    ]


def _panel(title: str, lines: Mapping[str, Any], epsilon: float) -> StepPanel:
    return StepPanel(title, dict(lines), (f"epsilon {epsilon:g}", epsilon))


def draw(results: Row) -> Figure:
    """Draw the epsilon that is proved against labels, in the first order of every collection."""
    first = min((row["epsilon"] for row in results["collections"]), default=0.0)
    rows = [row for row in results["collections"] if row["way"] == POOLS and row["epsilon"] == first]
    alone = {row["collection"]: row["steps"][row["sites"][0]] for row in rows if len(row["sites"]) == 1}
    panels = [_panel("collections of one site", alone, first)] if alone else []
    panels += [
        _panel(f"{row['collection']}, by site", row["steps"], first) for row in rows if len(row["sites"]) > 1
    ]
    return draw_step_panels(panels, x_axis="labels of the site", y_axis="regret that is proved, at most")
