"""Boxes around the best point so far are searched for as long as that gains much."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from elsewise.regions.ensembles.constants import LARGE_GAIN, MOST_TIMES_AROUND, TIMES_AROUND
from elsewise.regions.ensembles.inside_search import InsideSearch


class Gains(InsideSearch):
    """A search each of which makes the best point nearer by a share."""

    def __init__(self, share, n_gains):
        first = SimpleNamespace(point=np.full(2, 4.0), value=8.0)
        cone = SimpleNamespace(squared_radius=1.0)
        boxes = SimpleNamespace(
            inside=SimpleNamespace(cone=cone, first=first), numbers=np.arange(2),
            lower=np.zeros(2), upper=np.full(2, 9.0),
            trees=SimpleNamespace(price=np.ones(2), n_vars=2), point=None, value=np.inf, ends=0.0, is_answered=False,
        )  # fmt: skip
        super().__init__(boxes, SimpleNamespace(half_widths=np.ones(2)), None)
        self.share, self.n_gains, self.limits = share, n_gains, []

    def _search(self, *_):
        self.limits.append((self.boxes.lower.copy(), self.boxes.upper.copy()))
        if len(self.limits) <= self.n_gains:
            self.boxes.value *= 1 - self.share
            self.boxes.point = self.boxes.point * (1 - self.share)
        return 0.0, False


@pytest.mark.parametrize(
    ("share", "n_gains", "n_times"),
    [
        (2 * LARGE_GAIN, 100, MOST_TIMES_AROUND),
        (2 * LARGE_GAIN, 5, 6),  # the sixth gains nothing
        (LARGE_GAIN / 2, 100, TIMES_AROUND),
        (0.0, 0, TIMES_AROUND),  # wider each time
    ],
)
def test_times(share, n_gains, n_times):
    search = Gains(share, n_gains)
    answer = search.look(np.zeros(2), np.inf, 1e9)
    assert len(search.limits) == n_times
    assert answer.value == pytest.approx(8.0 * (1 - share) ** min(n_gains, n_times))
    np.testing.assert_array_equal([search.boxes.lower, search.boxes.upper], [np.zeros(2), np.full(2, 9.0)])
    middles = [(low + high)[0] / 2 for low, high in search.limits]
    np.testing.assert_allclose(middles, [4.0 * (1 - share) ** min(n_gains, t) for t in range(n_times)])
