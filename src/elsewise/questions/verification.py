"""The last word: the model's own ``predict``, the density evaluated afresh, and every rule, on points as returned."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arrays import AnyArray, BoolArray, FloatArray, IntArray
from ..models import Interval, Label
from ..search import distinct
from ..search.branch_and_bound.rounding import DEPTH_OF_WHOLE_POINTS
from ..search.constants import SUM_ROUNDING
from ..table.frames import has_short_floats, is_frame, rows_of
from .solving.question import Question

# Relative rounding of sums of up to 900 products of a model that computes in 32 bits.
SHORT_SUM_ROUNDING = 5e-5


@dataclass(frozen=True, slots=True)
class LogDensities:
    """Log densities of points under their goals' mixtures; NaN and -1 without a density.

    Attributes
    ----------
    largest, mixture : arrays of shape (n_samples,)
        Of the largest component, of the whole mixture.
    component : int array of shape (n_samples,)
        Which one is the largest.
    is_dense : bool array of shape (n_samples,)
        The largest reaches the threshold.
    """

    largest: FloatArray
    mixture: FloatArray
    component: IntArray
    is_dense: BoolArray


class Verification:
    """Judges points as they would be returned for the rows of a chunk.

    Parameters
    ----------
    question : Question
    given : data frame or array of shape (n_samples, n_columns)
        The rows as they came.
    rows : array of shape (n_samples, n_features)
        The same in features.
    predictions : array of shape (n_samples,), optional
        What the model says of the rows, if it was asked before.
    log_thresholds : array of shape (n_samples, n_goals), optional
        What rows ask of the density of each goal; by default what the question asks of all of them.
    """

    def __init__(
        self,
        question: Question,
        given: Any,
        rows: FloatArray,
        predictions: AnyArray | None = None,
        log_thresholds: FloatArray | None = None,
    ) -> None:
        if log_thresholds is None:
            log_thresholds = np.repeat(question.log_thresholds[None], len(rows), axis=0)
        self.log_thresholds = log_thresholds
        self.question, self.given, self.rows = question, given, rows
        self.rounds = has_short_floats(given)
        self._predictions = predictions
        self._written: tuple[FloatArray, Any] | None = None

    @property
    def predictions(self) -> AnyArray:
        """What the model says of the rows themselves, asked once; array of shape (n_samples,)."""
        if self._predictions is None:
            self.predict(self.rows[:0], np.empty(0, dtype=np.int64))
        assert self._predictions is not None
        return self._predictions

    @property
    def knows_predictions(self) -> bool:
        """Whether the model was asked about the rows already."""
        return self._predictions is not None

    def predict(self, points: FloatArray, places: IntArray) -> AnyArray:
        """Ask the model about points returned for the rows at ``places``.

        The first time it is asked about the rows, too: a call costs more than its rows.
        """
        question = self.question
        if self._predictions is not None:
            return question.predict(points, rows_of(self.given, places), self.rows[places])
        n, fitted = len(self.rows), question.fitted
        everything = np.concatenate([np.arange(n), places])
        all_points = np.concatenate([self.rows, points])
        if len(all_points) == 0:
            self._predictions = np.empty(0)
            return self._predictions
        written = fitted.as_model_input(all_points, self.given, self.rows, question.table, everything)
        both = fitted.predict_written(written)
        if n == len(points) == 1 and is_frame(written) and is_frame(self.given):
            self._written = points, rows_of(written, slice(n, None))
        self._predictions = both[:n]
        return both[n:]

    def written(self, points: FloatArray) -> Any:
        """Write points, one a row, in the user's columns; a single one that the model was shown is not written twice.

        Parameters
        ----------
        points : array of shape (n_samples, n_features)
        """
        if self._written is not None and np.array_equal(self._written[0], points):
            return self._written[1]
        return self.question.table.decode(points, self.given, encoded=self.rows)

    def as_returned(self, points: FloatArray, places: IntArray, has_point: BoolArray) -> FloatArray:
        """Read points back from the user's columns: a column of 32-bit numbers rounds what is written to it."""
        if not self.rounds or not has_point.any():
            return points
        table, with_point = self.question.table, places[has_point]
        written = table.decode(points[has_point], rows_of(self.given, with_point), encoded=self.rows[with_point])
        read = points.copy()
        read[has_point] = table.of_numbers().encode(written)  # a row's own value may stay even if it is not whole
        return read

    def holds(self, points: FloatArray, goals: IntArray, places: IntArray, predictions: AnyArray) -> BoolArray:
        """Whether the model, which predicts so, decides for the goals, and no rule is broken; shape (n,).

        On the boundary of a region it is asked about the point alone, too: a batch may have other last bits.
        """
        holds = self._decides(points, goals, places, predictions)
        if not holds.any():
            return holds
        held = np.flatnonzero(holds)
        for k in held[self._is_on_boundary(points[held], goals[held])].tolist():
            one = np.array([k])
            alone = self.question.predict(points[one], rows_of(self.given, places[one]), self.rows[places[one]])
            holds[one] = self._decides(points[one], goals[one], places[one], alone)
        return holds

    def _is_on_boundary(self, points: FloatArray, goals: IntArray) -> BoolArray:
        on_boundary = np.zeros(len(points), dtype=np.bool_)
        rounding = SHORT_SUM_ROUNDING if self.rounds else SUM_ROUNDING
        for goal in distinct(goals) if self.question.use_model and len(points) else ():
            chosen = np.flatnonzero(goals == goal)
            on_boundary[chosen] = self.question.problem.goals[goal].cover.is_on_boundary(points[chosen], rounding)
        return on_boundary

    def _decides(self, points: FloatArray, goals: IntArray, places: IntArray, predictions: AnyArray) -> BoolArray:
        question = self.question
        if not question.use_model:
            holds = np.ones(len(points), dtype=np.bool_)
        elif question.fitted.classes is None:
            ends = np.array([(item.low, item.high) for item in question.outcomes if isinstance(item, Interval)])
            holds = np.asarray((predictions >= ends[goals, 0]) & (predictions <= ends[goals, 1]))
        else:
            holds = self._is_label(points, goals, places, predictions)
        if question.use_model:
            self._ask_further(holds, points, goals, places)
        if question.use_model and question.fitted.robust_radius:
            self._look_around(holds, points, goals)
        if question.branches:
            holds[holds] = self.keeps_rules(points[holds], places[holds])
        return holds

    def keeps_rules(self, points: FloatArray, places: IntArray) -> BoolArray:
        """Whether points break no rule, array of shape (n,); the model is not asked."""
        keeps = np.ones(len(points), dtype=np.bool_)
        if self.question.branches and len(points):
            for row, _ in self.question.rules.broken(self.rows[places], points):
                keeps[row] = False
        return keeps

    def _look_around(self, holds: BoolArray, points: FloatArray, goals: IntArray) -> None:
        """Keep those points around which every row is valid, as regions that keep away from boundaries tell."""
        problem = self.question.problem
        for goal in distinct(goals[holds]):
            asked, cover = np.flatnonzero(holds & (goals == goal)), problem.goals[goal].cover
            depth = cover.relative_depth(points[asked], problem.coordinates.points(points[asked]))
            holds[asked] = depth.max(axis=1, initial=-np.inf) >= DEPTH_OF_WHOLE_POINTS

    def _ask_further(self, holds: BoolArray, points: FloatArray, goals: IntArray, places: IntArray) -> None:
        """Keep those points that further models, too, decide as wanted for, each by its own ``predict``."""
        question = self.question
        further = [
            (one, outcome, goal)
            for goal in (distinct(goals) if question.fitted.further else ())
            for one, outcome in question.fitted.everyone(question.outcomes[goal])[1:]
        ]
        for one, outcome, goal in further:
            asked = np.flatnonzero(holds & (goals == goal))
            if len(asked) == 0:
                continue
            given = rows_of(self.given, places[asked])
            said = one.predict(points[asked], given, self.rows[places[asked]], table=question.table)
            if isinstance(outcome, Interval) or one.classes is None:
                assert isinstance(outcome, Interval)
                holds[asked] = (said >= outcome.low) & (said <= outcome.high)
            else:
                holds[asked] = said == one.classes[outcome.index]

    def _is_label(self, points: FloatArray, goals: IntArray, places: IntArray, predictions: AnyArray) -> BoolArray:
        question, classes = self.question, self.question.fitted.classes
        assert classes is not None
        labels = [item for item in question.outcomes if isinstance(item, Label)]
        holds = np.asarray(predictions == classes[[item.index for item in labels]][goals])
        for goal, item in enumerate(labels):
            least = item.min_probability
            if least is None:
                continue
            asked = np.flatnonzero(goals == goal)
            if len(asked):  # the probability alone decides
                given = rows_of(self.given, places[asked])
                probability = question.probability(points[asked], given, self.rows[places[asked]], item.index)
                holds[asked] = probability >= least
        return holds

    def densities(self, points: FloatArray, goals: IntArray, places: IntArray) -> LogDensities:
        """Log densities of points for the rows at ``places``, each with the same bits in any batch."""
        n, question = len(points), self.question
        logs = LogDensities(np.full(n, np.nan), np.full(n, np.nan), np.full(n, -1), np.ones(n, dtype=np.bool_))
        if not question.fitted.densities:
            return logs
        has_point, seen = np.isfinite(points[:, 0]), question.fitted.density_rows(points)
        for goal in distinct(goals):
            density = question.densities[goal]
            asked = np.flatnonzero((goals == goal) & has_point)
            if density is None or len(asked) == 0:
                continue
            each = density.log_components_of(seen[asked])
            component = each.argmax(axis=1)
            largest = each[np.arange(len(asked)), component]
            logs.largest[asked], logs.component[asked] = largest, component
            logs.mixture[asked] = largest + np.log(np.exp(each - largest[:, None]).sum(axis=1))
            logs.is_dense[asked] = largest >= self.log_thresholds[places[asked], goal]
        return logs
