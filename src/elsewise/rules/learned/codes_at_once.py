"""Numbers with codes among them, many columns at once: a table may have such a rule for every column."""

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
