"""How a question is asked: what all questions about rows have in common, checked once."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral, Real

from ..constraints import Constraints
from ..errors import InvalidInputError


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How a question is asked; see :meth:`elsewise.Explainer.explain` for what each means to its user.

    Attributes
    ----------
    constraints : Constraints or None
    min_probability : float or None
        Checked with the target, for it is about labels alone.
    n_counterfactuals : int
    time_limit : seconds a row, or None
    """

    constraints: Constraints | None = None
    min_probability: float | None = None
    n_counterfactuals: int = 1
    time_limit: float | None = None

    def __post_init__(self) -> None:
        n_answers: object = self.n_counterfactuals
        if isinstance(n_answers, bool) or not isinstance(n_answers, Integral) or n_answers < 1:
            raise InvalidInputError(f"n_counterfactuals must be a whole number >= 1, received {n_answers!r}.")
        seconds: object = self.time_limit
        if seconds is not None and not (isinstance(seconds, Real) and float(seconds) > 0):
            raise InvalidInputError(f"time_limit must be a positive number of seconds or None, received {seconds!r}.")
