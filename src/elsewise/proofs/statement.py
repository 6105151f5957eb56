"""What a certificate states: the question about one row, the model as plain numbers, and the answer.

Rows are in features, as a search sees them: numbers that move in steps are counts of steps, a category is its
indicators. ``Statement.header`` is the first line of the certificate; its fields are described in ``docs/proofs.md``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import numpy as np

from ..arrays import FloatArray, IntArray
from ..search import Domain
from .ensembles import StatedTrees
from .regions import NotCertifiedError, StatedEllipsoids, StatedPolyhedra, StatedSums, as_text

# Clauses by which one earlier answer is excluded, at most.
MOST_CLAUSES = 64
FORMAT, VERSION = "elsewise certificate", 1


@dataclass(frozen=True, slots=True, eq=False)
class StatedGoal:
    """One wanted outcome: where the model decides so, and where data are dense; None for everywhere."""

    region: StatedPolyhedra | StatedSums | StatedTrees | None
    density: StatedEllipsoids | None

    @property
    def text(self) -> str:
        """What the header says of it."""
        region = "null" if self.region is None else self.region.text
        return f'{{"region":{region},"density":{as_text(self.density and self.density.as_json)}}}'


@dataclass(frozen=True, slots=True, eq=False)
class Statement:
    """The question about a row, and its answer.

    Attributes
    ----------
    row : array of shape (n_features,)
    prices : array of shape (n_features,)
        Weights of the distance; each indicator of a category has half of its price.
    domain : Domain
        Of this row alone.
    goals : tuple of StatedGoal
    status : str
    point : array of shape (n_features,), or None
    goal : int
        The goal that the point reaches; -1 without a point.
    distance : float or None
    earlier : tuple of int arrays
        Columns that earlier answers change, as changes are counted: of each of them one stays.
    apart : tuple of (array of shape (n_features,), float)
        Points that answers keep a distance from.
    notes : dict
        Names and labels, for people; nothing is proven about them.
    """

    row: FloatArray
    prices: FloatArray
    domain: Domain
    goals: tuple[StatedGoal, ...]
    status: str
    point: FloatArray | None
    goal: int
    distance: float | None
    earlier: tuple[IntArray, ...] = ()
    apart: tuple[tuple[FloatArray, float], ...] = ()
    notes: dict[str, Any] = field(default_factory=dict)

    def header(self, lower_bound: float, status: str) -> str:
        """Return the first line of a certificate that proves a bound."""
        said = {
            "format": FORMAT,
            "version": VERSION,
            "claim": {"status": status, "distance": self.distance, "lower_bound": lower_bound},
            "row": self.row.tolist(),
            "prices": self.prices.tolist(),
            "point": None if self.point is None else self.point.tolist(),
            "goal": self.goal if self.point is not None else None,
            "domain": self._domain(),
            "notes": self.notes,
        }
        return f'{as_text(said)[:-1]},"goals":[{",".join(goal.text for goal in self.goals)}]}}'

    def _domain(self) -> dict[str, Any]:
        domain, layout = self.domain, self.domain.layout
        kinds = np.where(layout.group >= 0, "category", np.where(domain.integer, "whole", "number"))
        features = [np.flatnonzero(layout.column == column) for column in range(layout.n_columns)]
        units = [np.flatnonzero(layout.unit == unit).tolist() for unit in range(layout.n_units)]
        said: dict[str, Any] = {
            "columns": [{"kind": str(kinds[own[0]]), "features": own.tolist()} for own in features],
            "units": units,
            "lower": limits(domain.lower[0]),
            "upper": limits(domain.upper[0]),
            "per_change": float(domain.per_change),
            "max_changes": None if domain.max_changes is None else int(domain.max_changes),
            "rules": [
                {"normal": normal.tolist(), "offset": float(offset)}
                for normal, offset in zip(domain.normals, domain.offsets)
            ],
            "clauses": self.clauses(),
        }
        if domain.least_moves is not None:
            least = domain.least_moves
            said["least_moves"] = {"below": least.below[0].tolist(), "above": least.above[0].tolist()}
        if self.apart:
            said["apart"] = [{"point": point.tolist(), "distance": distance} for point, distance in self.apart]
        return said

    def clauses(self) -> list[list[list[Any]]]:
        """Return the clauses that bind the row, each a list of literals ``[feature, low, high]``, None for no end."""
        clauses, found = self.domain.clauses, [clause for units in self.earlier for clause in self._one_stays(units)]
        if clauses is None:
            return found
        for number in np.flatnonzero(clauses.binds[0]).tolist():
            own = np.flatnonzero((clauses.clause_of == number) & (clauses.low[0] <= clauses.high[0]))
            ends = zip(clauses.feature[own].tolist(), limits(clauses.low[0, own]), limits(clauses.high[0, own]))
            found.append([[feature, low, high] for feature, low, high in ends])
        return found

    def _one_stays(self, units: IntArray) -> list[list[list[Any]]]:
        """Clauses that say that one of some columns stays; of columns that move together, all of them."""
        layout, each = self.domain.layout, []
        for unit in units.tolist():
            stays = []
            for column in np.flatnonzero(layout.unit == unit):
                own = np.flatnonzero(layout.column == column)
                f = int(own[np.argmax(self.row[own])] if layout.group[own[0]] >= 0 else own[0])
                stays.append([f, float(self.row[f]), float(self.row[f])])
            each.append(stays)
        if math.prod(map(len, each)) > MOST_CLAUSES:
            raise NotCertifiedError("answers that differ from earlier ones in many columns that move together")
        return [list(literals) for literals in product(*each)]


def limits(values: FloatArray) -> list[float | None]:
    """Write limits, None for those that are infinite."""
    return [value if np.isfinite(value) else None for value in values.tolist()]
