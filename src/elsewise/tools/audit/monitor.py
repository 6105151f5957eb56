"""New rows against those at fit: shares and distributions, with numbers one can alert on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from ...arrays import FloatArray
from ...errors import InvalidInputError
from ...fitted import FittedModel
from ...text.constants import FEW
from ...text.numbers import number
from .baseline import Baseline, Observed, observe, thresholds_of
from .constants import SIGNIFICANCE
from .correction import corrected

# Change of a share, or of a distribution (Kolmogorov-Smirnov), below which a difference is no alert, however certain.
SMALLEST_CHANGE = 0.05


@dataclass(frozen=True, slots=True)
class Reading:
    """One number that is watched.

    Attributes
    ----------
    name : str
        ``"wrong_share"``, ``"infeasible_share"``, ``"distance"``, ``"plausibility"`` or ``"unusual_share"``.
    now, at_fit : float
        A share, or a median.
    change : float
        Between 0 and 1: the difference of shares, or the largest difference between two distributions (Kolmogorov and
        Smirnov's).
    p_value, adjusted : float
        How likely such a change is if nothing has changed; and corrected for the number of readings (Holm).
    alert : bool
        The change is certain, and not small.
    """

    name: str
    now: float
    at_fit: float
    change: float
    p_value: float
    adjusted: float
    alert: bool


@dataclass(frozen=True, slots=True)
class Monitoring:
    """New rows against those at fit.

    Attributes
    ----------
    n_rows : int
        New rows.
    readings : tuple of Reading
    """

    n_rows: int
    readings: tuple[Reading, ...]

    @property
    def alerts(self) -> tuple[str, ...]:
        """Names of readings that have changed."""
        return tuple(each.name for each in self.readings if each.alert)

    def __getitem__(self, name: str) -> Reading:
        for each in self.readings:
            if each.name == name:
                return each
        raise KeyError(name)

    def to_mapping(self) -> dict[str, Any]:
        """Give all of it as plain values, None for what is not known."""
        readings = [
            {
                name: None if isinstance(value, float) and np.isnan(value) else value
                for name, value in asdict(each).items()
            }
            for each in self.readings
        ]
        return {"rows": self.n_rows, "alerts": list(self.alerts), "readings": readings}

    def __str__(self) -> str:
        lines = []
        for each in self.readings:
            told = f"{number(each.now, FEW)} now, {number(each.at_fit, FEW)} at fit"
            sign = "ALERT" if each.alert else "     "
            lines.append(f"  {sign}  {each.name:<17} {told} (change {each.change:.2f}, p = {each.adjusted:.2g})")
        return "\n".join([f"{self.n_rows:,} new rows against those at fit", *lines])


def monitor(fitted: FittedModel, baseline: Baseline | None, X: Any, n_jobs: int | None) -> Monitoring:
    """Ask the question of a baseline about new rows, and compare; see :meth:`elsewise.Explainer.monitor`."""
    if baseline is None:
        raise InvalidInputError(
            "There is nothing to compare with: call explainer.set_baseline(X, target) on held-out rows after the fit."
        )
    if thresholds_of(fitted) != baseline.thresholds:
        raise InvalidInputError(
            "The density threshold is another one than when explainer.set_baseline was called. Call it again."
        )
    now = observe(fitted, X, baseline.target, baseline.options, n_jobs)
    if now.n_rows == 0:
        raise InvalidInputError("There are no rows to monitor.")
    return Monitoring(now.n_rows, compared(now, baseline.observed))


def compared(now: Observed, before: Observed) -> tuple[Reading, ...]:
    """Compare what came of the same question about two sets of rows."""
    found: Mapping[str, tuple[float, float, float, float]] = {
        "wrong_share": _shares(now.n_wrong, now.n_rows, before.n_wrong, before.n_rows),
        "infeasible_share": _shares(now.n_infeasible, now.n_in_need, before.n_infeasible, before.n_in_need),
        "distance": _distributions(now.distances, now.n_distances, before.distances, before.n_distances),
        "plausibility": _distributions(
            now.plausibilities, now.n_plausibilities, before.plausibilities, before.n_plausibilities
        ),
        "unusual_share": _shares(now.n_unusual, now.n_plausibilities, before.n_unusual, before.n_plausibilities),
    }
    known = {name: reading for name, reading in found.items() if not np.isnan(reading[0])}
    adjusted = corrected([reading[3] for reading in known.values()])
    return tuple(
        Reading(name, *reading, each, each < SIGNIFICANCE and reading[2] >= SMALLEST_CHANGE)
        for (name, reading), each in zip(known.items(), adjusted)
    )


def _shares(k: int, n: int, k_before: int, n_before: int) -> tuple[float, float, float, float]:
    if not n or not n_before:
        return np.nan, np.nan, np.nan, 1.0
    from scipy.stats import fisher_exact  # takes as long to import as all the rest

    p = float(fisher_exact(np.array([[k, n - k], [k_before, n_before - k_before]]))[1])
    return k / n, k_before / n_before, abs(k / n - k_before / n_before), p


def _distributions(now: FloatArray, n: int, before: FloatArray, n_before: int) -> tuple[float, float, float, float]:
    """Compare samples, of which one or both may be told by quantiles."""
    if not n or not n_before:
        return np.nan, np.nan, np.nan, 1.0
    from scipy.stats import kstwo

    places = np.concatenate([now, before])
    shares = [np.searchsorted(values, places, side="right") / len(values) for values in (now, before)]
    statistic = float(np.abs(shares[0] - shares[1]).max())
    p = float(kstwo.sf(statistic, max(round(n * n_before / (n + n_before)), 1)))
    return float(np.median(now)), float(np.median(before)), statistic, p
