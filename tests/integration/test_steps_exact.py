"""Answers on the steps of columns, for every kind of region, against lists of all rows."""

from __future__ import annotations

import itertools
from fractions import Fraction

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
    "logistic": lambda: LogisticRegression(max_iter=500),
    "tree": lambda: DecisionTreeClassifier(max_depth=4, random_state=0),
    "forest": lambda: RandomForestClassifier(7, max_depth=4, random_state=0),
    "network": lambda: MLPClassifier((4,), max_iter=60, random_state=0, tol=1.0),
}
STEPS = {"limit": 10_000, "rate": 0.05, "years": 2}
# every value that answers may have: multiples, as they are written
LIMITS = [10_000 * k for k in range(7)]
RATES = [float(Fraction(5 * k, 100)) for k in range(9)]
YEARS = [0, 2, 4, 6]
ENDS = {"limit": (-1, 60_000), "rate": (0.0, 0.44), "years": (0, 7)}
RULES = {
    "monotone": ({"rate": "decrease"}, lambda rows, row: rows.rate <= row.rate),
    "linear": (["limit <= 200000 * rate"], lambda rows, row: rows.limit <= 200000 * rows.rate),
    "min_change": ({"rate": 0.12}, lambda rows, row: (rows.rate == row.rate) | ((rows.rate - row.rate).abs() >= 0.12)),
    "implies": ({"rate >= 0.2": "kind != 'z'"}, lambda rows, row: (rows.rate < 0.2) | (rows.kind != "z")),
    "max_changes": (2, lambda rows, row: sum((rows[name] != row[name]).astype(int) for name in rows) <= 2),
}


def table(seed: int, n: int = 150):
    """Draw rows, some of which are off the steps."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "limit": rng.choice(LIMITS, n),
            "rate": rng.choice(RATES, n),
            "years": rng.choice(YEARS, n),
            "kind": rng.choice(list("xyz"), n),
        }
    )
    off = rng.random(n) < 0.3
    frame.loc[off, "limit"] += rng.integers(-1, 4000, off.sum())
    frame.loc[off, "rate"] = (frame.loc[off, "rate"] + rng.choice([0.013, 0.03, 1 / 30], off.sum())).clip(upper=0.44)
    frame["limit"] = frame["limit"].clip(0, 60_000)
    score = frame.limit / 2e4 - 10 * frame.rate + 0.5 * frame.years + 1.5 * (frame.kind == "x") + rng.normal(0, 0.6, n)
    return frame, np.where(score > score.median(), "yes", "no")


def fitted(kind: str, seed: int, **options):
    frame, y = table(seed)
    numbers = "passthrough" if kind in ("tree", "forest") else StandardScaler()  # cuts of the columns as they are
    encode = make_column_transformer((numbers, ["limit", "rate", "years"]), (OneHotEncoder(), ["kind"]))
    model = make_pipeline(encode, MODELS[kind]()).fit(frame, y)
    explainer = ew.Explainer(model, learn_rules=False, **options).fit(frame, y)
    return model, explainer, frame


def listed(row):
    """List all rows that are on the steps, or as the row was."""
    ways = (sorted({*values, row[name]}) for name, values in (("limit", LIMITS), ("rate", RATES), ("years", YEARS)))
    return pd.DataFrame(list(itertools.product(*ways, "xyz")), columns=["limit", "rate", "years", "kind"])


def nearest(model, explainer, row, features, asked, log_threshold):
    rows = listed(row)
    keeps = model.predict(rows) == "yes"
    for name in asked:
        keeps &= np.asarray(RULES[name][1](rows, row))
    if log_threshold is not None:
        keeps &= explainer.log_density(rows, "yes") >= log_threshold
    encoded = explainer.table_.of_numbers().encode(rows)
    distances = explainer.distance_(encoded, np.repeat(features[None], len(encoded), axis=0))
    return distances[keeps].min(initial=np.inf)


def check(answer, row, best):
    assert answer.status == ("optimal" if np.isfinite(best) else "infeasible")
    assert answer.lower_bound <= best * (1 + 1e-9)
    if answer.found:
        np.testing.assert_allclose(answer.distance, best, rtol=1e-6, atol=1e-9)
        made = answer.counterfactual
        for name, values in (("limit", LIMITS), ("rate", RATES), ("years", YEARS)):
            assert made[name] in values or made[name] == row[name]


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("kind", list(MODELS))
def test_answers_are_the_nearest_on_the_steps(kind, seed):
    rng = np.random.default_rng([seed, list(MODELS).index(kind)])
    density = [None, "auto"][seed % 2]
    model, explainer, frame = fitted(kind, seed, density=density, threshold=0.3)
    asked = [name for name in RULES if rng.random() < 0.5]
    rules = ew.Constraints(step=STEPS, bounds=ENDS, **{name: RULES[name][0] for name in asked})
    rows = frame[model.predict(frame) == "no"]
    rows = pd.concat([rows.head(2), rows[~rows.limit.isin(LIMITS)].head(2)])
    for (_, row), answer in zip(rows.iterrows(), explainer.explain(rows, "yes", constraints=rules)):
        log_threshold = None if density is None else answer.log_threshold
        best = nearest(model, explainer, row, answer.row_features, asked, log_threshold)
        check(answer, row, best)


def test_several_answers_are_on_the_steps():
    model, explainer, frame = fitted("forest", 3, density=None)
    row = frame[model.predict(frame) == "no"].iloc[0]
    rules = ew.Constraints(step=STEPS, bounds=ENDS)
    answers = explainer.explain_one(row, "yes", constraints=rules, n_counterfactuals=4, diversity=0.5)
    every = list(answers)
    assert len(every) == 4
    rows = listed(row)
    rows = rows[model.predict(rows) == "yes"]
    encoded = explainer.table_.encode(rows)
    left = explainer.distance_(encoded, np.repeat(every[0].row_features[None], len(encoded), axis=0))
    for answer in every:
        check(answer, row, left.min())
        apart = explainer.distance_(encoded, np.repeat(answer.features[None], len(encoded), axis=0))
        left = np.where(apart < 0.5, np.inf, left)


def test_a_black_box_is_asked_about_steps_alone():
    frame, y = table(1)
    frame = frame[["limit", "rate", "years"]]
    inner = RandomForestClassifier(5, max_depth=3, random_state=0).fit(frame.to_numpy(), y)
    seen = []

    def predict(rows):
        seen.append(np.asarray(rows, dtype=float))
        return inner.predict(np.asarray(rows))

    model = ew.BlackBox(predict, classes=["no", "yes"])
    explainer = ew.Explainer(model, density=None, learn_rules=False).fit(frame, y)
    rows = frame[inner.predict(frame.to_numpy()) == "no"].head(5)
    seen.clear()
    answers = explainer.explain(rows, "yes", constraints=ew.Constraints(step=STEPS, bounds=ENDS))
    assert answers.found.all()
    own = rows.to_numpy(dtype=float)
    for values, place in ((LIMITS, 0), (RATES, 1), (YEARS, 2)):
        asked = np.unique(np.vstack(seen)[:, place])
        others = asked[~np.isin(asked, values)]
        np.testing.assert_allclose(np.abs(others[:, None] - own[:, place]).min(axis=1, initial=1.0), 0, atol=1e-15)


def test_why_not_names_the_step():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"limit": rng.integers(0, 60, 200) * 1000.0, "x": rng.normal(size=200)})
    model = DecisionTreeClassifier(max_depth=2).fit(frame, np.where(frame.limit.between(23_500, 27_500), "yes", "no"))
    explainer = ew.Explainer(model, density=None, learn_rules=False).fit(frame)
    rules = ew.Constraints(step={"limit": 10_000}, immutable=["x"])
    row = pd.Series({"limit": 10_000.0, "x": 0.0})
    assert explainer.explain_one(row, "yes", constraints=rules).status == "infeasible"
    reason = explainer.why_not(row, "yes", constraints=rules)
    assert "limit is a multiple of 10,000" in reason.conflict
    relief = next(each for each in reason.reliefs if each.rule == "limit is a multiple of 10,000")
    assert explainer.explain_one(row, "yes", constraints=relief.constraints).status == "optimal"
