"""What questions about rows came to at fit, kept to compare later rows with: counts and quantiles, no rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...answers import Explanations
from ...arrays import FloatArray
from ...fitted import FittedModel
from ...questions import Options
from ...questions.explain import explain_rows
from .answers_table import table_of

# Points of a distribution that a baseline keeps: its quantiles, not the rows.
N_QUANTILES = 501
# Held-out plausibility below which a row is called unusual: of rows like those at fit, as large a share is.
UNUSUAL = 0.05


@dataclass(frozen=True, slots=True, eq=False)
class Observed:
    """What came of a question about rows.

    Attributes
    ----------
    n_rows, n_wrong : int
        Rows that were asked about, and those among them that are wrong.
    n_in_need, n_infeasible : int
        Rows that are not as wanted already, and those among them without an answer.
    distances : array
        Of answers, in ascending order: all of them, or their quantiles.
    n_distances : int
        Answers they stand for.
    plausibilities : array
        How plausible the rows themselves are, in ascending order: all, or quantiles. Of a row, it is the share of the
        training rows of its predicted class that are no denser.
    n_plausibilities, n_unusual : int
        Rows they stand for, and those among them that hardly any training row is less plausible than.
    """

    n_rows: int
    n_wrong: int
    n_in_need: int
    n_infeasible: int
    distances: FloatArray
    n_distances: int
    plausibilities: FloatArray
    n_plausibilities: int
    n_unusual: int


@dataclass(frozen=True, slots=True, eq=False)
class Baseline:
    """A question, and what came of it.

    Attributes
    ----------
    target : label, (low, high) or None
    options : Options
    thresholds : dict of label to float
        Log densities that were asked for: at others answers cannot be compared.
    observed : Observed
    """

    target: Any
    options: Options
    thresholds: dict[Any, float]
    observed: Observed


def baseline_of(fitted: FittedModel, X: Any, target: Any, options: Options, n_jobs: int | None) -> Baseline:
    """Ask about rows, and keep what came of it."""
    seen = observe(fitted, X, target, options, n_jobs)
    kept = Observed(
        seen.n_rows,
        seen.n_wrong,
        seen.n_in_need,
        seen.n_infeasible,
        quantiles(seen.distances),
        seen.n_distances,
        quantiles(seen.plausibilities),
        seen.n_plausibilities,
        seen.n_unusual,
    )
    return Baseline(target, options, thresholds_of(fitted), kept)


def observe(fitted: FittedModel, X: Any, target: Any, options: Options, n_jobs: int | None) -> Observed:
    """Ask about rows."""
    answers = explain_rows(fitted, X, target, options, n_jobs=n_jobs)
    table = table_of(answers)
    need = table.in_need
    distances = np.sort(table.distances[need & table.found])
    own = np.sort(row_plausibilities(fitted, answers))
    return Observed(
        n_rows=len(table.statuses),
        n_wrong=int((table.statuses == "error").sum()),
        n_in_need=int(need.sum()),
        n_infeasible=int((need & ~table.found).sum()),
        distances=distances,
        n_distances=len(distances),
        plausibilities=own,
        n_plausibilities=len(own),
        n_unusual=int((own < UNUSUAL).sum()),
    )


def row_plausibilities(fitted: FittedModel, answers: Explanations) -> FloatArray:
    """Find how plausible rows are among the training rows of the class that is predicted for them.

    Returns
    -------
    array of shape (n_rows that are right,); empty without a density
    """
    places = np.unique(answers.rows, return_index=True)[1].astype(np.int64)
    places = places[answers.statuses[places] != "error"]
    if not fitted.densities or len(places) == 0:
        return np.zeros(0)
    predicted = [None if fitted.classes is None else label for label in answers.predictions[places].tolist()]
    shares = np.full(len(places), np.nan)
    for label in dict.fromkeys(predicted):
        density = fitted.densities.get(label)
        if density is not None and len(density.log_densities_):
            own = np.array([other == label for other in predicted])
            values = fitted.log_density(answers.row_features[places[own]], label)
            below = np.searchsorted(density.log_densities_, values, side="right")
            shares[own] = below / len(density.log_densities_)
    return np.asarray(shares[np.isfinite(shares)])


def quantiles(values: FloatArray) -> FloatArray:
    """Keep so many points of a distribution that it can be compared, and none of many can be told."""
    if len(values) == 0:
        return values
    return np.asarray(np.quantile(values, np.linspace(0, 1, N_QUANTILES)))


def thresholds_of(fitted: FittedModel) -> dict[Any, float]:
    """Log densities that answers are held to, by label."""
    return {label: float(density.log_threshold_) for label, density in fitted.densities.items()}
