"""The user's object: its form is checked when it is made, and it goes to files and back."""

from __future__ import annotations

import copy
import dataclasses
import json
import pickle
import tomllib

import numpy as np
import pytest

from elsewise import InvalidInputError
from elsewise.rules import Constraints

FULL = {
    "immutable": ["sex", "foreign_worker"],
    "monotone": {"age": "increase"},
    "bounds": {"credit_amount": (250, 20_000), "income": (None, 5.5), "education": ("school", None)},
    "integer": ["duration"],
    "allowed": {"housing": {"rent": ["own"]}, "purpose": ["car", "education"]},
    "linear": ["installments <= 0.5 * income", ({"a": 1, "b": -2}, ">=", 3)],
    "max_changes": 3,
    "special": {"score": [-7, -8]},
}


def test_rules_own_what_they_were_given():
    given = copy.deepcopy(FULL)
    rules = Constraints(**given)
    before = pickle.loads(pickle.dumps(rules))
    given["immutable"].append("age")
    given["allowed"]["housing"]["rent"].append("free")
    given["bounds"]["age"] = (0, 1)
    given["linear"][1][0]["a"] = 5
    assert rules == before
    with pytest.raises(dataclasses.FrozenInstanceError, match="max_changes"):
        rules.max_changes = 2


def test_mappings_lead_back_to_the_same_rules():
    rules = Constraints(**FULL)
    assert Constraints.from_mapping(rules.to_mapping()) == rules
    assert Constraints.from_mapping(json.loads(json.dumps(rules.to_mapping()))) == rules
    assert Constraints().to_mapping() == {}
    assert Constraints.from_mapping({}) == Constraints()
    assert Constraints(integer=[]).to_mapping() == {"integer": []}  # none at all, which is not the default
    assert Constraints.from_mapping({"integer": []}) != Constraints()


def test_a_toml_file_says_the_same():
    text = """
    immutable = ["sex", "foreign_worker"]
    integer = ["duration"]
    linear = ["installments <= 0.5 * income", [{ a = 1, b = -2 }, ">=", 3]]
    max_changes = 3
    [monotone]
    age = "increase"
    [bounds]
    credit_amount = [250, 20_000]
    income = [-inf, 5.5]
    education = ["school", inf]
    [allowed]
    housing = { rent = ["own"] }
    purpose = ["car", "education"]
    [special]
    score = [-7, -8]
    """
    assert Constraints.from_mapping(tomllib.loads(text)) == Constraints(**FULL)


def test_values_of_numpy_become_plain_ones():
    rules = Constraints(
        immutable=np.array(["a", "b"]),
        bounds={"age": np.array([18, 65])},
        integer=np.array(["c"]),
        allowed={"d": {np.str_("x"): np.array([True, False])}},
        linear=[({"a": np.float64(0.5)}, "<=", np.int64(3))],
        max_changes=np.int64(2),
        special=np.array([-9, -8]),
    )
    assert Constraints.from_mapping(json.loads(json.dumps(rules.to_mapping()))) == rules


def test_names_and_codes_are_taken_once():
    assert Constraints(immutable=["a", "b", "a"]).immutable == ("a", "b")
    assert Constraints(special=[-9, -9.0, -8]).special == (-9, -8)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"immutable": "age"}, r"immutable: expected a list, received 'age'; write \['age'\] for one"),
        ({"immutable": None}, "immutable: expected a list, received None"),
        ({"immutable": {"age": True}}, "immutable: expected a list, received"),
        ({"immutable": [3]}, "immutable: expected names of columns, received 3 of type int"),
        ({"integer": "age"}, r"integer: expected a list, received 'age'; write \['age'\]"),
        ({"integer": [None]}, "integer: expected names of columns, received None"),
        ({"monotone": ["age"]}, "monotone: expected a mapping from names of columns, received list"),
        (
            {"monotone": {"age": "up"}},
            "monotone: expected .* for 'age', received 'up'",
        ),
        ({"monotone": {"age": "increase by at most -1"}}, "monotone: expected 'increase'"),
        (
            {"monotone": {"age": 1}},
            "monotone: expected .* for 'age', received 1",
        ),
        ({"monotone": {1: "increase"}}, "monotone: expected names of columns, received 1"),
        ({"bounds": [("age", 1, 2)]}, "bounds: expected a mapping"),
        ({"bounds": {"age": 5}}, r"bounds: expected \(low, high\) for 'age', .*received 5"),
        ({"bounds": {"age": (1, 2, 3)}}, r"bounds: expected \(low, high\) for 'age'"),
        ({"bounds": {"age": "ab"}}, r"bounds: expected \(low, high\) for 'age', .*received 'ab'"),
        ({"bounds": {"age": (float("nan"), 1)}}, "bounds: expected finite numbers or None for 'age'"),
        ({"bounds": {"age": (float("inf"), None)}}, "bounds: expected finite numbers or None for 'age'"),
        ({"allowed": ["housing"]}, "allowed: expected a mapping"),
        ({"allowed": {"housing": "own"}}, r"allowed\['housing'\]: expected a list, received 'own'; write \['own'\]"),
        ({"allowed": {"housing": {"rent": "own"}}}, r"allowed\['housing'\]\['rent'\]: expected a list"),
        ({"linear": "a <= b"}, r"linear: expected a list, received 'a <= b'; write \['a <= b'\]"),
        ({"linear": ({"a": 1}, "<=", 0)}, "linear: expected a list of rules, received one"),
        ({"linear": ["a <= b", "a * b <= 1"]}, r"The linear rule 'a \* b <= 1' cannot be read"),
        ({"max_changes": -1}, "max_changes: expected a whole number of columns, 0 or more, .*received -1"),
        ({"max_changes": 2.5}, "max_changes: expected a whole number .*received 2.5"),
        ({"max_changes": True}, "max_changes: expected a whole number .*received True"),
        ({"max_changes": "3"}, "max_changes: expected a whole number .*received '3'"),
        ({"special": -9}, r"special: expected a list, received -9; write \[-9\]"),
        ({"special": ["-9"]}, "special: expected finite numbers as codes, received '-9'"),
        ({"special": [float("nan")]}, "special: expected finite numbers as codes, received nan"),
        ({"special": {"age": -9}}, r"special\['age'\]: expected a list, received -9"),
    ],
)
def test_a_wrong_form_gets_one_clear_error(given, message):
    with pytest.raises(InvalidInputError, match=message):
        Constraints(**given)
    with pytest.raises(InvalidInputError, match=message):
        Constraints.from_mapping(given)


def test_unknown_kinds_of_rules_are_refused():
    with pytest.raises(InvalidInputError, match=r"'imutable' is not a kind of rule\. Did you mean 'immutable'\?"):
        Constraints.from_mapping({"imutable": ["age"]})
    with pytest.raises(InvalidInputError, match=r"'xyz' is not a kind of rule\. Known are 'immutable', 'monotone'"):
        Constraints.from_mapping({"xyz": 1})
    with pytest.raises(InvalidInputError, match="expected a mapping, received list"):
        Constraints.from_mapping([])
