"""Answers that satisfy several models at once, against brute force, and by every model's own predict."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.ensemble import GradientBoostingClassifier, IsolationForest, RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

import elsewise as ew

SIZE = 6  # values of each column
MODELS = {
    "linear": lambda: make_pipeline(StandardScaler(), LogisticRegression()),
    "tree": lambda: DecisionTreeClassifier(max_depth=3, random_state=0),
    "forest": lambda: RandomForestClassifier(8, max_depth=3, random_state=0),
    "boosting": lambda: GradientBoostingClassifier(n_estimators=8, max_depth=2, random_state=0),
    "prototypes": lambda: KNeighborsClassifier(1),
}


def whole_table(seed: int) -> tuple[pd.DataFrame, np.ndarray, pd.DataFrame]:
    """A small table of whole numbers, its labels, and every row there could be."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(rng.integers(0, SIZE, size=(60, 3)), columns=list("abc"))
    score = frame.to_numpy() @ rng.normal(size=3)
    y = (score + rng.normal(scale=1.5, size=60) > np.median(score)).astype(int)
    every = pd.DataFrame(list(itertools.product(range(SIZE), repeat=3)), columns=list("abc"))
    return frame, y, every


def resampled(make, frame, y, seed):
    """Train on a bootstrap."""
    chosen = np.random.default_rng(seed).integers(0, len(frame), len(frame))
    return make().fit(frame.iloc[chosen], y[chosen])


WITHIN = ew.Constraints(bounds=dict.fromkeys("abc", (0, SIZE - 1)))


SUMS = {
    "network": lambda: make_pipeline(StandardScaler(), MLPClassifier((4,), max_iter=150, random_state=0)),
    "deep": lambda: make_pipeline(StandardScaler(), MLPClassifier((3, 3), "tanh", max_iter=150, random_state=0)),
    "bayes": lambda: GaussianNB(),
}
"""Sums of units: they meet each other, and linear models, in one sum."""


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(
    ("first", "second"),
    [
        *itertools.product(MODELS, [*MODELS, "isolation"]),
        *itertools.product(SUMS, [*SUMS, "linear"]),
        *itertools.product(["linear"], SUMS),
    ],
)
def test_nearest_among_all_rows(first, second):
    # two prototypes may be as near as each other; and cuts may lie within 1e-7 of whole numbers, where regions of
    # different kinds meet
    kinds = {first, second}
    ties = "prototypes" in kinds or ("linear" in kinds and bool(kinds & {"forest", "boosting", "isolation"}))
    checked = 0
    for seed in range(2):
        frame, y, every = whole_table(seed)
        model = {**MODELS, **SUMS}[first]().fit(frame, y)
        if second == "isolation":
            others = [(IsolationForest(n_estimators=10, max_samples=16, random_state=0).fit(frame), 1)]
        else:
            make = {**MODELS, **SUMS}[second]
            others = [(resampled(make, frame, y, seed + 5), 1), (resampled(make, frame, y, 9), 1)]
        explainer = ew.Explainer(model, density=None, distance="manhattan").fit(frame, y)
        rows = frame[model.predict(frame) == 0][: 2 if "prototypes" in kinds else 4]
        answers = explainer.explain(rows, 1, other_models=others, constraints=WITHIN)
        good = model.predict(every) == 1
        for other, outcome in others:
            good &= other.predict(every) == outcome
            if answers.found.any():
                assert (other.predict(answers.counterfactuals[answers.found].astype(int)) == outcome).all()
        for place, row in enumerate(rows.to_numpy()):
            best = np.abs(every.to_numpy(dtype=float)[good] - row).sum(axis=1).min(initial=np.inf)
            if np.isinf(best):
                assert answers.statuses[place] == "infeasible"
            else:
                assert answers.lower_bounds[place] <= best + 1e-9
                assert answers.distances[place] >= best - 1e-9
                proven = answers.statuses[place] == "optimal"
                assert proven or ties, answers[place].reason
                assert not proven or answers.distances[place] == pytest.approx(best, abs=1e-9)
                checked += int(proven)
    assert checked >= 2


@pytest.mark.parametrize("density", [None, ew.GaussianMixtureDensity(n_components=2)], ids=["plain", "dense"])
def test_linear_models_meet_in_a_polyhedron(density):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 2))
    y = (X[:, 0] + X[:, 1] > 0).astype(int)
    models = [LogisticRegression().fit(X[s::2] * (1 + 0.3 * s), y[s::2]) for s in (0, 1)]
    models.append(LogisticRegression(C=0.01).fit(X, y))
    explainer = ew.Explainer(models[0], density=density, distance="manhattan").fit(X, y)
    rows = X[models[0].predict(X) == 0][:5]
    answers = explainer.explain(rows, 1, other_models=[(one, 1) for one in models[1:]])
    assert (answers.statuses == "optimal").all()
    for one in models:
        assert (one.predict(answers.counterfactuals) == 1).all()
    # a fine grid around the answers has nothing nearer
    for answer, row in zip(answers, rows):
        steps = np.linspace(-1.2, 1.2, 121) * answer.distance
        grid = row + np.array(list(itertools.product(steps, steps)))
        good = np.logical_and.reduce([one.predict(grid) == 1 for one in models])
        if density is not None:
            good &= explainer.log_density(grid, 1) >= answer.log_threshold
        nearest = np.abs(grid[good] - row).sum(axis=1).min(initial=np.inf)
        assert nearest >= answer.lower_bound * (1 - 1e-9)
        assert answer.distance <= nearest * (1 + 1e-9)
    further = explainer.explain(rows, 1, other_models=[(models[1], 0)])
    if further.found.any():
        assert (models[1].predict(further.counterfactuals[further.found]) == 0).all()


def test_pipelines_of_their_own_in_a_table_with_categories():
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(
        {"x": rng.normal(size=120), "n": rng.integers(0, 5, 120), "kind": rng.choice(["u", "v", "w"], 120)}
    )
    y = np.where(frame["x"] + (frame["kind"] == "v") + 0.3 * frame["n"] > 1, "yes", "no")

    def encode():
        return make_column_transformer((OneHotEncoder(), ["kind"]), (StandardScaler(), ["x", "n"]))

    linear = make_pipeline(encode(), LogisticRegression()).fit(frame, y)
    forest = make_pipeline(encode(), RandomForestClassifier(10, max_depth=4, random_state=0)).fit(frame[::2], y[::2])
    price = make_pipeline(encode(), LinearRegression()).fit(frame, frame["x"] * 2 + frame["n"])
    explainer = ew.Explainer(linear).fit(frame, y)
    rows = frame[linear.predict(frame) == "no"][:4]
    answers = explainer.explain(rows, "yes", other_models=[(forest, "yes"), (price, (1.0, 4.0))], time_limit=20)
    plain = explainer.explain(rows, "yes")
    found = answers.found
    assert found.any()
    after = answers.counterfactuals[found]
    assert (linear.predict(after) == "yes").all()
    assert (forest.predict(after) == "yes").all()
    assert ((price.predict(after) >= 1.0) & (price.predict(after) <= 4.0)).all()
    assert (answers.distances[found] >= plain.distances[found] * (1 - 1e-9)).all()
    several = explainer.explain_one(
        rows.iloc[0], "yes", other_models=[(forest, "yes")], n_counterfactuals=2, time_limit=20
    )
    assert (forest.predict(several.counterfactuals) == "yes").all()


def test_the_other_questions_take_further_models():
    frame, y, _ = whole_table(0)
    model, other = MODELS["linear"]().fit(frame, y), resampled(MODELS["linear"], frame, y, 3)
    explainer = ew.Explainer(model).fit(frame, y)
    row = frame[model.predict(frame) == 0].iloc[0]
    curve = explainer.frontier(row, 1, quantiles=(0.1, 0.5), other_models=[(other, 1)])
    found = curve.explanations.found
    assert (other.predict(curve.explanations.counterfactuals[found].astype(int)) == 1).all()
    tree = DecisionTreeClassifier(max_depth=1, random_state=0).fit(frame, y)
    plain = ew.Explainer(tree, density=None).fit(frame, y)
    assert plain.why_not(frame[tree.predict(frame) == 0].iloc[0], 1, other_models=[(tree, 0)]).reason == "model"
    assert explainer.why_not(row, 1, other_models=[(other, 1)]).reason in ("none", "density")


def test_what_is_refused():
    frame, y, _ = whole_table(0)
    model = MODELS["linear"]().fit(frame, y)
    explainer = ew.Explainer(model, density=None).fit(frame, y)
    with pytest.raises(ew.InvalidInputError, match=r"other_models: expected a list of pairs \(model, outcome\)"):
        explainer.explain(frame[:1], other_models=[model])
    with pytest.raises(ew.InvalidInputError, match="other_models: LogisticRegression takes 2 columns"):
        explainer.explain(frame[:1], other_models=[(LogisticRegression().fit(frame[["a", "b"]], y), 1)])
    with pytest.raises(ew.InvalidInputError, match="Unknown target 7"):
        explainer.explain(frame[:1], other_models=[(model, 7)])


@pytest.mark.parametrize("step", [np.sqrt, np.expm1], ids=["root", "exponential"])
def test_a_tree_behind_steps_meets_a_forest_where_its_pipeline_decides(step):
    rng = np.random.default_rng(0)
    X = np.exp(0.5 * rng.normal(size=(200, 2)))
    y = (np.log(X).sum(axis=1) > 0).astype(int)
    tree = DecisionTreeClassifier(max_depth=3, random_state=0)
    model = make_pipeline(FunctionTransformer(step), tree).fit(X, y)
    forest = RandomForestClassifier(5, max_depth=3, random_state=0).fit(X, y)
    explainer = ew.Explainer(model, density=None, distance="manhattan").fit(X, y)
    rows = X[model.predict(X) == 0][:5]
    answers = explainer.explain(rows, 1, other_models=[(forest, 1)])
    assert (answers.statuses == "optimal").all()
    grid = np.stack(np.meshgrid(*[np.linspace(0.01, 5, 400)] * 2), axis=-1).reshape(-1, 2)
    grid = grid[(model.predict(grid) == 1) & (forest.predict(grid) == 1)]
    for row, answer in zip(rows, answers):
        nearest = np.abs(grid - row).sum(axis=1).min()
        assert answer.lower_bound <= nearest
        assert answer.distance <= nearest
    # rows near an answer keep the class: the sums that are read for that stand behind the same steps
    lasting = explainer.explain(rows, 1, robust_radius=0.02)
    assert lasting.found.all()
    for side in itertools.product([-1.0, 1.0], repeat=2):
        assert (model.predict(lasting.counterfactuals + 0.5 * 0.02 * np.array(side)) == 1).all()
