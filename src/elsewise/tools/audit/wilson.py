"""Wilson's interval of a share: never of zero width, also where nothing or everything was seen."""

from __future__ import annotations

import math
from statistics import NormalDist

from .bootstrap import CONFIDENCE


def share_interval(n_true: int, n: int) -> tuple[float, float]:
    """Return the ends of Wilson's score interval for the share ``n_true / n``.

    The interval holds every share p with ``|n_true / n - p| <= z * sqrt(p * (1 - p) / n)``, where z is the quantile of
    the normal distribution that belongs to the confidence.

    Parameters
    ----------
    n_true : int
    n : int
        At least one.

    Returns
    -------
    tuple of float
        Lower and upper end, within [0, 1].
    """
    z2 = NormalDist().inv_cdf((1 + CONFIDENCE) / 2) ** 2
    share = n_true / n
    middle = share + z2 / (2 * n)
    width = math.sqrt(z2 * (share * (1 - share) / n + z2 / (4 * n * n)))
    low, high = ((middle + sign * width) / (1 + z2 / n) for sign in (-1, 1))
    return (0.0 if n_true == 0 else low), (1.0 if n_true == n else high)
