"""What was fitted is shown in a few lines, however many rows it was fitted to."""

from __future__ import annotations

import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import elsewise as ew

MOST_LINES, MOST_CHARACTERS = 5, 500


@pytest.mark.parametrize("density", ["gaussian_mixture", "kernel", None])
def test_what_was_fitted_is_shown_in_a_few_lines(density):
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(X, y)
    explainer = ew.Explainer(model, density=density).fit(X, y)
    for shown in (explainer, explainer.fitted_, *explainer.densities_.values()):
        text = repr(shown)
        assert type(shown).__name__ in text
        assert text.count("\n") < MOST_LINES
        assert len(text) < MOST_CHARACTERS
    if density is not None:
        assert f"quantile_={explainer.densities_[0].quantile_!r}" in repr(explainer.densities_[0])
