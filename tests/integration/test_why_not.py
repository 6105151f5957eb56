"""Why there is no answer, against brute force: every subset of a handful of rules is asked with ``explain``."""

from __future__ import annotations

from functools import cache
from itertools import combinations, compress, islice
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

import elsewise as ew

GRADES = ["low", "fair", "good", "best"]


def table(seed: int, n: int = 120) -> tuple[pd.DataFrame, np.ndarray]:
    """A number, whole numbers with codes, ordered levels, a yes or no and a category, and two classes."""
    rng = np.random.default_rng(seed)
    good = rng.random(n) < 0.5
    months = rng.poisson(np.where(good, 12, 6))
    frame = pd.DataFrame(
        {
            "size": rng.normal(np.where(good, 2.0, 0.0), 1.0),
            "months": np.where(rng.random(n) < 0.2, -9, months),
            "debts": np.where(rng.random(n) < 0.2, -9, rng.poisson(np.where(good, 3, 6))),
            "grade": pd.Categorical.from_codes(rng.integers(0, 3, n) + good, GRADES, ordered=True),
            "member": rng.random(n) < np.where(good, 0.8, 0.2),
            "colour": np.where(rng.random(n) < np.where(good, 0.7, 0.2), "blue", rng.choice(["red", "green"], n)),
        }
    )
    return frame, np.where(good, "yes", "no")


# Single rules, as they are told and as they are written.
RULES: dict[str, dict[str, Any]] = {
    "size stays as it is": {"immutable": ["size"]},
    "months stays as it is": {"immutable": ["months"]},
    "grade stays as it is": {"immutable": ["grade"]},
    "colour stays as it is": {"immutable": ["colour"]},
    "member stays as it is": {"immutable": ["member"]},
    "size may only decrease": {"monotone": {"size": "decrease"}},
    "debts may only increase": {"monotone": {"debts": "increase"}},
    "grade may only decrease": {"monotone": {"grade": "decrease"}},
    "member may only decrease": {"monotone": {"member": "decrease"}},
    "months between -9 and 40": {"bounds": {"months": (-9, 40)}},
    "size between -6 and 1.5": {"bounds": {"size": (-6.0, 1.5)}},
    "debts at least -9": {"bounds": {"debts": (-9, None)}},
    "colour: only to red or green": {"allowed": {"colour": ["red", "green"]}},
    "member: only to False": {"allowed": {"member": [False]}},
    "size <= 0.5": {"linear": ["size <= 0.5"]},
    "size >= 900": {"linear": ["size >= 900"]},
    "months + debts <= 9": {"linear": ["months + debts <= 9"]},
    "size - debts >= 1": {"linear": [({"size": 1.0, "debts": -1.0}, ">=", 1.0)]},
    "at most 1 column changes": {"max_changes": 1},
    "no column changes": {"max_changes": 0},
    "months does not move to or from -9": {"special": {"months": [-9]}},
    "debts does not move to or from -9": {"special": {"debts": [-9]}},
}


def together(names: list[str]) -> ew.Constraints:
    """Write single rules as one."""
    written: dict[str, Any] = {"codes": "stay"}
    for name in names:
        for kind, rule in RULES[name].items():
            if isinstance(rule, list):
                written[kind] = [*written.get(kind, []), *rule]
            elif isinstance(rule, dict):
                written[kind] = {**written.get(kind, {}), **rule}
            else:
                written[kind] = rule
    return ew.Constraints(**written)


def fits_together(names: list[str]) -> bool:
    """Whether every single rule can be told from the others: none overwrites or forbids another."""
    kinds = [(kind, item) for name in names for kind, rule in RULES[name].items() for item in parts(rule)]
    held = {item for kind, item in kinds if kind == "immutable"}
    moved = {item for kind, item in kinds if kind in ("monotone", "allowed")}
    categories = [item for kind, item in kinds if kind in ("monotone", "allowed") and item == "member"]
    return len(set(map(str, kinds))) == len(kinds) and not held & moved and len(categories) < 2


def parts(rule: Any) -> list[Any]:
    return list(rule) if isinstance(rule, (list, dict)) else ["number"]


@cache
def case(model: str, threshold: float) -> tuple[ew.Explainer, pd.DataFrame]:
    """A fitted explainer and rows that are refused."""
    frame, y = table(0)
    encode = make_column_transformer(
        (StandardScaler(), ["size", "months", "debts"]),
        (OrdinalEncoder(categories=[GRADES]), ["grade"]),
        (OneHotEncoder(), ["member", "colour"]),
    )
    last = {"logistic": LogisticRegression(), "tree": DecisionTreeClassifier(max_depth=4, random_state=0)}[model]
    pipeline = make_pipeline(encode, last).fit(frame, y)
    density = ew.MixedMixtureDensity(n_components=2, random_state=0)
    options = {"learn_rules": False, "condition_on_fixed": False}
    explainer = ew.Explainer(pipeline, density=density, threshold=threshold, **options).fit(frame, y)
    rows = table(1)[0]
    rows = rows[(pipeline.predict(rows) == "no") & rows["size"].between(-6.0, 1.5)]
    return explainer, rows.reset_index(drop=True)


@cache
def with_threshold(model: str, threshold: float) -> ew.Explainer:
    """Fit the same with another threshold; the mixtures are taken over as they are."""
    explainer, _ = case(model, 0.5)
    frame, y = table(0)
    mixtures = {label: density.mixture_ for label, density in explainer.densities_.items()}
    options = {"learn_rules": False, "condition_on_fixed": False}
    return ew.Explainer(explainer.model, density=mixtures, threshold=threshold, **options).fit(frame, y)


def distance(explainer: ew.Explainer, row: pd.DataFrame, rules: ew.Constraints, target: Any = "yes") -> float:
    """Distance of the nearest answer, infinite if there is none."""
    answer = explainer.explain(row, target, constraints=rules)
    if answer.statuses[0] == "infeasible":
        assert answer.lower_bounds[0] == np.inf  # proven
        return np.inf
    return float(answer.distances[0])


def check(explainer: ew.Explainer, row: pd.DataFrame, names: list[str]) -> ew.WhyNot:
    """Compare what is said about a row with the answers under all subsets of the rules."""
    why = explainer.why_not(row, "yes", together(names))
    nearest = {
        frozenset(some): distance(explainer, row, together(list(some)))
        for size in range(len(names) + 1)
        for some in combinations(names, size)
    }
    everything, nothing = frozenset(names), frozenset[str]()
    expected = "none" if np.isfinite(nearest[everything]) else "rules" if np.isfinite(nearest[nothing]) else "density"
    assert why.reason == expected
    if expected != "rules":
        assert why.conflict == ()
        assert why.reliefs == ()
        return why
    conflict = frozenset(why.conflict)
    assert len(conflict) == len(why.conflict)
    assert np.isinf(nearest[conflict])
    for rule in conflict:
        assert np.isfinite(nearest[conflict - {rule}]), f"{rule!r} has no part in {why.conflict}"
    helps = {rule: nearest[everything - {rule}] for rule in names if np.isfinite(nearest[everything - {rule}])}
    assert {relief.rule for relief in why.reliefs} == set(helps)
    assert len(why.reliefs) == len(helps)
    told = [relief.distance for relief in why.reliefs]
    assert told == sorted(told)
    for relief in why.reliefs:
        np.testing.assert_allclose(relief.distance, helps[relief.rule], rtol=1e-6)
        assert relief.constraints == together([name for name in names if name != relief.rule])
        np.testing.assert_allclose(relief.distance, distance(explainer, row, relief.constraints), rtol=1e-6)
    assert all(rule in why.sentence for rule in why.conflict)
    if why.reliefs:
        assert f"the smallest change costs {why.reliefs[0].distance:.4g}" in why.sentence
    return why


@pytest.mark.parametrize("model", ["logistic", "tree"])
@pytest.mark.parametrize("seed", range(2))
def test_conflicts_are_smallest_and_reliefs_complete(model, seed):
    explainer, rows = case(model, 0.5)
    rng = np.random.default_rng(seed)
    milder = [name for name in RULES if name not in ("size >= 900", "no column changes")]
    several, n_reliefs, n_asked = 0, 0, 0
    while several < 3:  # conflicts that take several rules
        n_asked += 1
        assert n_asked < 40, "hardly any conflict of several rules: nothing is made smaller"
        names = [str(name) for name in rng.choice(milder, size=4, replace=False)]
        if fits_together(names):
            why = check(explainer, rows.iloc[[int(rng.integers(len(rows)))]], names)
            several += len(why.conflict) > 1
            n_reliefs += len(why.reliefs)
    assert n_reliefs > 0


def test_rules_that_contradict_each_other_twice_have_no_relief():
    explainer, rows = case("logistic", 0.5)
    why = check(explainer, rows.iloc[[0]], ["size >= 900", "no column changes", "months between -9 and 40"])
    assert why.reliefs == ()
    assert len(why.conflict) == 1
    assert "Without it other rules still leave no answer" in why.sentence


def test_the_cheapest_relief_comes_first():
    explainer, rows = case("logistic", 0.5)
    names = ["size stays as it is", "grade stays as it is", "colour stays as it is", "member stays as it is"]
    has_several = (len(explainer.why_not(rows.iloc[[i]], "yes", together(names)).reliefs) > 1 for i in range(24))
    several = list(islice(compress(range(24), has_several), 3))
    assert len(several) == 3
    checked = [check(explainer, rows.iloc[[i]], names) for i in several]
    assert any(why.reliefs[0].distance < why.reliefs[-1].distance for why in checked)


@pytest.mark.parametrize("model", ["logistic", "tree"])
def test_the_highest_quantile_is_that_of_a_scan(model):
    _, rows = case(model, 0.9)
    explainer = with_threshold(model, 0.9)
    rules = [
        ["size may only decrease"],
        ["size may only decrease", "grade stays as it is", "colour stays as it is"],
        ["at most 1 column changes", "months stays as it is"],
        ["no column changes"],
    ]
    found = []
    for place, names in enumerate(rules * 2):
        row, constraints = rows.iloc[[place]], together(names)
        why = explainer.why_not(row, "yes", constraints)
        if why.reason == "none":
            continue
        highest = 0.0 if why.highest_quantile is None else why.highest_quantile
        found.append(why.highest_quantile)
        assert highest < 0.9
        # To three digits, rounded down: it works, the next does not, and neither does any above.
        thresholds = np.unique(np.concatenate([np.arange(0.05, 0.95, 0.15), [highest, highest + 0.001]]).round(3))
        for threshold in thresholds[thresholds > 0].tolist():
            works = np.isfinite(distance(with_threshold(model, threshold), row, constraints))
            assert works == (threshold <= highest), (threshold, highest)
        told = "no less typical change is enough either" if why.highest_quantile is None else f"(threshold={highest:g})"
        assert told in why.sentence
    assert None in found
    assert any(quantile is not None for quantile in found)


def test_a_threshold_that_is_too_high_and_a_class_that_is_never_predicted():
    frame, y = table(0)
    rows = frame[["size", "debts"]].astype(float)
    model = LogisticRegression().fit(rows, y)
    density = ew.GaussianMixtureDensity(n_components=1)
    # Densities of rows under the other label: where the model says "yes", rows of "no" are rare.
    other = np.where(y == "yes", "no", "yes")
    explainer = ew.Explainer(model, density=density, threshold=0.97, learn_rules=False).fit(rows, other)
    refused = rows[model.predict(rows) == "no"].iloc[[0]]
    why = explainer.why_not(refused, "yes", ew.Constraints(bounds={"size": (-1e3, 1e3)}))
    assert (why.reason, why.conflict, why.reliefs) == ("density", (), ())
    mixtures = {label: each.mixture_ for label, each in explainer.densities_.items()}
    for threshold, works in ((why.highest_quantile, True), (why.highest_quantile + 0.001, False)):
        other_explainer = ew.Explainer(model, density=density, threshold=round(threshold, 3), learn_rules=False)
        other_explainer.fit(rows, other)
        assert np.isfinite(distance(other_explainer, refused, ew.Constraints())) == works
    high = ew.Explainer(model, density=mixtures, threshold=ew.LogDensity(50.0), learn_rules=False).fit(rows, other)
    assert high.why_not(refused, "yes").reason == "density"
    assert 0 < high.why_not(refused, "yes").highest_quantile < 1
    never = DecisionTreeClassifier(max_depth=1, random_state=0).fit(rows, np.where(rows["size"] > 1, "no", "yes"))
    never.tree_.value[:] = never.tree_.value[0]
    label = str(never.predict(rows)[0])
    wanted = "yes" if label == "no" else "no"
    for given in (density, None):
        plain = ew.Explainer(never, density=given, learn_rules=False).fit(rows, y)
        why = plain.why_not(refused, wanted, ew.Constraints(immutable=["size"]))
        assert (why.reason, why.conflict, why.highest_quantile, why.reliefs) == ("model", (), None, ())


def test_a_range_of_a_regressor():
    frame, _ = table(0)
    rows = frame[["size", "debts"]].astype(float)
    model = LinearRegression().fit(rows, 2.0 * rows["size"] + rows["debts"])
    explainer = ew.Explainer(model, density=None, distance="manhattan", learn_rules=False).fit(rows)
    row = pd.DataFrame({"size": [0.0], "debts": [5.0]})
    rules = ew.Constraints(monotone={"size": "decrease"}, linear=["debts <= 4", "size - debts <= 1000"])
    why = explainer.why_not(row, (15.0, None), rules)
    assert why.reason == "rules"
    assert set(why.conflict) == {"size may only decrease", "debts <= 4"}
    assert why.highest_quantile is None
    # The prediction is 2 size + debts = 5: debts rises by 10, or falls by 1 for size to rise by (15 - 4) / 2.
    expected = {"debts <= 4": 10.0, "size may only decrease": 6.5}
    told = {relief.rule: relief.distance for relief in why.reliefs}
    assert set(told) == set(expected)
    for rule, value in expected.items():
        np.testing.assert_allclose(told[rule], value, rtol=1e-6)
    for relief in why.reliefs:
        np.testing.assert_allclose(
            relief.distance, distance(explainer, row, relief.constraints, (15.0, None)), rtol=1e-6
        )


HARMLESS: dict[str, Any] = {
    "immutable": ["c"],
    "monotone": {"b": "increase"},
    "bounds": {"b": (-100, 900), "c": (-100, 900)},
    "allowed": {"e": ["x", "y"]},
    "linear": ["a + b <= 900", "a - b <= 900"],
    "max_changes": 3,
    "special": {"b": [-9]},
    "codes": "stay",
}
IN_THE_WAY: dict[str, tuple[dict[str, Any], str]] = {
    "immutable": ({"immutable": ["c", "a"]}, "a stays as it is"),
    "monotone": ({"monotone": {"b": "increase", "a": "decrease"}}, "a may only decrease"),
    "bounds": ({"bounds": {"b": (-100, 900), "a": (-9, 20), "c": (-100, 900)}}, "a between -9 and 20"),
    "allowed": ({"allowed": {"e": ["x", "y"], "d": []}}, "d: to no other level"),
    "linear": ({"linear": ["a + b <= 900", "a <= 21", "a - b <= 900"]}, "a <= 21"),
    "max_changes": ({"max_changes": 0}, "no column changes"),
    "special": ({"special": {"b": [-9], "a": [-9]}}, "a does not move to or from -9"),
}


@pytest.mark.parametrize("kind", IN_THE_WAY)
def test_a_relief_leaves_out_one_rule_and_keeps_all_others(kind):
    rng = np.random.default_rng(0)
    rows = pd.DataFrame(rng.integers(0, 40, size=(200, 3)), columns=["a", "b", "c"])
    rows.loc[:9, "a"], rows.loc[5:15, "b"] = -9, -9
    for name in ("d", "e"):
        rows[name] = rng.choice(["x", "y", "z"], size=len(rows))
    encode = make_column_transformer((StandardScaler(), ["a", "b", "c"]), (OneHotEncoder(), ["d", "e"]))
    # One column alone has a say, to the last bit: others must not help at values of 1e17.
    wanted = 40.0 * (rows["d"] == "z") if kind == "allowed" else rows["a"]
    model = make_pipeline(encode, LinearRegression()).fit(rows, wanted)
    model[-1].coef_ = np.where(np.abs(model[-1].coef_) < 1e-9, 0.0, model[-1].coef_)
    explainer = ew.Explainer(model, density=None, distance="manhattan", learn_rules=False).fit(rows)
    row = rows[(rows["a"] == -9) & (rows["d"] != "z")].iloc[[0]]
    blocking, told = IN_THE_WAY[kind]
    rules = ew.Constraints(**(HARMLESS | blocking))
    why = explainer.why_not(row, (30.0, 50.0), rules)
    assert (why.reason, why.conflict) == ("rules", (told,))
    (relief,) = why.reliefs
    assert relief.rule == told
    others = HARMLESS | {"max_changes": None} if kind == "max_changes" else HARMLESS
    assert relief.constraints == ew.Constraints(**others)
    np.testing.assert_allclose(relief.distance, 1.0 if kind == "allowed" else 39.0, rtol=1e-9)


def test_a_relief_from_whole_numbers():
    rows = pd.DataFrame({"a": np.arange(40.0)})
    explainer = ew.Explainer(
        LinearRegression().fit(rows, rows["a"]), density=None, distance="manhattan", learn_rules=False
    ).fit(rows)
    row = pd.DataFrame({"a": [3.0]})
    why = explainer.why_not(row, (5.4, 5.6), ew.Constraints(integer=["a"]))
    assert why.conflict == ("a is a whole number",)
    (relief,) = why.reliefs
    assert relief.constraints == ew.Constraints(integer=[])
    np.testing.assert_allclose(relief.distance, 2.4, rtol=1e-6)


def assert_reliefs_hold(explainer: ew.Explainer, row: pd.DataFrame, target: Any, rules: ew.Constraints) -> None:
    """Check that the rules that each relief offers have an answer at the distance it tells."""
    why = explainer.why_not(row, target, rules)
    assert len(why.reliefs) > 1
    for relief in why.reliefs:
        found = distance(explainer, row, relief.constraints, target)
        np.testing.assert_allclose(relief.distance, found, rtol=1e-6, err_msg=relief.rule)


def test_a_relief_from_the_codes_of_one_column_keeps_those_of_others():
    rng = np.random.default_rng(0)
    rows = pd.DataFrame(rng.integers(0, 20, size=(200, 2)), columns=["a", "b"])
    rows.loc[:9, "a"], rows.loc[5:15, "b"] = -9, -9
    model = LinearRegression().fit(rows, rows["a"] + 3 * rows["b"])
    explainer = ew.Explainer(model, density=None, distance="manhattan", learn_rules=False).fit(rows)
    assert_reliefs_hold(explainer, rows.iloc[[5]], (10.0, None), ew.Constraints(special=[-9], codes="stay"))


def test_a_relief_gives_up_the_rule_it_names_where_a_column_has_two():
    rng = np.random.default_rng(0)
    rows = pd.DataFrame({"a": rng.integers(0, 20, 200), "b": rng.integers(0, 20, 200), "c": rng.random(200) < 0.5})
    encode = make_column_transformer((StandardScaler(), ["a", "b"]), (OneHotEncoder(), ["c"]))
    model = make_pipeline(encode, LinearRegression()).fit(rows, rows["a"] + 3 * rows["b"] + 10 * rows["c"])
    explainer = ew.Explainer(model, density=None, learn_rules=False).fit(rows)
    row = pd.DataFrame({"a": [1], "b": [2], "c": [False]})
    rules = ew.Constraints(monotone={"c": "increase"}, allowed={"c": [False]}, immutable=["a", "b"])
    assert_reliefs_hold(explainer, row, (16.0, None), rules)


def test_without_rules_every_answer_of_a_tree_is_proven():
    explainer, rows = case("tree", 0.5)
    answers = explainer.explain(rows, "yes")
    assert set(answers.statuses) == {"optimal"}
    assert (answers.distances <= answers.lower_bounds * (1 + 1e-6)).all()
