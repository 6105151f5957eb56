"""P-values corrected for their number."""

from __future__ import annotations

from collections.abc import Sequence


def corrected(p_values: Sequence[float]) -> list[float]:
    """Correct by Holm's steps: the smallest times m, the next times m - 1, ..., none below those before it.

    Parameters
    ----------
    p_values : sequence of floats of length m

    Returns
    -------
    list of floats, in the same order
    """
    order = sorted(range(len(p_values)), key=lambda place: p_values[place])
    adjusted, largest = [0.0] * len(p_values), 0.0
    for step, place in enumerate(order):
        largest = max(largest, min(1.0, p_values[place] * (len(order) - step)))
        adjusted[place] = largest
    return adjusted
