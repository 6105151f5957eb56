"""A column as the engine knows it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from elsewise.table import Column


@pytest.mark.parametrize("missing", [None, np.nan, "NA"])
def test_columns_are_equal_where_missing_values_are_written_alike(missing):
    if missing == "NA":
        missing = pytest.importorskip("pandas").NA
    one = Column("job", "category", 0, 2, (0,), ("a", None), missing=missing)
    same, other = replace(one, levels=("a", None)), replace(one, open=True)
    assert one == same
    assert hash(one) == hash(same)
    assert one != other
    assert one != "job"
