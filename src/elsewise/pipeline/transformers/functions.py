"""Transformers that are monotone functions of single columns: powers, quantiles, functions of NumPy, clipping."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import special
from sklearn.preprocessing import FunctionTransformer, PowerTransformer, QuantileTransformer

from ...arrays import FloatArray, UserData, UserValue
from ...errors import InvalidInputError, UnsupportedSettingError
from ..affine import LARGEST_WARPED, AffineMap
from ..registry import register
from ..steps import Step
from ..streams import Stream
from ..warping import Route, Takes, follow_columns, not_affine, require_monotone
from .derivations import AddDerived, follow_derived

if TYPE_CHECKING:
    from ..walk import Walk

# Decimal digits of a power that is far from overflow.
DIGITS_OF_POWERS = 290.0

_LARGEST = LARGEST_WARPED
_ABOVE_ZERO = float(np.nextafter(0.0, 1.0))
_ABOVE_MINUS_ONE, _BELOW_ONE = float(np.nextafter(-1.0, 0.0)), float(np.nextafter(1.0, 0.0))

# Functions that rise throughout, and the numbers between which they are finite or overflow in the end.
RISING: dict[UserValue, tuple[float, float]] = {
    **dict.fromkeys(
        [
            np.arcsinh, np.arctan, np.cbrt, np.ceil, np.deg2rad, np.degrees, np.exp, np.exp2, np.expm1, np.floor,
            np.positive, np.rad2deg, np.radians, np.rint, np.sign, np.sinh, np.tanh, np.trunc, special.cbrt,
            special.erf, special.exp10, special.exp2, special.expit, special.expm1, special.log_expit, special.ndtr,
        ],
        (-_LARGEST, _LARGEST),
    ),
    **dict.fromkeys([np.log, np.log2, np.log10], (_ABOVE_ZERO, _LARGEST)),
    **dict.fromkeys([np.log1p, special.log1p], (_ABOVE_MINUS_ONE, _LARGEST)),
    np.sqrt: (0.0, _LARGEST),
    np.arccosh: (1.0, _LARGEST),
    np.arcsin: (-1.0, 1.0),
    **dict.fromkeys([np.arctanh, special.erfinv], (_ABOVE_MINUS_ONE, _BELOW_ONE)),
    **dict.fromkeys([special.logit, special.ndtri], (_ABOVE_ZERO, _BELOW_ONE)),
}  # fmt: skip
# Functions that fall throughout.
FALLING: dict[UserValue, tuple[float, float]] = {np.arccos: (-1.0, 1.0)}
# Functions that rise whatever these numbers are, given as kw_args.
WITH_NUMBERS: dict[UserValue, frozenset[str]] = {
    np.clip: frozenset({"a_min", "a_max", "min", "max"}),
    np.round: frozenset({"decimals"}),
    np.around: frozenset({"decimals"}),
}


# Numbers at which a declared inverse is tried.
NUMBERS_OF_ALL_SIZES = np.concatenate([-np.geomspace(1e-6, 1e6, 97)[::-1], [0.0], np.geomspace(1e-6, 1e6, 97)])


@dataclass(frozen=True)
class MonotoneFunction:
    """A function of which its user says that it rises or falls throughout."""

    function: Callable[[Any], Any]
    direction: str
    low: float
    high: float

    def __call__(self, X: UserData) -> Any:
        """Apply the function."""
        return self.function(X)


def monotone(
    function: Callable[[Any], Any],
    direction: str = "increase",
    *,
    low: float = -LARGEST_WARPED,
    high: float = LARGEST_WARPED,
) -> MonotoneFunction:
    """Declare that a function of numbers, applied to every column by itself, rises or falls throughout.

    Pass the result to a ``FunctionTransformer`` before trees, forests or boosting: thresholds are brought back through
    the function, and answers are proven as if it were one of NumPy's. It is checked at a few hundred numbers of each
    column when an explainer is fitted; proofs rest on the declaration beyond these.

    Parameters
    ----------
    function : function of an array or data frame
        At the top level of a module, if the pipeline is to be saved.
    direction : "increase" or "decrease", default="increase"
        The function may stay equal between numbers, too.
    low, high : float, optional
        The numbers between which it is defined, both inclusive; answers stay there.

    Returns
    -------
    function
        The same, with what was declared.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import FunctionTransformer
    >>> import elsewise as ew
    >>> X = np.random.default_rng(0).uniform(size=(100, 2))
    >>> y = X[:, 0] > 0.5
    >>> bent = FunctionTransformer(ew.monotone(lambda x: x**3 + x))
    >>> model = make_pipeline(bent, RandomForestClassifier(10, random_state=0)).fit(X, y)
    >>> ew.Explainer(model, density=None).fit(X, y).exactness_
    'exact'
    """
    if direction not in ("increase", "decrease"):
        raise InvalidInputError(f"direction: expected 'increase' or 'decrease', received {direction!r}.")
    if not low < high:
        raise InvalidInputError(f"low, high: expected low < high, received {low!r} and {high!r}.")
    return MonotoneFunction(function, direction, float(low), float(high))


@register(PowerTransformer)
def _power(walk: Walk, step: Step, streams: list[Stream]) -> list[Stream]:
    takes = _before_powers_overflow(step.transformer.method, np.asarray(step.transformer.lambdas_, dtype=np.float64))
    return one_by_one(walk, step, streams, takes, "is not affine: it takes powers")


@register(QuantileTransformer)
def _quantiles(walk: Walk, step: Step, streams: list[Stream]) -> list[Stream]:
    takes = Takes.numbers(len(streams))
    return one_by_one(walk, step, streams, takes, "is not affine: it replaces numbers by their ranks")


@register(FunctionTransformer)
def _function(walk: Walk, step: Step, streams: list[Stream]) -> list[Stream]:
    function, options = step.transformer.func, step.transformer.kw_args or {}
    if function is None:
        return streams
    if isinstance(function, AddDerived) and not options:
        return follow_derived(walk, step, streams)
    if function is np.negative and not options:
        return walk.affine(step, lambda transformer, n: AffineMap(-np.eye(n), np.zeros(n)), streams)
    if _ends(function, options) is None and not isinstance(function, MonotoneFunction):
        function = _with_inverse(step.transformer, len(streams)) or function
    inner = function.function if isinstance(function, MonotoneFunction) else function
    name = getattr(inner, "__name__", repr(function))
    ends = _ends(function, options)
    if ends is None:
        raise UnsupportedSettingError(
            f"{step.in_words} applies the function {name}{' with kw_args' if options else ''}, which cannot be known "
            "to be affine or monotone; expected func=None, or before trees a function of NumPy that rises throughout: "
            "log1p, log, sqrt, cbrt, exp, arcsinh, tanh, ..., any that elsewise.monotone declares, or one with an "
            "inverse_func that takes every number back. Apply it to the "
            f"data before the pipeline. It takes {walk.names(streams)}."
        )
    takes = Takes.numbers(len(streams), *ends)
    reason = f"applies the function {name}, which is not affine"
    rises = function.direction == "increase" if isinstance(function, MonotoneFunction) else function not in FALLING
    return one_by_one(walk, step, streams, takes, reason, rises=rises)


def _before_powers_overflow(method: str, powers: FloatArray) -> Takes:
    """Return numbers whose powers are finite: the transformer itself raises where one is not.

    Box and Cox take ``x^p`` of positive numbers, Yeo and Johnson ``(1 + x)^p`` of these and ``(1 - x)^(2 - p)`` of
    others.
    """

    def largest(exponents: FloatArray) -> FloatArray:
        digits = np.divide(DIGITS_OF_POWERS, exponents, out=np.full(len(exponents), np.inf), where=exponents > 0)
        return np.asarray(np.minimum(10.0 ** np.minimum(digits, DIGITS_OF_POWERS), _LARGEST))

    if method == "box-cox":
        return Takes(np.maximum(1.0 / largest(-powers), _ABOVE_ZERO), largest(powers))
    return Takes(-largest(2.0 - powers), largest(powers))


def one_by_one(
    walk: Walk, step: Step, streams: list[Stream], takes: Takes, reason: str, *, rises: bool = True
) -> list[Stream]:
    """Follow a transformer that gives a column for each it takes, in their order; ``reason`` says what it does."""
    require_monotone(walk, step, streams)
    routes = [Route(place, place, rises) for place in range(len(streams))]
    return follow_columns(walk, step, streams, routes, takes, not_affine(walk, step, streams, reason))


def _with_inverse(transformer: FunctionTransformer, n_columns: int) -> MonotoneFunction | None:
    """Declare a function monotone whose inverse the user declares: each of many numbers of all sizes comes back.

    A continuous function that has an inverse rises or falls throughout. None if a number does not come back, if
    columns are not taken each by itself, or if either function fails.
    """
    if transformer.inverse_func is None or transformer.kw_args or transformer.inv_kw_args or n_columns == 0:
        return None
    rng = np.random.default_rng(0)
    order = np.array([rng.permutation(len(NUMBERS_OF_ALL_SIZES)) for _ in range(n_columns)]).T
    X = NUMBERS_OF_ALL_SIZES[order]
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            there = np.asarray(transformer.func(X.copy()), dtype=np.float64)
            back = np.asarray(transformer.inverse_func(there.copy()), dtype=np.float64)
            sorted_by_size = np.repeat(NUMBERS_OF_ALL_SIZES[:, None], n_columns, axis=1)
            each = np.asarray(transformer.func(sorted_by_size), dtype=np.float64)
    except Exception:  # whatever a user's function raises: it is not known to have an inverse
        return None
    if there.shape != X.shape or back.shape != X.shape or each.shape != X.shape or not np.isfinite(there).all():
        return None
    are_own = all((there[:, j] == each[order[:, j], j]).all() for j in range(n_columns))
    steps = np.diff(each, axis=0)
    rises, falls = bool((steps > 0).all()), bool((steps < 0).all())
    if not are_own or not (rises or falls) or not np.allclose(back, X, rtol=1e-6, atol=1e-9):
        return None
    return monotone(transformer.func, "increase" if rises else "decrease")


def _ends(function: Any, options: Mapping[str, Any]) -> tuple[float, float] | None:
    """Numbers between which a function is known to rise or fall throughout; None if it is not known."""
    if isinstance(function, MonotoneFunction):
        return None if options else (function.low, function.high)
    try:
        if function in WITH_NUMBERS:
            are_numbers = all(isinstance(value, Real) or value is None for value in options.values())
            return (-_LARGEST, _LARGEST) if are_numbers and options.keys() <= WITH_NUMBERS[function] else None
        return None if options else RISING.get(function, FALLING.get(function))
    except TypeError:  # no hash
        return None
