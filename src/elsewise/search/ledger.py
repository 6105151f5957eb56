"""The ledger of a search: incumbents, bounds, time and counts of the rows of a batch.

Every search keeps one. A node is open until it is branched or settled; a settled node is never looked at again, and its
bound stays. So nothing is nearer than the smallest bound of settled and open nodes, and that is the lower bound of the
row. It is computed here and nowhere else. A point that the search has checked belongs to some node: where every bound
exceeds its distance, one of them is wrong, and the ledger raises instead of calling the point optimal.

Time limits: seconds a row may take, from the first thing done for it to the last.

What is done for many rows at once is shared among them, so n rows take n limits at most. A row that holds no point when
its time is over is given a little more (:data:`~.constants.GRACE`): most rows have one by then. After that it is left
without, and with the bound that is proven.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np

from ..arrays import BoolArray, FloatArray, IntArray
from ..errors import InternalError
from .constants import GRACE, TOLERANCE

# Seconds a row: the same for all, one number each, or no limit.
TimeLimit = float | FloatArray | None


def seconds_of(time_limit: TimeLimit, n_rows: int) -> FloatArray:
    """Return the seconds of each row, infinite without a limit; array of shape (n_rows,)."""
    return np.full(n_rows, np.inf if time_limit is None else time_limit, dtype=np.float64)


def is_late(left: FloatArray, has_point: BoolArray) -> BoolArray:
    """Whether rows with so many seconds left, less than none perhaps, have to end; shape (n,)."""
    return np.asarray(left <= np.where(has_point, 0.0, -GRACE))


# Share and amount by which the bounds of all nodes may exceed the distance of a point before one of them is wrong: more
# than the rounding of a projection where features are in very different units, less than any gap that people read.
CONTRADICTION, NEGLIGIBLE = 1e-4, 1e-7

_BY_ROW = ("value", "points", "part", "ellipsoid", "cutoff", "settled", "open", "model_free", "timed_out")
_SUMS = ("n_projections", "seconds", "work")

Rows = IntArray | BoolArray | Sequence[int]


class Ledger:
    """What is known of each row: the best point, what is proven, and what it took.

    Parameters
    ----------
    rows : array of shape (n_samples, n_features)
    cutoff : array of shape (n_samples,), optional
        Only points nearer than this are wanted.
    time_limit : float, array of shape (n_samples,), or None
        Seconds a row may take, from the making of the ledger on.
    tolerance : float
        Share of the cutoff within which nodes cannot hold anything noticeably better.

    Attributes
    ----------
    value : array of shape (n_samples,)
        Distance of the incumbent, infinite without one.
    points : array of shape (n_samples, n_features)
        Incumbents; NaN without one.
    part, ellipsoid : int arrays of shape (n_samples,)
        Part of the region and ellipsoid of the density that hold the incumbent; -1 without one.
    cutoff : array of shape (n_samples,)
        Distance beyond which nothing matters: that of the incumbent, once there is one.
    settled : array of shape (n_samples,)
        Smallest bound of the nodes that are settled. What no node covers is empty, hence infinitely far.
    open : array of shape (n_samples,)
        Smallest bound of the nodes that are open; 0 until the search has closed the row.
    model_free : bool array of shape (n_samples,)
        The incumbent is proven to be the nearest point of the ellipsoids, whatever the model says. With whole numbers,
        categories or rules, the relaxation without the model proves it, or nothing does: it may hold where it is not
        set.
    timed_out : bool array of shape (n_samples,)
        The time limit, or the number of nodes, ended the proof.
    n_projections : int array of shape (n_samples,)
    work : array of shape (n_samples,)
        What was counted of the searches of boxes, in units of the usual amount; see :class:`~.request.SearchRequest`.
    seconds : array of shape (n_samples,)
        What each row took; what is done for several rows at once is shared among them.
    allowed : array of shape (n_samples,)
        Seconds a row may take, infinite without a limit.
    """

    def __init__(
        self,
        rows: FloatArray,
        cutoff: FloatArray | None = None,
        time_limit: TimeLimit = None,
        tolerance: float = TOLERANCE,
    ) -> None:
        n, self.tolerance = len(rows), tolerance
        self._last_charge = time.perf_counter()
        self.value = np.full(n, np.inf)
        self.points = np.full_like(rows, np.nan)
        self.part, self.ellipsoid = np.full(n, -1), np.full(n, -1)
        self.cutoff = np.full(n, np.inf) if cutoff is None else cutoff.astype(np.float64)
        self.settled, self.open = np.full(n, np.inf), np.zeros(n)
        self.model_free, self.timed_out = np.zeros(n, dtype=np.bool_), np.zeros(n, dtype=np.bool_)
        self.n_projections, self.seconds, self.work = np.zeros(n, dtype=np.int64), np.zeros(n), np.zeros(n)
        self.allowed = seconds_of(time_limit, n)
        self._is_limited = time_limit is not None and bool((self.allowed < np.inf).any())
        self._alone = np.zeros(n)  # seconds spent on single rows since all of them were charged last

    def __len__(self) -> int:
        return len(self.value)

    @property
    def has_point(self) -> BoolArray:
        """Rows with an incumbent, shape (n_samples,)."""
        return np.asarray(np.isfinite(self.value))

    @property
    def lower_bound(self) -> FloatArray:
        """Distance that no point is nearer than, shape (n_samples,); infinite where all is proven empty. Read-only."""
        bound = np.asarray(np.minimum(np.minimum(self.settled, self.open), self.value))
        bound.setflags(write=False)
        return bound

    # ---- incumbents and bounds ----

    def is_worth(self, rows: Rows, bounds: FloatArray) -> BoolArray:
        """Whether nodes of rows with these bounds may hold something better, shape (n,)."""
        return np.asarray(bounds < self.cutoff[rows] * (1 - self.tolerance))

    def offer(
        self,
        rows: IntArray,
        values: FloatArray,
        points: FloatArray,
        part: IntArray | int = 0,
        ellipsoid: IntArray | int = 0,
    ) -> BoolArray:
        """Take points that hold as incumbents where they are nearer than the cutoff; return which are, shape (n,).

        Parameters
        ----------
        rows : int array of shape (n,)
            Each row occurs once.
        values : array of shape (n,)
            Distances of the points.
        points : array of shape (n, n_features)
        part, ellipsoid : int arrays of shape (n,), or int
        """
        nearer = np.asarray(values < self.cutoff[rows])
        if not nearer.any():
            return nearer
        taken = rows[nearer]
        self.cutoff[taken] = self.value[taken] = values[nearer]
        self.points[taken] = points[nearer]
        self.part[taken] = part if isinstance(part, int) else part[nearer]
        self.ellipsoid[taken] = ellipsoid if isinstance(ellipsoid, int) else ellipsoid[nearer]
        return nearer

    def settle(self, rows: Rows, bounds: FloatArray | float) -> None:
        """Close nodes of rows, which may occur several times: nothing in them is nearer than their bounds."""
        np.minimum.at(self.settled, rows, bounds)

    def close(self, open_bounds: FloatArray | float, rows: Rows | slice = slice(None)) -> None:
        """End the search of rows: nothing in the nodes that are left open is nearer than these bounds.

        Raises
        ------
        InternalError
            If all bounds of a row exceed the distance of its incumbent.
        """
        self.open[rows] = open_bounds
        proven, value = np.minimum(self.settled[rows], self.open[rows]), self.value[rows]
        wrong = proven > value * (1 + CONTRADICTION) + NEGLIGIBLE
        if wrong.any():
            bound, distance = proven[wrong][0], value[wrong][0]
            raise InternalError(
                f"The search claims that nothing is nearer than {bound!r}, but holds a point at the distance "
                f"{distance!r}. One of its bounds is wrong, and no answer can be trusted. Please report this with the "
                "model and the row."
            )

    def raise_bound(self, bounds: FloatArray) -> None:
        """Use a proof from elsewhere: nothing at all is nearer than these bounds, of shape (n_samples,)."""
        self.settled = np.maximum(self.settled, bounds)
        self.close(np.maximum(self.open, bounds))

    # ---- several ledgers ----

    def count(self, other: Ledger) -> None:
        """Add the times and counts of another search of the same rows."""
        self.n_projections += other.n_projections
        self.seconds += other.seconds
        self.work += other.work
        self.timed_out |= other.timed_out

    def adopt(self, rows: Rows, other: Ledger) -> None:
        """Replace what is known of rows by what another ledger says of them; times and counts add up."""
        for name in _SUMS:
            getattr(self, name)[rows] += getattr(other, name)
        for name in _BY_ROW:
            getattr(self, name)[rows] = getattr(other, name)

    def of_rows(self, rows: IntArray) -> Ledger:
        """Copy what is known of rows, which may occur several times."""
        copy = Ledger(self.points[rows], time_limit=self.allowed[rows], tolerance=self.tolerance)
        for name in (*_BY_ROW, *_SUMS):
            setattr(copy, name, getattr(self, name)[rows])
        return copy

    # ---- time ----

    def in_time(self, rows: IntArray) -> IntArray:
        """Return the rows that have time left; the others have timed out."""
        if not self._is_limited:
            return rows
        late = is_late(self.allowed[rows] - self.seconds[rows], np.isfinite(self.cutoff[rows]))
        self.timed_out[rows[late]] = True
        return rows[~late]

    def ends_at(self, row: int) -> float:
        """Return when the time of a row is over, if it alone is worked on from now, by ``time.perf_counter()``."""
        return time.perf_counter() + float(self.allowed[row] - self.seconds[row] - self._alone[row])

    def charge_alone(self, row: int, since: float) -> None:
        """Count the time since then as the row's own."""
        self._alone[row] += time.perf_counter() - since

    def charge(self, rows: IntArray) -> None:
        """Share the time since the last charge among rows: to each its own, and of the rest as much as to any other."""
        before, self._last_charge = self._last_charge, time.perf_counter()
        alone = self._alone[rows]
        rest = max(self._last_charge - before - float(alone.sum()), 0.0)
        self.seconds[rows] += alone + rest / max(len(rows), 1)
        self._alone[rows] = 0.0
