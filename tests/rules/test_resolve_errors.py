"""Rules that do not fit a table get one clear error each; those that do find their levels."""

from __future__ import annotations

import numpy as np
import pytest

from elsewise import InvalidInputError
from elsewise.rules import Constraints, resolve
from elsewise.table.column import Column
from elsewise.table.table import Table
from rules.small_table import CREDIT, table

CODED = np.zeros((6, CREDIT.n_features))
CODED[:, 0] = [-9, -8, 20, 30, 40, 50]
CODED[:, 1] = [-9, -9, -9, -9, -9, -9]
CODED[:, 2] = [-20, -9, 5, 6, 7, 8]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"immutable": ["agee"]}, "immutable: there is no column 'agee'. Did you mean 'age'?"),
        ({"immutable": ["Housing"]}, "immutable: there is no column 'Housing'. Did you mean 'housing'?"),
        ({"monotone": {"zzz": "increase"}}, "monotone: there is no column 'zzz'. Known are 'age', 'income', 'credit"),
        ({"bounds": {"incme": (0, 1)}}, "bounds: there is no column 'incme'. Did you mean 'income'?"),
        ({"integer": ["incme"]}, "integer: there is no column 'incme'. Did you mean 'income'?"),
        ({"allowed": {"house": ["own"]}}, "allowed: there is no column 'house'. Did you mean 'housing'?"),
        ({"special": {"incme": [-9]}}, "special: there is no column 'incme'. Did you mean 'income'?"),
        ({"linear": ["incme <= 3"]}, "linear rule 'incme <= 3': there is no column 'incme'. Did you mean 'income'?"),
        ({"immutable": ["age"], "monotone": {"age": "increase"}}, "'age' is both in immutable and in monotone"),
        ({"immutable": ["housing"], "allowed": {"housing": []}}, "'housing' is both in immutable and in allowed"),
        ({"monotone": {"housing": "increase"}}, "monotone: 'housing' is a category without an order .'rent', 'own'"),
        ({"bounds": {"housing": ("rent", "own")}}, "bounds: 'housing' is a category"),
        ({"bounds": {"phone": (0, 1)}}, "bounds: 'phone' is a category"),
        ({"bounds": {"age": (5, 4)}}, "bounds of 'age' contradict each other: nothing is at least 5 and at most 4"),
        ({"bounds": {"education": ("doctorate", "none")}}, "contradict each other: nothing is at least doctorate"),
        ({"bounds": {"age": (4.2, 4.8)}}, "'age' holds whole numbers, and there is none between 4.2 and 4.8"),
        ({"bounds": {"age": ("a", None)}}, "expected numbers or None as bounds of the numeric column 'age'"),
        ({"bounds": {"age": (False, True)}}, "expected numbers or None as bounds of the numeric column 'age'"),
        ({"bounds": {"education": ("low", None)}}, "'education' has no level 'low'; it was never seen .*'none', 's"),
        ({"bounds": {"education": (1, None)}}, "'education' has no level 1"),
        ({"allowed": {"housing": {"hotel": ["own"]}}}, "'housing' has no level 'hotel'; .*Known are 'rent', 'own', 'f"),
        ({"allowed": {"housing": ["hotel"]}}, "'housing' has no level 'hotel'"),
        ({"allowed": {"phone": [1]}}, "'phone' has no level 1"),
        ({"allowed": {"age": [30]}}, "allowed: 'age' is a numeric column"),
        ({"integer": ["housing"]}, "integer: 'housing' is a category"),
        ({"linear": ["age + housing <= 3"]}, r"'age \+ housing <= 3' uses 'housing', which is a category .'rent'"),
        ({"linear": ["education >= 1"]}, "uses 'education', which is ordered levels"),
        ({"linear": ["0 <= -1"]}, "the rule '0 <= -1' never holds"),
        ({"linear": ["age - age >= 2"]}, "the rule 'age - age >= 2' never holds: .* it says 0 <= -2"),
        ({"linear": ["1 <= 0 <= age"]}, "the rule '1 <= 0 <= age' never holds"),
        ({"special": {"housing": [-9]}}, "special: 'housing' is not a numeric column but has levels"),
        ({"special": {"education": [-9]}}, "special: 'education' is not a numeric column"),
        ({"special": {"income": [-9]}}, "special: 'income' holds nothing but the codes -9"),
        (
            {"special": {"credit amount": [-9]}},
            "the code -9 lies amid the regular values of 'credit amount', .*-20 to 8",
        ),
        ({"special": {"age": [25]}}, "the code 25 lies amid the regular values of 'age', which go from -9 to 50"),
    ],
)
def test_what_does_not_fit_the_table_gets_one_clear_error(given, message):
    with pytest.raises(InvalidInputError, match=message):
        resolve(Constraints(**given), CREDIT, CODED)


def test_special_codes_need_training_rows():
    with pytest.raises(InvalidInputError, match="special: training rows are needed"):
        resolve(Constraints(special=[-9]), CREDIT)


def test_a_list_of_codes_means_the_columns_in_which_they_occur():
    rows = CODED[:, :].copy()
    rows[:, 1], rows[:, 2] = [1, 2, 3, 4, 5, -7], [1, 2, 3, 4, 5, 6]
    rules = resolve(Constraints(special=[-9, -8, -7]), CREDIT, rows)
    assert [name.split(" is a")[0] for name in rules.names] == ["age", "income"]


def test_only_constraints_are_constraints():
    with pytest.raises(
        InvalidInputError, match=r"expected elsewise\.Constraints or None, received dict\. Make them with"
    ):
        resolve({"immutable": ["age"]}, CREDIT)
    with pytest.raises(InvalidInputError, match=r"expected elsewise\.Constraints or None, received list"):
        resolve([], CREDIT)


def test_an_indicator_of_a_group_is_named_by_its_group():
    group = Column("purpose", "category", 0, 2, (0, 1), ("car", "tv"))
    grouped = Table((group,), ("purpose_car", "purpose_tv"), True, (None, None))
    with pytest.raises(InvalidInputError, match="'purpose_car' is one of the indicators of the column 'purpose'"):
        resolve(Constraints(immutable=["purpose_car"]), grouped)


def test_levels_are_found_as_files_write_them():
    mixed = table(
        ("rooms", "category", (1, 2, 3)), ("garden", "category", (False, True)), ("gap", "category", ("x", None))
    )
    asked = Constraints.from_mapping(
        {"allowed": {"rooms": {"1": [2]}, "garden": {"true": []}, "gap": {"missing": [], "x": [float("nan")]}}}
    )
    rules = resolve(asked, mixed)
    E = np.array([[1.0, 0, 0, 0, 1, 1, 0], [0, 1, 0, 1, 0, 0, 1]])
    assert rules.reachable(E).tolist() == [
        [True, True, False, False, True, True, True],
        [True, True, True, True, True, False, True],
    ]
    with pytest.raises(InvalidInputError, match="'garden' has no level 1"):
        resolve(Constraints(allowed={"garden": [1]}), mixed)


def test_bounds_without_ends_are_no_rule():
    assert resolve(Constraints(bounds={"age": (None, None)}), CREDIT).names == ()


def test_columns_the_model_does_not_use_keep_what_is_said_about_their_changes():
    partial = Table(CREDIT.columns, (*CREDIT.names, "name"), True, (None,) * 7)
    kept = Constraints(immutable=["name", "age"], integer=["name"])
    assert resolve(kept, partial).names == ("age stays as it is",)
    assert resolve(Constraints(monotone={"name": "increase"}, allowed={"name": ["x"]}), partial).names == ()
    for given in ({"bounds": {"name": (0, 1)}}, {"linear": ["name <= 1"]}, {"special": {"name": [-9]}}):
        with pytest.raises(InvalidInputError, match="the model does not use the column 'name'"):
            resolve(Constraints(**given), partial, CODED)
