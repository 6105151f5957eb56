"""One row asked with some of its columns held: the question that levers, reasons, ladders and ranges have in common."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from ..arrays import AnyArray, BoolArray, FloatArray, IntArray, UserData
from ..fitted import FittedModel
from ..models import Outcome
from ..rules import Rules
from ..search import Domain
from ..table.frames import rows_of
from .options import Effort, Options
from .solving.answers import Answers
from .solving.deadline import Deadline
from .solving.question import Question, pose
from .verification import Verification


@dataclass(frozen=True, slots=True, eq=False)
class RowQuestion:
    """One row, one outcome, and the rules under which it is asked.

    Attributes
    ----------
    fitted : FittedModel
    given : data frame or array of shape (1, n_columns)
        The row as it came.
    row : array of shape (1, n_features)
        The same in features.
    outcome : Outcome
    rules : Rules
    options : Options
    deadline : Deadline
        ``options.time_limit`` is for everything that is asked of the row.
    predictions : array of shape (1,)
        What the model says of the row.
    """

    fitted: FittedModel
    given: UserData
    row: FloatArray
    outcome: Outcome
    rules: Rules
    options: Options
    deadline: Deadline = field(init=False)
    predictions: AnyArray = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "deadline", Deadline(self.options.time_limit))
        object.__setattr__(self, "predictions", self.fitted.predict(self.row, self.given))

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns of the table."""
        return tuple(column.name for column in self.fitted.table.columns)

    def question(self, *, has_density: bool = True) -> Question:
        """Pose the question of the row, at density thresholds of its own."""
        densities = None if has_density else [None]
        return pose(
            self.fitted,
            [self.outcome],
            self.rules,
            options=self.options,
            densities=densities,
            branches=True,
            own_thresholds=has_density,
        )

    def has_outcome(self) -> bool:
        """Whether the model decides for the outcome in the row as it is, and the row keeps all rules."""
        question, first = self.question(has_density=False), np.array([0])
        verification = Verification(question, self.given, self.row, self.predictions)
        return bool(verification.holds(self.row, first, first, self.predictions)[0])

    def domain(self, question: Question) -> Domain:
        """Compute what the row may become."""
        domain = question.domain(self.row)
        assert domain is not None  # the question branches
        return domain

    def can_change(self, question: Question) -> BoolArray:
        """Which columns have somewhere to go, array of shape (n_columns,)."""
        domain = self.domain(question)
        layout, indicators = domain.layout, domain.layout.indicators
        moves = domain.lower[0] < domain.upper[0]
        moves[indicators] = domain.upper[0, indicators] > self.row[0, indicators]  # another level is reachable
        return np.asarray(np.logical_or.reduceat(moves, layout.starts))

    def answers(
        self,
        question: Question,
        free: BoolArray,
        *,
        log_thresholds: FloatArray | None = None,
        effort: Effort | None = None,
    ) -> Answers:
        """Prepare the answers of the row under several sets of columns that may change, one set a row.

        Parameters
        ----------
        question : Question
        free : bool array of shape (n_sets, n_columns)
            Columns that may change.
        log_thresholds : array of shape (1, n_goals), optional
            What the density has to reach, whatever is held; by default each set has the threshold that
            :meth:`~elsewise.Explainer.explain` would ask for with the other columns immutable.
        effort : str, optional
            Instead of that of the options.
        """
        same = np.zeros(len(free), dtype=np.int64)
        left = self.deadline.left()
        limit = None if left is None else left / max(len(free), 1)
        options = replace(self.options, time_limit=limit, effort=effort or self.options.effort)
        question = replace(question, options=options)
        return Answers(
            question,
            rows_of(self.given, same),
            self.row[same],
            self.predictions[same],
            log_thresholds=None if log_thresholds is None else log_thresholds[same],
            domain=held(question, self.row, free),
        )

    def reached(
        self,
        question: Question,
        free: BoolArray,
        *,
        log_thresholds: FloatArray | None = None,
        effort: Effort | None = None,
    ) -> Answers:
        """Find the nearest answers under several sets of columns that may change; see :meth:`answers`."""
        answers = self.answers(question, free, log_thresholds=log_thresholds, effort=effort)
        everything: IntArray = np.arange(len(free))
        answers.reach(everything, np.zeros(len(free), dtype=np.int64))
        return answers


def held(question: Question, row: FloatArray, free: BoolArray) -> Domain:
    """Compute the domain of one row under several sets of columns that may change, one set a row.

    Parameters
    ----------
    question : Question
    row : array of shape (1, n_features)
    free : bool array of shape (n_sets, n_columns)
    """
    own = question.domain(row)
    assert own is not None
    same = np.zeros(len(free), dtype=np.int64)
    domain, layout = own.of_rows(same), own.layout
    is_free, is_indicator = free[:, layout.column], layout.group >= 0
    lower = np.where(is_free | is_indicator, domain.lower, row)
    upper = np.where(is_free, domain.upper, row)
    clauses = question.rules.clauses(row)
    clauses = None if clauses is None else clauses.of_rows(same).within(lower, upper, layout)
    return replace(domain, lower=lower, upper=upper, clauses=clauses)
