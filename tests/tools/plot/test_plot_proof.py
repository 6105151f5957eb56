"""The picture of a proof shows what the model, the density and the distance say, and its ball holds no answer."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression

import elsewise as ew
from elsewise.errors import InvalidInputError
from elsewise.tools.plot.pictures import ProofPicture

pytest.importorskip("matplotlib")


@pytest.fixture(scope="module", params=["manhattan", "scaled", "mahalanobis"])
def case(request):
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(0, 1, (80, 2)), rng.normal(2, 1, (80, 2))])
    y = np.repeat(["low", "high"], 80)
    forest = RandomForestClassifier(10, max_depth=3, random_state=0)
    model = (LogisticRegression() if request.param == "mahalanobis" else forest).fit(X, y)
    explainer = ew.Explainer(model, distance=request.param).fit(X, y)
    answers = explainer.explain(X[80:110], "low")
    answer = next(one for one in answers if len(one.changes) == 2 and one.status == "optimal")
    return explainer, answer, ProofPicture.compute(explainer, answer, ("x0", "x1"), resolution=60)


def _rows(picture):
    return np.stack(np.meshgrid(*picture.plane.grid), axis=-1).reshape(-1, 2)


def test_regions_are_what_model_and_density_say(case):
    explainer, answer, picture = case
    rows = _rows(picture)
    np.testing.assert_array_equal(picture.accepted.ravel(), explainer.model.predict(rows) == "low")
    realistic = explainer.log_density(rows, "low") >= answer.log_threshold
    np.testing.assert_array_equal(picture.realistic.ravel(), realistic)


def test_no_point_of_the_ball_is_accepted_and_realistic(case):
    explainer, answer, picture = case
    rows = _rows(picture)
    for place in (0, 1777, 3599):
        assert picture.distances.ravel()[place] == pytest.approx(
            float(explainer.fitted_.distance(rows[place], answer.x)[0])
        )
    inside = picture.distances < picture.radius * (1 - 1e-9)
    assert inside.any()
    assert not (inside & picture.accepted & picture.realistic).any()
    assert picture.radius == answer.distance
    for ticks, value in zip(picture.plane.grid, answer.x):
        assert ticks[0] < value < ticks[-1]
    assert not inside[0].any()  # the whole ball is shown
    assert not inside[:, 0].any()


def test_drawing_names_both_points(case):
    _, _, picture = case
    ax = picture.draw()
    texts = " ".join(text.get_text() for text in ax.texts)
    assert "now (" in texts
    assert "then (" in texts
    assert picture.caption in texts


def test_a_row_without_a_change_has_no_picture(case):
    explainer, _, _ = case
    same = explainer.explain_one([0.0, 0.0], "low")
    assert same.distance == 0.0
    with pytest.raises(InvalidInputError, match="needs an explanation with a counterfactual that differs"):
        ew.plot.proof(explainer, same)
