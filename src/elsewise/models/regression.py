"""Linear regressors: the region where the prediction lies in an interval is a slab.

    low <= h(w·z + b) <= high

``h`` is the identity, or exp for generalised linear models with a log link; then the ends of the interval are replaced
by the scores that exp takes to them. In doubles exp reaches zero.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from sklearn._loss.link import IdentityLink, LogLink
from sklearn.linear_model import (
    BayesianRidge,
    ElasticNet,
    ElasticNetCV,
    GammaRegressor,
    HuberRegressor,
    Lasso,
    LassoCV,
    LinearRegression,
    PoissonRegressor,
    Ridge,
    RidgeCV,
    SGDRegressor,
    TweedieRegressor,
)
from sklearn.svm import LinearSVR

from ..errors import UnsupportedSettingError
from ..search.outcomes import Interval, Outcome, require_interval
from ..search.relaxations.polyhedra import PolyhedronUnion
from ..search.relaxations.tree_sums.decisions import range_of_scores
from .linear import scores, slab
from .registry import register

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator


@register(
    BayesianRidge,
    ElasticNet,
    ElasticNetCV,
    HuberRegressor,
    Lasso,
    LassoCV,
    LinearRegression,
    LinearSVR,
    Ridge,
    RidgeCV,
    SGDRegressor,
)
def linear_regression_region(model: BaseEstimator, outcome: Outcome) -> PolyhedronUnion:
    """Region of a regressor that predicts ``w·z + b``."""
    return _slab(model, require_interval(model, outcome))


@register(GammaRegressor, PoissonRegressor, TweedieRegressor)
def generalized_linear_region(
    model: GammaRegressor | PoissonRegressor | TweedieRegressor, outcome: Outcome
) -> PolyhedronUnion:
    """Region of a generalised linear model that predicts ``w·z + b`` or ``exp(w·z + b)``."""
    wanted = require_interval(model, outcome)
    # the link chosen in fit, which predict uses: the parameter 'link' may be 'auto' or may have changed since
    link = model._base_loss.link
    if isinstance(link, IdentityLink):
        return _slab(model, wanted)
    if isinstance(link, LogLink):
        inside = range_of_scores(lambda s: float(np.exp(s)), wanted, grows=True)
        return _slab(model, Interval(inside.low, inside.high))
    raise UnsupportedSettingError(
        f"{type(model).__name__} is supported with an identity or a log link, received {type(link).__name__}. "
        "Fit it with link='identity' or link='log'."
    )


def _slab(model: BaseEstimator, wanted: Interval) -> PolyhedronUnion:
    W, b = scores(model)
    if len(W) > 1:
        raise UnsupportedSettingError(
            f"This {type(model).__name__} predicts {len(W)} outputs at once; expected one. Fit one model for each "
            "output and explain the one of interest."
        )
    return slab(W, b, wanted)
