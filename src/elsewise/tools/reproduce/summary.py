"""From the answers of all folds to the lines of the table.

Table 1 of the paper: median KDE log-density and median Manhattan distance.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ...arrays import AnyArray, BoolArray
from .fold_result import FoldResult, JudgedPoints
from .published_rule import RULES
from .runner import Results


@dataclass(frozen=True, slots=True)
class Published:
    """One line of the published table, without and with the density constraint."""

    closest_log_density: float
    closest_distance: float
    plausible_log_density: float
    plausible_distance: float


# By data set and model.
TABLE_1: dict[tuple[str, str], Published] = {
    ("iris", "softmax"): Published(-34.55, 1.80, -0.75, 4.06),
    ("digits", "softmax"): Published(-164.03, 36.74, -112.40, 110.10),
    ("wine", "softmax"): Published(-82.31, 5.19, -37.58, 49.59),
    ("breast_cancer", "softmax"): Published(-46.52, 33.26, -27.0, 81.47),
    ("house_prices", "softmax"): Published(-39.51, 5.0, -38.12, 9.54),
    ("iris", "tree"): Published(-40.55, 1.19, -0.73, 4.06),
    ("digits", "tree"): Published(-170.25, 36.69, -110.48, 114.78),
    ("wine", "tree"): Published(-102.44, 3.92, -34.38, 66.92),
    ("breast_cancer", "tree"): Published(-43.44, 0.01, -25.55, 22.27),
    ("house_prices", "tree"): Published(-40.49, 0.01, -37.84, 14.92),
}

# Time per row without and with the constraint, in milliseconds ("e.g. from 30ms to 70ms per sample").
MILLISECONDS = (30.0, 70.0)


# Counterfactuals of two models are the same up to this, relative to 1 + their largest entry: answers are proven to be
# optimal no finer than that.
SAME_POINT = 1e-6


@dataclass(frozen=True, slots=True)
class Line:
    """One data set, model and rule, without or with the density constraint.

    Medians are over the rows that the model does not already give the target and for which there is a point; the
    spreads are standard deviations of the folds' own medians (None for a single fold).

    Attributes
    ----------
    data, model, rule : str
    constrained : bool
    n_rows, n_asked : int
        Held-out rows, and those of them that the model does not already give the target.
    found, valid, dense : float
        Shares of the rows asked with a point, and of the points: those valid by the model's own ``predict``, and those
        truly delta-dense.
    largest_gap : float
        No answer of the definition is farther than the nearest possible one by more than this, relative, proven.
    log_density, distance : float
        Medians.
    log_density_spread, distance_spread : float or None
    paper_log_density, paper_distance : float or None
        What the paper reports.
    """

    data: str
    model: str
    rule: str
    constrained: bool
    n_rows: int
    n_asked: int
    found: float
    valid: float
    dense: float
    largest_gap: float
    log_density: float
    log_density_spread: float | None
    distance: float
    distance_spread: float | None
    paper_log_density: float | None
    paper_distance: float | None


@dataclass(frozen=True, slots=True)
class Overlap:
    """Theorem 2 on one data set: where the counterfactual does not depend on the model, and whether it is the same.

    Attributes
    ----------
    data : str
    accuracy, model_free : dict of model to float
        Shares of the held-out rows that are classified correctly, and whose counterfactual is model-free.
    both : float or None
        Share that is model-free under softmax and under the tree; None unless both were run.
    same_if_both, same_if_not : float or None
        Share of these, and of the other rows, with the same counterfactual under both; None if there are none.
    """

    data: str
    accuracy: dict[str, float]
    model_free: dict[str, float]
    both: float | None
    same_if_both: float | None
    same_if_not: float | None


def summarise(results: Results) -> tuple[list[Line], list[Overlap]]:
    """Summarise all results, in the order they have."""
    lines = [
        _line(data, model, folds, rule, constrained)
        for (data, model), folds in results.items()
        for rule in RULES
        for constrained in (False, True)
    ]
    names = list(dict.fromkeys(data for data, _ in results))
    return lines, [_overlap(name, {m: folds for (data, m), folds in results.items() if data == name}) for name in names]


def answers_of(fold: FoldResult, rule: str, constrained: bool) -> tuple[JudgedPoints, BoolArray]:
    """Judged points of a rule in one fold, and which rows count.

    The published programs leave out a row without a point with the constraint, also from the figures without it.
    """
    plausible = fold.answers[f"{rule}_plausible"]
    closest = fold.answers["defined_closest" if rule == "defined" else "code_closest"]
    answers = plausible if constrained else closest
    counts = fold.asked & answers.found
    return answers, counts if rule == "defined" else counts & plausible.found & closest.found


def _line(data: str, model: str, folds: list[FoldResult], rule: str, constrained: bool) -> Line:
    parts = [answers_of(fold, rule, constrained) for fold in folds]

    def each(value: Callable[[JudgedPoints], AnyArray]) -> list[AnyArray]:
        return [value(answers)[counts] for answers, counts in parts]

    n_rows, n_asked = (int(sum(n)) for n in ([len(fold.asked) for fold in folds], [fold.asked.sum() for fold in folds]))
    n_found = int(sum(counts.sum() for _, counts in parts))
    log_density, log_density_spread = _median(each(lambda answers: answers.log_density))
    distance, distance_spread = _median(each(lambda answers: answers.distance))
    paper = TABLE_1.get((data, model))
    published = None if paper is None else (
        (paper.plausible_log_density, paper.plausible_distance)
        if constrained
        else (paper.closest_log_density, paper.closest_distance)
    )  # fmt: skip
    return Line(
        data=data,
        model=model,
        rule=rule,
        constrained=constrained,
        n_rows=n_rows,
        n_asked=n_asked,
        found=n_found / n_asked if n_asked else np.nan,
        valid=_share(each(lambda answers: answers.valid)),
        dense=_share(each(lambda answers: answers.dense)),
        largest_gap=float(max(fold.gaps.max() for fold in folds)),
        log_density=log_density,
        log_density_spread=log_density_spread,
        distance=distance,
        distance_spread=distance_spread,
        paper_log_density=None if published is None else published[0],
        paper_distance=None if published is None else published[1],
    )


def _overlap(data: str, folds: dict[str, list[FoldResult]]) -> Overlap:
    accuracy = {model: _share([fold.correct for fold in of_model]) for model, of_model in folds.items()}
    model_free = {model: _share([fold.model_free for fold in of_model]) for model, of_model in folds.items()}
    if not {"softmax", "tree"} <= set(folds):
        return Overlap(data, accuracy, model_free, None, None, None)
    both, same = [], []
    for left, right in zip(folds["softmax"], folds["tree"]):
        one, other = left.answers["defined_plausible"], right.answers["defined_plausible"]
        both.append(left.model_free & right.model_free)
        size = 1.0 + np.abs(one.points).max(axis=1)
        # NaN, no point, is never the same.
        same.append(np.abs(one.points - other.points).max(axis=1) <= SAME_POINT * size)
    all_both, all_same = np.concatenate(both), np.concatenate(same)
    return Overlap(
        data,
        accuracy,
        model_free,
        both=float(all_both.mean()),
        same_if_both=_share([all_same[all_both]], empty=None),
        same_if_not=_share([all_same[~all_both]], empty=None),
    )


def _median(folds: list[AnyArray]) -> tuple[float, float | None]:
    """Median over the rows of all folds, and the standard deviation of the folds' medians."""
    rows = np.concatenate(folds).astype(np.float64)
    medians = [float(np.median(fold.astype(np.float64))) for fold in folds if len(fold)]
    spread = float(np.std(medians, ddof=1)) if len(medians) > 1 else None
    return (float(np.median(rows)) if len(rows) else np.nan), spread


def _share(folds: list[AnyArray], empty: float | None = np.nan) -> float:
    rows = np.concatenate(folds)
    return float(rows.mean()) if len(rows) else empty  # type: ignore[return-value]
