"""The frontier's points are its answers; hatching begins where there is none."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.base import clone

import elsewise as ew
from elsewise.tools.plot.pictures import FrontierPicture

pytest.importorskip("matplotlib")


def _line(ax, name):
    return next(line for line in ax.lines if line.get_label() == name)


def test_points_are_the_answers(iris, iris_explainer):
    X, _ = iris
    frontier = iris_explainer.frontier(X[0], "virginica", [0.2, 0.5, 0.8])
    ax = ew.plot.frontier(frontier)
    points = _line(ax, "proven smallest")
    np.testing.assert_allclose(points.get_xdata(), [0.2, 0.5, 0.8])
    assert [ax.xaxis.get_major_formatter()(share, 0) for share in (0.2, 0.699)] == ["20 %", "69 %"]
    expected = [
        ew.Explainer(iris_explainer.model, density=iris_explainer.density, threshold=q)
        .fit(*iris)
        .explain_one(X[0], "virginica")
        .distance
        for q in (0.2, 0.5, 0.8)
    ]
    np.testing.assert_allclose(points.get_ydata(), expected, rtol=1e-6)
    assert "real virginica cases" in ax.get_xlabel()
    assert ax.get_title(loc="left") == "setosa → virginica"
    assert not ax.patches


def test_infeasible_quantiles_are_hatched(iris, iris_explainer):
    X, y = iris
    rules = ew.Constraints(bounds={"x2": (None, 4.8), "x3": (None, 1.7)})
    explainer = clone(iris_explainer).set_params(condition_on_fixed=False).fit(X, y)
    frontier = explainer.frontier(X[0], "virginica", np.arange(0.02, 1.0, 0.07), constraints=rules)
    found = np.isfinite(frontier.distances)
    assert found.any()
    assert not found.all()
    ax = ew.plot.frontier(frontier)
    np.testing.assert_allclose(_line(ax, "no answer").get_xdata(), frontier.quantiles[~found])
    (hatched,) = [patch for patch in ax.patches if patch.get_hatch()]
    assert hatched.get_extents().transformed(ax.transData.inverted()).x0 == pytest.approx(frontier.quantiles[~found][0])


def test_unproven_answers_are_open_and_reach_down_to_their_bound(iris, iris_explainer):
    X, _ = iris
    frontier = iris_explainer.frontier(X[0], "virginica", [0.3, 0.6])
    bounds = frontier.distances - [0.5, 0.0]
    answers = replace(frontier.explanations, statuses=np.array(["feasible", "optimal"]), lower_bounds=bounds)
    ax = FrontierPicture.compute(replace(frontier, explanations=answers)).draw()
    assert _line(ax, "found; the line ends at the proven bound").get_markerfacecolor() == "white"
    segments = [path for item in ax.collections if hasattr(item, "get_segments") for path in item.get_segments()]
    np.testing.assert_allclose(segments[0][:, 1], [bounds[0], frontier.distances[0]])


def test_nothing_at_all(iris, iris_explainer):
    X, _ = iris
    frontier = iris_explainer.frontier(
        X[0], "virginica", [0.3, 0.6], constraints=ew.Constraints(immutable=["x0", "x1", "x2", "x3"])
    )
    assert np.isnan(frontier.distances).all()
    ew.plot.frontier(frontier).figure.canvas.draw()


def test_wrong_argument(iris, iris_explainer):
    with pytest.raises(
        ew.InvalidInputError, match=r"what explainer.frontier\(row, target\) returns, received Explanat"
    ):
        ew.plot.frontier(iris_explainer.explain_one(iris[0][0], "virginica"))
