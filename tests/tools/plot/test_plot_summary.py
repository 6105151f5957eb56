"""Over many rows: counted and measured as pandas or numpy would."""

import numpy as np
import pytest

import elsewise as ew
from elsewise.tools.plot.pictures import SummaryPicture

pytest.importorskip("matplotlib")


def test_shares_and_costs_against_numpy(cancer_explainer):
    explainer, X = cancer_explainer
    weights = explainer.distance_.weights
    answers = explainer.explain(X[:60:2], 1)
    picture = SummaryPicture.compute(answers, max_columns=30)
    moved = answers.counterfactuals != answers.x
    assert (picture.n_rows, picture.n_answered) == (30, 30)
    assert list(picture.shares) == sorted(picture.shares, reverse=True)
    assert len(picture.columns) == moved.any(axis=0).sum()
    for name, share, costs in zip(picture.columns, picture.shares, picture.costs):
        place = int(name[1:])
        changes = moved[:, place]
        assert share == pytest.approx(changes.mean())
        cost = np.abs(answers.counterfactuals[changes, place] - answers.x[changes, place]) * weights[place]
        np.testing.assert_allclose(costs, np.quantile(cost, [0.25, 0.5, 0.75]))
    few = SummaryPicture.compute(answers, max_columns=2)
    assert few.columns == picture.columns[:2]
    assert few.n_others == len(picture.columns) - 2


def test_the_usual_change_in_the_users_units(loans):
    rows = loans.frame[loans.label == "no"]
    answers = loans.explainer.explain(rows, "yes")
    picture = SummaryPicture.compute(answers)
    usual = dict(zip(picture.columns, picture.typical))
    after = answers.counterfactuals
    difference = (after["income"] - rows["income"])[after["income"] != rows["income"]]
    assert (difference > 0).all()
    assert usual["income"] == f"+{np.median(difference):.3g}"
    new = after["housing"][after["housing"] != rows["housing"]]
    assert usual["housing"].startswith(f"→ {new.mode()[0]}")
    axes = picture.draw()
    assert [label.get_text() for label in axes[0].get_yticklabels()] == list(picture.columns)
    assert [label.get_text() for label in axes[1].child_axes[0].get_yticklabels()] == list(picture.typical)


def test_of_several_answers_a_row_the_best_counts(loans):
    rows = loans.frame[loans.label == "no"][:8]
    one = SummaryPicture.compute(loans.explainer.explain(rows, "yes"))
    three = SummaryPicture.compute(loans.explainer.explain(rows, "yes", n_counterfactuals=3))
    assert three.n_rows == one.n_rows == 8
    assert three.columns == one.columns
    np.testing.assert_allclose(three.costs, one.costs)


def test_obstacles_are_counted_by_reason(loans):
    rows = loans.frame[loans.label == "no"]
    rules = ew.Constraints(immutable=["income", "years"])
    answers = loans.explainer.explain(rows, "yes", constraints=rules)
    infeasible = np.flatnonzero(answers.statuses == "infeasible")
    assert 0 < len(infeasible) < len(rows)
    picture = SummaryPicture.compute(answers)
    assert [obstacle.count for obstacle in picture.obstacles] == [len(infeasible)]
    assert answers.reasons[infeasible[0]].startswith(picture.obstacles[0].reason)  # which names no method of ours
    why = {int(row): loans.explainer.why_not(rows.iloc[row], "yes", rules) for row in infeasible[:3]}
    grouped = SummaryPicture.compute(answers, why)
    assert sum(obstacle.count for obstacle in grouped.obstacles) == len(infeasible)
    for conflict in {each.conflict for each in why.values()}:
        count = sum(each.conflict == conflict for each in why.values())
        (counted,) = [
            obstacle for obstacle in grouped.obstacles if obstacle.reason.endswith(": " + "; ".join(conflict))
        ]
        assert counted.count == count
    axes = grouped.draw()
    assert len(axes) == 3
    texts = [text.get_text() for text in axes[2].texts]
    assert f"rows without an answer: {len(infeasible)} of {len(rows)}" in texts
    feasible = int(np.flatnonzero(answers.found)[0])
    with pytest.raises(ew.InvalidInputError, match=f"received WhyNot for row {feasible}; infeasible are"):
        ew.plot.summary(answers, {feasible: why[int(infeasible[0])]})


def test_nothing_answered_and_nothing_to_change(iris, iris_explainer):
    X, y = iris
    frozen = ew.Constraints(immutable=["x0", "x1", "x2", "x3"])
    none = ew.plot.summary(iris_explainer.explain(X[:5], "virginica", constraints=frozen))
    assert "no row has an answer" in [text.get_text() for text in none[0].texts]
    answers = iris_explainer.explain(X, y)
    same = answers.take(np.flatnonzero(answers.distances == 0.0))
    axes = ew.plot.summary(same)
    assert "nothing has to change" in [text.get_text() for text in axes[0].texts]
    axes[0].figure.canvas.draw()


def test_wrong_arguments(iris, iris_explainer):
    X, _ = iris
    with pytest.raises(ew.InvalidInputError, match=r"what explainer.explain returns, received Explanation"):
        ew.plot.summary(iris_explainer.explain_one(X[0], "virginica"))
    with pytest.raises(ew.InvalidInputError, match="at least one, received none"):
        ew.plot.summary(iris_explainer.explain(X[:2], "virginica")[:0])
