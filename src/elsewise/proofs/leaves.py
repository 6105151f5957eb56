"""Parts that single limits of numbers close, as they do most leaves of a tree: all of them at once."""

from __future__ import annotations

from typing import Any

import numpy as np

from .multipliers import ROUNDING
from .nodes import NodeCosts, ProofNode
from .regions import StatedPolyhedra

# Where the domain has nothing beyond a limit, its multiplier is so large that this many times the bound is proven.
BEYOND = 2.0


def closed_parts(
    region: StatedPolyhedra, costs: NodeCosts, box: ProofNode, wanted: float
) -> list[dict[str, Any] | None]:
    """Return multipliers of parts that are farther than what is wanted; None for others.

    A half-space ``a x <= b`` of one number is a limit. Multiplied by ``price / |a|`` it proves what reaching the limit
    costs; limits of different numbers add up.
    """
    table = region.limits
    if table is None:
        return [None] * region.n_parts
    part, place, f, slope, end = table
    size = np.abs(slope) * (np.abs(costs.row) + costs.reach)[f] + np.abs(slope * end)
    end = end + np.sign(slope) * ROUNDING * region.n_operations * size / np.abs(slope)
    low, high = costs.limits(box)
    side = np.sign(slope)
    missing = side * (costs.row[f] - end)
    beyond = np.where(slope > 0, low[f] - end, end - high[f])
    is_far = np.isin(f, costs.numeric) & (missing > 0)
    worth = np.where(is_far, costs.prices[f] * missing, 0.0)
    best = np.zeros((region.n_parts, len(costs.row)))
    np.maximum.at(best, (part, f), worth)
    is_empty = is_far & (beyond > 1e-9 * (np.abs(end) + 1.0))
    found: list[dict[str, Any] | None] = [None] * region.n_parts
    for k in np.unique(part[is_empty]).tolist():
        r = int(np.flatnonzero(is_empty & (part == k))[0])
        found[k] = {"parts": [[int(place[r]), float(BEYOND * wanted / (beyond[r] * abs(slope[r])))]]}
    chosen = is_far & (worth == best[part, f])
    for k in np.flatnonzero(best.sum(axis=1) >= wanted).tolist():
        own = np.flatnonzero(chosen & (part == k))
        own = own[np.unique(f[own], return_index=True)[1]]
        pairs = [[int(place[r]), float(costs.prices[f[r]] / abs(slope[r]))] for r in own]
        found[k] = found[k] or {"parts": sorted(pairs)}
    return found
