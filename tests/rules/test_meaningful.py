"""Least changes and columns that move together: against lists of all rows, and linear programs."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import linprog
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import elsewise as ew
from listed_table import listed, mixed_table, small_table


def fitted_table(name: str, *, density: bool = False, price: float = 0.0) -> tuple[ew.Explainer, pd.DataFrame, dict]:
    frame, y = small_table()
    before = make_column_transformer((OneHotEncoder(), ["colour", "member"]), remainder="passthrough")
    last = RandomForestClassifier(15, max_depth=4, random_state=0) if name == "forest" else LogisticRegression()
    model = make_pipeline(before, last).fit(frame, y)
    weights = {"years": 0.5, "loans": 0.4, "colour": 1.3, "member": 2.0}
    explainer = ew.Explainer(
        model,
        distance=ew.Manhattan(weights, per_change=price),
        density=ew.MixedMixtureDensity(n_components=2) if density else None,
        threshold=0.2,
    ).fit(frame, y)
    return explainer, frame[model.predict(frame) == "bad"].drop_duplicates().iloc[:8], weights


def good_rows(explainer: ew.Explainer, everything: pd.DataFrame) -> np.ndarray:
    good = explainer.model.predict(everything) == "good"
    if explainer.densities_:
        good &= explainer.log_density(everything, "good") >= explainer.densities_["good"].log_threshold_
    return good


BOUNDS = {"years": (0, 4), "loans": (0, 3)}


@pytest.mark.parametrize("density", [False, True])
@pytest.mark.parametrize("name", ["logistic", "forest"])
def test_whole_numbers_stay_or_move_far_enough(name, density):
    explainer, rows, weights = fitted_table(name, density=density)
    least, n_moved = {"years": 2, "loans": 2.5}, 0
    answers = explainer.explain(rows, "good", constraints=ew.Constraints(bounds=BOUNDS, min_change=least))
    for i in range(len(rows)):
        everything, distance = listed(rows.iloc[i], weights)
        good = good_rows(explainer, everything)
        for column, size in least.items():
            moved = (everything[column] - rows.iloc[i][column]).abs().to_numpy()
            good &= (moved == 0) | (moved >= size)
        if not good.any():
            assert answers.statuses[i] == "infeasible"
            continue
        assert answers.statuses[i] == "optimal"
        np.testing.assert_allclose(answers.distances[i], distance[good].min(), rtol=1e-6)
        n_moved += int(answers.changed[i, :2].sum())
    assert n_moved


def best_with_least_moves(normal, least_score, row, sizes, low, high) -> float:
    """Smallest ``sum |v|`` with ``normal x >= least_score`` where numbers stay, go down or go up far enough."""
    n, best = len(row), np.inf
    for ways in itertools.product([0, -1, 1], repeat=n):
        # moves beyond the least one, in the chosen direction
        some = [i for i in range(n) if ways[i]]
        start = row + np.array(ways) * sizes
        room = [(high[i] - start[i]) if ways[i] > 0 else (start[i] - low[i]) for i in some]
        if min(room, default=0.0) < 0:
            continue
        missing = least_score - normal @ start
        fixed = sum(sizes[i] for i in some)
        if not some:
            best = min(best, 0.0) if missing <= 0 else best
            continue
        gains = np.array([normal[i] * ways[i] for i in some])
        solved = linprog(np.ones(len(some)), A_ub=[-gains], b_ub=[-missing], bounds=[(0, r) for r in room])
        if solved.status == 0:
            best = min(best, fixed + solved.fun)
    return float(best)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_numbers_stay_or_move_far_enough(dtype):
    rng = np.random.default_rng(2)
    X = rng.normal(size=(200, 3)).astype(dtype)
    y = (X @ np.array([1.0, 0.6, -0.5]) + 0.2 * rng.normal(size=200) > 0.5).astype(int)
    model = LogisticRegression().fit(X, y)
    explainer = ew.Explainer(model, density=None).fit(X, y)
    sizes, ends = np.array([0.9, 0.3, 1.1]), (-1.5, 1.5)
    rules = ew.Constraints(
        min_change={f"x{i}": size for i, size in enumerate(sizes)}, bounds={f"x{i}": ends for i in range(3)}
    )
    rows = X[(model.predict(X) == 0) & (np.abs(X) < 1.5).all(axis=1)][:10]
    n_exact = 0
    for row, answer in zip(rows, explainer.explain(rows, 1, constraints=rules)):
        expected = best_with_least_moves(
            model.coef_[0].astype(float),
            -float(model.intercept_[0]),
            row.astype(float),
            sizes,
            [ends[0]] * 3,
            [ends[1]] * 3,
        )
        assert answer.status == "optimal"
        np.testing.assert_allclose(answer.distance, expected, rtol=1e-6)
        moved = np.abs(np.asarray(answer.counterfactual, dtype=float) - row.astype(float))
        assert ((moved == 0) | (moved >= sizes * (1 - 1e-12))).all()
        n_exact += int(np.isclose(moved, sizes, rtol=1e-6).any())
    assert n_exact


def test_forests_with_numbers_stay_or_move_far_enough():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(300, 4))
    y = (X[:, 0] + X[:, 1] * X[:, 2] + 0.5 * X[:, 3] > 0.5).astype(int)
    model = RandomForestClassifier(20, max_depth=4, random_state=0).fit(X, y)
    explainer = ew.Explainer(model, density=None, distance="manhattan").fit(X, y)
    rows, least = X[model.predict(X) == 0][:8], 0.3
    answers = explainer.explain(rows, 1, constraints=ew.Constraints(min_change={f"x{i}": least for i in range(4)}))
    cuts = [
        np.unique(np.concatenate([t.tree_.threshold[t.tree_.feature == i] for t in model.estimators_]))
        for i in range(4)
    ]
    assert (answers.statuses == "optimal").all()
    for row, answer in zip(rows, answers):
        moved = np.abs(np.asarray(answer.counterfactual) - row)
        assert ((moved == 0) | (moved >= least)).all()
        # no nearer one with one or two changes: at least so far, and to a cut or just beyond one
        ways = []
        for i in range(4):
            far = [row[i] - least, row[i] + least]
            beyond = [v for c in cuts[i] for v in (c, np.nextafter(np.float32(c), np.float32(np.inf)).astype(float))]
            ways.append([row[i], *far, *(v for v in beyond if abs(v - row[i]) >= least)])
        for i, j in itertools.combinations(range(4), 2):
            a, b = np.meshgrid(ways[i], ways[j])
            tried = np.repeat(row[None], a.size, axis=0)
            tried[:, i], tried[:, j] = a.ravel(), b.ravel()
            distance = np.abs(tried - row).sum(axis=1)
            near = distance < answer.distance * (1 - 1e-6)
            assert not (model.predict(tried[near]) == 1).any() if near.any() else True


@pytest.mark.parametrize("density", [False, True])
def test_least_changes_equal_a_mixed_integer_solver(density):
    """Every number stays, goes down or goes up far enough: the best of SCIP's optima of all combinations."""
    pytest.importorskip("pyscipopt", reason="the mixed-integer reference needs pyscipopt")
    from mixed_reference import scip
    from mixed_tables import TableReference

    frame, y = mixed_table()
    numbers = ["income", "debt", "years", "age"]
    before = make_column_transformer((OneHotEncoder(), ["housing", "job"]), (StandardScaler(), numbers))
    model = make_pipeline(before, LogisticRegression(max_iter=1000)).fit(frame, y)
    made = ew.MixedMixtureDensity(n_components=2) if density else None
    explainer = ew.Explainer(model, density=made, threshold=0.5).fit(frame, y)
    rows = frame[model.predict(frame) == "bad"]
    bounds = {"income": (1.0, 80.0), "debt": (0.5, 60.0), "years": (0, 30), "age": (18, 90)}
    least = {"income": 25.0, "debt": 5.0, "years": 4}
    reference, n_dearer = TableReference(explainer, rows), 0
    for i in range(4):
        row = rows.iloc[i]
        answer = explainer.explain_one(row, "good", constraints=ew.Constraints(bounds=bounds, min_change=least))
        best = np.inf
        for ways in itertools.product(["stays", "down", "up"], repeat=3):
            narrowed = dict(bounds)
            for (column, size), way in zip(least.items(), ways):
                own, (low, high) = float(row[column]), bounds[column]
                narrowed[column] = {"stays": (own, own), "down": (low, own - size), "up": (own + size, high)}[way]
            if all(low <= high for low, high in narrowed.values()):
                best = min(best, scip(reference.problem(row, "good", {"bounds": narrowed})).value)
        assert answer.status == "optimal"
        np.testing.assert_allclose(answer.distance, best, rtol=1e-6)
        moved = {column: abs(answer.counterfactual[column] - row[column]) for column in least}
        assert all(moved[column] == 0 or moved[column] >= size - 1e-9 for column, size in least.items())
        free = explainer.explain_one(row, "good", constraints=ew.Constraints(bounds=bounds))
        n_dearer += answer.distance > free.distance * (1 + 1e-6)
    assert n_dearer


@pytest.mark.parametrize("name", ["logistic", "forest"])
def test_columns_that_move_together_are_one_change(name):
    explainer, rows, weights = fitted_table(name, price=0.9)
    together, n_both = [["years", "loans"]], 0
    everything_at_most = ew.Constraints(bounds=BOUNDS, together=together, max_changes=1)
    free = explainer.explain(rows, "good", constraints=ew.Constraints(bounds=BOUNDS, together=together))
    one = explainer.explain(rows, "good", constraints=everything_at_most)
    several = explainer.explain(
        rows, "good", constraints=ew.Constraints(bounds=BOUNDS, together=together), n_counterfactuals=2
    )
    for i in range(len(rows)):
        row = rows.iloc[i]
        everything, distance = listed(row, weights)
        changed = np.array([everything[column] != row[column] for column in everything]).T
        units = np.column_stack([changed[:, 0] | changed[:, 1], changed[:, 2], changed[:, 3]])
        distance, good = distance + 0.9 * units.sum(axis=1), good_rows(explainer, everything)
        assert free.statuses[i] == "optimal"
        np.testing.assert_allclose(free.distances[i], distance[good].min(), rtol=1e-6)
        np.testing.assert_allclose(free.shares[i].sum(), free.distances[i])
        few = good & (units.sum(axis=1) <= 1)
        assert (one.statuses[i] == "optimal") == few.any()
        if few.any():
            np.testing.assert_allclose(one.distances[i], distance[few].min(), rtol=1e-6)
        mine = several.take(np.flatnonzero(several.rows == i))
        first = mine.changed[0]
        taken = np.array([first[0] | first[1], first[2], first[3]])
        other = good & ~units[:, taken].all(axis=1)
        assert len(mine) == 1 + other.any()
        if other.any():
            np.testing.assert_allclose(mine.distances[1], distance[other].min(), rtol=1e-6)
        n_both += int(first[0] and first[1])
    assert n_both or name == "forest"


def test_auto_is_a_share_of_the_scale_and_why_not_names_it():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.normal(size=300) * 10, "b": rng.integers(0, 9, 300)})
    y = (X["a"] + X["b"] > 5).astype(int)
    explainer = ew.Explainer(LogisticRegression().fit(X, y), density=None).fit(X, y)
    scale = np.median(np.abs(X["a"] - X["a"].median()))
    row = X[explainer.model.predict(X) == 0].iloc[0]
    answer = explainer.explain_one(row, 1, constraints=ew.Constraints(min_change="auto", immutable=["b"]))
    assert abs(answer.counterfactual["a"] - row["a"]) >= 0.02 * scale
    rules = ew.Constraints(min_change={"a": 50.0}, immutable=["b"], bounds={"a": (-60, 25)})
    near = X[(explainer.model.predict(X) == 0) & (X["a"].abs() < 10)].iloc[0]
    why = explainer.why_not(near, 1, rules)
    assert any("a stays or moves by at least 50" in rule for rule in why.conflict)
    without = next(relief for relief in why.reliefs if "at least 50" in relief.rule)
    assert explainer.explain_one(near, 1, constraints=without.constraints).status == "optimal"


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"min_change": 3}, "min_change: expected a mapping"),
        ({"min_change": {"a": -1}}, "numbers of at least 0"),
        ({"min_change": {"a": True}}, "numbers of at least 0"),
        ({"together": ["a", "b"]}, "write"),
        ({"together": [["a", "b"], ["b", "c"]]}, "named twice"),
        ({"together": "ab"}, "together: expected lists"),
    ],
)
def test_forms_are_checked(wrong, message):
    with pytest.raises(ew.InvalidInputError, match=message):
        ew.Constraints(**wrong)


def test_columns_are_checked_and_rules_are_written_and_read():
    explainer, rows, _ = fitted_table("logistic")
    with pytest.raises(ew.InvalidInputError, match="min_change: 'colour' is not a numeric column"):
        explainer.explain(rows, "good", constraints=ew.Constraints(min_change={"colour": 1}))
    with pytest.raises(ew.InvalidInputError, match="together: there is no column 'yeers'"):
        explainer.explain(rows, "good", constraints=ew.Constraints(together=[["yeers", "loans"]]))
    rules = ew.Constraints(min_change={"years": 2}, together=[["years", "loans"]])
    assert ew.Constraints.from_mapping(rules.to_mapping()) == rules


def test_the_least_change_by_default_is_a_share_of_the_scale_in_arrays_too():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(2000, 2)) * [1.0, 50.0]
    y = (X[:, 0] + X[:, 1] / 50.0 > 0).astype(int)
    explainer = ew.Explainer(LogisticRegression().fit(X, y), density=None).fit(X, y)
    rules = explainer.fitted_.rules(ew.Constraints(min_change="auto"))
    deviation = np.median(np.abs(X - np.median(X, axis=0)), axis=0)
    np.testing.assert_allclose(rules.least_moves, 0.02 * deviation)


@pytest.mark.parametrize("name", ["logistic", "forest"])
@pytest.mark.parametrize("density", [None, "auto"])
def test_numbers_of_frames_move_by_two_percent_of_their_scale_by_default(name, density):
    rng = np.random.default_rng(8)
    frame = pd.DataFrame(
        {
            "a": rng.normal(0, 3, 160),
            "b": rng.normal(0, 1, 160),
            "n": rng.integers(0, 40, 160),
            "s": rng.integers(0, 30, 160) / 2,
        }
    )
    y = np.where(frame.a + frame.b + 0.1 * frame.n + 0.2 * frame.s + rng.normal(0, 1, 160) > 5, "good", "bad")
    last = RandomForestClassifier(8, max_depth=3, random_state=0) if name == "forest" else LogisticRegression()
    model = make_pipeline(StandardScaler(), last).fit(frame, y)
    explainer = ew.Explainer(model, density=density, condition_on_fixed=False).fit(frame, y)
    assert explainer.steps_ == {"s": 0.5}
    spread = (frame - frame.median()).abs().median()
    least = {name: 0.02 * float(spread[name]) for name in ("a", "b")}  # n is whole, s has a step
    said = ew.Constraints(
        min_change=least, step=explainer.steps_, bounds={name: (frame[name].min(), frame[name].max()) for name in frame}
    )
    plain = ew.Explainer(model, density=density, condition_on_fixed=False, learn_rules=False).fit(frame, y)
    rows = frame[model.predict(frame) == "bad"].iloc[:12]
    rows = rows + np.array([1e-3, 0.0, 0, 0.0])  # near enough to cuts that some would move by less
    rows = rows.astype(frame.dtypes)
    answers = explainer.explain(rows, "good")
    expected = plain.explain(rows, "good", constraints=said)
    np.testing.assert_allclose(answers.distances, expected.distances, rtol=1e-6)
    moved = (answers.counterfactuals[["a", "b"]] - rows[["a", "b"]]).abs()
    assert ((moved == 0) | (moved >= pd.Series(least))).all(axis=None)
    free = explainer.explain(rows, "good", constraints=ew.Constraints(min_change="any"))
    assert (free.distances <= answers.distances * (1 + 1e-9)).all()
    none = explainer.explain(rows, "good", constraints=ew.Constraints(min_change={"a": 0.0, "b": 0.0}))
    np.testing.assert_allclose(none.distances, free.distances, rtol=1e-9)
