"""From an explanation to a plan: its changes as moves, and the best order of them in the user's columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from numbers import Integral
from typing import Any

import numpy as np

from ..answers.explanation import Change, Explanation
from ..answers.explanations import Explanations
from ..answers.plan import Plan, PlanStep, sparsest
from ..answers.records import value_in
from ..arrays import BoolArray, FloatArray
from ..errors import InvalidInputError
from ..fitted import FittedModel
from ..models import Interval, Label, Outcome
from ..reasons import NoOrder
from ..rules import Constraints
from ..rules.relaxing import for_stages
from ..table import Column
from ..table.frames import rows_of
from .explain import for_one_row
from .paths.order import Move, Order, best_order, in_parts
from .targets import outcomes_of_rows


def find_plan(
    fitted: FittedModel,
    explanation: Explanation,
    *,
    together: Sequence[Sequence[str]] = (),
    parts: Mapping[str, int] | None = None,
    constraints: Constraints | None = None,
) -> Plan:
    """Order the changes of an explanation; see :meth:`elsewise.Explainer.plan`."""
    if not isinstance(explanation, Explanation):
        raise InvalidInputError(f"Expected what explain_one returns, received {type(explanation).__name__}.")
    if not explanation.found:
        raise InvalidInputError(f"There is no counterfactual to plan for. {explanation.reason}")
    return _Planning(fitted, explanation, constraints).plan(together, parts or {})


class _Planning:
    """One explanation's plan."""

    def __init__(self, fitted: FittedModel, explanation: Explanation, constraints: Constraints | None) -> None:
        self.explanation, self.table = explanation, explanation.table
        if [column.name for column in self.table.columns] != [column.name for column in fitted.table.columns]:
            raise InvalidInputError(
                "The explanation is about other columns than the explainer. Pass the explainer that made it."
            )
        if Explanations.of_one(explanation).lost.any():
            raise InvalidInputError("A number becomes missing in this answer: there is no order in which to do that.")
        self.row, self.end = explanation.row_features, explanation.features
        self.given = fitted.table.own_columns(fitted.table.one_row(explanation.x))
        least = None if np.isnan(explanation.min_probability) else explanation.min_probability
        self.outcome: Outcome = outcomes_of_rows(explanation.target, 1, fitted.classes, least).outcomes[0]
        rules = for_stages(fitted.rules(constraints, self.outcome))
        self.fitted, self.rules = for_one_row(fitted, rules, self.row[None], fitted.table.missing(self.given))

    def plan(self, together: Sequence[Sequence[str]], parts: Mapping[str, int]) -> Plan:
        """Find the best order and tell it."""
        moves = self._moves(together, parts)
        if not moves:
            return self._told(Order((), self.row[None], np.inf, np.inf, is_exact=True))
        return self._told(best_order(self.row, moves, self._height, self._rise), n_moves=len(moves))

    def _moves(self, together: Sequence[Sequence[str]], parts: Mapping[str, int]) -> list[Move]:
        """Group the columns that change, in the table's order; divide numbers that are to change in parts."""
        changed = np.flatnonzero(self.table.changed(self.row[None], self.end[None])[0]).tolist()
        names = [column.name for column in self.table.columns]
        group_of = {}
        for number, group in enumerate(together):
            if isinstance(group, str):
                raise InvalidInputError(f"together: expected lists of column names, received {together!r}.")
            for name in group:
                self._check_name(name, names, "together")
                if name in group_of:
                    raise InvalidInputError(f"together: {name!r} is in two groups.")
                group_of[name] = number
        for name, count in parts.items():
            self._check_name(name, names, "parts")
            self._check_parts(self.table.columns[names.index(name)], count, group_of)
        moves: dict[Any, list[Column]] = {}
        for place in changed:
            column = self.table.columns[place]
            moves.setdefault(("group", group_of[column.name]) if column.name in group_of else place, []).append(column)
        return [self._move(columns, parts) for columns in moves.values()]

    def _check_name(self, name: object, names: Sequence[str], argument: str) -> None:
        if name not in names:
            raise InvalidInputError(f"{argument}: there is no column {name!r}. There are {list(names)[:12]}.")

    def _check_parts(self, column: Column, count: object, group_of: Mapping[str, int]) -> None:
        if isinstance(count, bool) or not isinstance(count, Integral) or count < 1:
            raise InvalidInputError(f"parts: expected a whole number >= 1 for {column.name!r}, received {count!r}.")
        if column.kind not in ("number", "integer"):
            raise InvalidInputError(f"parts: {column.name!r} is no number, and cannot change partly.")
        if column.name in group_of:
            raise InvalidInputError(f"parts: {column.name!r} changes together with others, and cannot change partly.")

    def _move(self, columns: Sequence[Column], parts: Mapping[str, int]) -> Move:
        features = np.concatenate([np.arange(column.start, column.stop) for column in columns])
        first = columns[0]
        if len(columns) == 1 and parts.get(first.name, 1) > 1:
            place = first.start
            is_whole = bool(self.rules.integer[place]) or first.kind == "integer"
            before, after = float(self.row[place]), float(self.end[place])
            lattice, count = self.rules.lattice, int(parts[first.name])
            nearest = None if lattice is None else partial(lattice.nearest, place)
            return Move(features, in_parts(before, after, count, is_whole=is_whole, nearest=nearest)[:, None])
        return Move(features, np.stack([self.row[features], self.end[features]]))

    def _height(self, stages: FloatArray) -> FloatArray:
        """Log density of stages; minus infinity where a rule is broken."""
        heights = np.zeros(len(stages))
        if self.fitted.densities and len(stages):
            heights = self.fitted.landscape().log_max(self.fitted.density_rows(stages))
        for row, _ in self.rules.broken(np.repeat(self.row[None], len(stages), axis=0), stages):
            heights[row] = -np.inf
        return heights

    def _rise(self, stages: FloatArray) -> FloatArray:
        """Probability of the target; without one, whether the model decides so; of a regressor, how near it comes."""
        if isinstance(self.outcome, Interval):
            values = self._predict(stages).astype(np.float64)
            return np.asarray(-np.maximum(np.maximum(self.outcome.low - values, values - self.outcome.high), 0.0))
        probabilities = self._probability(stages)
        return probabilities if np.isfinite(probabilities).all() else self._is_as_wanted(stages).astype(np.float64)

    def _predict(self, stages: FloatArray) -> Any:
        count = np.zeros(len(stages), dtype=np.int64)
        rows = np.repeat(self.row[None], len(stages), axis=0)
        return self.fitted.predict(stages, rows_of(self.given, count), rows, table=self.table)

    def _probability(self, stages: FloatArray) -> FloatArray:
        if isinstance(self.outcome, Interval) or not hasattr(self.fitted.model, "predict_proba"):
            return np.full(len(stages), np.nan)
        count = np.zeros(len(stages), dtype=np.int64)
        rows = np.repeat(self.row[None], len(stages), axis=0)
        given = rows_of(self.given, count)
        return self.fitted.probability(stages, given, rows, index=self.outcome.index, table=self.table)

    def _is_as_wanted(self, stages: FloatArray) -> BoolArray:
        if isinstance(self.outcome, Label) and self.outcome.min_probability is not None:  # it alone decides
            return np.asarray(self._probability(stages) >= self.outcome.min_probability)
        predictions = self._predict(stages)
        if isinstance(self.outcome, Interval):
            return np.asarray((predictions >= self.outcome.low) & (predictions <= self.outcome.high))
        assert self.fitted.classes is not None
        return np.asarray(predictions == self.fitted.classes[self.outcome.index])

    def _told(self, order: Order, n_moves: int = 0) -> Plan:
        stages = order.stages
        predictions, wanted = self._predict(stages), self._is_as_wanted(stages)
        status = "optimal" if order.is_exact else "feasible"
        cause = None
        if n_moves and not order.moves:
            status, cause = "infeasible", NoOrder(n_moves, is_proven=order.is_exact)
        logs = np.full(len(stages), np.nan)
        if self.fitted.densities:
            logs = self.fitted.landscape().log_max(self.fitted.density_rows(stages))
        shares = [np.nan if np.isnan(each) else self.fitted.landscape().share_no_denser(each) for each in logs.tolist()]
        kept = np.flatnonzero(~wanted)
        turn = None if not wanted[-1] else (int(kept[-1]) + 1 if len(kept) else 0)
        probabilities = self._probability(stages)
        count = np.zeros(len(stages), dtype=np.int64)
        rows = np.repeat(self.row[None], len(stages), axis=0)
        written = self.table.decode(stages, rows_of(self.given, count), encoded=rows)
        stated = [written.iloc[place] if hasattr(written, "iloc") else written[place] for place in range(len(stages))]
        steps = tuple(
            PlanStep(
                changes=self._changes(stages[k], stages[k + 1], stated[k], stated[k + 1]),
                row=stated[k + 1],
                features=stages[k + 1],
                log_density=float(logs[k + 1]),
                share=float(shares[k + 1]),
                prediction=predictions[k + 1],
                probability=float(probabilities[k + 1]),
                is_as_wanted=bool(wanted[k + 1]),
            )
            for k in range(len(stages) - 1)
        )
        return Plan(
            steps=steps,
            target=self.explanation.target,
            prediction=predictions[0],
            status=status,
            bottleneck=sparsest(logs[1:]),
            log_bound=order.bound if self.fitted.densities else np.nan,
            bound=self.fitted.landscape().share_no_denser(order.bound) if self.fitted.densities else np.nan,
            turn=turn,
            cause=cause,
            table=self.table,
            min_probability=self.explanation.min_probability,
        )

    def _changes(self, before: FloatArray, after: FloatArray, row: Any, next_row: Any) -> tuple[Change, ...]:
        found = []
        for place in np.flatnonzero(self.table.changed(before[None], after[None])[0]).tolist():
            column = self.table.columns[place]
            values = [value_in(self.table, column, each) for each in (row, next_row)]
            is_number = column.kind in ("number", "integer")
            difference = column.difference(float(before[column.start]), float(after[column.start]))
            cost = float(self.explanation.shares[place])
            if is_number:  # a part of a change costs that part
                cost *= abs((after - before)[column.start] / (self.end - self.row)[column.start])
            found.append(Change(column.name, values[0], values[1], difference, cost, is_number))
        return tuple(found)
