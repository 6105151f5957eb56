"""How a question is asked: what all questions about rows have in common, checked once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from numbers import Integral, Real
from typing import Any, Literal, get_args

from ..constraints import Constraints
from ..errors import InvalidInputError
from .constants import IF_NONE

Errors = Literal["raise", "row"]
# What becomes of a row that has the outcome already but is not dense enough.
ALREADY = ("plausible", "stay")


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How a question is asked; see :meth:`elsewise.Explainer.explain` for what each means to its user.

    Attributes
    ----------
    constraints : Constraints or None
    min_probability : float or None
        Checked with the target, for it is about labels alone.
    n_counterfactuals : int
    differ : "columns" or float
        How further answers differ: by a set of columns that contains no earlier one, or by this distance at least.
    already : "plausible" or "stay"
        What becomes of rows that have the outcome already but are not dense enough.
    time_limit : seconds a row, or None
    errors : "raise" or "row"
        What becomes of a batch in which some row is wrong.
    also : sequence of (model, outcome)
        Further models, and what each has to decide.
    if_none : "nothing" or "densest"
    robust : float
        Distance within which every row is valid, too.
    """

    constraints: Constraints | None = None
    min_probability: float | None = None
    n_counterfactuals: int = 1
    differ: str | float = "columns"
    already: str = "plausible"
    time_limit: float | None = None
    errors: Errors = "raise"
    also: Sequence[tuple[Any, Any]] = ()
    if_none: str = "nothing"
    robust: float = 0.0

    def __post_init__(self) -> None:
        n_answers: object = self.n_counterfactuals
        if isinstance(n_answers, bool) or not isinstance(n_answers, Integral) or n_answers < 1:
            raise InvalidInputError(f"n_counterfactuals must be a whole number >= 1, received {n_answers!r}.")
        differ: object = self.differ
        is_distance = not isinstance(differ, bool) and isinstance(differ, Real) and 0 < float(differ) < inf
        if not is_distance and not (isinstance(differ, str) and differ == "columns"):
            raise InvalidInputError(f"differ must be 'columns' or a positive distance, received {differ!r}.")
        already: object = self.already
        if not isinstance(already, str) or already not in ALREADY:
            raise InvalidInputError(f"already must be 'plausible' or 'stay', received {already!r}.")
        seconds: object = self.time_limit
        if seconds is not None and not (isinstance(seconds, Real) and float(seconds) > 0):
            raise InvalidInputError(f"time_limit must be a positive number of seconds or None, received {seconds!r}.")
        errors: object = self.errors
        if errors not in get_args(Errors):
            raise InvalidInputError(f"errors must be 'raise' or 'row', received {errors!r}.")
        eps: object = self.robust
        if isinstance(eps, bool) or not isinstance(eps, Real) or not 0 <= float(eps) < inf:
            raise InvalidInputError(f"robust must be a distance >= 0, received {eps!r}.")
        pairs: Any = self.also
        if not isinstance(pairs, (list, tuple)) or not all(isinstance(one, tuple) and len(one) == 2 for one in pairs):
            raise InvalidInputError(f"also: expected a list of pairs (model, outcome), received {pairs!r}.")
        if self.if_none not in IF_NONE:
            raise InvalidInputError(f"if_none: expected 'nothing' or 'densest', received {self.if_none!r}.")

    @property
    def least_distance(self) -> float | None:
        """Least distance between answers of a row, None where they differ by their columns."""
        return None if isinstance(self.differ, str) else float(self.differ)
