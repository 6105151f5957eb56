"""A path: from a row to its answer through dense data, corner by corner."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..arrays import FloatArray, IntArray, UserTarget, UserValue
from ..reasons import Reason
from ..table import Table
from ..table.frames import is_frame, rows_of
from ..text import headline_of_path, html_of_path, reason_in_words, sentence_of_path, speaking, text_of_path
from .explanation import Change
from .records import pandas_for, value_in

if TYPE_CHECKING:
    import pandas as pd

# Share of a path's length below which a column's move in a step is rounding of the solver, and not stated.
SMALLEST_SHARE = 1e-6


@dataclass(frozen=True, slots=True, eq=False)
class Bottleneck:
    """The sparsest place of a path.

    Attributes
    ----------
    log_density : float
        In the mixture of all training rows, of its largest component.
    share : float
        Share of the training rows, whatever their class, that are no denser: its percentile.
    segment : int
        Which segment of the path it is on.
    position : float
        Share of the path's length before it.
    features : array of shape (n_features,)
    """

    log_density: float
    share: float
    segment: int
    position: float
    features: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class Profile:
    """What is met along a path, at places evenly spread over each segment; corners are among them.

    Attributes
    ----------
    positions : array of shape (n,)
        Share of the path's length before each place, from 0 to 1.
    log_densities : array of shape (n,)
        In the mixture of all training rows.
    shares : array of shape (n,)
        Share of the training rows that are no denser.
    probabilities : array of shape (n,), or None
        Of the target, as the model gives it; None if it gives none.
    features : array of shape (n, n_features)
    """

    positions: FloatArray
    log_densities: FloatArray
    shares: FloatArray
    probabilities: FloatArray | None
    features: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class Path:
    """The shortest path from a row to an answer that stays in dense data all along, or the reason why there is none.

    Attributes
    ----------
    steps : data frame or array of shape (n_corners, n_columns)
        The row, the corners of the path, and the answer, in the user's columns. The row alone without a path.
    target : label, or (low, high) for a regressor
    prediction : label or float
        What the model says of the row itself.
    status : "optimal", "feasible" or "infeasible"
        Feasible means that the path is as dense as claimed, but the proof that no shorter one exists was not finished.
    length : float
        Sum of the distances from corner to corner (of their roots for Mahalanobis); NaN without a path.
    lower_bound : float
        No path of this level is shorter; the first step of a sparse row (see ``enters``) is what it is. Infinite if it
        is proven that there is none.
    gap : float
        ``(length - lower_bound) / length``.
    log_level : float
        Log density that every place of the path has at least, in the mixture of all training rows; proven, for each
        segment lies in a convex set whose points all have it. The first step of a row that is itself sparser does not
        count.
    level : float
        The same as a share of the training rows that are no denser.
    log_highest : float
        No path at a higher level leads to an answer, whatever its length, from where this one begins or has entered
        dense data; NaN where that was not looked into.
    bottleneck : Bottleneck or None
        The sparsest place on the path; None without one.
    profile : Profile or None
    enters : bool
        The row is itself sparser than the level, and the first step leads to the nearest place that is not.
    components : int array of shape (n_corners - 1,)
        Component of the mixture of all rows in whose set each segment lies; -1 for that first step.
    cause : Reason or None
        Why there is no path, or what is to be said of it.
    features : array of shape (n_corners, n_features)
        The corners in the features of ``table``.
    lengths : array of shape (n_corners - 1,)
        Of the segments.
    shares : array of shape (n_corners - 1, n_table_columns)
        What each column adds to the distance from corner to corner.
    table : Table
    min_probability : float
        Least probability of the target that was asked for, which alone decides; NaN if none was.
    """

    steps: Any
    target: UserTarget
    prediction: UserValue
    status: str
    length: float
    lower_bound: float
    gap: float
    log_level: float
    level: float
    log_highest: float
    bottleneck: Bottleneck | None
    profile: Profile | None
    enters: bool
    components: IntArray
    cause: Reason | None
    features: FloatArray
    lengths: FloatArray
    shares: FloatArray
    table: Table
    min_probability: float = np.nan

    def __len__(self) -> int:
        """Count the steps, that is the segments."""
        return len(self.lengths)

    @property
    def reason(self) -> str:
        """The cause as a sentence; empty if there is nothing to say."""
        with speaking(self.table.wording):
            return reason_in_words(self.cause)

    @property
    def sentence(self) -> str:
        """How many steps it takes, how dense the path is and what is proven, for people."""
        return sentence_of_path(self)

    @property
    def changes(self) -> tuple[tuple[Change, ...], ...]:
        """What changes in each step, largest part of its length first; less than a millionth of the path is nothing."""
        return tuple(self._changes_of(step) for step in range(len(self)))

    def _changes_of(self, step: int) -> tuple[Change, ...]:
        before, after = self.features[step], self.features[step + 1]
        rows = [rows_of(self.steps, np.array([place])) for place in (step, step + 1)]
        rows = [row.iloc[0] if is_frame(row) else row[0] for row in rows]
        stated = np.abs(self.shares[step]) > SMALLEST_SHARE * np.abs(self.shares).sum()
        moved = np.flatnonzero(self.table.changed(before[None], after[None])[0] & stated)
        found = []
        for place in moved[np.argsort(-self.shares[step, moved], kind="stable")].tolist():
            column = self.table.columns[place]
            values = [value_in(self.table, column, row) for row in rows]
            difference = column.difference(float(before[column.start]), float(after[column.start]))
            cost, is_number = float(self.shares[step, place]), column.kind in ("number", "integer")
            found.append(Change(column.name, values[0], values[1], difference, cost, is_number))
        return tuple(found)

    def to_frame(self) -> pd.DataFrame:
        """Table with a line per corner: position, density, then the columns."""
        pandas = pandas_for("to_frame")
        names = list(self.table.names)
        steps = self.steps if is_frame(self.steps) else pandas.DataFrame(np.asarray(self.steps), columns=names)
        frame = steps.reset_index(drop=True)
        total = self.lengths.sum()
        positions = np.append(0.0, np.cumsum(self.lengths)) / (total if total > 0 else 1.0)
        frame.insert(0, "position" if "position" not in names else "path_position", positions)
        return frame

    def __repr__(self) -> str:
        return f"<Path {headline_of_path(self)}>"

    def __str__(self) -> str:
        return text_of_path(self)

    def _repr_html_(self) -> str:
        return html_of_path(self)
