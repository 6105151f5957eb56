"""One answer: a counterfactual with its certificate, or the reason why there is none."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..arrays import BoolArray, FloatArray
from ..errors import InvalidInputError, UnsupportedSettingError
from ..proofs import Proof
from ..reasons import Reason, has_answer
from ..table import Column, Table
from ..table.frames import is_missing_value
from ..table.wording import Wording
from ..text import (
    headline,
    html_of_explanation,
    reason_in_words,
    sentence,
    speaking,
    text_of_change,
    text_of_explanation,
)
from .ranges import ValueRanges
from .records import derived_value_in, pandas_for, record_of, value_in
from .why_not import WhyNot

if TYPE_CHECKING:
    import pandas as pd

    from ..explainer import Explainer
    from ..rules import Constraints
    from .plan import Plan


@dataclass(frozen=True, slots=True)
class Change:
    """One column that changes.

    Attributes
    ----------
    feature : str
        Its name.
    before, after : number, or level of a category
    difference : float or None
        None for levels, special codes and what was missing.
    cost : float
        What the change adds to the distance.
    is_number : bool
        Its values are numbers, if not ones to take a difference of.
    wording : Wording or None
        How people call columns and outcomes; None: as they are in the data.
    """

    feature: str
    before: Any
    after: Any
    difference: float | None
    cost: float
    is_number: bool = False
    wording: Wording | None = field(default=None, repr=False, compare=False)

    def __str__(self) -> str:
        return text_of_change(self)


@dataclass(frozen=True, slots=True)
class Certificate:
    """What is proven about an answer and how it was checked.

    Attributes
    ----------
    valid : bool
        The model's own ``predict`` gives the target at the returned point, or its ``predict_proba`` the least
        probability that was asked for.
    dense : bool or None
        The density there, evaluated afresh, reaches the threshold; None without a density constraint.
    lower_bound : float
        No point that is valid and dense enough is nearer, proven by duality.
    gap : float
        Relative gap between distance and lower bound.
    n_projections : int
        Convex projections it took.
    proof : Proof or None
        All of the proof, for a separate program to check; None unless ``certificate=True`` was asked for.
    """

    valid: bool
    dense: bool | None
    lower_bound: float
    gap: float
    n_projections: int
    proof: Proof | None = None

    def save(self, path: str | Path) -> None:
        """Write the proof to a file that ``python -m elsewise_check`` checks; compressed if the name ends in ``.gz``.

        Raises
        ------
        InvalidInputError
            If no proof was asked for.
        UnsupportedSettingError
            If there is none, with the reason.
        """
        if self.proof is None:
            raise InvalidInputError("There is no proof to save: ask for it by explain(..., certificate=True).")
        if self.proof.reason:
            raise UnsupportedSettingError(f"This answer has no certificate: {self.proof.reason}.")
        self.proof.save(path)


@dataclass(frozen=True, slots=True, eq=False)
class Explanation:
    """The nearest plausible counterfactual of one row, or the reason why there is none.

    Its fields are those of :class:`Explanations`, for one row: what one of these holds is described there.

    Attributes
    ----------
    x : series or array of shape (n_columns,)
        The row, as it was given.
    counterfactual : series or array of shape (n_columns,)
        In the same columns; NaN if there is none.
    target : label, or (low, high) for a regressor
    prediction : label or float
        What the model says of the row itself; None of a row that is wrong (NaN if it is a regressor).
    status : "optimal", "feasible", "densest", "infeasible", "unknown" or "error"
        Feasible means the point is valid and dense enough, but the proof that no nearer one exists was not finished.
        Densest (``on_infeasible="densest"``) means that nothing is as dense as asked, and the point is the nearest at
        the highest quantile that works. Infeasible means it is proven that there is no answer; unknown, that none was
        found, and nothing more is known than the lower bound; error, that the row itself is wrong (``reason`` says how)
        and nothing was asked of it.
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
        Share of the target's training rows, each held out of the density, that are no denser than the counterfactual;
        NaN without a density.
    component : int
        Component of the mixture that reaches the threshold; -1 without one.
    model_free : bool
        The counterfactual does not depend on the model: it is the nearest point that is dense enough (Theorem 2). True
        is proven; with whole numbers, categories or rules, False may mean that it was not.
    cause : Reason, WhyNot or None
        Why it is infeasible, or what is to be said of it, as data; None if there is nothing to say.
    n_projections : int
    changed : bool array of shape (n_table_columns,)
        Which columns of ``table`` change.
    shares : array of shape (n_table_columns,)
        What each of them adds to the distance.
    row_features, features : arrays of shape (n_features,)
        Row and counterfactual in the features of ``table``; an infeasible row stands for its own counterfactual.
    row : int
        Which row of the batch it is about.
    nearer : int
        How many answers of the same question about this row, which this one had to differ from, are nearer.
    table : Table
        The columns.
    min_probability : float
        Least probability of the target that was asked for, which alone decides; NaN if none was.
    quantile : float
        Density quantile that the answer is held to; of the ``"densest"`` the highest that works. NaN if none was asked.
    given : bool
        Threshold and plausibility are about what may change in the row, given what cannot.
    robust_radius : float
        Every row within this distance, numbers being moved, is valid, too; zero if that was not asked for.
    ranges : ValueRanges or None
        How far the changed columns may vary, all at once; None if that was not asked for, or there is no answer.
    proof : Proof or None
        The certificate, or why there is none; None if it was not asked for.
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
    cause: Reason | WhyNot | None
    n_projections: int
    changed: BoolArray
    shares: FloatArray
    row_features: FloatArray
    features: FloatArray
    row: int
    nearer: int
    table: Table
    min_probability: float = np.nan
    quantile: float = np.nan
    given: bool = False
    robust_radius: float = 0.0
    ranges: ValueRanges | None = None
    proof: Proof | None = None

    @property
    def found(self) -> bool:
        """Whether there is an answer."""
        return has_answer(self.status)

    @property
    def certificate(self) -> Certificate:
        """What is proven, and how it was checked."""
        found = self.found
        constrained = bool(np.isfinite(self.log_threshold))
        dense = found if constrained else None
        return Certificate(found, dense, self.lower_bound, self.gap, self.n_projections, self.proof)

    @property
    def reason(self) -> str:
        """The cause as a sentence; empty if there is nothing to say."""
        with speaking(self.table.wording):
            return reason_in_words(self.cause)

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
        """The columns that change, most costly first, those that follow from others last; nothing else."""
        if not self.found:
            return ()
        moved = np.flatnonzero(self.changed)
        order = moved[np.argsort(-self.shares[moved], kind="stable")]
        own = [self.change_of(self.table.columns[place], float(self.shares[place])) for place in order.tolist()]
        return (*own, *self._derived_changes())

    def _derived_changes(self) -> Iterator[Change]:
        """Describe the columns that change because they follow from others: that costs nothing."""
        for column in self.table.derived:
            before, after = (derived_value_in(column, row) for row in (self.x, self.counterfactual))
            if before != after:
                yield Change(column.name, before, after, float(after) - float(before), 0.0, True, self.table.wording)

    def change_of(self, column: Column, cost: float = 0.0) -> Change:
        """Describe what becomes of a column, whether it changes or not."""
        before, after = (value_in(self.table, column, row) for row in (self.x, self.counterfactual))
        is_number = column.kind in ("number", "integer")
        is_measured = is_number and not (is_missing_value(before) or is_missing_value(after))
        difference = column.difference(float(before), float(after)) if is_measured else None
        return Change(column.name, before, after, difference, cost, is_number, self.table.wording)

    def plan(
        self,
        explainer: Explainer,
        *,
        together: Sequence[Sequence[str]] = (),
        parts: Mapping[str, int] | None = None,
        constraints: Constraints | None = None,
    ) -> Plan:
        """Order the changes so that the sparsest stage is densest: ``explainer.plan(self, ...)``.

        An explanation is data and knows no model: it takes the explainer that made it. Parameters are those of
        :meth:`elsewise.Explainer.plan`.
        """
        return explainer.plan(self, together=together, parts=parts, constraints=constraints)

    def to_frame(self) -> pd.DataFrame:
        """Table with a line per column: before, after, difference (none for levels), whether it changes."""
        pandas = pandas_for("to_frame")
        index = [column.name for column in self.table.columns]
        changes = {change.feature: change for change in self.changes}
        before = [value_in(self.table, column, self.x) for column in self.table.columns]
        after = [changes[name].after if name in changes else value for name, value in zip(index, before)]
        if not self.found:
            after = [None] * len(before)
        difference = [changes[name].difference if name in changes else None for name in index]
        return pandas.DataFrame(
            {
                "before": pandas.Series(before, index=index, dtype=object),
                "after": pandas.Series(after, index=index, dtype=object),
                "difference": pandas.Series(difference, index=index, dtype=float),
                "changed": pandas.Series(self.changed & self.found, index=index),
            }
        )

    def to_json(self) -> str:
        """Write the answer as strict JSON: the row, the counterfactual, changes, certificate, and its sentence."""
        return json.dumps(record_of(self), allow_nan=False)

    def __repr__(self) -> str:
        return f"<Explanation {headline(self)}>"

    def __str__(self) -> str:
        return text_of_explanation(self)

    def _repr_html_(self) -> str:
        return html_of_explanation(self)
