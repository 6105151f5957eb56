"""Why not: sentences for outcomes that no point reaches."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..density.base import ClassDensity, log_peaks
from ..pipelines.affine import AffineMap
from ..regions.base import Region
from ..search.emptiness import squared_radii_needed


def why_infeasible(region: Region, density: ClassDensity | None, to_model: AffineMap, wanted: str) -> str:
    """Explain why no row at all can reach the outcome: the model never says so, or the threshold is too high there.

    Parameters
    ----------
    region : Region
        Where the model decides for the outcome, in model space.
    density : ClassDensity or None
    to_model : AffineMap
    wanted : str
        The outcome in words, such as ``"predict 'benign'"``.
    """
    never = f"No input at all makes the model {wanted}."
    if region.n_polyhedra == 0 or density is None:
        return never
    best = densest_log_density(region, density, to_model)
    if not np.isfinite(best):
        return never
    if best >= density.log_threshold_:
        return f"No point that makes the model {wanted} was found at this threshold; that there is none is not proven."
    quantile = density.quantile_of(best)
    absolute = f"an absolute threshold LogDensity({_down(best, 3)})"
    if quantile is None or _down(quantile, 4) == 0.0:  # thresholds lie strictly between 0 and 1
        works = f"no quantile of the training rows works; {absolute} does"
    elif quantile == 1.0:
        works = f"every threshold quantile works, and so does {absolute}"
    else:
        works = f"the highest threshold quantile that works is {_down(quantile, 4)}"
    return (
        f"The density threshold is too high: nothing that makes the model {wanted} reaches log density "
        f"{density.log_threshold_:.6g}. The densest such point has {best:.6g}; {works}."
    )


def densest_log_density(region: Region, density: ClassDensity, to_model: AffineMap) -> float:
    """Highest component-wise maximum density (logarithm) the region holds; minus infinity if the region is empty."""
    # Far below every peak all components have a cone: their squared radii are 2 (peak - threshold).
    low = float(log_peaks(density.mixture_).min()) - 1.0
    everything: Any = density.with_threshold(low).cones()
    needed = squared_radii_needed(region, everything, to_model)
    return float(np.max(low + 0.5 * (everything.radii**2 - needed), initial=-np.inf))


def _down(value: float, digits: int) -> float:
    """Round down, so that what is promised holds."""
    return math.floor(value * 10.0**digits) / 10.0**digits
