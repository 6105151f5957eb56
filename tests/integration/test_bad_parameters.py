"""Wrong parameters are named, with what was expected."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.mixture import BayesianGaussianMixture, GaussianMixture

import elsewise as ew


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"distance": "euclid"}, "Unknown distance 'euclid'"),
        (
            {"distance": ew.Manhattan([1.0, -1.0, 1.0, 1.0])},
            "weights must be finite and positive, received -1.0 at index 1",
        ),
        (
            {"distance": ew.Manhattan([1.0, 0.0, 1.0, 1.0])},
            "weights must be finite and positive, received 0.0 at index 1",
        ),
        ({"distance": ew.Manhattan([1.0, np.nan, 1.0, 1.0])}, "weights must be finite and positive, received nan"),
        (
            {"distance": ew.Manhattan([1.0, 1.0])},
            r"one for each of the 4 features, shape \(4,\), received shape \(2,\)",
        ),
        (
            {"distance": ew.Mahalanobis(np.diag([1.0, 1.0, 1.0, -1.0]))},
            "must be positive definite, its smallest eigenvalue",
        ),
        ({"distance": ew.Mahalanobis(np.ones((4, 4)))}, "must be positive definite"),
        ({"distance": ew.Mahalanobis(np.triu(np.ones((4, 4))))}, "must be symmetric"),
        ({"distance": ew.Mahalanobis(np.eye(3))}, r"square matrix of shape \(4, 4\)"),
        ({"threshold": 0.0}, "strictly between 0 and 1"),
        ({"threshold": 1.0}, "strictly between 0 and 1"),
        ({"threshold": -12.5}, "wrap the number in LogDensity"),
        ({"threshold": np.nan}, "strictly between 0 and 1"),
        ({"threshold": "median"}, "strictly between 0 and 1"),
        ({"threshold": None}, "strictly between 0 and 1"),
        ({"density": "gmm"}, r"expected one of \['auto', 'gaussian_mixture', 'kernel'\].*received 'gmm'"),
        ({"density": {"setosa": None}}, "The density must be|the mapping has no mixture"),
        ({"density": {}}, "the mapping has no mixture for label 'setosa'"),
        ({"density": ew.GaussianMixtureDensity(n_components=0)}, "n_components must be an integer >= 1"),
        ({"density": ew.KernelDensity(bandwidth=-1.0)}, "bandwidth must be a finite number > 0"),
        ({"density": GaussianMixture()}, "one fitted GaussianMixture cannot serve several classes"),
        ({"density": {label: GaussianMixture() for label in ("setosa", "versicolor", "virginica")}}, "is not fitted"),
        (
            {"density": {label: BayesianGaussianMixture() for label in ("setosa", "versicolor", "virginica")}},
            "Bayesian",
        ),
    ],
    ids=str,
)
def test_wrong_parameters_are_named(iris, iris_explainer, parameters, message):
    with pytest.raises((ew.InvalidInputError, ew.UnsupportedModelError), match=message):
        ew.Explainer(iris_explainer.model, **parameters).fit(*iris)


def test_an_absolute_threshold_must_be_finite():
    with pytest.raises(ew.InvalidInputError, match="LogDensity expects a finite number"):
        ew.LogDensity(-np.inf)


@pytest.mark.parametrize("time_limit", [0, -1.0, np.nan, "1"])
def test_time_limit_must_be_positive(iris, iris_explainer, time_limit):
    with pytest.raises(ew.InvalidInputError, match="time_limit must be a positive number of seconds or None"):
        iris_explainer.explain(iris[0][:1], time_limit=time_limit)


def test_progress_must_be_a_function(iris, iris_explainer):
    with pytest.raises(ew.InvalidInputError, match=r"True, False or a function of \(done, total\), received 'bar'"):
        iris_explainer.explain(iris[0][:1], progress="bar")
