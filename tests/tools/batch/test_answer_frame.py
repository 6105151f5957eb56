"""Values of columns that are copied, in the few kinds that every engine knows."""

from __future__ import annotations

import numpy as np
import pytest

from elsewise.tools.batch.schema import as_kind

pandas = pytest.importorskip("pandas")


@pytest.mark.parametrize("dtype", [object, np.float64, np.int64, "Int64"])
def test_only_0_and_1_are_truth_values(dtype):
    read = as_kind(pandas.Series([0, 1, 2, -1], dtype=dtype), "truth")
    assert read.dtype == "boolean"
    assert read.isna().tolist() == [False, False, True, True]
    assert read[:2].tolist() == [False, True]


def test_truth_values_stay_what_they_are():
    assert as_kind(np.array([True, False]), "truth").tolist() == [True, False]
    mixed = as_kind(pandas.Series([True, None, 0.5, "x", np.bool_(False)], dtype=object), "truth")
    assert mixed.isna().tolist() == [False, True, True, True, False]
    assert (mixed[0], mixed[4]) == (True, False)


def test_a_mapper_copies_no_other_number_as_true(loans):
    rows = loans.frame.iloc[:3].assign(flag=[1, 0, 2])
    copied = loans.explainer.mapper("yes", id_columns={"flag": "bool"})(rows)["flag"]
    assert copied.isna().tolist() == [False, False, True]
    assert copied.iloc[:2].tolist() == [True, False]
