"""Principal reasons against lists of all rows of a small table, ``explain`` with the reasons immutable, and levers."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain, combinations

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import elsewise as ew
from elsewise.questions.recourse.principal_reasons import smallest_hitting_set
from listed_table import listed, mixed_table, small_table

WEIGHTS = {"years": 1.0, "loans": 1.0, "colour": 1.0, "member": 1.0}
ESTIMATORS = [LogisticRegression(), GradientBoostingClassifier(n_estimators=30, random_state=0)]


def hits_all(chosen: tuple[str, ...], rows: pd.DataFrame, row: pd.Series) -> bool:
    """Whether every one of some rows changes one of the chosen columns."""
    changed = np.zeros(len(rows), dtype=bool)
    for name in chosen:
        changed |= np.asarray(rows[name] != row[name])
    return bool(changed.all())


def subsets(names: list[str]) -> chain:
    return chain.from_iterable(combinations(names, size) for size in range(len(names) + 1))


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=["logistic", "boosting"])
def test_reasons_are_those_of_all_rows(estimator):
    frame, y = small_table()
    before = make_column_transformer((OneHotEncoder(), ["colour", "member"]), remainder="passthrough")
    model = make_pipeline(before, estimator).fit(frame, y)
    explainer = ew.Explainer(model, density=None, distance=ew.Manhattan(WEIGHTS), learn_rules=False).fit(frame, y)
    rules = ew.Constraints(bounds={"years": (0, 4), "loans": (0, 3)})
    seen = set()
    for i in np.flatnonzero(model.predict(frame) == "bad")[:8]:
        row = frame.iloc[i]
        every, distances = listed(row, WEIGHTS)
        works = model.predict(every) == "good"
        answers = every[works]
        smallest = next(len(some) for some in subsets(list(every)) if hits_all(some, answers, row))
        reasons = explainer.reasons(row, "good", constraints=rules)
        assert reasons.status == "proven"
        assert reasons.is_complete
        if len(reasons) > 1:  # one of them alone need not be changed by every answer
            assert not replace(reasons, reasons=reasons.reasons[:1]).is_complete
        assert len(reasons.columns) == smallest
        assert hits_all(reasons.columns, answers, row)
        seen.add(smallest)
        for reason in reasons:
            others = [name for name in every if name != reason.column]
            alone = (every[others] == row[others]).all(axis=1) & (every[reason.column] != row[reason.column])
            assert reason.is_alone == (works & alone).any()
            assert reason.responsiveness.n_possible == alone.sum()
            assert reason.responsiveness.n_working == (works & alone).sum()
            if reason.is_alone:
                nearest = distances[works & alone].min()
                assert reason.explanation.distance == pytest.approx(nearest)
                assert reason.then in set(every[reason.column][works & alone & (distances == nearest)])
            kept = works & (every[reason.column] == row[reason.column])
            assert reason.distance_without == pytest.approx(distances[kept].min(initial=np.inf))
            if reason.direction == "too high":
                assert reason.then < reason.now == row[reason.column]
            elif reason.direction == "too low":
                assert reason.then > reason.now == row[reason.column]
            else:
                assert reason.column in ("colour", "member")
    assert len(seen) > 1


def mixed(density: object = "auto", threshold: float = 0.3) -> tuple[ew.Explainer, pd.DataFrame]:
    frame, y = mixed_table()
    numbers = ["income", "debt", "years", "age"]
    before = make_column_transformer((OneHotEncoder(), ["housing", "job"]), (StandardScaler(), numbers))
    model = make_pipeline(before, LogisticRegression(max_iter=1000)).fit(frame, y)
    explainer = ew.Explainer(model, density=density, threshold=threshold).fit(frame, y)
    return explainer, frame[model.predict(frame) == "bad"]


def test_with_reasons_immutable_nothing_is_left():
    explainer, rows = mixed()
    for i in range(4):
        row = rows.iloc[i]
        reasons = explainer.reasons(row, "good", at_most=2)
        assert reasons.status == "proven"
        assert 0 < len(reasons) <= 2
        held = ew.Constraints(immutable=reasons.columns)
        assert explainer.explain(rows.iloc[[i]], "good", constraints=held)[0].status == "infeasible"
        for lever in explainer.levers(row, "good"):
            assert set(lever.columns) & set(reasons.columns)
        for reason in reasons:  # a reason has a recourse that leaves the other reasons as they are
            found = reason.explanation
            changed = {change.feature for change in found.changes}
            assert changed & set(reasons.columns) == {reason.column}
            written = found.counterfactual.to_frame().T.astype(rows.dtypes)
            assert explainer.model.predict(written)[0] == "good"


def test_without_recourse_there_is_no_reason():
    explainer, rows = mixed()
    fixed = ew.Constraints(immutable=["income", "debt", "years", "housing"])
    row = rows.iloc[[np.argmin(explainer.model.predict_proba(rows)[:, 1])]]
    assert explainer.explain(row, "good", constraints=fixed)[0].status == "infeasible"
    reasons = explainer.reasons(row, "good", constraints=fixed)
    assert (reasons.status, len(reasons)) == ("no recourse", 0)
    assert "no recourse" in reasons.sentence
    assert explainer.reasons(row, "bad").status == "has outcome"


def test_share_of_a_number_is_that_of_the_training_rows():
    explainer, rows = mixed(density=None)
    model, row = explainer.model, rows.iloc[0]
    reasons = {reason.column: reason for reason in explainer.reasons(row, "good", at_most=6)}
    assert "income" in reasons
    tried = pd.concat([row.to_frame().T.astype(rows.dtypes)] * 300, ignore_index=True)
    tried["income"] = mixed_table()[0]["income"]
    share = (model.predict(tried) == "good").mean()
    assert reasons["income"].responsiveness.share == pytest.approx(share, abs=0.02)
    assert reasons["income"].responsiveness.n_possible is None


def test_codes_are_checked_before_anything_is_searched(monkeypatch):
    explainer, rows = mixed(density=None)
    numbers = ["income", "debt", "years", "age"]
    codes = {(name, direction): f"{name[0]}{direction[4]}" for name in numbers for direction in ("too high", "too low")}
    codes |= {(name, "other"): f"{name[0]}o" for name in ("housing", "job")}
    reasons = explainer.reasons(rows.iloc[0], "good", codes=codes)
    assert all(reason.code == codes[reason.column, reason.direction] for reason in reasons)
    assert f"{reasons[0].code}: " in str(reasons)
    monkeypatch.setattr("elsewise.questions.recourse.presented.find_reasons", None)
    with pytest.raises(ew.InvalidInputError, match=r"1 possible reasons have no code: \('job', 'other'\)"):
        explainer.reasons(rows.iloc[0], "good", codes={key: c for key, c in codes.items() if key[0] != "job"})
    with pytest.raises(ew.InvalidInputError, match="expected pairs"):
        explainer.reasons(rows.iloc[0], "good", codes={**codes, ("salary", "too low"): "x"})
    with pytest.raises(ew.InvalidInputError, match="at_most must be a whole number"):
        explainer.reasons(rows.iloc[0], "good", at_most=0)


def test_reasons_present_themselves():
    explainer, rows = mixed(density=None)
    reasons = explainer.reasons(rows.iloc[0], "good")
    assert reasons[0].column in reasons.sentence
    assert reasons[0].column in reasons._repr_html_()
    assert list(reasons.to_frame()["column"]) == [reason.column for reason in reasons]
    assert "PrincipalReasons" in repr(reasons)


def test_hitting_sets_are_smallest():
    rng = np.random.default_rng(0)
    for _ in range(100):
        sets = [frozenset(rng.choice(7, rng.integers(1, 4), replace=False).tolist()) for _ in range(rng.integers(1, 8))]
        expected = next(
            size
            for size in range(8)
            if any(all(set(some) & each for each in sets) for some in combinations(range(7), size))
        )
        found = smallest_hitting_set(sets, range(7))
        assert len(found) == expected
        assert all(found & each for each in sets)


def test_whole_numbers_that_are_too_many_to_count_are_sampled_as_whole_numbers():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"amount": rng.integers(250, 60_000, 300), "months": rng.integers(4, 72, 300)})
    y = np.where(frame["amount"] + 500 * frame["months"] < 40_000, "good", "bad")
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(frame, y)
    explainer = ew.Explainer(model, density=None, rules=None, learn_rules=False).fit(frame, y)
    row = frame[model.predict(frame) == "bad"].iloc[0]
    reasons = {reason.column: reason for reason in explainer.reasons(row, "good")}
    found = reasons["amount"].responsiveness
    tried = frame.assign(months=row["months"])
    assert found.n_possible is None
    assert found.share == pytest.approx((model.predict(tried) == "good").mean(), abs=0.02)
