"""Pictures call columns, values and outcomes as people do, in the language of the explainer."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

import elsewise as ew

pandas = pytest.importorskip("pandas")
pyplot = pytest.importorskip("matplotlib.pyplot")
from matplotlib.text import Text  # noqa: E402


def texts(axes):
    """All text that is drawn in the figure of axes."""
    figure = np.ravel(axes)[0].figure
    figure.canvas.draw()
    return " | ".join(artist.get_text() for artist in figure.findobj(Text))


def test_pictures_use_the_names_of_the_explainer():
    rng = np.random.default_rng(2)
    X = pandas.DataFrame({"bp": rng.normal(130, 15, 200).round(), "bmi": rng.normal(27, 4, 200).round(1)})
    y = (X["bp"] + 2 * X["bmi"] + rng.normal(0, 10, 200) > 190).astype(int)
    explainer = ew.Explainer(
        LogisticRegression().fit(X, y),
        labels={"bp": ("Blutdruck", "mm Hg"), "bmi": "Gewicht"},
        outcomes={0: "gesund", 1: "krank"},
        language="de",
    ).fit(X, y)
    row = X[explainer.model.predict(X) == 1].iloc[0]
    answer = explainer.explain_one(row, 0)
    assert answer.changes
    drawn = {
        "changes": texts(ew.plot.changes(answer)),
        "distributions": texts(ew.plot.distributions(answer, explainer)),
        "plane": texts(ew.plot.plane(explainer, answer)),
        "proof": texts(ew.plot.proof(explainer, answer, ("bp", "bmi"))),
        "summary": texts(ew.plot.summary(explainer.explain(X[explainer.model.predict(X) == 1].head(5), 0))),
    }
    pyplot.close("all")
    for picture, text in drawn.items():
        assert "Blutdruck" in text or "Gewicht" in text, picture
        assert "bmi" not in text.replace("|", " ").split(), picture
    assert "bewiesen" in drawn["changes"]
    assert "gesund" in drawn["distributions"]
