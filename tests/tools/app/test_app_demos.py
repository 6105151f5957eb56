"""The demos: no answer leaves the range of the training rows, and the page opens on somebody who is refused."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("fastapi", reason="the explorer needs the extra elsewise[serve]")

from elsewise.tools.app.service import ExplorerService
from elsewise.tools.app.serving import demos


@pytest.mark.parametrize("name", ["breast_cancer", "digits"])
def test_answers_stay_in_the_range_of_the_training_rows(name):
    demo = demos.load(name)
    profiles = demo.explainer.profiles_[None]
    low, high = (np.array([profile.percentiles[end] for profile in profiles]) for end in (0, -1))
    rows = np.asarray(demo.rows)[:25]
    inside = np.clip(rows, low, high)  # a held-out row may lie outside itself
    answers = demo.explainer.explain(inside, time_limit=2.0)
    found = np.asarray(answers.counterfactuals)[answers.found]
    assert len(found) == len(rows)
    assert (found >= low - 1e-9).all()
    assert (found <= high + 1e-9).all()


def test_the_page_opens_on_a_row_that_is_refused():
    demo = demos.breast_cancer()
    service = ExplorerService(demo.explainer, demo.rows, time_limit=1.0, target=demo.target)
    assert service.about()["target"] == "benign"
    rarest = ExplorerService(demo.explainer, demo.rows, time_limit=1.0).about()["target"]
    counts = {label: service.predictions.count(label) for label in service.classes}
    assert counts[rarest] == min(counts.values())
