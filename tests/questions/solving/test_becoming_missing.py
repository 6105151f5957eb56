"""Numbers that may become missing: against enumeration of every row, with and without each value."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.linear_model import LogisticRegression

import elsewise as ew
from elsewise.errors import InvalidInputError
from elsewise.tools.cli import main
from elsewise.tools.report.check import check_again

PRICES = {"a": 0.6, "b": 1.3}
GRID = {"a": [*range(6), np.nan], "b": [*range(5), np.nan], "c": list(range(4)), "d": [*range(3), np.nan]}


def _table(seed):
    rng = np.random.default_rng(seed)
    n = 500
    X = pd.DataFrame({name: rng.choice([v for v in values if v == v], n) for name, values in GRID.items()})
    X = X.astype(float)
    for name in ("a", "b", "d"):
        X.loc[rng.random(n) < 0.2, name] = np.nan
    score = X.fillna({"a": 4, "b": 3.5, "d": 0}) @ [1.0, 1.2, 0.7, -0.9] + rng.normal(0, 0.7, n)
    return X, score


@pytest.fixture(scope="module", params=range(3))
def asked(request):
    X, score = _table(request.param)
    y = np.where(score > score.quantile(0.7), "yes", "no")
    model = HistGradientBoostingClassifier(max_iter=12, max_depth=3, random_state=0).fit(X, y)
    per_change = [0.0, 0.25, 0.0][request.param]
    explainer = ew.Explainer(model, density=None, distance=ew.Manhattan(per_change=per_change), rules=None).fit(X, y)
    rows = X[model.predict(X) == "no"].head(12)
    return model, explainer, rows, per_change


def _nearest(model, row, target, per_change, rules):
    """Smallest distance by enumeration; infinite if there is no answer."""
    points = pd.DataFrame(itertools.product(*GRID.values()), columns=list(GRID))
    lost = points.isna() & row.notna()
    gained = points.notna() & row.isna()
    prices = {**dict.fromkeys(GRID, np.inf), **rules.may_become_missing}
    moved = (points != row) & ~(points.isna() & row.isna())
    costs = sum(
        np.where(lost[name], prices[name], (points[name] - row[name]).abs().fillna(0.0))
        + per_change * moved[name].to_numpy()
        for name in GRID
        if name != "none"
    )
    allowed = ~gained.any(axis=1) & np.isfinite(costs) & (model.predict(points) == target)
    if rules.max_changes is not None:
        allowed &= moved.sum(axis=1) <= rules.max_changes
    for name in rules.immutable:
        allowed &= ~moved[name]
    return float(np.min(costs[allowed], initial=np.inf))


@pytest.mark.parametrize("most", [None, 1, 2])
@pytest.mark.parametrize("stays", [(), ("c", "d")])
def test_nearest_answers_are_those_of_enumeration(asked, most, stays):
    model, explainer, rows, per_change = asked
    rules = ew.Constraints(
        may_become_missing=PRICES,
        max_changes=most,
        immutable=stays,
        integer=list(GRID),
        bounds={name: (0, max(v for v in values if v == v)) for name, values in GRID.items()},
    )
    answers = explainer.explain(rows, "yes", constraints=rules)
    expected = np.array([_nearest(model, row, "yes", per_change, rules) for _, row in rows.iterrows()])
    assert (answers.found == np.isfinite(expected)).all()
    assert answers.distances[answers.found] == pytest.approx(expected[answers.found])
    assert set(answers.statuses.tolist()) <= {"optimal", "infeasible"}
    assert answers.lost.any()
    found = answers.counterfactuals[answers.found].astype(float)
    assert (model.predict(found) == "yes").all()
    assert answers.shares[answers.found].sum(axis=1) == pytest.approx(answers.distances[answers.found])
    assert not [check for check in check_again(explainer, answers, rules) if len(check.failed)]
    # every row alone has the same answer
    one = explainer.explain_one(rows.iloc[3], "yes", constraints=rules)
    assert one.status == answers[3].status
    assert one.distance == answers[3].distance or not one.found


def test_ranges_hold_for_every_row(asked):
    model, explainer, rows, _ = asked
    rules = ew.Constraints(may_become_missing=["a", "b"], integer=list(GRID))
    answers = explainer.explain(rows, "yes", constraints=rules, ranges=True)
    n_lost = 0
    for one in answers:
        if not one.found:
            continue
        box = {name: [one.counterfactual[name]] for name in GRID}
        for each in one.ranges:
            n_lost += each.low is None
            box[each.column] = [np.nan] if each.low is None else list(range(int(each.low), int(each.high) + 1))
        points = pd.DataFrame(itertools.product(*box.values()), columns=list(GRID)).astype(float)
        assert (model.predict(points) == "yes").all()
    assert n_lost > 0


def test_a_density_is_that_of_the_values_that_are_left():
    X, score = _table(5)
    y = np.where(score > score.quantile(0.7), "yes", "no")
    model = HistGradientBoostingClassifier(max_iter=12, max_depth=3, random_state=0).fit(X, y)
    explainer = ew.Explainer(model, rules=None).fit(X, y)
    rows = X[model.predict(X) == "no"].head(12)
    rules = ew.Constraints(may_become_missing=PRICES)
    answers = explainer.explain(rows, "yes", constraints=rules)
    alone = explainer.explain(rows, "yes", constraints=ew.Constraints())
    both = answers.found & alone.found
    assert (answers.distances[both] <= alone.distances[both] * (1 + 1e-9)).all()
    for place in np.flatnonzero(answers.lost.any(axis=1)).tolist():
        lost = [name for name, is_lost in zip(GRID, answers.lost[place]) if is_lost]
        row = rows.iloc[place].copy()
        row[lost] = np.nan
        again = explainer.explain_one(row, "yes", constraints=ew.Constraints(), on_satisfied="move")
        assert again.log_density == pytest.approx(answers[place].log_density)
        assert again.distance + sum(PRICES[name] for name in lost) == pytest.approx(answers[place].distance)
    assert answers.lost.any()
    assert not [check for check in check_again(explainer, answers, rules) if len(check.failed)]


def test_a_regressor_and_an_array():
    X, score = _table(7)
    model = HistGradientBoostingRegressor(max_iter=12, max_depth=3, random_state=0).fit(X.to_numpy(), score)
    explainer = ew.Explainer(model, density=None, distance=ew.Manhattan()).fit(X.to_numpy(), score)
    low = float(score.quantile(0.8))
    rows = X.to_numpy()[model.predict(X.to_numpy()) < low][:8]
    rules = ew.Constraints(may_become_missing={"x0": 0.01, "x1": 0.01})
    answers = explainer.explain(rows, (low, None), constraints=rules)
    assert (model.predict(answers.counterfactuals[answers.found]) >= low).all()
    assert answers.lost[:, :2].any()
    assert not answers.lost[:, 2:].any()


def test_whole_numbers_keep_their_type_where_none_is_missing():
    X, score = _table(1)
    y = np.where(score > score.quantile(0.7), "yes", "no")
    model = HistGradientBoostingClassifier(max_iter=12, max_depth=3, random_state=0).fit(X, y)
    explainer = ew.Explainer(model, density=None, rules=None).fit(X, y)
    whole = X.dropna().astype(int)
    rows = whole[model.predict(whole) == "no"].head(6)
    answers = explainer.explain(rows, "yes", constraints=ew.Constraints(may_become_missing={"a": 50.0}))
    assert (answers.counterfactuals.dtypes == rows.dtypes).all()
    answers = explainer.explain(rows, "yes", constraints=ew.Constraints(may_become_missing={"a": 0.01}))
    assert (answers.x.dtypes == rows.dtypes).all()
    assert answers.lost[:, 0].any()
    lost = answers[int(np.flatnonzero(answers.lost[:, 0])[0])]
    change = next(change for change in lost.changes if change.feature == "a")
    assert (change.difference, change.cost) == (None, 0.01)
    assert "a not given (now" in lost.sentence


def test_an_audit_trail_holds(tmp_path, capsys):
    X, score = _table(2)
    y = np.where(score > score.quantile(0.7), "yes", "no")
    model = HistGradientBoostingClassifier(max_iter=12, max_depth=3, random_state=0).fit(X, y)
    rules = ew.Constraints(may_become_missing=PRICES, max_changes=2)
    explainer = ew.Explainer(model, constraints=rules).fit(X, y)
    explainer.save(tmp_path / "model.ew")
    rows = X[model.predict(X) == "no"].head(15)
    rows.to_csv(tmp_path / "rows.csv", index=False)
    asked = ["explain", "--explainer", str(tmp_path / "model.ew"), "--data", str(tmp_path / "rows.csv")]
    written = str(tmp_path / "trail.jsonl")
    out = ["--out", written, "--json-lines"]
    assert main([*asked, "--target", "yes", "--ranges", *out, "--quiet"]) == 3  # some have no answer
    capsys.readouterr()
    assert (
        main(["verify", written, "--explainer", str(tmp_path / "model.ew"), "--data", str(tmp_path / "rows.csv")]) == 0
    )
    told = capsys.readouterr().out
    assert "fails" not in told
    found = ew.compare(written, explainer)
    assert {line.counterfactual for line in found.lines} == {"true"}
    assert {line.decision for line in found.lines} == {"same"}
    assert {line.range for line in found.lines} == {"true", ""}  # none where there is no answer


def test_errors():
    X, score = _table(3)
    y = np.where(score > score.quantile(0.7), "yes", "no")
    model = HistGradientBoostingClassifier(max_iter=5, random_state=0).fit(X, y)
    explainer = ew.Explainer(model, density=None, rules=None).fit(X, y)
    row = X.iloc[0]
    for given, message in (
        ("a", "expected a list of columns, or {column: price}, received 'a'"),
        ([1], "expected names of columns, received 1"),
        ({"a": 0}, "expected a positive number as the price of 'a', received 0"),
        ({"a": "x"}, "expected a positive number as the price of 'a', received 'x'"),
    ):
        with pytest.raises(InvalidInputError, match=message):
            ew.Constraints(may_become_missing=given)
    for rules, message in (
        ({"may_become_missing": ["z"]}, "may_become_missing: there is no column 'z'"),
        ({"may_become_missing": ["a"], "immutable": ["a"]}, "'a' is in immutable, too"),
        ({"may_become_missing": ["a"], "linear": ["a <= b"]}, "'a' is in linear, too"),
        ({"may_become_missing": ["a"], "together": [["a", "b"]]}, "'a' is in together, too"),
    ):
        with pytest.raises(InvalidInputError, match=message):
            explainer.explain_one(row, "yes", constraints=ew.Constraints(**rules))
    rules = ew.Constraints(may_become_missing=["a"])
    with pytest.raises(InvalidInputError, match="n_counterfactuals do not go together"):
        explainer.explain(X.head(2), "yes", constraints=rules, n_counterfactuals=2)
    with pytest.raises(InvalidInputError, match="certificate do not go together"):
        explainer.explain_one(row, "yes", constraints=rules, certificate=True)
    for ask in (explainer.reasons, explainer.why_not):
        with pytest.raises(InvalidInputError, match="may_become_missing is for explain, levers and ladder"):
            ask(row, "yes", constraints=rules)
    full = X.fillna(0.0)
    linear = ew.Explainer(LogisticRegression().fit(full, y), density=None, rules=None).fit(full, y)
    with pytest.raises(InvalidInputError, match="the model takes no missing values in column 'a'"):
        linear.explain_one(full.iloc[0], "yes", constraints=rules)


def test_levers_and_bands_are_those_of_enumeration(asked):
    model, explainer, rows, per_change = asked
    names = list(GRID)
    limits = {name: (0, max(v for v in values if v == v)) for name, values in GRID.items()}
    stated = {"integer": names, "bounds": limits}
    rules = ew.Constraints(may_become_missing=PRICES, **stated)
    n_lost = 0
    for _, row in rows.head(3).iterrows():
        levers = explainer.levers(row, "yes", constraints=rules)
        assert levers.is_proven
        distances = {lever.columns: lever.distance for lever in levers}
        for columns in [(name,) for name in names] + list(itertools.combinations(names, 2)):
            held = [name for name in names if name not in columns]
            lost = {name: price for name, price in PRICES.items() if name in columns}
            own = ew.Constraints(may_become_missing=lost, immutable=held, **stated)
            expected = _nearest(model, row, "yes", per_change, own)
            if columns in distances:
                assert distances[columns] == pytest.approx(expected)
            elif columns in levers.not_enough:
                assert np.isinf(expected)
            else:  # a column that is enough alone, or has nowhere to go
                assert any(set(each) <= set(columns) for each in distances) or set(columns) & set(levers.fixed)
        n_lost += sum(lever.explanation.counterfactual.isna().sum() > row.isna().sum() for lever in levers)
        ladder = explainer.ladder(row, ["no", "yes"], constraints=rules)
        assert ladder.current.name == "no"
        assert ladder[0].distance == pytest.approx(_nearest(model, row, "yes", per_change, rules))
        assert ladder[0].explanation.status == "optimal"
    assert n_lost > 0
