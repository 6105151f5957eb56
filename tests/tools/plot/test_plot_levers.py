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
