"""Answers that keep a distance from earlier ones: when a box has to be divided."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from elsewise.search.domains.earlier_answers import Apart


@pytest.mark.parametrize(("away", "is_divided"), [(1.0, True), (1.9, True), (1.999, True), (2.0, False), (2.5, False)])
def test_boxes_are_divided_until_points_are_as_far_as_asked(away, is_divided):
    problem: Any = SimpleNamespace(
        coordinates=SimpleNamespace(stretch=np.ones(2)), space=SimpleNamespace(group=np.full(2, -1))
    )
    apart = Apart(problem, [[(np.zeros(2), 2.0)]])
    found = apart.branching_at(0, np.full(2, -3.0), np.full(2, 3.0), np.array([away, 0.0]))
    assert (found is not None) == is_divided
