r"""Answers that outlive the model: what a model that is trained again, on rows drawn anew, is likely to say.

The coefficients of a logistic regression that is trained on a bootstrap of its rows are spread around its own with the
covariance :math:`\Sigma = H^{-1} J H^{-1}`, where ``H`` is the Hessian of the penalised loss and ``J`` the sum of the
outer products of the rows' gradients, each divided by one minus the row's leverage (HC3). The score of a row ``z`` is
then spread with :math:`\sigma(z)^2 = (z, 1)^T \Sigma (z, 1)`, and a share of refits agrees at least where

.. math:: w \cdot z + b \ge r \, \| L (z, 1) \|, \qquad \Sigma = L^T L ,

``r`` being the normal quantile of the share: a convex cone. Of any other model ``n`` refits are made, all of which have
to agree. The nearest answer leans on ``k`` of them: it would be nearer without one of these, and only without these.
One more refit, drawn as the others, is equally likely to be any of the ``n + 1``, so it refuses the answer with a
probability of ``k / (n + 1)`` on average (the scenario approach of Calafiore and Campi).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any

import numpy as np
from scipy.special import expit, ndtri
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline
from sklearn.utils.class_weight import compute_sample_weight

from ..arrays import AnyArray, BoolArray, FloatArray
from ..errors import InvalidInputError, UnsupportedSettingError
from ..projection.distance import row_product
from ..search.region import Outcome, require_label
from ..search.relaxations.tangents import TangentRegion
from .linear import coefficients
from .registry import register

# One minus a leverage is at least this: a row that alone decides a coefficient says nothing of its spread.
LEAST_ROOM = 1e-3
# Refits that the nearest answer leans on: without one of these there would be a nearer one.
LEANED_ON = 5


def refits(
    model: Any, X: Any, y: Any, target: Any, *, agreement: float = 0.95, random_state: int | None = 0
) -> list[tuple[Any, Any]]:
    """Make models that answers have to satisfy so that they stay valid when the model is trained again.

    Pass the result as ``other_models`` of :meth:`elsewise.Explainer.explain`: an answer is then the nearest one,
    proven, with which so large a share of models agrees that are trained on bootstraps of the same rows.

    Parameters
    ----------
    model : fitted classifier or regressor, or a Pipeline that ends in one
        A ``LogisticRegression`` of two classes with an L2 penalty is described by one convex cone, to the second order
        of its loss; any other is trained again, 99 times for an agreement of 0.95, and all refits have to agree.
    X : data frame or array of shape (n_samples, n_columns)
        The rows it was trained on.
    y : array of shape (n_samples,)
    target : label, or ``(low, high)`` for a regressor
        As for ``explain``.
    agreement : float, default=0.95
        The share of refits that agree with an answer.
    random_state : int or None
        Of bootstraps.

    Returns
    -------
    list of (model, target)

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.linear_model import LogisticRegression
    >>> import elsewise as ew
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> X = X / X.std(axis=0)
    >>> model = LogisticRegression(max_iter=1000).fit(X, y)
    >>> explainer = ew.Explainer(model, density=None).fit(X, y)
    >>> lasting = ew.refits(model, X, y, target=1)
    >>> answer = explainer.explain(X[:1], 1, other_models=lasting)
    >>> bool(answer.distances[0] > explainer.explain(X[:1], 1).distances[0])
    True
    """
    labels = getattr(model, "classes_", None)
    if labels is not None and not (np.asarray(labels) == target).any():
        raise InvalidInputError(f"target: expected one of {np.asarray(labels).tolist()}, received {target!r}.")
    return [(one, target) for one in trained_again(model, X, y, agreement, random_state)]


def trained_again(model: Any, X: Any, y: Any, agreement: float = 0.95, random_state: int | None = 0) -> Sequence[Any]:
    """Return the models of :func:`refits`, whatever is wanted of them."""
    if not 0.5 < agreement < 1.0:
        raise InvalidInputError(f"agreement: expected a share between 0.5 and 1, received {agreement!r}.")
    y = np.asarray(y)
    if len(X) != len(y):
        raise InvalidInputError(f"Expected as many labels as rows, received {len(y)} and {len(X)}.")
    last = model.steps[-1][1] if isinstance(model, Pipeline) else model
    if type(last) is LogisticRegression and len(last.classes_) == 2 and _is_smooth(last):
        return [_of_logistic(model, last, X, y, agreement)]
    n_refits = ceil(LEANED_ON / (1.0 - agreement) - 1.0 - 1e-9)
    return _bootstrapped(model, X, y, n_refits, random_state)


def _is_smooth(model: LogisticRegression) -> bool:
    """Whether the penalty is a multiple of the squared norm, or none."""
    ratio = getattr(model, "l1_ratio", None)
    return model.penalty in ("l2", None, "deprecated") and ratio in (None, 0, 0.0, "deprecated")


def _bootstrapped(model: Any, X: Any, y: AnyArray, n_refits: int, random_state: int | None) -> list[Any]:
    if not hasattr(model, "fit"):
        raise UnsupportedSettingError(
            f"{type(model).__name__} cannot be trained again: expected an estimator with fit. Train models on "
            "other rows yourself, and pass them as other_models."
        )
    rng = np.random.default_rng(random_state)
    made: list[Any] = []
    labels = np.unique(y) if hasattr(model, "classes_") else None
    while len(made) < n_refits:
        chosen = rng.integers(0, len(y), len(y))
        if labels is not None and len(np.unique(y[chosen])) < len(labels):
            continue  # a class is missing: no model of the same labels
        rows = X.iloc[chosen] if hasattr(X, "iloc") else np.asarray(X)[chosen]
        made.append(clone(model).fit(rows, y[chosen]))
    return made


def _of_logistic(model: Any, last: LogisticRegression, X: Any, y: AnyArray, agreement: float) -> Any:
    """Return the model that gives a label where enough refits do, behind the same steps."""
    Z = model[:-1].transform(X) if isinstance(model, Pipeline) else X
    Z = np.asarray(Z.toarray() if hasattr(Z, "toarray") else Z, dtype=np.float64)
    ones = np.ones((len(Z), int(last.fit_intercept)))
    rows = np.hstack([Z, ones])
    w, b = coefficients(last)[0], float(np.ravel(last.intercept_)[0])
    p = expit(Z @ w + b)
    weight = compute_sample_weight(last.class_weight, y) if last.class_weight is not None else np.ones(len(y))
    penalty = np.zeros(rows.shape[1])
    if last.penalty is not None and np.isfinite(last.C):
        penalty[: len(w)] = 1.0 / last.C
    hessian = (rows * (weight * p * (1.0 - p))[:, None]).T @ rows + np.diag(penalty)
    # a row pulls the model towards itself: without it, its gradient would be larger by its leverage
    leverage = weight * p * (1.0 - p) * (rows * np.linalg.lstsq(hessian, rows.T, rcond=None)[0].T).sum(axis=1)
    residual = weight * (p - (y == last.classes_[1])) / np.maximum(1.0 - leverage, LEAST_ROOM)
    # Sigma = root' root, the root being the gradients seen through the inverse of the Hessian
    spread = np.linalg.lstsq(hessian, (rows * residual[:, None]).T, rcond=None)[0].T
    root: FloatArray = np.asarray(np.linalg.qr(spread, mode="r"))
    if not last.fit_intercept:
        root = np.hstack([root, np.zeros((len(root), 1))])
    robust = LogisticRefits(w, b, root, float(ndtri(agreement)), last.classes_)
    return Pipeline([*model.steps[:-1], ("refits", robust)]) if isinstance(model, Pipeline) else robust


class LogisticRefits(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A logistic regression that gives a label only where enough of its refits do.

    Parameters
    ----------
    w, b : array of shape (n_features,), float
    root : array of shape (n, n_features + 1)
        ``L``: of the covariance of weights and intercept.
    radius : float
    labels : array of two labels
    """

    def __init__(self, w: FloatArray, b: float, root: FloatArray, radius: float, labels: AnyArray) -> None:
        self.w, self.b, self.root, self.radius, self.labels = w, b, root, radius, labels

    @property
    def classes_(self) -> AnyArray:
        """Labels."""
        return self.labels

    @property
    def n_features_in_(self) -> int:
        """Number of columns."""
        return len(self.w)

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def cone(self, index: int) -> ConeRegion:
        """Return where enough refits give the label at a position."""
        sign = 1.0 if index == 1 else -1.0
        return ConeRegion(sign * self.w, sign * self.b, self.radius * self.root)

    def fit(self, X: Any, y: Any = None) -> LogisticRefits:
        """Return itself: it is made of a fitted model."""
        return self

    def predict(self, X: Any) -> AnyArray:
        """Predict labels, array of shape (n_samples,) of objects: None where too few refits agree on one."""
        Z = np.asarray(X, dtype=np.float64)
        predicted = np.full(len(Z), None, dtype=object)
        for index, label in enumerate(self.labels.tolist()):
            predicted[self.cone(index).accepts(Z)] = label
        return predicted


@register(LogisticRefits)
def logistic_refits_region(model: LogisticRefits, outcome: Outcome) -> ConeRegion:
    """Region where enough refits of a logistic regression give a label."""
    return model.cone(require_label(model, outcome).index)


@dataclass(frozen=True, eq=False)
class ConeRegion(TangentRegion):
    r"""Where a linear score is at least the norm of linear forms: ``g(z) = ||L (z, 1)|| - w·z - b <= 0``.

    Attributes
    ----------
    w, b : array of shape (n_features,), float
    root : array of shape (n, n_features + 1)
        ``L``.
    """

    w: FloatArray
    b: float
    root: FloatArray
    limit: float = 0.0

    def parts(self) -> Sequence[int]:
        """One part: the region is convex."""
        return (0,)

    def values(self, points: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Values of ``g``, shape (n_samples,), and its gradients, shape (n_samples, n_features)."""
        forms = points @ self.root[:, :-1].T + self.root[:, -1]
        norm = np.sqrt((forms**2).sum(axis=1))
        with np.errstate(divide="ignore", invalid="ignore"):
            ways = np.where(norm[:, None] > 0, forms / norm[:, None], 0.0)  # at the apex any is a subgradient
        return norm - points @ self.w - self.b, ways @ self.root[:, :-1] - self.w

    def known_halfspaces(self) -> tuple[FloatArray, FloatArray]:
        """Return the half-space of the model itself."""
        return -self.w[None], np.array([self.b])

    def sizes(self, magnitudes: FloatArray) -> FloatArray:
        """Sizes of the terms of the score and of the forms."""
        forms = row_product(magnitudes, np.abs(self.root[:, :-1]).T) + np.abs(self.root[:, -1])
        score = row_product(magnitudes, np.abs(self.w)[:, None])[:, 0] + abs(self.b)
        return np.asarray(score + np.sqrt((forms**2).sum(axis=1)))

    def accepts(self, points: FloatArray) -> BoolArray:
        """Whether the score is large enough."""
        return np.asarray(self.values(points)[0] <= 0.0)
