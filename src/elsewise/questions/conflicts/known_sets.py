"""What is known of sets of rules: points that are answers under some of them, and sets that leave none.

A point is an answer under every set of rules of which it breaks none; a set that leaves none leaves none with more
rules, too.
"""

from __future__ import annotations

import numpy as np

from ...arrays import BoolArray, FloatArray
from ...rules import Rules


class KnownSets:
    """What is known of sets of rules, for one row.

    Parameters
    ----------
    row : array of shape (1, n_features)
    rules : Rules
        Sets are of positions in ``rules.single``.

    Attributes
    ----------
    points : list of arrays of shape (1, n_features)
        Answers, each under some of the rules.
    shown : list of arrays of shape (at most 1, n_features)
        Answers at other thresholds.
    """

    def __init__(self, row: FloatArray, rules: Rules) -> None:
        self.row, self.rules = row, rules
        self.points: list[FloatArray] = []
        self.shown: list[FloatArray] = []
        self.breaks: list[BoolArray] = []
        self.empty: list[frozenset[int]] = []

    def renumber(self, rules: Rules) -> None:
        """Go on with the same rules, divided into others: only points stay known."""
        self.rules = rules
        self.empty.clear()
        self.breaks = [self.broken_by(point)[0] for point in self.points]

    def broken_by(self, points: FloatArray) -> BoolArray:
        """Which rules points of shape (n, n_features) break, array of shape (n, n_rules)."""
        rows = np.repeat(self.row, len(points), axis=0)
        return np.column_stack(
            [np.zeros((len(points), 0), dtype=np.bool_), *(rule.breaks(rows, points) for rule in self.rules.single)]
        )

    def add_point(self, point: FloatArray) -> None:
        """Note an answer under the rules that it keeps."""
        self.points.append(point)
        self.breaks.append(self.broken_by(point)[0])

    def add_empty(self, kept: frozenset[int]) -> None:
        """Note that some rules leave no answer."""
        self.empty.append(kept)

    def has_answer(self, kept: frozenset[int]) -> bool:
        """Whether a known point keeps some of the rules."""
        asked = list(kept)
        return any(not breaks[asked].any() for breaks in self.breaks)

    def is_empty(self, kept: frozenset[int]) -> bool:
        """Whether some of these rules are known to leave nothing."""
        return any(empty <= kept for empty in self.empty)
