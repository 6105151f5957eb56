"""Density thresholds of rows that have columns that cannot change: given these, as plausible as was asked.

See :mod:`elsewise.density.conditional` for what that means. Which columns cannot change depends on the row: rules may
hold a column for everyone, leave one row nowhere to go, or keep it from where it would be typical
(:mod:`.held_back`): of the thresholds with and without the last, the row has the one that asks for less.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...arrays import BoolArray, FloatArray, IntArray
from ...density import ClassDensity
from ...density.conditional import ConditionalDensity
from ...fitted import FittedModel
from ...rules import Rules
from ...rules.atomic import FewChanges, Linear, Whole
from ...rules.implications import Implies
from ...rules.meaningful import LeastChange
from ...rules.steps import OnSteps
from ...search import Domain
from .held_back import held_back

# Rules that leave every column somewhere to go.
_NEVER_HOLD = (FewChanges, Implies, LeastChange, Linear, OnSteps, Whole)


def may_hold_columns(fitted: FittedModel, rules: Rules) -> bool:
    """Whether rules may leave a row columns that cannot change, and thresholds are those given them."""
    if not fitted.condition_on_fixed:
        return False
    return any(not (rule.is_found or isinstance(rule, _NEVER_HOLD)) for rule in rules.single)


@dataclass(frozen=True, slots=True)
class FixedPart:
    """What cannot change in one row.

    Attributes
    ----------
    fixed : bool array of shape (n_density_columns,)
        Columns of the density's rows that cannot change.
    log_highest : float
        Log density of the densest point with the same fixed columns.
    shares : array of shape (m,)
        Probability of every component of the density given the fixed columns.
    conditional : ConditionalDensity
        Of the others.
    """

    fixed: BoolArray
    log_highest: float
    shares: FloatArray
    conditional: ConditionalDensity

    def log_threshold(self, quantile: float) -> float:
        """Return the joint log density that the row asks for at a quantile."""
        return self.conditional.log_threshold(quantile, self.shares) + self.log_highest

    def share_no_denser(self, log_density: float) -> float:
        """Return the share of rows that are no denser, given what cannot change, than a point of this joint density."""
        return self.conditional.share_no_denser(log_density - self.log_highest, self.shares)


def fixed_parts(
    fitted: FittedModel, density: ClassDensity | None, rows: FloatArray, domain: Domain | None
) -> list[FixedPart | None]:
    """Find what cannot change in each row; None where it is nothing, or does not matter.

    Parameters
    ----------
    fitted : FittedModel
    density : ClassDensity or None
        Of the wanted outcome.
    rows : array of shape (n_samples, n_features)
    domain : Domain or None
        What rows may become.
    """
    parts: list[FixedPart | None] = [None] * len(rows)
    if density is None or domain is None or not fitted.condition_on_fixed or density.quantile_ is None:
        return parts
    is_fixed, points = _fixed(rows, domain)
    everything = np.arange(len(rows))
    _put_parts(parts, fitted, density, points, is_fixed, everything)
    wider, points = held_back(fitted, density, points, is_fixed, domain)
    more = np.flatnonzero((wider != is_fixed).any(axis=1))
    if len(more):
        others: list[FixedPart | None] = [None] * len(rows)
        _put_parts(others, fitted, density, points, wider, more)
        for row in more.tolist():
            parts[row] = _less_demanding(density, parts[row], others[row])
    return parts


def _put_parts(
    parts: list[FixedPart | None],
    fitted: FittedModel,
    density: ClassDensity,
    points: FloatArray,
    is_fixed: BoolArray,
    places: IntArray,
) -> None:
    patterns, pattern = np.unique(is_fixed[places], axis=0, return_inverse=True)
    for number, features in enumerate(patterns):
        fixed = fitted.fixed_in_density(features)
        chosen = places[pattern.ravel() == number]
        conditional = None if fixed is None or not fixed.any() else fitted.conditional(density, fixed)
        if fixed is None or conditional is None or not len(chosen):
            continue
        highest = conditional.highest_of_components(fitted.density_rows(points[chosen]))
        for row, of_row, shares in zip(chosen.tolist(), highest, conditional.shares(highest), strict=True):
            parts[row] = FixedPart(fixed, float(of_row.max()), shares, conditional)


def _less_demanding(density: ClassDensity, part: FixedPart | None, other: FixedPart | None) -> FixedPart | None:
    """Return the one of two that asks for less at the quantile of a density; None stands for the density's own."""
    assert density.quantile_ is not None
    if other is None:
        return part
    asked = density.log_threshold_ if part is None else part.log_threshold(density.quantile_)
    return other if other.log_threshold(density.quantile_) < asked else part


def _fixed(rows: FloatArray, domain: Domain) -> tuple[BoolArray, FloatArray]:
    """Which features cannot change, and rows with what they then hold; both of shape (n_samples, n_features)."""
    layout, indicators = domain.layout, domain.layout.indicators
    is_fixed = domain.lower == domain.upper
    points = np.where(is_fixed, domain.lower, rows)
    if len(indicators):
        left = np.add.reduceat(domain.upper[:, indicators], layout.first_indicators, axis=1)
        decided = (left == 1)[:, layout.group[indicators]]
        is_fixed[:, indicators] = decided
        points[:, indicators] = np.where(decided, domain.upper[:, indicators], rows[:, indicators])
    return np.asarray(is_fixed), points
