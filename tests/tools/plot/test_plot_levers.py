"""The picture of levers: a bar a set, as long as its distance."""

import numpy as np
import pytest

import elsewise as ew

pytest.importorskip("matplotlib")


def test_bars_are_the_distances(iris, iris_explainer):
    X, _ = iris
    levers = iris_explainer.with_threshold(0.05).levers(X[0], "versicolor")
    assert len(levers)
    ax = ew.plot.levers(levers)
    np.testing.assert_allclose([bar.get_width() for bar in ax.patches], [lever.distance for lever in levers][:12])
    names = [label.get_text() for label in ax.get_yticklabels()]
    assert names == [" and ".join(lever.columns) for lever in levers][:12]
    assert ax.get_title(loc="left") == "Enough by itself for versicolor"
    assert len(ew.plot.levers(levers, max_sets=1).patches) == 1


def test_no_lever_is_said(iris, iris_explainer):
    X, _ = iris
    ax = ew.plot.levers(iris_explainer.levers(X[0], "virginica", constraints=ew.Constraints(max_changes=0)))
    assert any(text.get_text() == "no set is enough" for text in ax.texts)


def test_what_is_no_levers_is_refused():
    with pytest.raises(ew.InvalidInputError, match="levers: expected what"):
        ew.plot.levers("levers")


def test_a_ladder_has_a_bar_a_step(iris, iris_explainer):
    X, _ = iris
    bands = {"C": 0.5, "B": 0.7, "A": 0.9}
    ladder = iris_explainer.ladder(X[0], bands, target="versicolor", constraints=ew.Constraints(unseen="allow"))
    ax = ew.plot.ladder(ladder)
    found = [step.distance for step in ladder if step.explanation.found]
    assert found
    np.testing.assert_allclose([bar.get_width() for bar in ax.patches], found)
    assert [label.get_text() for label in ax.get_yticklabels()] == ["C", "B", "A"]
    assert ax.get_title(loc="left") == "What each better band takes"
    with pytest.raises(ew.InvalidInputError, match="ladder: expected what"):
        ew.plot.ladder("ladder")


def test_the_top_of_a_ladder_is_said(iris, iris_explainer):
    X, _ = iris
    ax = ew.plot.ladder(iris_explainer.ladder(X[0], ["versicolor", "setosa"]))
    assert any(text.get_text() == "no band is better" for text in ax.texts)
