"""Rules of all kinds at once, with prices per change and densities, against a list of all rows, for several models."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

import elsewise as ew

pd = pytest.importorskip("pandas")

MODELS = {
    "logistic": lambda: LogisticRegression(),
    "tree": lambda: DecisionTreeClassifier(max_depth=4, random_state=0),
    "forest": lambda: RandomForestClassifier(7, max_depth=4, random_state=0),
    "network": lambda: MLPClassifier((5,), max_iter=60, random_state=0, tol=1.0),
}
# What may be asked, and whether a list of rows keeps it: functions of the rows after and the row before.
RULES = {
    "implies": ({"a >= 3": "c != 'z'"}, lambda rows, row: (rows.a < 3) | (rows.c != "z")),
    "min_change": ({"a": 2.0}, lambda rows, row: (rows.a == row.a) | ((rows.a - row.a).abs() >= 2)),
    "monotone": ({"d": "increase"}, lambda rows, row: rows.d >= row.d),
    "immutable": (["b"], lambda rows, row: rows.b == row.b),
    "linear": (["a + d <= 7"], lambda rows, row: rows.a + rows.d <= 7),
}


def n_changes(rows, row, together):
    """How many changes lead to each of the rows."""
    changed = {name: rows[name] != row[name] for name in rows}
    if together:
        changed["a"] = changed["a"] | changed.pop("b")
    return sum(each.astype(int) for each in changed.values())


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("kind", list(MODELS))
def test_answers_are_the_nearest_of_all_rows(kind, seed):
    rng = np.random.default_rng([seed, list(MODELS).index(kind)])
    n = 150
    frame = pd.DataFrame(
        {
            "a": rng.integers(0, 6, n),
            "b": rng.integers(0, 5, n),
            "d": rng.integers(0, 4, n),
            "c": rng.choice(list("xyz"), n),
        }
    )
    score = frame.a + 1.3 * (frame.c == "x") * frame.b - 0.7 * frame.d + rng.normal(0, 1, n)
    y = np.where(score > score.median(), "yes", "no")
    encode = make_column_transformer((StandardScaler(), ["a", "b", "d"]), (OneHotEncoder(), ["c"]))
    model = make_pipeline(encode, MODELS[kind]()).fit(frame, y)
    price, density = float(rng.choice([0.0, 0.4, 1.0])), [None, "auto", "auto"][seed % 3]
    explainer = ew.Explainer(
        model, distance=ew.Scaled(per_change=price), density=density, threshold=0.3, learn_rules=False
    ).fit(frame, y)
    asked = [name for name in RULES if rng.random() < 0.5]
    together, most = bool(rng.random() < 0.4), int(rng.integers(1, 5))
    rules = ew.Constraints(
        **{name: RULES[name][0] for name in asked}, together=[["a", "b"]] if together else [], max_changes=most
    )
    rows = frame[model.predict(frame) == "no"].head(3)
    answers = explainer.explain(rows, "yes", constraints=rules)
    listed = pd.DataFrame(
        list(itertools.product(range(-1, 8), range(-1, 7), range(-1, 6), "xyz")), columns=["a", "b", "d", "c"]
    )
    valid = model.predict(listed) == "yes"
    features = explainer.table_.encode(listed)
    moves = replace(explainer.distance_, per_change=0.0)
    for (_, row), answer in zip(rows.iterrows(), answers):
        counts = n_changes(listed, row, together).to_numpy()
        keeps = valid & (counts <= most)
        for name in asked:
            keeps &= np.asarray(RULES[name][1](listed, row))
        if density is not None:
            keeps &= explainer.log_density(listed, "yes") >= answer.log_threshold
        distances = moves(features, np.repeat(answer.row_features[None], len(features), axis=0)) + price * counts
        nearest = distances[keeps].min(initial=np.inf)
        assert answer.status == ("optimal" if np.isfinite(nearest) else "infeasible")
        assert answer.lower_bound <= nearest * (1 + 1e-9)
        if answer.found:
            np.testing.assert_allclose(answer.distance, nearest, rtol=1e-6, atol=1e-9)
