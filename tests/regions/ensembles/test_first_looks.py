"""First looks at all components before one is searched: they find answers early, and change none."""

from __future__ import annotations

import numpy as np
import pytest

import elsewise as ew
from elsewise.regions.ensembles.cover import EnsembleCover
from regions.ensembles.small_ensembles import classifier
from regions.ensembles.test_certificates import wide_numbers


@pytest.mark.parametrize("name", ["forest", "xgboost"])
def test_answers_are_the_same_without_them(monkeypatch, name):
    X, y = wide_numbers(3, 4)
    model = classifier(name, 0, n_trees=10, depth=3).fit(X, y)
    density = ew.GaussianMixtureDensity(n_components=3, random_state=0)
    explainer = ew.Explainer(model, density=density, threshold=0.4).fit(X, y)
    rows, looked = X[model.predict(X) != 1][:10], []
    look = EnsembleCover.look_first

    def counted(self, *args, inside, **options):
        look(self, *args, inside=inside, **options)
        looked.append(inside.first)

    monkeypatch.setattr(EnsembleCover, "look_first", counted)
    with_looks = explainer.explain(rows, 1)
    assert any(first is not None and first.point is not None for first in looked)
    n_looks = len(looked)
    monkeypatch.setattr("elsewise.search.cone_by_cone.FIRST_LOOKS", 0)
    without = explainer.explain(rows, 1)
    assert len(looked) == n_looks
    assert set(with_looks.statuses) | set(without.statuses) == {"optimal"}
    np.testing.assert_allclose(with_looks.distances, without.distances, rtol=1e-6)
