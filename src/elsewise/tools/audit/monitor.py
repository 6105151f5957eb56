"""New rows against those at fit: shares and distributions, with numbers one can alert on.

What questions about rows came to at fit, kept to compare later rows with: counts and quantiles, no rows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass

import numpy as np

from ...answers import Explanations
from ...arrays import FloatArray, JsonObject, UserData, UserTarget, UserValue
from ...errors import InvalidInputError
from ...fitted import FittedModel
from ...questions import Options
from ...questions.explain import explain_rows
from ...text.numbers import FEW, number
from .answers_table import table_of
from .statistics import corrected
from .words import SIGNIFICANCE

# Points of a distribution that a baseline keeps: its quantiles, not the rows.
N_QUANTILES = 501
# Held-out plausibility below which a row is called unusual: of rows like those at fit, as large a share is.
UNUSUAL = 0.05


@dataclass(frozen=True, slots=True, eq=False)
class Observed:
    """What came of a question about rows.

    Attributes
    ----------
    n_rows, n_wrong : int
        Rows that were asked about, and those among them that are wrong.
    n_in_need, n_infeasible : int
        Rows that are not as wanted already, and those among them without an answer.
    distances : array
        Of answers, in ascending order: all of them, or their quantiles.
    n_distances : int
        Answers they stand for.
    plausibilities : array
        How plausible the rows themselves are, in ascending order: all, or quantiles. Of a row, it is the share of the
        training rows of its predicted class that are no denser.
    n_plausibilities, n_unusual : int
        Rows they stand for, and those among them that hardly any training row is less plausible than.
    """

    n_rows: int
    n_wrong: int
    n_in_need: int
    n_infeasible: int
    distances: FloatArray
    n_distances: int
    plausibilities: FloatArray
    n_plausibilities: int
    n_unusual: int


@dataclass(frozen=True, slots=True, eq=False)
class Baseline:
    """A question, and what came of it.

    Attributes
    ----------
    target : label, (low, high) or None
    options : Options
    thresholds : dict of label to float
        Log densities that were asked for: at others answers cannot be compared.
    observed : Observed
    """

    target: UserTarget
    options: Options
    thresholds: dict[UserValue, float]
    observed: Observed


def baseline_of(fitted: FittedModel, X: UserData, target: UserTarget, options: Options, n_jobs: int | None) -> Baseline:
    """Ask about rows, and keep what came of it."""
    seen = observe(fitted, X, target, options, n_jobs)
    kept = Observed(
        seen.n_rows,
        seen.n_wrong,
        seen.n_in_need,
        seen.n_infeasible,
        quantiles(seen.distances),
        seen.n_distances,
        quantiles(seen.plausibilities),
        seen.n_plausibilities,
        seen.n_unusual,
    )
    return Baseline(target, options, thresholds_of(fitted), kept)


def observe(fitted: FittedModel, X: UserData, target: UserTarget, options: Options, n_jobs: int | None) -> Observed:
    """Ask about rows."""
    answers = explain_rows(fitted, X, target, options, n_jobs=n_jobs)
    table = table_of(answers)
    need = table.in_need
    distances = np.sort(table.distances[need & table.found])
    own = np.sort(row_plausibilities(fitted, answers))
    return Observed(
        n_rows=len(table.statuses),
        n_wrong=int((table.statuses == "error").sum()),
        n_in_need=int(need.sum()),
        n_infeasible=int((need & ~table.found).sum()),
        distances=distances,
        n_distances=len(distances),
        plausibilities=own,
        n_plausibilities=len(own),
        n_unusual=int((own < UNUSUAL).sum()),
    )


def row_plausibilities(fitted: FittedModel, answers: Explanations) -> FloatArray:
    """Find how plausible rows are among the training rows of the class that is predicted for them.

    Returns
    -------
    array of shape (n_rows that are right,); empty without a density
    """
    places = np.unique(answers.rows, return_index=True)[1].astype(np.int64)
    places = places[answers.statuses[places] != "error"]
    if not fitted.densities or len(places) == 0:
        return np.zeros(0)
    predicted = [None if fitted.classes is None else label for label in answers.predictions[places].tolist()]
    shares = np.full(len(places), np.nan)
    for alike, own in fitted.by_missing(fitted.table.missing(answers.x)[places]):
        for label in dict.fromkeys(predicted[place] for place in alike.tolist()):
            density = own.densities.get(label)
            if density is not None and len(density.log_densities_):
                chosen = np.array([place for place in alike.tolist() if predicted[place] == label], dtype=np.int64)
                values = own.log_density(answers.row_features[places[chosen]], label)
                below = np.searchsorted(density.log_densities_, values, side="right")
                shares[chosen] = below / len(density.log_densities_)
    return np.asarray(shares[np.isfinite(shares)])


def quantiles(values: FloatArray) -> FloatArray:
    """Keep so many points of a distribution that it can be compared, and no row of many can be recognised."""
    if len(values) == 0:
        return values
    return np.asarray(np.quantile(values, np.linspace(0, 1, N_QUANTILES)))


def thresholds_of(fitted: FittedModel) -> dict[UserValue, float]:
    """Log densities that answers are held to, by label."""
    return {label: float(density.log_threshold_) for label, density in fitted.densities.items()}


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

    def to_mapping(self) -> JsonObject:
        """Return all of it as plain values, None for what is not known."""
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
            stated = f"{number(each.now, FEW)} now, {number(each.at_fit, FEW)} at fit"
            sign = "ALERT" if each.alert else "     "
            lines.append(f"  {sign}  {each.name:<17} {stated} (change {each.change:.2f}, p = {each.adjusted:.2g})")
        return "\n".join([f"{self.n_rows:,} new rows against those at fit", *lines])


def monitor(fitted: FittedModel, baseline: Baseline | None, X: UserData, n_jobs: int | None) -> Monitoring:
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
    """Compare samples, of which one or both may be given by quantiles."""
    if not n or not n_before:
        return np.nan, np.nan, np.nan, 1.0
    from scipy.stats import kstwo

    places = np.concatenate([now, before])
    shares = [np.searchsorted(values, places, side="right") / len(values) for values in (now, before)]
    statistic = float(np.abs(shares[0] - shares[1]).max())
    p = float(kstwo.sf(statistic, max(round(n * n_before / (n + n_before)), 1)))
    return float(np.median(now)), float(np.median(before)), statistic, p
