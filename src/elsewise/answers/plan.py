"""A plan: in which order to make the changes of an answer, and what is met on the way."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..arrays import FloatArray, UserData, UserTarget, UserValue
from ..reasons import Reason
from ..table import Table
from ..text import headline_of_plan, html_of_plan, reason_in_words, sentence_of_plan, speaking, text_of_plan
from .explanation import Change
from .records import pandas_for

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True, eq=False)
class PlanStep:
    """One step of a plan, and the stage it leads to.

    Attributes
    ----------
    changes : tuple of Change
        What is changed: one column, one group of columns, or a part of a number.
    row : series or array of shape (n_columns,)
        The stage, in the user's columns.
    features : array of shape (n_features,)
        The same in features.
    log_density : float
        In the mixture of all training rows; NaN without a density.
    share : float
        Share of the training rows that are no denser; NaN without a density.
    prediction : label or float
        What the model says of the stage.
    probability : float
        Of the target; NaN if the model gives none.
    is_as_wanted : bool
        The model decides as wanted.
    """

    changes: tuple[Change, ...]
    row: UserData
    features: FloatArray
    log_density: float
    share: float
    prediction: UserValue
    probability: float
    is_as_wanted: bool


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """In which order to make the changes of an answer so that its sparsest stage is densest.

    Attributes
    ----------
    steps : tuple of PlanStep
        From the first change to the answer itself; empty without a plan.
    target : label, or (low, high) for a regressor
    prediction : label or float
        What the model says of the row itself.
    status : "optimal", "feasible" or "infeasible"
        Optimal: every order was considered. Feasible: there are too many, the best found is returned. Infeasible: no
        order (feasible search: none that was looked at) keeps the rules at every stage.
    bottleneck : int or None
        The step after which the sparsest stage between row and answer is reached, counted from 0; None without one
        between, or without a density.
    log_bound : float
        No order has a denser sparsest stage than this; infinite where there is nothing between.
    bound : float
        The same as a share of the training rows that are no denser; NaN without a density.
    turn : int or None
        Number of steps after which the model decides as wanted and keeps to it; None if it never does.
    cause : Reason or None
        Why there is no plan.
    table : Table
    min_probability : float
        Least probability of the target that was asked for, which alone decides; NaN if none was.
    """

    steps: tuple[PlanStep, ...]
    target: UserTarget
    prediction: UserValue
    status: str
    bottleneck: int | None
    log_bound: float
    bound: float
    turn: int | None
    cause: Reason | None
    table: Table
    min_probability: float = np.nan

    def __len__(self) -> int:
        return len(self.steps)

    def __iter__(self) -> Iterator[PlanStep]:
        return iter(self.steps)

    @property
    def reason(self) -> str:
        """The cause as a sentence; empty if there is nothing to say."""
        with speaking(self.table.wording):
            return reason_in_words(self.cause)

    @property
    def sentence(self) -> str:
        """What to do first, what next, and after which step the model changes its mind."""
        return sentence_of_plan(self)

    def to_frame(self) -> pd.DataFrame:
        """Table with a line per step: what changes, from what to what, density, probability, prediction."""
        pandas = pandas_for("to_frame")
        lines = [
            {
                "step": place + 1,
                "column": change.feature,
                "before": change.before,
                "after": change.after,
                "share": step.share,
                "probability": step.probability,
                "prediction": step.prediction,
            }
            for place, step in enumerate(self.steps)
            for change in step.changes
        ]
        return pandas.DataFrame(lines)

    def __repr__(self) -> str:
        return f"<Plan {headline_of_plan(self)}>"

    def __str__(self) -> str:
        return text_of_plan(self)

    def _repr_html_(self) -> str:
        return html_of_plan(self)


def sparsest(log_densities: FloatArray) -> int | None:
    """Which of the stages between row and answer is the sparsest; None if there is none, or no density."""
    between = log_densities[:-1]
    return int(np.argmin(between)) if len(between) and np.isfinite(between).all() else None
