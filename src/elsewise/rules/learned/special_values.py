"""Special values: numbers of a column that stand for "no number here", found in the training rows.

A value is taken for a code only where nothing else explains it. Codes lie beyond all regular values and are

- *negative*: at most five whole numbers below zero, of a column that is otherwise zero or more;
- *nines*: 99, 999, ..., above everything else by at least a tenth of the range of the regular values; or, in however
  few rows, at or next to 100, 1,000, ... and at least ten times as large as everything else;
- *zero*: in a tenth of the rows at least, of a column that is otherwise positive and takes at least 20 other values,
  none of which is a fifth as frequent.

But for such a large one, they are together at least 0.5 % of the rows and five of them, and they stand apart: by at
least five of the column's finest steps from the nearest regular value, or, for negative numbers, by being at least
twice as frequent as it. So a count that begins with 0, 1, 2 has no code, and an account that may be overdrawn has none.

Numbers with codes among them, many columns at once: a table may have such a rule for every column.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import cast

import numpy as np

from ...arrays import FloatArray, IntArray
from ...search.domains.clauses import Clauses
from ..atomic import Rule
from .found_rules import NumberOrCode

# Special values: rows and share of the rows that hold them at least; fewer may be slips.
FEWEST_CODED, LEAST_CODED_SHARE = 5, 0.005
# A zero may be a small number; one that stands for none is common.
LEAST_ZERO_SHARE = 0.1
# Distinct negative values of a column of codes at most; real tables have up to four (-6 to -9).
MOST_NEGATIVE_CODES = 5
# How far codes are from regular values: in finest steps of the column, and for nines as a share of the regular range.
STEPS_APART, NINES_APART = 5, 0.1
# How many times as frequent as the nearest regular value a negative code is where it is not apart; how many times as
# frequent as any other value a zero is; and values the rest takes at least, to be called continuous.
SPIKE_OVER_NEIGHBOUR, ZERO_OVER_REGULAR, FEWEST_REGULAR = 2, 5, 20
# How many times as large as all others a value next to a power of ten is that no row has by itself.
TIMES_LARGER = 10.0


def special_values(values: FloatArray) -> tuple[float, ...]:
    """Find the codes of one numeric column, ascending.

    Parameters
    ----------
    values : array of shape (n_samples,)
        Of the training rows; NaN where missing.
    """
    values = values[np.isfinite(values)]
    seen, counts = np.unique(values, return_counts=True)
    least = max(FEWEST_CODED, LEAST_CODED_SHARE * len(values))
    codes = [*_negative(seen, counts, least), *_zero(seen, counts, least), *_nines(seen, counts, least)]
    return tuple(float(code) for code in codes) if len(codes) < len(seen) else ()


def _finest_step(seen: FloatArray) -> float:
    return float(np.diff(seen).min()) if len(seen) > 1 else np.inf


def _negative(seen: FloatArray, counts: IntArray, least: float) -> FloatArray:
    n = int((seen < 0).sum())
    nothing = seen[:0]
    if not 0 < n <= MOST_NEGATIVE_CODES or n == len(seen):
        return nothing
    codes, regular = seen[:n], seen[n:]
    if (codes != np.floor(codes)).any() or counts[:n].sum() < least:
        return nothing
    apart = regular[0] - codes[-1] >= STEPS_APART * _finest_step(regular)
    frequent = counts[:n].max() >= SPIKE_OVER_NEIGHBOUR * counts[n]
    return codes if apart or frequent else nothing


def _zero(seen: FloatArray, counts: IntArray, least: float) -> FloatArray:
    regular, nothing = seen[1:], seen[:0]
    if seen[0] != 0 or len(regular) < FEWEST_REGULAR or counts[0] < max(least, LEAST_ZERO_SHARE * counts.sum()):
        return nothing
    apart = regular[0] >= STEPS_APART * _finest_step(regular)
    stands_out = counts[0] >= ZERO_OVER_REGULAR * counts[1:].max()
    return seen[:1] if apart and stands_out else nothing


def _nines(seen: FloatArray, counts: IntArray, least: float) -> FloatArray:
    nothing = seen[:0]
    powers = 10.0 ** np.arange(2, 10)
    is_beyond = len(seen) > 2 and bool((np.abs(seen[-1] - powers + 0.5) <= 0.5).any())
    if is_beyond and seen[-1] >= TIMES_LARGER * np.abs(seen[:-1]).max():
        return seen[-1:]
    if len(seen) < 3 or counts[-1] < least or seen[-1] not in powers - 1:
        return nothing
    regular = seen[:-1]
    regular = regular[regular >= 0] if (regular >= 0).any() else regular
    gap = seen[-1] - regular[-1]
    apart = gap >= STEPS_APART * _finest_step(regular) and gap >= NINES_APART * (regular[-1] - regular[0])
    return seen[-1:] if apart else nothing


@dataclass(frozen=True, slots=True, eq=False)
class NumbersOrCodes:
    """What several :class:`NumberOrCode` do to limits and clauses, to the bit; none of them ``stays``.

    Attributes
    ----------
    features : int array of shape (n_rules,)
    least, most : arrays of shape (n_rules,)
        Regular numbers.
    below, above : arrays of shape (n_rules,)
        The nearest codes on both sides of them.
    lowest, highest : arrays of shape (n_rules,)
        Of regular numbers and codes that may be entered.
    literals : int array of shape (n_literals,)
        The feature of each literal: of every rule its codes, the regular numbers, the row's own value.
    codes : array of shape (n_literals,)
        NaN for literals that are no codes.
    first, regular : int arrays of shape (n_rules,)
        The first literal of each rule, and that of its regular numbers; the next is the row's own value.
    """

    features: IntArray
    least: FloatArray
    most: FloatArray
    below: FloatArray
    above: FloatArray
    lowest: FloatArray
    highest: FloatArray
    literals: IntArray
    codes: FloatArray
    first: IntArray
    regular: IntArray

    @classmethod
    def of(cls, rules: Sequence[NumberOrCode]) -> NumbersOrCodes:
        """Make them of rules, at least one."""
        entered = [rule.entered.tolist() for rule in rules]
        sizes = np.array([len(codes) + 2 for codes in entered], dtype=np.int64)
        stops = np.cumsum(sizes)
        features = np.array([rule.column.start for rule in rules], dtype=np.int64)
        beside = np.array([rule.codes_beside for rule in rules])
        return cls(
            features=features,
            least=np.array([rule.least for rule in rules], dtype=np.float64),
            most=np.array([rule.most for rule in rules], dtype=np.float64),
            below=beside[:, 0],
            above=beside[:, 1],
            lowest=np.array([min([rule.least, *codes]) for rule, codes in zip(rules, entered)], dtype=np.float64),
            highest=np.array([max([rule.most, *codes]) for rule, codes in zip(rules, entered)], dtype=np.float64),
            literals=np.repeat(features, sizes),
            codes=np.array([code for codes in entered for code in (*codes, np.nan, np.nan)]),
            first=stops - sizes,
            regular=stops - 2,
        )

    def narrow(self, E: FloatArray, lower: FloatArray, upper: FloatArray) -> None:
        """See :meth:`Rule.narrow`."""
        f = self.features
        values = E[:, f]  # the row's own value may stay, wherever it is
        lower[:, f] = np.maximum(lower[:, f], np.minimum(self.lowest, values))
        upper[:, f] = np.minimum(upper[:, f], np.maximum(self.highest, values))

    def clauses(self, E: FloatArray) -> Clauses:
        """See :meth:`Rule.clauses`."""
        values = E[:, self.features]
        beside = (values > self.below) & (values < self.above)
        least = np.where(beside, np.minimum(values, self.least), self.least)
        most = np.where(beside, np.maximum(values, self.most), self.most)
        is_code = np.logical_or.reduceat(E[:, self.literals] == self.codes, self.first, axis=1)
        own = ~(is_code | ((least <= values) & (values <= most)))
        low, high = np.tile(self.codes, (len(E), 1)), np.tile(self.codes, (len(E), 1))
        low[:, self.regular], high[:, self.regular] = least, most
        low[:, self.regular + 1] = np.where(own, values, np.inf)
        high[:, self.regular + 1] = np.where(own, values, -np.inf)
        return Clauses(self.literals, self.first, low, high, np.ones(values.shape, dtype=np.bool_))


def joined(rules: Iterable[Rule]) -> list[Rule | NumbersOrCodes]:
    """Put numbers with codes that follow each other together; all other rules are as they were, in the same order."""
    found: list[Rule | NumbersOrCodes] = []
    for are_alike, run in groupby(rules, lambda rule: isinstance(rule, NumberOrCode) and not rule.stays):
        some = list(run)
        found += [NumbersOrCodes.of(cast("list[NumberOrCode]", some))] if are_alike else some
    return found
