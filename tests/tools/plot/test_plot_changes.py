"""The bars of one row are its columns' shares of the distance, in the user's units."""

import re
from dataclasses import replace

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

import elsewise as ew
from elsewise.tools.plot.pictures import ChangesPicture

pytest.importorskip("matplotlib")


def test_bars_are_weighted_differences_and_end_at_the_distance(cancer_explainer):
    explainer, X = cancer_explainer
    weights = 1.0 / X.std(axis=0)
    scaled = ew.Explainer(explainer.model, distance=ew.Manhattan(weights=weights), density=None)
    answer = scaled.fit(X, explainer.model.predict(X)).explain_one(X[0], 1)
    picture = ChangesPicture.compute(answer, max_columns=30)
    cost = np.abs(answer.counterfactual - X[0]) * weights
    expected = sorted(cost[cost > 0], reverse=True)
    np.testing.assert_allclose(picture.costs, expected)
    np.testing.assert_allclose(picture.starts, np.cumsum([0.0, *expected[:-1]]))
    assert picture.starts[-1] + picture.costs[-1] == pytest.approx(answer.distance)
    for name, before, after, direction in zip(picture.columns, picture.before, picture.after, picture.directions):
        place = int(name[1:])
        assert (before, after) == (X[0, place], answer.counterfactual[place])
        assert direction == ("rises" if after > before else "falls")


def test_many_columns_share_one_bar(cancer_explainer):
    explainer, X = cancer_explainer
    answer = explainer.explain_one(X[0], 1)
    n = len(answer.changes)
    assert n > 5
    picture = ChangesPicture.compute(answer, max_columns=3)
    assert picture.n_others == n - 3
    assert picture.costs.sum() + picture.others_cost == pytest.approx(answer.distance)
    names = [label.get_text() for label in picture.draw().get_yticklabels()]
    assert names == [*picture.columns, f"{n - 3} others"]
    all_but_one = ChangesPicture.compute(answer, max_columns=n - 1)
    assert (all_but_one.n_others, len(all_but_one.columns)) == (0, n)


def test_levels_are_drawn_with_both_values(loans):
    rows = loans.frame[loans.label == "no"]
    answers = loans.explainer.explain(rows, "yes")
    place = [column.name for column in answers.table.columns].index("housing")
    answer = answers[int(np.flatnonzero(answers.changed[:, place])[0])]
    ax = ew.plot.changes(answer)
    names = [label.get_text() for label in ax.get_yticklabels()]
    values = [label.get_text() for label in ax.child_axes[0].get_yticklabels()]
    assert names == [change.feature for change in answer.changes]
    assert values[names.index("housing")] == f"{answer.x['housing']} → {answer.counterfactual['housing']}"
    bars = [patch for patch in ax.patches if patch.get_hatch()]
    assert len(bars) == sum(change.difference is None for change in answer.changes)


def test_title_and_note_say_what_is_known(iris, iris_explainer):
    X, _ = iris
    answer = iris_explainer.explain_one(X[0], "virginica")
    picture = ChangesPicture.compute(answer)
    assert picture.title == "setosa → virginica"
    assert picture.note == (
        "No smaller change exists (proven).\nThis is at least as typical as 50 % of real virginica cases."
    )
    unfinished = replace(answer, status="feasible", distance=2.0, lower_bound=1.25, gap=0.375)
    assert ChangesPicture.compute(unfinished).note == (
        "A smaller change, if there is one, saves at most 37.5 % (proven).\n"
        "This is at least as typical as 50 % of real virginica cases."
    )


@pytest.mark.parametrize("share", [0.0, 0.004, 0.699, 0.6999, 0.995, 0.9999, 1.0])
def test_the_note_claims_what_the_sentence_claims(iris, iris_explainer, share):
    """Shares are rounded down in both: 69.9 % are not 70 %."""
    answer = replace(iris_explainer.explain_one(iris[0][0], "virginica"), plausibility=share)
    proven, plausible = re.split("\n", ChangesPicture.compute(answer).note)
    assert proven == "No smaller change exists (proven)."
    assert f" {plausible} " in answer.sentence.replace('"', "")
    if 0.01 <= share < 1:
        assert f" {int(100 * share)} % " in plausible


def test_nothing_has_to_change(iris, iris_explainer):
    X, y = iris
    answers = iris_explainer.explain(X, y)
    same = int(np.flatnonzero(answers.distances == 0.0)[0])
    ax = ew.plot.changes(answers[same])
    assert [text.get_text() for text in ax.texts if "nothing" in text.get_text()] == ["nothing has to change"]
    from matplotlib import pyplot

    first = ew.plot.changes(answers[same], ax=pyplot.subplots()[1])
    assert ew.plot.changes(answers[same]) is not first  # axes with nothing but words on them are not empty


def test_negative_shares_of_a_mahalanobis_distance(iris):
    X, y = iris
    omega = np.linalg.inv(np.cov(X.T))
    explainer = ew.Explainer(
        LogisticRegression(max_iter=1000).fit(X, y), distance=ew.Mahalanobis(omega=omega), density=None
    ).fit(X, y)
    answers = explainer.explain(X[y == "setosa"], "virginica")
    row = int(np.argmin(answers.shares.min(axis=1)))
    assert answers.shares[row].min() < 0
    answer = answers[row]
    picture = ChangesPicture.compute(answer)
    v = answer.counterfactual - answer.x
    assert picture.costs.sum() == pytest.approx(v @ omega @ v)
    low, high = picture.draw().get_xlim()
    edges = np.concatenate([picture.starts, picture.starts + picture.costs])
    assert low <= edges.min()
    assert edges.max() <= high


def test_what_cannot_be_drawn_is_refused(iris, iris_explainer):
    X, y = iris
    high = ew.Explainer(iris_explainer.model, threshold=ew.LogDensity(99.0)).fit(X, y)
    with pytest.raises(ew.InvalidInputError, match=r"the row has no answer\. No row that makes the model"):
        ew.plot.changes(high.explain_one(X[0], "virginica"))
    with pytest.raises(ew.InvalidInputError, match=r"received 2 of them. Pass explanations\[0\]"):
        ew.plot.changes(iris_explainer.explain(X[:2], "virginica"))
    with pytest.raises(ew.InvalidInputError, match="what explain_one returns, received ndarray"):
        ew.plot.changes(X[0])
    answer = iris_explainer.explain_one(X[0], "virginica")
    with pytest.raises(ew.InvalidInputError, match="max_columns: expected a whole number of at least 1, received 0"):
        ew.plot.changes(answer, max_columns=0)
