"""Answers: one counterfactual with its certificate, and many of them.

Answers own their arrays and never look back at the explainer that made them.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import NDArray

from ..arrays import BoolArray, FloatArray, IntArray
from ..columns import Column, Table
from ..columns.frames import is_frame, row_of, rows_of
from ..errors import InvalidInputError, MissingDependencyError
from ..text import (
    headline,
    headline_of_many,
    html_of_explanation,
    html_of_explanations,
    sentence,
    text_of_change,
    text_of_explanation,
    text_of_explanations,
)

if TYPE_CHECKING:
    import pandas as pd


# Distances of two answers that are no farther apart than this, relatively, are the same.
_TIE = 1e-6


@dataclass(frozen=True, slots=True)
class Change:
    """One column that changes.

    Attributes
    ----------
    feature : str
        Its name.
    before, after : number, or level of a category
    difference : float or None
        None for levels.
    cost : float
        What the change adds to the distance.
    """

    feature: str
    before: Any
    after: Any
    difference: float | None
    cost: float

    def __str__(self) -> str:
        return text_of_change(self)


@dataclass(frozen=True, slots=True)
class Certificate:
    """What is proven about an answer and how it was checked.

    Attributes
    ----------
    valid : bool
        The model's own ``predict`` gives the target at the returned point.
    dense : bool or None
        The density there, evaluated afresh, reaches the threshold; None without a density constraint.
    lower_bound : float
        No point that is valid and dense enough is nearer, proven by duality.
    gap : float
        Relative gap between distance and lower bound.
    n_projections : int
        Convex projections it took.
    """

    valid: bool
    dense: bool | None
    lower_bound: float
    gap: float
    n_projections: int


@dataclass(frozen=True, slots=True, eq=False)
class Explanation:
    """The nearest plausible counterfactual of one row, or the reason why there is none.

    Attributes
    ----------
    x : series or array of shape (n_columns,)
        The row, as it was given.
    counterfactual : series or array of shape (n_columns,)
        In the same columns; NaN if infeasible.
    target : label, or (low, high) for a regressor
    prediction : label or float
        What the model says of the row itself.
    status : "optimal", "feasible" or "infeasible"
        Feasible means the point is valid and dense enough, but the proof that no nearer one exists was not finished.
    distance : float
        Value of the distance between row and counterfactual (for Mahalanobis the quadratic form itself).
    lower_bound : float
        No valid and dense enough point is nearer than this.
    gap : float
        ``(distance - lower_bound) / distance``.
    log_density : float
        Component-wise maximum of the target's mixture (Eq. gmm:approx) at the counterfactual; NaN without a density.
    log_density_mixture : float
        The full mixture (Eq. gmm) there.
    log_threshold : float
        What the density had to reach; minus infinity without a density constraint.
    plausibility : float
        Share of the target's training rows that are no denser than the counterfactual; NaN without a density.
    component : int
        Component of the mixture that reaches the threshold; -1 without one.
    model_free : bool
        The counterfactual does not depend on the model: it is the nearest point that is dense enough (Theorem 2).
    reason : str
        A sentence: why it is infeasible, or a remark. Empty if there is nothing to say.
    certificate : Certificate
    changed : bool array of shape (n_table_columns,)
        Which columns of ``table`` change.
    shares : array of shape (n_table_columns,)
        What each of them adds to the distance.
    table : Table
        The columns.
    nearer : int
        How many answers of the same question about this row, which this one had to differ from, are nearer.
    """

    x: Any
    counterfactual: Any
    target: Any
    prediction: Any
    status: str
    distance: float
    lower_bound: float
    gap: float
    log_density: float
    log_density_mixture: float
    log_threshold: float
    plausibility: float
    component: int
    model_free: bool
    reason: str
    certificate: Certificate
    changed: BoolArray
    shares: FloatArray
    table: Table
    nearer: int = 0

    @property
    def feature_names(self) -> tuple[str, ...]:
        """Names of the user's columns."""
        return self.table.names

    @property
    def sentence(self) -> str:
        """What is predicted, what would have to change, how plausible that is and what is proven, for people."""
        return sentence(self)

    @property
    def changes(self) -> tuple[Change, ...]:
        """The columns that change, dearest first; nothing else."""
        if self.status == "infeasible":
            return ()
        moved = np.flatnonzero(self.changed)
        order = moved[np.argsort(-self.shares[moved], kind="stable")]
        return tuple(self._change(self.table.columns[place], float(self.shares[place])) for place in order.tolist())

    def _change(self, column: Column, cost: float) -> Change:
        before, after = (_cell(self.table, column, row) for row in (self.x, self.counterfactual))
        difference = None
        if column.kind in ("number", "integer"):  # from a missing value there is no difference to speak of
            difference = None if np.isnan(float(before)) else float(after) - float(before)
        return Change(column.name, before, after, difference, cost)

    def to_frame(self) -> pd.DataFrame:
        """Table with a line per column: before, after, difference (none for levels), whether it changes."""
        pandas = _pandas()
        index = [column.name for column in self.table.columns]
        changes = {change.feature: change for change in self.changes}
        before = [_cell(self.table, column, self.x) for column in self.table.columns]
        after = [changes[name].after if name in changes else value for name, value in zip(index, before)]
        if self.status == "infeasible":
            after = [None] * len(before)
        difference = [changes[name].difference if name in changes else None for name in index]
        return pandas.DataFrame(
            {
                "before": pandas.Series(before, index=index, dtype=object),
                "after": pandas.Series(after, index=index, dtype=object),
                "difference": pandas.Series(difference, index=index, dtype=float),
                "changed": pandas.Series(self.changed & (self.status != "infeasible"), index=index),
            }
        )

    def __repr__(self) -> str:
        return f"<Explanation {headline(self)}>"

    def __str__(self) -> str:
        return text_of_explanation(self)

    def _repr_html_(self) -> str:
        return html_of_explanation(self)


@dataclass(frozen=True, slots=True, eq=False)
class Explanations(Sequence[Explanation]):
    """Explanations of many rows: a sequence of :class:`Explanation`, and their arrays.

    Attributes
    ----------
    x : data frame or array of shape (n_samples, n_columns)
    counterfactuals : data frame or array of shape (n_samples, n_columns)
        In the columns and dtypes of ``x``; rows of missing values where infeasible.
    targets, predictions : arrays or lists of length n_samples
    statuses : array of str of shape (n_samples,)
    distances, lower_bounds, gaps : arrays of shape (n_samples,)
    log_densities, log_densities_mixture, log_thresholds : arrays of shape (n_samples,)
    plausibilities : array of shape (n_samples,)
        Share of the target's training rows that are no denser than each counterfactual.
    components : int array of shape (n_samples,)
    model_free : bool array of shape (n_samples,)
    reasons : tuple of str
    n_projections : int array of shape (n_samples,)
    changed : bool array of shape (n_samples, n_table_columns)
    shares : array of shape (n_samples, n_table_columns)
        What each column's change adds to the distance.
    rows : int array of shape (n_samples,)
        The row of the batch that each answer is about; several answers of a row follow each other, best first.
    table : Table
    nearer : int array of shape (n_samples,)
        How many answers of the same question about the same row are nearer. Counted here; a part of the answers
        keeps what was counted among all.
    """

    x: Any
    counterfactuals: Any
    targets: Sequence[Any]
    predictions: NDArray[Any]
    statuses: NDArray[np.str_]
    distances: FloatArray
    lower_bounds: FloatArray
    gaps: FloatArray
    log_densities: FloatArray
    log_densities_mixture: FloatArray
    log_thresholds: FloatArray
    plausibilities: FloatArray
    components: IntArray
    model_free: BoolArray
    reasons: tuple[str, ...]
    n_projections: IntArray
    changed: BoolArray
    shares: FloatArray
    rows: IntArray
    table: Table
    nearer: IntArray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))

    def __post_init__(self) -> None:
        counted = _n_nearer(self.rows, self.log_thresholds, self.distances)
        known = self.nearer if len(self.nearer) == len(counted) else np.zeros_like(counted)
        object.__setattr__(self, "nearer", np.maximum(known, counted))

    @property
    def feature_names(self) -> tuple[str, ...]:
        """Names of the user's columns."""
        return self.table.names

    def __len__(self) -> int:
        return len(self.statuses)

    def __iter__(self) -> Iterator[Explanation]:
        return (self[i] for i in range(len(self)))

    @overload
    def __getitem__(self, index: int) -> Explanation: ...
    @overload
    def __getitem__(self, index: slice) -> Explanations: ...
    def __getitem__(self, index: int | slice) -> Explanation | Explanations:
        """One explanation, or a slice of them."""
        if isinstance(index, slice):
            return self.take(np.arange(len(self))[index])
        try:
            index = operator.index(index)
        except TypeError as error:
            raise TypeError(
                f"expected an int or a slice, received {type(index).__name__}; use the arrays for others"
            ) from error
        if not -len(self) <= index < len(self):
            raise IndexError(f"explanation {index} of {len(self)}")
        feasible = bool(self.statuses[index] != "infeasible")
        constrained = bool(np.isfinite(self.log_thresholds[index]))
        return Explanation(
            x=_row(self.x, index),
            counterfactual=row_of(self.counterfactuals, index, self.x),
            target=self.targets[index],
            prediction=self.predictions[index],
            status=str(self.statuses[index]),
            distance=float(self.distances[index]),
            lower_bound=float(self.lower_bounds[index]),
            gap=float(self.gaps[index]),
            log_density=float(self.log_densities[index]),
            log_density_mixture=float(self.log_densities_mixture[index]),
            log_threshold=float(self.log_thresholds[index]),
            plausibility=float(self.plausibilities[index]),
            component=int(self.components[index]),
            model_free=bool(self.model_free[index]),
            reason=self.reasons[index],
            changed=self.changed[index],
            shares=self.shares[index],
            table=self.table,
            nearer=int(self.nearer[index]),
            certificate=Certificate(
                valid=feasible,
                dense=feasible if constrained else None,
                lower_bound=float(self.lower_bounds[index]),
                gap=float(self.gaps[index]),
                n_projections=int(self.n_projections[index]),
            ),
        )

    def take(self, indices: IntArray) -> Explanations:
        """Pick some of the explanations, in the order of the indices."""
        parts: list[Any] = []
        for name, value in self._fields():
            if name in ("x", "counterfactuals"):
                parts.append(rows_of(value, indices))
            elif isinstance(value, np.ndarray):
                parts.append(value[indices])
            else:
                parts.append(value if name == "table" else tuple(value[i] for i in indices.tolist()))
        return Explanations(*parts)

    def to_frame(self) -> pd.DataFrame:
        """Table with a line per row: status, distance, bound, densities, then the counterfactual's columns."""
        pandas = _pandas()
        targets = np.empty(len(self), dtype=object)
        targets[:] = list(self.targets)
        summary = pandas.DataFrame(
            {
                "prediction": self.predictions,
                "target": targets,
                "status": self.statuses,
                "distance": self.distances,
                "lower_bound": self.lower_bounds,
                "gap": self.gaps,
                "log_density": self.log_densities,
                "log_threshold": self.log_thresholds,
                "plausibility": self.plausibilities,
                "model_free": self.model_free,
                "reason": list(self.reasons),
            }
        )
        names = [name if name not in summary.columns else f"counterfactual_{name}" for name in self.feature_names]
        if is_frame(self.counterfactuals):
            summary.index = self.counterfactuals.index
            return pandas.concat([summary, self.counterfactuals.set_axis(names, axis=1)], axis=1)
        return pandas.concat([summary, pandas.DataFrame(self.counterfactuals, columns=names)], axis=1)

    def __repr__(self) -> str:
        return f"<Explanations: {headline_of_many(self)}>"

    def __str__(self) -> str:
        return text_of_explanations(self)

    def _repr_html_(self) -> str:
        return html_of_explanations(self)

    def _fields(self) -> Iterator[tuple[str, Any]]:
        return ((name, getattr(self, name)) for name in self.__dataclass_fields__)


def concatenate(parts: Sequence[Explanations]) -> Explanations:
    """Join explanations of consecutive rows."""
    if not parts:
        raise InvalidInputError("Nothing to join: expected at least one Explanations.")
    first = parts[0]
    if len(parts) == 1:
        return first
    joined: list[Any] = []
    for name, value in first._fields():
        pieces = [getattr(part, name) for part in parts]
        if name == "table":
            joined.append(value)
        elif name in ("x", "counterfactuals") and is_frame(value):
            joined.append(_pandas().concat(pieces))
        elif isinstance(value, np.ndarray):
            joined.append(np.concatenate(pieces))
        else:
            joined.append(tuple(item for piece in pieces for item in piece))
    return Explanations(*joined)


def _pandas() -> Any:
    try:
        import pandas
    except ImportError as error:
        raise MissingDependencyError(
            "to_frame needs pandas. Install it with: pip install 'elsewise[frames]'"
        ) from error
    return pandas


def _row(rows: Any, index: int) -> Any:
    return rows.iloc[index] if is_frame(rows) else rows[index]


def _cell(table: Table, column: Column, row: Any) -> Any:
    """Value that a row, in the user's form, has in a column; of a one-hot group the name of its level."""
    values = [row.iloc[source] if hasattr(row, "iloc") else row[source] for source in column.sources]
    if not column.is_group:
        return _as_it_was(column, values[0])
    ones = [table.names[source] for source, value in zip(column.sources, values) if value == 1]
    return ones[0] if ones else next(level for level in column.levels if level not in table.names)


def _as_it_was(column: Column, value: Any) -> Any:
    """Undo what a row of several types does to its values: whole numbers beside others become floats."""
    value = value.item() if isinstance(value, np.generic) else value
    if column.kind == "integer":
        return int(value) if isinstance(value, float) and value.is_integer() else value
    return next((level for level in column.levels if level is not None and level == value), value)


def _n_nearer(rows: IntArray, log_thresholds: FloatArray, distances: FloatArray) -> IntArray:
    """Count the answers that are nearer, of the same row at the same threshold; ties within the proofs' accuracy."""
    count = np.zeros(len(rows), dtype=np.int64)
    if (np.diff(rows) > 0).all():  # one answer a row
        return count
    order = np.lexsort((distances, log_thresholds, rows))
    first = tied = 0  # places, in this order, where the present question and the present tie begin
    for place in range(1, len(order)):
        here, before = order[place], order[place - 1]
        if rows[here] != rows[before] or log_thresholds[here] != log_thresholds[before]:
            first = tied = place
        elif distances[here] > distances[order[tied]] * (1 + _TIE):
            tied = place
        count[here] = tied - first
    return count
