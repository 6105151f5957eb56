"""From a distance, or its name, to a resolved one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from numpy.typing import ArrayLike

from ..errors import InvalidInputError
from ..projection.distance import ResolvedDistance
from .mahalanobis import Mahalanobis
from .manhattan import Manhattan, Scaled, few_names

if TYPE_CHECKING:
    from ..table import Table


Distance = Manhattan | Scaled | Mahalanobis

_named: dict[str, type[Manhattan] | type[Scaled] | type[Mahalanobis]] = {
    "manhattan": Manhattan,
    "scaled": Scaled,
    "mahalanobis": Mahalanobis,
}


def resolve_distance(distance: str | Distance, X: ArrayLike, table: Table | None = None) -> ResolvedDistance:
    """Resolve a distance, or the default one of a name, against the training rows.

    Parameters
    ----------
    distance : {"auto", "manhattan", "scaled", "mahalanobis"}, Manhattan, Scaled or Mahalanobis
        ``"auto"`` is the paper's plain Manhattan distance for nothing but numbers, `Scaled` for a table with whole
        numbers, ordered levels or categories.
    X : array of shape (n_samples, n_features)
        In features.
    table : Table, optional
        How features form columns; without one every feature is a number.
    """
    if isinstance(distance, str) and distance == "auto":
        distance = "manhattan" if table is None or all(c.kind == "number" for c in table.columns) else "scaled"
    if isinstance(distance, str) and distance in _named:
        distance = _named[distance]()
    if isinstance(distance, Mahalanobis):
        if table is not None and (table.group >= 0).any():
            categories = [column.name for column in table.columns if column.kind == "category"]
            raise InvalidInputError(
                f"The Mahalanobis distance is about numbers, but {few_names(categories)} "
                f"{'is a category' if len(categories) == 1 else 'are categories'}. Use 'scaled' or Manhattan(weights)."
            )
        return distance.resolve(X)
    if isinstance(distance, (Manhattan, Scaled)):
        return distance.resolve(X, table)
    raise InvalidInputError(
        f"Unknown distance {distance!r}: expected 'auto', 'manhattan', 'scaled', 'mahalanobis', Manhattan(weights), "
        "Scaled(weights) or Mahalanobis(omega)."
    )
