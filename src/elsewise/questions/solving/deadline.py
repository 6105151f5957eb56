"""A time by which everything that is found out about a row must be known.

RowSeconds: what each row may still take of its time limit, whatever is being done for it.
"""

from __future__ import annotations

import time

import numpy as np

from ...arrays import FloatArray, IntArray
from ...search.ledger import TimeLimit, seconds_of

# Seconds that a question may take at least where several share a limit: a time limit is positive.
SMALLEST_TIME_LIMIT = 1e-9


class TimeIsOverError(Exception):
    """No more can be found out."""


class Deadline:
    """Ends work on a row.

    Parameters
    ----------
    seconds : float or None
        From now on; None for no end.
    """

    def __init__(self, seconds: float | None = None) -> None:
        self.ends = None if seconds is None else time.perf_counter() + seconds

    def left(self) -> float | None:
        """Seconds that are left, None without an end; raises `TimeIsOverError` if there are none."""
        if self.ends is None:
            return None
        left = self.ends - time.perf_counter()
        if left <= 0:
            raise TimeIsOverError
        return max(left, SMALLEST_TIME_LIMIT)

    @property
    def is_over(self) -> bool:
        """Whether no time is left."""
        return self.ends is not None and time.perf_counter() >= self.ends

    def limit(self, share: float = 1.0) -> float | None:
        """Return a share of the seconds that are left as a time limit, None without an end.

        If none are left it is the smallest there is: a search that begins late ends at once and says what it knows.
        """
        if self.ends is None:
            return None
        return max((self.ends - time.perf_counter()) * share, SMALLEST_TIME_LIMIT)


class RowSeconds:
    """Seconds that rows have left; those that come after share them with those that came before.

    Parameters
    ----------
    time_limit : float, array of shape (n_samples,), or None
    n_rows : int
    share : float
        Of the limit, for the search of answers; the rest is reserved for what is found out about them.

    Attributes
    ----------
    left : array of shape (n_samples,)
        For the search; infinite without a limit.
    reserved : array of shape (n_samples,)
        For what is found out about answers, beside what the search leaves.
    to_verify : float
        What the model takes to judge a row's point, where it was asked beforehand.
    """

    def __init__(self, time_limit: TimeLimit, n_rows: int, share: float = 1.0) -> None:
        seconds = seconds_of(time_limit, n_rows)
        self.left = seconds * share
        self.reserved = seconds * (1.0 - share) if share < 1.0 else np.zeros(n_rows)
        self.is_limited = bool((self.left < np.inf).any())
        self.to_verify = 0.0

    def kept_back(self, share: float) -> FloatArray:
        """Seconds that are not to be used now: those of later answers, and what verifying takes; shape (n_samples,).

        Parameters
        ----------
        share : float
            Of what is left to each row, for what is done now.
        """
        if not self.is_limited:
            return np.zeros(len(self.left))
        usable = np.isfinite(self.left) & (self.left > 0)
        return np.where(usable, self.left, 0.0) * (1.0 - share) + self.to_verify

    def spend(self, places: IntArray, seconds: FloatArray, started: float) -> float:
        """Count what each row took, and share what else was done since; tell the time."""
        now = time.perf_counter()
        if not self.is_limited:
            return now
        shared = max(now - started - float(seconds.sum()), 0.0) / max(len(places), 1)
        self.left[places] -= seconds + shared
        return now
