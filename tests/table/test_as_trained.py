"""Values of other dtypes and of text, read as the training data have them."""

from __future__ import annotations

import numpy as np
import pytest

import elsewise as ew
from elsewise.table.as_trained import as_trained

pandas = pytest.importorskip("pandas")


@pytest.mark.parametrize("odd", [2, -1, 0.5, 7.0, np.float32(3)])
@pytest.mark.parametrize("dtype", [object, None], ids=["objects", "numbers"])
def test_only_0_and_1_stand_for_truth_values(odd, dtype):
    right = as_trained(pandas.Series([0, 1, 1.0, np.int8(0)], dtype=object), np.dtype(bool))
    assert right.dtype == bool
    assert right.tolist() == [False, True, True, False]
    kept = as_trained(pandas.Series([0, 1, odd], dtype=dtype), np.dtype(bool))
    assert kept.tolist() == [0, 1, odd]


@pytest.mark.parametrize("odd", [2, -1, 0.5, "2", "2.0"])
def test_another_number_in_a_column_of_truth_values_is_refused(loans, odd):
    rows = loans.frame.iloc[:3].astype({"guarantor": object})
    right = rows.copy()
    right["guarantor"] = [1, 0, 1.0]
    rows["guarantor"] = [1, 0, odd]
    with pytest.raises(ew.InvalidInputError, match=r"guarantor.*This value was not in the training data; known are"):
        loans.explainer.explain(rows, "yes")
    answers = loans.explainer.mapper("yes")(rows)
    assert (answers["status"] == "error").tolist() == [False, False, True]
    assert "'guarantor'" in answers["error"].iloc[2]
    same = loans.explainer.mapper("yes")(right.astype({"guarantor": bool}))
    assert loans.explainer.mapper("yes")(right)["distance"].tolist() == same["distance"].tolist()
