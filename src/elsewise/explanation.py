"""Answers: one counterfactual with its certificate, and many of them.

Answers own their arrays and never look back at the explainer that made them.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import NDArray

from .errors import InvalidInputError, MissingDependencyError

if TYPE_CHECKING:
    import pandas as pd

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Change:
    """One feature that changes: its name, its value before and after, and the difference."""

    feature: str
    before: float
    after: float
    difference: float

    def __str__(self) -> str:
        return f"{self.feature}: {_number(self.before)} -> {_number(self.after)} ({self.difference:+.4g})"


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
    x : array of shape (n_features,)
        The row, as it was given.
    counterfactual : array of shape (n_features,)
        NaN if infeasible.
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
    component : int
        Component of the mixture that reaches the threshold; -1 without one.
    model_free : bool
        The counterfactual does not depend on the model: it is the nearest point that is dense enough (Theorem 2).
    reason : str
        A sentence: why it is infeasible, or a remark. Empty if there is nothing to say.
    feature_names : tuple of str
    certificate : Certificate
    """

    x: NDArray[Any]
    counterfactual: FloatArray
    target: Any
    prediction: Any
    status: str
    distance: float
    lower_bound: float
    gap: float
    log_density: float
    log_density_mixture: float
    log_threshold: float
    component: int
    model_free: bool
    reason: str
    feature_names: tuple[str, ...]
    certificate: Certificate

    @property
    def changes(self) -> tuple[Change, ...]:
        """The features that change, largest difference first; nothing else."""
        if self.status == "infeasible":
            return ()
        before = np.asarray(self.x, dtype=np.float64)
        difference = self.counterfactual - before
        moved = np.flatnonzero(difference)
        order = moved[np.argsort(-np.abs(difference[moved]), kind="stable")]
        return tuple(
            Change(self.feature_names[i], float(before[i]), float(self.counterfactual[i]), float(difference[i]))
            for i in order
        )

    def __repr__(self) -> str:
        return f"<Explanation {str(self).splitlines()[0]}>"

    def __str__(self) -> str:
        if self.status == "infeasible":
            return f"{_label(self.prediction)} -> {_label(self.target)}: infeasible. {self.reason}"
        lines = [f"{_label(self.prediction)} -> {_label(self.target)}: {self.status}, distance {self.distance:.6g}"]
        changes = self.changes
        width = max((len(change.feature) for change in changes), default=0)
        for change in changes:
            lines.append(
                f"  {change.feature:<{width}}  {_number(change.before):>10} -> {_number(change.after):>10}"
                f"  ({change.difference:+.4g})"
            )
        if not changes:
            lines.append("  nothing has to change")
        if np.isfinite(self.log_threshold):
            lines.append(f"  log density {self.log_density:.6g} >= threshold {self.log_threshold:.6g}")
        lines.append(f"  no nearer answer than {self.lower_bound:.6g} exists (gap {self.gap:.1e})")
        if self.model_free:
            lines.append(
                "  model-free: the nearest dense point of the target class is already predicted so (Theorem 2)"
            )
        if self.reason:
            lines.append(f"  {self.reason}")
        return "\n".join(lines)


@dataclass(frozen=True, slots=True, eq=False)
class Explanations(Sequence[Explanation]):
    """Explanations of many rows: a sequence of :class:`Explanation`, and their arrays.

    Attributes
    ----------
    x : array of shape (n_samples, n_features)
    counterfactuals : array of shape (n_samples, n_features)
        NaN rows where infeasible.
    targets, predictions : arrays or lists of length n_samples
    statuses : array of str of shape (n_samples,)
    distances, lower_bounds, gaps : arrays of shape (n_samples,)
    log_densities, log_densities_mixture, log_thresholds : arrays of shape (n_samples,)
    components : int array of shape (n_samples,)
    model_free : bool array of shape (n_samples,)
    reasons : tuple of str
    feature_names : tuple of str
    n_projections : int array of shape (n_samples,)
    """

    x: NDArray[Any]
    counterfactuals: FloatArray
    targets: Sequence[Any]
    predictions: NDArray[Any]
    statuses: NDArray[np.str_]
    distances: FloatArray
    lower_bounds: FloatArray
    gaps: FloatArray
    log_densities: FloatArray
    log_densities_mixture: FloatArray
    log_thresholds: FloatArray
    components: NDArray[np.int64]
    model_free: NDArray[np.bool_]
    reasons: tuple[str, ...]
    feature_names: tuple[str, ...]
    n_projections: NDArray[np.int64]

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
            return Explanations(*(value if name == "feature_names" else value[index] for name, value in self._fields()))
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
            x=self.x[index],
            counterfactual=self.counterfactuals[index],
            target=self.targets[index],
            prediction=self.predictions[index],
            status=str(self.statuses[index]),
            distance=float(self.distances[index]),
            lower_bound=float(self.lower_bounds[index]),
            gap=float(self.gaps[index]),
            log_density=float(self.log_densities[index]),
            log_density_mixture=float(self.log_densities_mixture[index]),
            log_threshold=float(self.log_thresholds[index]),
            component=int(self.components[index]),
            model_free=bool(self.model_free[index]),
            reason=self.reasons[index],
            feature_names=self.feature_names,
            certificate=Certificate(
                valid=feasible,
                dense=feasible if constrained else None,
                lower_bound=float(self.lower_bounds[index]),
                gap=float(self.gaps[index]),
                n_projections=int(self.n_projections[index]),
            ),
        )

    def to_frame(self) -> pd.DataFrame:
        """Table with a line per row: status, distance, bound, densities, then the counterfactual's features."""
        try:
            import pandas
        except ImportError as error:
            raise MissingDependencyError(
                "to_frame needs pandas. Install it with: pip install 'elsewise[frames]'"
            ) from error
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
                "model_free": self.model_free,
                "reason": list(self.reasons),
            }
        )
        names = [name if name not in summary.columns else f"counterfactual_{name}" for name in self.feature_names]
        return pandas.concat([summary, pandas.DataFrame(self.counterfactuals, columns=names)], axis=1)

    def __repr__(self) -> str:
        return f"<Explanations: {self}>"

    def __str__(self) -> str:
        counts = {status: int((self.statuses == status).sum()) for status in ("optimal", "feasible", "infeasible")}
        found = self.statuses != "infeasible"
        middle = f", median distance {np.median(self.distances[found]):.6g}" if found.any() else ""
        parts = ", ".join(f"{count} {status}" for status, count in counts.items() if count)
        return f"{len(self)} explanations: {parts or 'none'}{middle}"

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
        if name == "feature_names":
            joined.append(value)
        elif isinstance(value, np.ndarray):
            joined.append(np.concatenate(pieces))
        else:
            joined.append(tuple(item for piece in pieces for item in piece))
    return Explanations(*joined)


def _label(value: Any) -> str:
    if isinstance(value, tuple):
        low, high = value
        return f"[{_number(low)}, {_number(high)}]"
    return _number(float(value)) if isinstance(value, (float, np.floating)) else str(value)


def _number(value: float) -> str:
    return f"{value:.6g}"
