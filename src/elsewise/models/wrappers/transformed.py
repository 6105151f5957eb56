"""Regressors of a transformed target: the wanted range is taken back through the inverse, float by float."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special
from sklearn.compose import TransformedTargetRegressor
from sklearn.preprocessing import (
    FunctionTransformer,
    MaxAbsScaler,
    MinMaxScaler,
    PowerTransformer,
    QuantileTransformer,
    RobustScaler,
    StandardScaler,
)

from ...errors import UnsupportedSettingError
from ...search import Region
from ...search.outcomes import Interval, Outcome, require_interval
from ..registry import region_of, register
from .echo import EchoedValue, numbers_between
from .members import members_of, seen_through, with_members

# Functions of one number that only grow, or only fall, where they are defined at all.
_MONOTONE = (
    None, np.arcsinh, np.arctan, np.cbrt, np.exp, np.exp2, np.expm1, np.log, np.log10, np.log1p, np.log2,
    np.negative, np.positive, np.sinh, np.sqrt, np.tanh, special.exp10, special.expit, special.ndtr,
)  # fmt: skip
_MONOTONE_TRANSFORMERS = (
    MaxAbsScaler,
    MinMaxScaler,
    PowerTransformer,
    QuantileTransformer,
    RobustScaler,
    StandardScaler,
)


@register(TransformedTargetRegressor)
def transformed_target_region(model: Any, outcome: Outcome) -> Region:
    """Region of the regressor inside for the range of its predictions that the inverse takes to the wanted one."""
    interval = require_interval(model, outcome)
    (inside,) = members_of(model)
    _require_monotone(model.transformer_)
    asked = with_members(model, [EchoedValue()])
    low, high = numbers_between(lambda s: np.ravel(asked.predict(s[:, None])), interval.low, interval.high)
    return region_of(seen_through(inside), Interval(low, high))


def _require_monotone(transformer: Any) -> None:
    transformer = seen_through(transformer)
    if isinstance(transformer, _MONOTONE_TRANSFORMERS):
        return
    if isinstance(transformer, FunctionTransformer):
        function = transformer.inverse_func
        if any(function is known for known in _MONOTONE):
            return
        name = f"the function {getattr(function, '__name__', repr(function))}"
    else:
        name = type(transformer).__name__
    raise UnsupportedSettingError(
        f"TransformedTargetRegressor is supported where its inverse is known to be monotone, received {name}. Use a "
        "scaler, PowerTransformer, QuantileTransformer or a function of NumPy such as inverse_func=np.exp or np.expm1."
    )
