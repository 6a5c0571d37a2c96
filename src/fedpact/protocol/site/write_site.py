"""``write_site``: the folder of a site that is made up, or that is made for a trial."""

from __future__ import annotations

from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import tomli_w
from numpy.typing import NDArray

from fedpact import formats
from fedpact.candidates.matrix_files import write_predictions
from fedpact.candidates.predicted import Predicted
from fedpact.describe.candidate_list import CandidateList
from fedpact.protocol.site.site import HeldOut, Site
from fedpact.protocol.site.site_files import FILE


def _write_labels(codes: NDArray[np.integer], predicted: Predicted, path: Path) -> None:
    listed = CandidateList.from_names(["label"])
    write_predictions(Predicted(labels=codes[None], candidates=listed, classes=predicted.classes), path)


def write_site(
    site: Site, folder: str | PathLike[str], *, key: str | None = None, operator: str | None = None
) -> Path:
    """Write the folder of a site all of whose labels are known, which can be read again as that site.

    ``key`` and ``operator`` are the files of its signing key and of the operator's public one.
    """
    home, predicted, masses = Path(folder), site.pool.predicted, site.pool.masses
    home.mkdir(parents=True, exist_ok=True)
    write_predictions(predicted, home / "predictions.csv")
    _write_labels(np.asarray(site.labeller(np.arange(predicted.n))), predicted, home / "labels.csv")
    table: dict[str, Any] = {"format": formats.SITE, "name": site.name}
    table |= {"predictions": "predictions.csv", "labels": "labels.csv"}
    table |= {"classes": list(predicted.classes), "minimum_count": site.minimum_count, "least": site.least}
    for name, value in (("key", key), ("operator", operator), ("most", site.most), ("seed", site.seed)):
        table |= {} if value is None else {name: value if isinstance(value, int) else str(value)}
    if masses is not None:
        np.save(home / "masses.npy", masses, allow_pickle=False)
        table["masses"] = "masses.npy"
    if site.held_out is not None:
        table["held_out"] = _write_held_out(site.held_out, predicted, home)
    (home / FILE).write_text(tomli_w.dumps(table), encoding="utf-8")
    return home


def _write_held_out(held_out: HeldOut, predicted: Predicted, home: Path) -> dict[str, str]:
    write_predictions(replace(predicted, labels=held_out.predicted), home / "held-out.csv")
    _write_labels(held_out.labels, predicted, home / "held-out-labels.csv")
    table = {"predictions": "held-out.csv", "labels": "held-out-labels.csv"}
    if held_out.weights is not None:
        np.save(home / "held-out-weights.npy", held_out.weights, allow_pickle=False)
        table["weights"] = "held-out-weights.npy"
    return table
