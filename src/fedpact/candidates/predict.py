"""One front door: candidates of any kind in, what they predict out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from os import PathLike
from pathlib import Path
from typing import Any

from fedpact.candidates.adapt_onnx import prepare_onnx
from fedpact.candidates.batches import BATCH, Prepared, ask_one, count_points, name_refusals
from fedpact.candidates.model_digest import digest_model
from fedpact.candidates.predicted import Predicted
from fedpact.describe.candidate_list import CandidateList, digest_of
from fedpact.describe.label_codes import Coded, Label, read_classes, stack
from fedpact.describe.numbers import read_number, read_whole_number, shorten
from fedpact.describe.progress import Progress
from fedpact.errors import FederationError

_PICKLES = (".pkl", ".pickle", ".joblib", ".pt", ".pth", ".ckpt", ".bin", ".dill")


def _prepare_file(name: str, path: Path) -> Prepared:
    if path.suffix.lower() != ".onnx":
        why = "; a pickle can run any program when it is read" if path.suffix.lower() in _PICKLES else ""
        raise FederationError(
            f"candidate {name!r}: a model file must end in .onnx; it is {shorten(str(path))}{why}; export the "
            "model, or give a function that asks it; predictions in .npy, .csv or .parquet are for "
            "fedpact.sites.read_predictions"
        )
    return prepare_onnx(name, path)


def _prepare(name: str, candidate: Any) -> Prepared:
    if isinstance(candidate, str | PathLike):
        return _prepare_file(name, Path(candidate))
    if isinstance(candidate, type):
        raise FederationError(
            f"candidate {name!r} must be a fitted model; it is the class {candidate.__name__} itself"
        )
    if callable(getattr(candidate, "predict", None)):
        refusals = (AttributeError, TypeError, ValueError)  # NotFittedError is a ValueError
        ask = name_refusals(name, f"{type(candidate).__name__}.predict", candidate.predict, refusals)
        return Prepared(digest_model(name, candidate), ask)
    if hasattr(candidate, "state_dict"):
        raise FederationError(
            f"candidate {name!r} is a PyTorch module; give a function that asks it, or an .onnx file of it"
        )
    if callable(candidate):
        return Prepared(digest_of(name), candidate)
    raise FederationError(
        f"candidate {name!r} must be a fitted estimator, the path of an .onnx file or a function from "
        f"points to labels; it is {shorten(candidate)}"
    )


def predict(
    candidates: Mapping[str, Any],
    points: Any,
    *,
    classes: Iterable[Label] | None = None,
    threshold: float | None = None,
    batch: int = BATCH,
    progress: Progress | None = None,
) -> Predicted:
    """Predict the points of one site with every candidate.

    ========================================= ===================================== =====================
    candidate                                 how it is asked                       digest
    ========================================= ===================================== =====================
    path of an ``.onnx`` file                 onnxruntime                           of the file
    anything with ``predict``                 ``predict(points)``                   of what it has learned
    any other callable                        ``f(points)``                         of the name
    ========================================= ===================================== =====================

    Parameters
    ----------
    candidates
        Name -> model: a fitted estimator, the path of an ``.onnx`` file, or a function from points to labels.
    points
        n points: an array, a table, a tensor or a list, whatever the candidates take.
    classes
        All labels in the order of their codes. The scores of an ``.onnx`` file are for these in this order.
        Without them the labels that occur, sorted; the classes of such a file are then 0, 1, ...
    threshold
        Above what a single score per point means the second class. Without it 0, the sign of a logit; where all
        such scores lie between 0 and 1 they may be probabilities, and it must be said.
    batch
        How many points a candidate is asked for at once.
    progress
        Called with the number of predictions made so far and the number of all, candidates times points.

    Returns
    -------
    Predicted
        (H, n) codes, the candidates with their digests, and what each code stands for.

    Examples
    --------
    >>> import numpy as np
    >>> points = np.array([[36.5], [38.2], [40.1]])
    >>> rules = {
    ...     "fever": lambda x: np.where(x[:, 0] > 38, "ill", "healthy"),
    ...     "high fever": lambda x: np.where(x[:, 0] > 40, "ill", "healthy"),
    ... }
    >>> found = predict(rules, points)
    >>> found.classes, found.labels.tolist()
    (('healthy', 'ill'), [[0, 1, 1], [0, 0, 1]])
    """
    if not isinstance(candidates, Mapping) or not candidates:
        raise FederationError(f"candidates must be names and models, not none; they are {shorten(candidates)}")
    CandidateList.from_names(candidates)  # a name that will not do is found before anything is predicted
    declared = None if classes is None else read_classes(classes)
    size, n = read_whole_number(batch, "batch", least=1), count_points(points)
    cut = None if threshold is None else read_number(threshold, "threshold")
    rows: dict[str, Coded] = {}
    digests: list[str] = []

    def tell(predicted: int) -> None:
        if progress is not None:
            progress(len(rows) * n + predicted, n * len(candidates))

    for name, candidate in candidates.items():
        prepared = _prepare(name, candidate)
        digests.append(prepared.digest)
        rows[name] = ask_one(name, prepared, points, batch=size, classes=declared, threshold=cut, tell=tell)
    labels, known = stack(rows, declared)
    listed = CandidateList(names=tuple(rows), digests=tuple(digests))
    return Predicted(labels=labels, candidates=listed, classes=known)
