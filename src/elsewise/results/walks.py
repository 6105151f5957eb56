"""The doors to ways and plans, which an explainer has."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

from numpy.typing import ArrayLike

from ..asking import Options
from ..constraints import Constraints
from ..model import FittedModel
from .explanation import Explanation
from .path import Path
from .plan import Plan
from .planning import find_plan
from .walking import find_path


class Walks:
    """How to get to an answer: a way through dense data, or an order of changes."""

    @abstractmethod
    def require_fitted(self) -> FittedModel:
        """Give the fitted model, or say that there is none yet."""

    def path(
        self,
        x: ArrayLike,
        target: Any,
        *,
        level: Any = None,
        constraints: Constraints | None = None,
        min_probability: float | None = None,
        time_limit: float | None = None,
    ) -> Path:
        """Find the shortest way from a row to an answer that stays in dense data all along.

        For tables of numbers. The way is a polygon; every place of it, not only its corners, is as dense as the level,
        in the mixture of all training rows, and it ends in a valid and dense answer. Rules hold at every corner, and a
        column that may only rise never falls on the way.

        Parameters
        ----------
        x : one row of shape (n_columns,)
        target : label, or ``(low, high)`` for a regressor
        level : float in (0, 1) or LogDensity, optional
            How dense every place has to be: a quantile of the densities of all training rows, or absolute. By default
            the highest at which row and answers are connected, but no higher than the row itself or what is asked of
            answers.
        constraints : Constraints, optional
        min_probability : float, optional
            Least probability of the target at the end.
        time_limit : float, optional
            Seconds for the proof that no shorter way exists.

        Returns
        -------
        Path
        """
        options = Options(constraints=constraints, min_probability=min_probability, time_limit=time_limit)
        return find_path(self.require_fitted(), x, target, options, level=level)

    def plan(
        self,
        explanation: Explanation,
        *,
        together: Sequence[Sequence[str]] = (),
        parts: Mapping[str, int] | None = None,
        constraints: Constraints | None = None,
    ) -> Plan:
        """Find the order in which to make the changes of an answer, for every table and every model.

        Each step changes one column, one group of columns or a part of a number. Of all orders the one is chosen whose
        sparsest stage is densest; of equally good ones, the one in which the model's probability of the target rises
        earliest. Up to fifteen changes every order is considered.

        Parameters
        ----------
        explanation : Explanation
            With a counterfactual, made by this explainer.
        together : lists of column names, optional
            Columns of a list change in one step.
        parts : mapping of column name to int, optional
            Numbers that change in so many equal steps.
        constraints : Constraints, optional
            Rules that hold at every stage; usually those the explanation was asked with, which it does not know.

        Returns
        -------
        Plan
        """
        return find_plan(self.require_fitted(), explanation, together=together, parts=parts, constraints=constraints)
