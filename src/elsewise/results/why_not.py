"""Why not: when rules leave no answer, which of them contradict each other, and what would help.

Everything is asked of the same search that answers. A set of rules contradicts itself, together with the wanted outcome
and the density, if the search proves that nothing satisfies all of it. Such a set is made smallest by leaving out one
rule at a time, as long as the rest still contradicts itself; the Farkas multipliers of the relaxed cells say where to
begin, for most rules have no part in it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arrays import BoolArray, FloatArray
from ..asking.answers import Answers
from ..asking.question import Question
from ..constraints import Constraints, Rules
from ..constraints.atomic import FewChanges, Linear
from ..constraints.relaxing import without
from ..density import ClassDensity
from ..projection.cells import INFEASIBLE
from ..text import html_of_why_not


@dataclass(frozen=True, slots=True)
class Relief:
    """A rule whose absence allows an answer.

    Attributes
    ----------
    rule : str
        In words.
    distance : float
        Of the nearest answer without it.
    constraints : Constraints
        The user's rules without it.
    """

    rule: str
    distance: float
    constraints: Constraints


@dataclass(frozen=True, slots=True)
class WhyNot:
    """Why a row has no counterfactual.

    Attributes
    ----------
    reason : "none", "rules", "density" or "model"
        "none": there is an answer. "rules": the rules in ``conflict`` leave no dense enough row the model decides so
        for. "density": no row at all is dense enough where the model decides so. "model": it never does.
    conflict : tuple of str
        A smallest set of rules that contradict each other; without any one of them the others do not.
    highest_quantile : float or None
        The highest threshold quantile at which there is an answer under all rules, rounded down; None if there is none
        at any, or no density is asked for.
    reliefs : tuple of Relief
        Single rules whose absence helps, cheapest first.
    sentence : str
        All of it for people.
    """

    reason: str
    conflict: tuple[str, ...]
    highest_quantile: float | None
    reliefs: tuple[Relief, ...]
    sentence: str

    def __str__(self) -> str:
        return self.sentence

    def _repr_html_(self) -> str:
        return html_of_why_not(self)


class Inquiry:
    """Finds out why one row has no answer.

    Parameters
    ----------
    ask : function of (Rules, Constraints, density or None)
        Makes the question of one goal.
    given : data frame or array of one row
    row : array of shape (1, n_features)
    constraints : Constraints
    rules : Rules
    density : ClassDensity or None
        With the threshold that is asked for.
    wanted : str
        The outcome as the end of a sentence: "predict 'good'".
    """

    def __init__(
        self,
        ask: Callable[[Rules, ClassDensity | None], Question],
        given: Any,
        row: FloatArray,
        constraints: Constraints,
        rules: Rules,
        density: ClassDensity | None,
        wanted: str,
    ) -> None:
        self.ask, self.given, self.row, self.wanted = ask, given, row, wanted
        self.constraints, self.rules, self.density = constraints, rules, density

    def answer(self) -> WhyNot:
        """Look into it."""
        everything = range(len(self.rules.single))
        if np.isfinite(self._distance(self.rules)):
            return WhyNot("none", (), None, (), "There is an answer under these rules.")
        if self.rules.single and np.isfinite(self._distance(self.rules.without(everything))):
            return self._rules()
        highest = self._highest_quantile(self.rules)
        if highest is None and (self.density is None or not np.isfinite(self._distance(self.rules, None))):
            return WhyNot("model", (), None, (), f"No row of the table makes the model {self.wanted}.")
        best = (
            "no quantile of the training rows is low enough"
            if highest is None
            else (f"the highest threshold quantile that works is {highest:g}")
        )
        return WhyNot(
            "density",
            (),
            highest,
            (),
            f"The density threshold is too high: no row that makes the model {self.wanted} is dense enough; {best}.",
        )

    def _rules(self) -> WhyNot:
        """Rules are in the way."""
        conflict = self._smallest_conflict()
        reliefs = []
        for index in conflict:
            distance = self._distance(self.rules.without([index]))
            if np.isfinite(distance):
                rule = self.rules.names[index]
                reliefs.append(Relief(rule, distance, without(self.constraints, self.rules, index)))
        reliefs.sort(key=lambda relief: relief.distance)
        highest = self._highest_quantile(self.rules)
        names = tuple(self.rules.names[index] for index in conflict)
        return WhyNot("rules", names, highest, tuple(reliefs), self._in_words(names, highest, reliefs))

    def _in_words(self, conflict: Sequence[str], highest: float | None, reliefs: Sequence[Relief]) -> str:
        dense = "" if self.density is None else " and is dense enough"
        which = "this rule" if len(conflict) == 1 else "these rules together"
        said = [f"No row that makes the model {self.wanted}{dense} keeps {which}: {'; '.join(conflict)}."]
        if reliefs:
            best = reliefs[0]
            said.append(f'Without "{best.rule}" there is an answer at distance {best.distance:.4g}.')
        else:
            said.append("Leaving out any one rule is not enough: others contradict each other, too.")
        if highest is not None:
            said.append(f"With all rules, the highest threshold quantile that works is {highest:g}.")
        elif self.density is not None:
            said.append("With all rules, no threshold quantile works.")
        return " ".join(said)

    def _smallest_conflict(self) -> list[int]:
        """Leave out rules one at a time as long as the rest contradicts itself."""
        everything = list(range(len(self.rules.single)))
        suspects = self._suspects()
        kept = suspects if not np.isfinite(self._distance(self._only(suspects))) else everything
        for index in list(kept):
            fewer = [other for other in kept if other != index]
            if not np.isfinite(self._distance(self._only(fewer))):
                kept = fewer
        return kept

    def _only(self, indices: Sequence[int]) -> Rules:
        return self.rules.without([index for index in range(len(self.rules.single)) if index not in indices])

    def _suspects(self) -> list[int]:
        """List rules with a part in the Farkas multipliers of an empty cell; a limit on changes always may."""
        question = self.ask(self.rules, self.density)
        answers = Answers(question, self.given, self.row)
        assert answers.domain is not None
        goal, domain, problem = question.problem.goals[0], answers.domain, question.problem
        cells = [(i, j) for i in range(goal.n_polyhedra) for j in range(goal.n_cones)]
        pulled = np.zeros(len(domain.layout.column), dtype=np.bool_)
        pressed = np.zeros(len(domain.offsets), dtype=np.bool_)
        if cells:
            n = len(cells)
            prices = problem.coordinates.stretch
            low, high = (domain.lower - self.row) * prices, (domain.upper - self.row) * prices
            at = domain.layout.indicators
            low[:, at] = 0.0
            high[:, at] = np.where((domain.upper[:, at] == 1) & (self.row[:, at] == 0), np.inf, 0.0)
            first_polyhedron = np.array([goal.first_polyhedron + i for i, _ in cells])
            batch = problem.cells.project(
                problem.coordinates.points(self.row),
                np.zeros(n, dtype=np.int64),
                np.column_stack([first_polyhedron, np.full(n, domain.polyhedron)]),
                np.array([goal.first_cone + j if goal.has_density else -1 for _, j in cells]),
                cutoff=np.full(n, np.inf),
                margin=np.zeros(n),
                lower=np.repeat(low, n, axis=0),
                upper=np.repeat(high, n, axis=0),
                multipliers=True,
            )
            assert batch.bound_multipliers is not None
            assert batch.row_multipliers is not None
            empty = batch.status == INFEASIBLE
            pulled = _matters(batch.bound_multipliers[empty])
            for k in np.flatnonzero(empty).tolist():
                spans = problem.cells.spans
                start = int(np.diff(spans[first_polyhedron[k]])[0])
                mine = batch.row_multipliers[k : k + 1, start : start + len(domain.offsets)]
                pressed |= _matters(mine)
        rule_of_row = self.rules.rule_of_half_space
        suspects = []
        for index, rule in enumerate(self.rules.single):
            if isinstance(rule, FewChanges):
                suspects.append(index)
            elif isinstance(rule, Linear):
                if pressed[rule_of_row == index].any():
                    suspects.append(index)
            else:
                column = rule.column  # type: ignore[attr-defined]  # all others are about a column
                if pulled[column.start : column.stop].any():
                    suspects.append(index)
        return suspects

    def _highest_quantile(self, rules: Rules) -> float | None:
        """Bisect for the highest threshold quantile at which there is an answer, to three digits, rounded down."""
        if self.density is None:
            return None
        ordered = self.density.log_densities_
        low, high = 0, 1000  # thousandths; low works or is untested, high does not
        while high - low > 1:
            middle = (low + high) // 2
            threshold = float(np.quantile(ordered, middle / 1000))
            threshold -= 1e-12 * (1.0 + abs(threshold))
            if np.isfinite(self._distance(rules, self.density.with_threshold(threshold))):
                low = middle
            else:
                high = middle
        return low / 1000 if low else None

    def _distance(self, rules: Rules, density: ClassDensity | str | None = "asked") -> float:
        """Distance of the answer under other rules or another density, infinite without one."""
        asked = self.density if isinstance(density, str) else density
        question = self.ask(rules, asked)
        answers = Answers(question, self.given, self.row)
        answers.pursue(np.array([0]), np.array([0]))
        return float(answers.value[0])


def _matters(multipliers: FloatArray) -> BoolArray:
    """Which columns of multipliers, one row a cell, are not zero in every cell."""
    if multipliers.size == 0:
        return np.zeros(multipliers.shape[1], dtype=np.bool_)
    size = np.abs(multipliers)
    return np.asarray((size > 1e-7 * size.max(axis=1, keepdims=True)).any(axis=0))
