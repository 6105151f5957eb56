"""A time by which everything that is found out about a row must be known."""

from __future__ import annotations

import time

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
