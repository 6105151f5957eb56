"""The sentence: it says what the answer is, and claims no more than is proven."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

import elsewise as ew
from elsewise.reasons import NoOtherClass
from fitted_models import random_data

NUMBER = r"-?[\d,]+(?:\.\d+)?(?:e[-+]\d+)?"


@pytest.fixture(scope="module")
def flowers(iris_explainer, iris):
    return iris_explainer.explain(iris[0][::10], "versicolor", on_satisfied="move")


@pytest.fixture(scope="module")
def regression():
    X, y = random_data(None)
    return ew.Explainer(LinearRegression().fit(X, y), density=None).fit(X), X


@pytest.fixture(scope="module")
def gaps():
    """Rows with missing numbers and missing levels."""
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(5)
    label = np.repeat(["bad", "good"], 60)
    good = label == "good"
    frame = pandas.DataFrame(
        {
            "income": rng.normal(np.where(good, 4.0, 2.0), 0.5),
            "job": np.where(rng.random(120) < np.where(good, 0.8, 0.2), "skilled", "none").astype(object),
        }
    )
    frame.loc[::7, "income"] = np.nan
    frame.loc[::4, "job"] = None
    encode = make_column_transformer(
        (make_pipeline(SimpleImputer(), StandardScaler()), ["income"]), (OneHotEncoder(), ["job"])
    )
    model = make_pipeline(encode, LogisticRegression()).fit(frame, label)
    return ew.Explainer(model, density=None).fit(frame, label), frame


def _told(value):
    """Write a value of the made-up tables that is not a fraction, independently of the code under test."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f'"{value}"' if isinstance(value, str) else str(value)


def _conditions(sentence):
    """Cut a sentence into name, value after and value before, as they are written."""
    inner = re.search(r" with: (.*?\))\. ", sentence)[1]
    return [re.fullmatch(r"(.*) (\S+) \(now (.*)\)", part).groups() for part in re.split(r"(?<=\)), ", inner)]


def test_it_tells_every_change_and_nothing_else(loans):
    answers = loans.explainer.explain(loans.frame[:40], "yes")
    assert {len(one.changes) for one in answers} > {1, 2}
    for one in answers:
        if not one.changes:
            continue
        assert one.sentence.startswith(
            "The model says no. It would say yes with: " if one.prediction == "no" else "The"
        )
        assert "\n" not in one.sentence
        told = _conditions(one.sentence)
        assert len(told) == len(one.changes)
        for (name, after, before), change in zip(told, one.changes):
            assert name == change.feature
            for text, value in ((after, change.after), (before, change.before)):
                if isinstance(value, float):
                    assert float(text) == pytest.approx(value, rel=5e-4)
                else:
                    assert text == _told(value)


def test_plausibility_is_the_share_of_real_rows_no_denser(iris, iris_explainer, flowers):
    real = iris_explainer.densities_["versicolor"].log_densities_
    assert len(real) == (iris[1] == "versicolor").sum()
    for one in flowers:
        share = np.mean(real <= one.log_density)
        whole = int(re.search(r"at least as typical as (\d+) % of real \"versicolor\" cases\.", one.sentence)[1])
        assert whole / 100 <= share < whole / 100 + 0.01


def test_the_most_and_the_least_plausible(flowers):
    one = flowers[0]
    assert 'No real "versicolor" case is more typical.' in replace(one, plausibility=1.0).sentence
    assert 'Every real "versicolor" case is more typical.' in replace(one, plausibility=0.0).sentence
    assert 'as typical as less than 1 % of real "versicolor" cases.' in replace(one, plausibility=0.003).sentence
    assert " is as typical as requested. No" in replace(one, plausibility=float("nan")).sentence


def test_without_a_density_nothing_is_said_of_typical_rows(iris):
    X, y = iris
    explainer = ew.Explainer(LogisticRegression(max_iter=1000).fit(X, y), density=None).fit(X, y)
    for one in explainer.explain(X[::30]):
        assert "typical" not in one.sentence
        assert one.sentence.endswith(" No smaller change exists (proven).")


def test_proofs_that_are_not_finished(flowers):
    one = next(one for one in flowers if one.distance > 0)
    part = replace(one, status="feasible", distance=1.9694, lower_bound=1.93, gap=(1.9694 - 1.93) / 1.9694)
    assert part.sentence.endswith(" A smaller change, if there is one, saves at most 2.1 % (proven).")
    close = replace(one, status="feasible", distance=2.0, lower_bound=1.99999, gap=5e-6)
    assert close.sentence.endswith(" A smaller change, if there is one, saves less than 0.1 % (proven).")
    nothing = replace(one, status="feasible", lower_bound=0.0, gap=1.0)
    assert nothing.sentence.endswith(" Whether a smaller change exists is not known.")
    for each in (part, close, nothing):
        assert "No smaller change exists" not in each.sentence


@pytest.mark.usefixtures("any_grace")
def test_a_time_limit_shows_in_the_sentence():
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(1)
    X = rng.integers(0, 50, (200, 8))
    y = X @ rng.normal(size=8) + rng.normal(size=200) > 20
    frame = pandas.DataFrame(X, columns=list("abcdefgh"))
    explainer = ew.Explainer(LogisticRegression(max_iter=5000).fit(frame, y)).fit(frame, y)
    answers = explainer.explain(frame[:20], True, time_limit=1e-9)
    for one in answers:
        if one.status == "feasible":
            assert "No smaller change exists" not in one.sentence
        elif one.changes:
            assert "No smaller change exists" in one.sentence


def test_nothing_has_to_change(flowers):
    stays = next(one for one in flowers if one.distance == 0)
    assert stays.sentence.startswith(
        'The model predicts "versicolor". Nothing has to change. The row is at least as ty'
    )


def test_a_row_that_is_predicted_so_but_too_rare(iris, iris_explainer, flowers):
    rare = next(one for one in flowers if one.distance > 0 and one.prediction == "versicolor")
    assert rare.sentence.startswith(
        'The model already predicts "versicolor", but the row does not meet every requirement. '
        "It would meet all of them with: "
    )


def test_infeasible():
    X, y = random_data(3, seed=1)
    model = DecisionTreeClassifier(max_depth=1, random_state=0).fit(X, y)
    never = next(label for label in model.classes_ if label not in model.predict(X))
    one = ew.Explainer(model, density=None).fit(X, y).explain_one(X[0], never)
    assert one.status == "infeasible"
    predicted, wanted = (f'"{each}"' if isinstance(each, str) else str(each) for each in (one.prediction, never))
    assert one.reason == f"No row at all makes the model predict {wanted} (proven)."
    assert one.sentence == f"The model predicts {predicted}. {one.reason}"
    alone = replace(one, target=None, cause=NoOtherClass())
    assert alone.sentence == f"The model predicts {predicted}. The model knows no other class."


def test_contradicting_rules(loans):
    one = loans.explainer.explain_one(
        loans.frame.iloc[0], "yes", constraints=ew.Constraints(immutable=list(loans.frame.columns))
    )
    assert one.status == "infeasible"
    assert one.sentence.startswith("The model says no. No realistic change makes the model say yes under")


@pytest.mark.parametrize(
    ("ends", "words"),
    [((1.0, None), "at least 1"), ((None, 1.25), "at most 1.25"), ((1.5, 2.5), "between 1.5 and 2.5")],
    ids=str,
)
def test_regressors(regression, ends, words):
    explainer, X = regression
    low, high = (-np.inf if ends[0] is None else ends[0]), (np.inf if ends[1] is None else ends[1])
    seen = set()
    for one in explainer.explain(X[:20], ends):
        seen.add(bool(one.changes))
        prediction = float(re.match(rf"The model predicts ({NUMBER})", one.sentence)[1].replace(",", ""))
        assert prediction == pytest.approx(float(one.prediction), rel=1e-5)
        if one.changes:
            assert f". It would predict {words} with: " in one.sentence
        assert (low <= prediction <= high) == (not one.changes)
    assert seen == {True, False}


def test_a_prediction_close_to_the_range_is_not_rounded_into_it(regression):
    explainer, X = regression
    one = explainer.explain_one(X[0], (float(explainer.model.predict(X[:1])[0]) + 1e-9, None))
    prediction, low = (
        float(re.search(pattern, one.sentence)[1]) for pattern in (rf"predicts ({NUMBER})\. ", rf"at least ({NUMBER})")
    )
    assert prediction != low
    assert one.changes


def test_plausible_values_of_a_regressor_are_real_cases_of_no_label():
    X, y = random_data(None)
    explainer = ew.Explainer(LinearRegression().fit(X, y), density=ew.GaussianMixtureDensity(n_components=1)).fit(X)
    one = explainer.explain_one(X[0], (1.0, None))
    assert re.search(r"at least as typical as \d+ % of real cases\. ", one.sentence)


@pytest.mark.parametrize("labels", [(0, 1), (False, True), (1.0, 2.0)], ids=str)
def test_labels_that_are_no_text(labels):
    X, y = random_data(2, n_features=3)
    y = np.array(labels)[(y == np.unique(y)[0]).astype(int)]
    explainer = ew.Explainer(LogisticRegression().fit(X, y), density=None).fit(X, y)
    for one in explainer.explain(X[:5]):
        before, after = (f"{label:g}" if isinstance(label, float) else str(label) for label in _plain(one))
        assert one.sentence.startswith(f"The model predicts {before}. It would predict {after} with: x")


def _plain(one):
    return one.prediction.item(), one.target.item()


@pytest.mark.parametrize(("free", "locked"), [("income", "job"), ("job", "income")])
def test_missing_values_are_not_given(gaps, free, locked):
    explainer, frame = gaps
    n_missing = 0
    for one in explainer.explain(frame, "good", constraints=ew.Constraints(immutable=[locked])):
        for change in one.changes:
            assert change.feature == free
            missing = change.before is None or change.before != change.before
            n_missing += missing
            assert bool(re.search(rf" {free} [^ ]+ \(now not given\)\.", one.sentence)) == missing, one.sentence
        assert not re.search(r"\bnan\b|None", one.sentence)
    assert n_missing > 0


def test_many_changes(cancer_explainer):
    explainer, X = cancer_explainer
    lengths = set()
    for one in explainer.explain(X[:40], 1):
        n = len(one.changes)
        lengths.add(n)
        if n:
            assert [name for name, _, _ in _conditions(one.sentence)] == [change.feature for change in one.changes]
            assert " more" not in one.sentence.replace("more typical", "")
    assert max(lengths) > 7


def test_a_tiny_change_is_not_hidden():
    X = np.linspace(0.0, 1.0, 21)[:, None]
    model = LogisticRegression(C=1e6).fit(X, X[:, 0] > 0.32)
    explainer = ew.Explainer(model, density=None).fit(X, X[:, 0] > 0.32)
    boundary = -float(model.intercept_[0] / model.coef_[0, 0])
    one = explainer.explain_one([boundary - 1e-7], True)
    assert 0 < one.distance < 2e-7
    told = re.search(rf"x0 ({NUMBER}) \(now ({NUMBER})\)\.", one.sentence)
    after, before = (float(text) for text in told.groups())
    assert after - before == pytest.approx(one.distance, rel=0.1001)


def test_large_whole_numbers_are_grouped():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"amount": np.arange(10_000, 90_000, 400)})
    y = (frame["amount"] > 45_000).to_numpy()
    explainer = ew.Explainer(DecisionTreeClassifier(random_state=0).fit(frame, y), density=None).fit(frame, y)
    one = explainer.explain_one(frame.iloc[5], True)
    after = int(one.counterfactual["amount"])
    assert f"amount {after:,} (now {12_000:,})." in one.sentence


def test_further_answers_do_not_claim_to_be_the_smallest_change(loans):
    answers = loans.explainer.explain(loans.frame[:10], "yes", n_counterfactuals=3, diversity="columns")
    assert len(answers) > 12
    for many in (answers, answers[1:], answers[::-1], answers.take(np.array([2, 1, 5]))):
        for one, row in zip(many, many.rows):
            of_row = answers.distances[answers.rows == row]
            nearer = int((of_row < one.distance * (1 - 1e-6)).sum())
            assert one.nearer == nearer
            if nearer:
                others = "nearer answer" if nearer == 1 else f"{nearer} nearer answers"
                assert f"o smaller change differs enough from the {others} (proven)" in one.sentence
                certificate = str(one).splitlines()[len(one.changes) + 1]
                assert f", proven smallest that differs enough from the {others}" in certificate
                assert "No smaller change exists" not in one.sentence
            elif one.changes and one.status == "optimal":
                assert one.sentence.endswith(" No smaller change exists (proven).")


def test_answers_of_a_frontier_are_the_nearest_of_their_threshold(iris, iris_explainer):
    frontier = iris_explainer.frontier(iris[0][0], "versicolor", np.linspace(0.1, 0.9, 7))
    assert np.diff(frontier.distances).max() > 0
    for one in frontier.explanations:
        assert one.nearer == 0
        assert one.sentence.endswith(" No smaller change exists (proven).")
