"""Regions of models that see derived columns."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from elsewise.search.relaxations.derived import DerivedColumns, DerivedForm, DerivedRegion
from elsewise.search.relaxations.polyhedra import PolyhedronUnion


@given(arrays(np.float64, (6, 2), elements=st.sampled_from([-2.0, -0.5, 0.0, 0.5, 1.0, 3.0])))
def test_a_point_where_a_ratio_divides_by_zero_is_not_accepted(points):
    normals, offsets, shift = np.array([[1.0, 0.0, 1.0]]), np.array([2.0]), np.array([[0.5, 0.0, -0.25]])
    union = PolyhedronUnion(normals, offsets, np.array([[0, 1]]), shift, np.zeros(1))
    ratio = DerivedForm(column=2, first=0, second=1, divides=True, decimals=None, scale=1.0, shift=0.0)
    region = DerivedRegion(union, DerivedColumns(np.array([0, 1, -1]), (ratio,), 2))
    expected = [b != 0 and 0.5 * a + 1.25 * (a / b) <= 2.0 for a, b in points.tolist()]
    np.testing.assert_array_equal(region.accepts(points), expected)
