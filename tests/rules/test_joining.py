"""Two sets of rules as one: what both say, checked row by row against both."""

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder

import elsewise as ew
from elsewise.rules.joining import joined

SIZES = ["small", "medium", "large"]


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "a": rng.integers(0, 5, 300),
            "b": rng.integers(0, 5, 300),
            "size": rng.choice(SIZES, 300),
            "kind": rng.choice(["x", "y", "z"], 300),
        }
    )
    label = (frame["a"] + frame["b"] > 4).astype(int)
    encode = make_column_transformer(
        (OrdinalEncoder(categories=[SIZES]), ["size"]), (OneHotEncoder(), ["kind"]), remainder="passthrough"
    )
    model = make_pipeline(encode, LogisticRegression(max_iter=1000)).fit(frame, label)
    return ew.Explainer(model, density=None, learn_rules=False, columns={"size": ew.Ordinal(SIZES)}).fit(
        frame, label
    ), frame


PAIRS = [
    ({"immutable": ["a"]}, {"immutable": ["b"]}),
    ({"immutable": ["a"]}, {"monotone": {"a": "increase"}, "allowed": {"kind": ["x"]}}),
    ({"monotone": {"a": "increase"}}, {"monotone": {"a": "decrease", "b": "increase"}}),
    ({"monotone": {"a": "increase by at most 2"}}, {"monotone": {"a": "increase by at most 1", "b": "increase"}}),
    ({"monotone": {"a": "increase by at most 2", "size": "decrease by at most 1"}}, {"monotone": {"a": "increase"}}),
    ({"monotone": {"a": "increase by at most 2"}}, {"monotone": {"a": "decrease by at most 2"}}),
    ({"monotone": {"a": "increase"}}, {"immutable": ["a"], "bounds": {"b": (1, None)}}),
    ({"bounds": {"a": (0, 3), "b": (None, 4)}}, {"bounds": {"a": (1, 4), "b": (0, None)}}),
    ({"bounds": {"size": ("small", "medium")}}, {"bounds": {"size": ("medium", "large")}}),
    ({"bounds": {"size": (None, "medium")}}, {"bounds": {"size": ("small", None)}}),
    ({"allowed": {"kind": ["x", "y"]}}, {"allowed": {"kind": ["y", "z"]}}),
    ({"allowed": {"kind": {"x": ["y", "z"]}}}, {"allowed": {"kind": {"x": ["z"], "y": ["x"]}}}),
    ({"allowed": {"kind": {"x": ["y", "z"]}}}, {"allowed": {"kind": ["z", "x"]}}),
    ({"linear": ["a + b <= 6"]}, {"linear": ["a - b <= 2", "a + b <= 6"]}),
    ({"max_changes": 2}, {"max_changes": 1}),
    ({"max_changes": 1}, {"linear": ["a >= 1"]}),
    ({"min_change": {"a": 2.0}}, {"min_change": {"a": 3.0, "b": 2.0}}),
    ({"implies": {"a == 0": "b >= 1"}}, {"implies": {"a == 0": "b <= 2 or kind == 'x'", "b == 4": "kind != 'y'"}}),
]


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_a_change_is_allowed_by_the_joined_rules_if_and_only_if_by_both(table, first, second):
    explainer, frame = table
    fitted = explainer.fitted_
    one, other = ew.Constraints(**first), ew.Constraints(**second)
    levels = {column.name: column.levels for column in fitted.table.columns if column.levels}
    rows = fitted.table.encode(frame)
    after = np.roll(rows, 7, axis=0)
    mixed = np.where(np.random.default_rng(1).random(rows.shape[0])[:, None] < 0.5, after, rows)
    keep = np.zeros(rows.shape[1], dtype=bool)
    keep[: fitted.table.columns[1].stop] = True
    n_broken = 0
    for end in (after, mixed, np.where(keep, rows, after), np.where(keep, after, rows)):
        broken = [
            {row for row, _ in fitted.rules(rules).broken(rows, end, np.zeros(rows.shape, dtype=bool))}
            for rules in (one, other, joined(one, other, levels), joined(other, one, levels))
        ]
        assert broken[2] == broken[0] | broken[1]
        assert broken[3] == broken[2]
        n_broken += len(broken[2])
    assert n_broken


def test_what_one_leaves_at_its_default_the_other_decides():
    loose = ew.Constraints(range="any", unseen="allow", codes="change", special={}, integer=[])
    assert loose & ew.Constraints(max_changes=2) == ew.Constraints.from_mapping(
        {**loose.to_mapping(), "max_changes": 2}
    )
    assert ew.Constraints(max_changes=2) & loose == loose & ew.Constraints(max_changes=2)
    assert (ew.Constraints(range="any") & ew.Constraints(range=["a"])).range == ("a",)
    assert (ew.Constraints(range=["b"]) & ew.Constraints(range=["a"])).range == ("b", "a")
    assert (ew.Constraints(range="training") & ew.Constraints(range="any")).range == "training"
    assert (ew.Constraints(special=[-1]) & ew.Constraints(special=[-2, -1])).special == (-1, -2)
    assert (ew.Constraints(special={"a": [-1]}) & ew.Constraints(special={"a": [-2]})).special == {"a": (-1, -2)}
    assert (ew.Constraints(integer=["a"]) & ew.Constraints(integer=["b"])).integer == ("a", "b")


def test_none_says_nothing():
    rules = ew.Constraints(immutable=["a"])
    assert rules & None == rules == None & rules
    assert rules & ew.Constraints() == rules == rules & rules
    with pytest.raises(TypeError, match="unsupported operand"):
        rules & {"immutable": ["a"]}


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        ({"bounds": {"size": ("small", None)}}, {"bounds": {"size": ("medium", None)}}, "bounds: .* 'size'.* once"),
        ({"allowed": {"kind": ["x"]}}, {"allowed": {"kind": {"x": ["y"]}}}, "allowed: .* 'kind'.* from which levels"),
        ({"min_change": "auto"}, {"min_change": {"a": 2.0}}, "min_change: .* 'auto'"),
        ({"special": [-1]}, {"special": {"a": [-1]}}, "special: .* codes of each column"),
    ],
)
def test_what_cannot_be_joined_without_a_table_is_told(first, second, message):
    with pytest.raises(ew.InvalidInputError, match=message):
        ew.Constraints(**first) & ew.Constraints(**second)


def test_rules_show_what_they_say_and_nothing_else():
    rules = ew.Constraints(immutable=["a"], max_changes=2)
    assert repr(rules) == "Constraints(immutable=['a'], max_changes=2)"
    assert eval(repr(rules), {"Constraints": ew.Constraints}) == rules
    assert repr(ew.Constraints()) == "Constraints()"
