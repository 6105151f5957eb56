"""Profiles: how the training rows of a class are distributed, column by column, small enough to keep and to show.

How sure a model is of real rows: quantiles of its own probabilities, class by class.

Rows from which first answers can be made: training rows of a label, and the middles of its density.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..arrays import AnyArray, FloatArray, IntArray, UserData, UserValue
from ..density import ClassDensity
from ..table import Table
from ..table.frames import rows_of

if TYPE_CHECKING:
    from .fitted_model import FittedModel


# Bins of a histogram: more cannot be distinguished in a small picture.
MOST_BINS = 40
FEWEST_BINS = 10
# Values whose spread is a smaller share of their size than this get wider bins: edges must not round to each other.
NARROWEST_SPREAD = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class ColumnProfile:
    """Distribution of one column among the training rows of a class.

    Attributes
    ----------
    name : str
    kind : "number", "integer", "ordinal" or "category"
    counts : int array of shape (n_bins,) or (n_levels,)
    edges : array of shape (n_bins + 1,)
        Of numbers; empty for levels.
    levels : tuple
        As the user writes them; empty for numbers.
    percentiles : array of shape (101,)
        Of numbers, from the smallest to the largest; empty for levels.
    """

    name: str
    kind: str
    counts: IntArray
    edges: FloatArray
    levels: tuple[UserValue, ...]
    percentiles: FloatArray

    def share_at_most(self, value: float) -> float:
        """Share of the rows whose number is at most ``value``."""
        return float(
            np.interp(value, self.percentiles, np.linspace(0.0, 1.0, len(self.percentiles)), left=0.0, right=1.0)
        )


def profiles_of(table: Table, rows: FloatArray) -> tuple[ColumnProfile, ...]:
    """Profile the columns of a table over rows in features, of shape (n_samples, n_features); NaN is left out."""
    profiles = []
    for column in table.columns:
        values, nothing = rows[:, column.start : column.stop], np.empty(0)
        if column.kind == "category":
            counts = values[:, : len(column.levels)].sum(axis=0).astype(np.int64)
            profiles.append(ColumnProfile(column.name, column.kind, counts, nothing, column.levels, nothing))
        elif column.kind == "ordinal":
            counts = np.bincount(values[:, 0].astype(np.int64), minlength=len(column.levels))
            profiles.append(ColumnProfile(column.name, column.kind, counts, nothing, column.levels, nothing))
        else:
            numbers = values[~np.isnan(values[:, 0]), 0]
            if len(numbers) == 0:
                numbers = np.array([column.stand_in])
            counts, edges = np.histogram(numbers, bins=_bins(numbers, column.kind == "integer"))
            percentiles = np.percentile(numbers, np.arange(101))
            profiles.append(ColumnProfile(column.name, column.kind, counts, edges, (), percentiles))
    return tuple(profiles)


def _bins(values: FloatArray, whole: bool) -> Any:
    """Bins of numbers; of a few whole numbers, one a number."""
    low, high = float(values.min()), float(values.max())
    if whole and high - low < MOST_BINS:
        return np.arange(np.floor(low) - 0.5, high + 1.0)
    n_bins = min(MOST_BINS, max(FEWEST_BINS, int(np.sqrt(len(values)))))
    size = max(abs(low), abs(high))
    if 0 < high - low <= NARROWEST_SPREAD * size:  # floats next to each other leave no room for bins between them
        return np.linspace(low - NARROWEST_SPREAD * size, high + NARROWEST_SPREAD * size, n_bins + 1)
    return n_bins


# Training rows of a class that are asked about: quantiles are then known to half a percent.
MOST_ROWS = 10_000
# Quantiles that are kept, evenly from 0 to 1.
N_QUANTILES = 1001


def sureness_of(fitted: FittedModel, given: UserData, rows: FloatArray, y: AnyArray | None) -> dict[int, FloatArray]:
    """Compute quantiles of the probability that the model gives training rows of a class, for that class.

    Parameters
    ----------
    fitted : FittedModel
    given : data frame or array of shape (n_samples, n_columns)
        Training rows.
    rows : array of shape (n_samples, n_features)
        The same in features.
    y : array of shape (n_samples,), or None

    Returns
    -------
    dict of int to array of shape (N_QUANTILES,)
        By the position of the class. Empty without probabilities or labels, for models that are only asked, which
        costs, and for those that do not choose the class to which they give more than one half.
    """
    classes = fitted.classes
    if fitted.training is not None or not hasattr(fitted.model, "predict_proba"):
        return {}
    if classes is None or y is None or y.shape != (len(rows),):
        return {}
    labels = classes.tolist()
    chosen = np.concatenate([_evenly(np.flatnonzero(y == label)) for label in labels])
    if len(chosen) == 0:
        return {}
    written = fitted.as_model_input(rows[chosen], rows_of(given, chosen), rows[chosen], None)
    probabilities = np.asarray(fitted.model.predict_proba(written), dtype=np.float64)
    if probabilities.shape != (len(chosen), len(classes)):
        return {}
    is_clear = probabilities.max(axis=1) > 0.5
    if (classes[probabilities.argmax(axis=1)] != fitted.predict_written(written))[is_clear].any():
        return {}
    is_of_class = [y[chosen] == label for label in labels]
    quantiles = np.linspace(0.0, 1.0, N_QUANTILES)
    return {
        index: np.quantile(probabilities[own, index], quantiles) for index, own in enumerate(is_of_class) if own.any()
    }


def _evenly(places: IntArray) -> IntArray:
    """Pick at most so many places, evenly."""
    return places[np.linspace(0, len(places) - 1, min(len(places), MOST_ROWS)).astype(np.int64)]


# Training rows of a label from which first answers are made: models are asked about each once.
MOST_EXAMPLES = 2_000


def examples_of(fitted: FittedModel, label: UserValue, density: ClassDensity | None) -> FloatArray:
    """Return rows that are likely to be dense, in features, array of shape (n, n_features).

    Parameters
    ----------
    fitted : FittedModel
    label : label of the density, None for a regressor
    density : ClassDensity or None
        The density that answers are held to. Without one there are no examples.
    """
    n_features = fitted.table.n_features
    if density is None:
        return np.empty((0, n_features))
    cones = density.cones()
    middles = cones.centres
    if fitted.has_categories:
        middles = np.column_stack([middles, _likeliest(cones.penalties, fitted.table.group)])
    known = fitted.references.get(label, np.empty((0, middles.shape[1])))
    if len(known) > MOST_EXAMPLES:
        known = known[np.linspace(0, len(known) - 1, MOST_EXAMPLES).astype(np.int64)]
    rows = _features(fitted, np.vstack([known, middles]))
    if fitted.missing is not None:
        for column in fitted.table.columns:
            if fitted.missing[column.start]:
                rows[:, column.start] = column.stand_in
    return rows


def _likeliest(penalties: FloatArray, group: IntArray) -> IntArray:
    """Return the code of the likeliest level of each category, array of shape (n_cones, n_categories)."""
    of_indicator = group[group >= 0]
    categories = range(int(of_indicator.max(initial=-1)) + 1)
    return np.column_stack([penalties[:, of_indicator == g].argmin(axis=1) for g in categories])


def _features(fitted: FittedModel, density_rows: FloatArray) -> FloatArray:
    """Return rows in features from what densities take, array of shape (n, n_features); none where it is mixed."""
    table, to_density = fitted.table, fitted.to_density
    matrix = to_density.matrix
    if fitted.has_categories:
        rows = np.zeros((len(density_rows), table.n_features))
        rows[:, table.numeric] = density_rows[:, : len(table.numeric)]
        codes = density_rows[:, len(table.numeric) :].astype(np.int64)
        for g in range(codes.shape[1]):
            levels = np.flatnonzero(table.group == g)
            rows[np.arange(len(rows)), levels[codes[:, g]]] = 1.0
        return rows
    is_separate = ((matrix != 0).sum(axis=1) <= 1).all() and (matrix != 0).any(axis=0).all()
    if not is_separate:
        return np.empty((0, table.n_features))
    rows = np.zeros((len(density_rows), table.n_features))
    for i in range(table.n_features):
        j = int(np.flatnonzero(matrix[:, i])[0])
        rows[:, i] = (density_rows[:, j] - to_density.offset[j]) / matrix[j, i]
    return rows
