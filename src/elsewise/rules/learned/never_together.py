"""What never occurs together in the training rows although it should by chance.

A *trait* of a row is a level of a column (a category's, an ordered one, a code of a number, or that a number is none of
its codes) or a range of a number; of two columns of few whole numbers, a range of one and a number of the other. Two
traits of different columns are never together if no row has both, at least five rows should by chance, and chance alone
would keep them apart so rarely that the expected number of such mistakes over all pairs of columns' levels is 0.01:
with ``a`` and ``b`` rows of ``N`` the probability is that of drawing ``a`` rows without one of the ``b``,

    C(N - b, a) / C(N, a).

Ranges are those between neighbouring values of the rows with a level, and beyond the last of them: with ``a`` such rows
there are ``a + 1``, each equally likely to hold so many of the others, and the probability is multiplied by that.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import gammaln

from ...arrays import BoolArray, FloatArray
from .. import words

if TYPE_CHECKING:
    import pandas as pd

    from ...table.column import Column
    from ...table.table import Table

# Combinations that never occur: expected count at least (the usual one of tests on counts), and the probability, over
# all pairs of a table together, of calling one so that chance alone kept apart.
LEAST_EXPECTED, CHANCE_OF_ERROR = 5.0, 0.01
# Different whole numbers of a column up to which each of them is a trait for other such columns: days, months, marks.
MOST_VALUES = 12


@dataclass(frozen=True, slots=True)
class Trait:
    """A level or a range: a row has it if ``below < e[feature] < above``.

    Attributes
    ----------
    column : str
    feature : int
    below, above : float
    text : str
        In words: "housing = rent", "age above 47".
    """

    column: str
    feature: int
    below: float
    above: float
    text: str

    def has(self, E: FloatArray) -> BoolArray:
        """Whether rows of features have it, shape (n_samples,)."""
        values = E[:, self.feature]
        return np.asarray((self.below < values) & (values < self.above))


@dataclass(frozen=True, slots=True)
class NeverTogetherPair:
    """Two traits that no training row has both of.

    Attributes
    ----------
    first, second : Trait
    expected : float
        Rows that would have both by chance.
    """

    first: Trait
    second: Trait
    expected: float

    def __str__(self) -> str:
        return f"{self.first.text} and {self.second.text}"


@dataclass(frozen=True, slots=True, repr=False)
class NeverTogether(Sequence[NeverTogetherPair]):
    """What never occurs together in the training rows, most surprising first.

    Attributes
    ----------
    pairs : tuple of NeverTogetherPair
    """

    pairs: tuple[NeverTogetherPair, ...] = ()

    def __len__(self) -> int:
        return len(self.pairs)

    def __getitem__(self, index: Any) -> Any:
        return NeverTogether(self.pairs[index]) if isinstance(index, slice) else self.pairs[index]

    def __repr__(self) -> str:
        if not self.pairs:
            return "Nothing that should occur together by chance is missing from the training rows."
        width = max(len(str(pair)) for pair in self.pairs)
        lines = [f"{pair!s:<{width}}  {pair.expected:.0f} rows expected, none seen" for pair in self.pairs]
        return "\n".join(["Never together in the training rows:", *lines])

    def to_frame(self) -> pd.DataFrame:
        """Return a data frame with one line a pair."""
        import pandas as pd

        return pd.DataFrame(
            [(p.first.text, p.second.text, p.expected) for p in self.pairs], columns=["first", "second", "expected"]
        )


def never_together(table: Table, rows: FloatArray, codes: dict[str, tuple[float, ...]]) -> NeverTogether:
    """Find what never occurs together.

    Parameters
    ----------
    table : Table
    rows : array of shape (n_samples, n_features)
        Training rows in features; NaN where a number is missing.
    codes : {column: codes}
        Special values of numeric columns.
    """
    levels = [trait for column in table.columns for trait in _levels(column, rows, codes.get(column.name, ()))]
    numbers = [column for column in table.columns if column.kind in ("number", "integer")]
    small = {column: _values_of(column, rows, codes.get(column.name, ())) for column in numbers}
    small = {column: traits for column, traits in small.items() if traits}
    if not levels and len(small) < 2:
        return NeverTogether()
    has = np.array([trait.has(rows) for trait in levels], dtype=np.bool_).reshape(len(levels), len(rows))
    counts = has.sum(axis=1)
    column_of = np.array([trait.column for trait in levels])
    n_pairs = int((column_of[:, None] != column_of).sum()) // 2 + sum(
        int((column_of != column.name).sum()) for column in numbers
    )
    n_pairs += sum(map(len, small.values())) * max(len(small) - 1, 0)
    log_level = np.log(CHANCE_OF_ERROR / max(n_pairs, 1))
    found = [
        *_pairs_of_levels(levels, has, counts, log_level),
        *(
            pair
            for column in numbers
            for pair in _ranges_of(column, codes.get(column.name, ()), levels, has, rows, log_level)
        ),
    ]
    places = list(small)
    for k, column in enumerate(places):
        for other in places[:k]:
            more, fewer = (column, other) if len(small[column]) >= len(small[other]) else (other, column)
            own, traits = codes.get(more.name, ()), small[fewer]
            found += _ranges_of(more, own, traits, np.array([trait.has(rows) for trait in traits]), rows, log_level)
    return NeverTogether(tuple(sorted(found, key=lambda pair: (-pair.expected, str(pair)))))


def _levels(column: Column, rows: FloatArray, codes: tuple[float, ...]) -> Iterator[Trait]:
    name, f = column.name, column.start
    if column.kind == "category":
        for place, level in enumerate(column.levels):
            yield Trait(name, f + place, 0.0, np.inf, f"{name} = {words.level(level)}")
    elif column.kind == "ordinal":
        for rank, level in enumerate(column.levels):
            yield Trait(name, f, rank - 1.0, rank + 1.0, f"{name} = {words.level(level)}")
    elif codes:
        seen = np.unique(rows[np.isfinite(rows[:, f]), f])
        for code in codes:
            lower, higher = seen[seen < code], seen[seen > code]
            below, above = (lower[-1] if len(lower) else -np.inf), (higher[0] if len(higher) else np.inf)
            yield Trait(name, f, float(below), float(above), f"{name} = {words.number(code)}")
        low, high = regular_gap(codes, seen)
        yield Trait(name, f, low, high, f"{name} not {words.levels(list(codes))}")


def regular_gap(codes: Sequence[float], seen: FloatArray) -> tuple[float, float]:
    """Codes next to the regular values, below and above; infinite without any."""
    regular = seen[~np.isin(seen, codes)]
    below = [code for code in codes if code < regular[0]]
    above = [code for code in codes if code > regular[-1]]
    return max(below, default=-np.inf), min(above, default=np.inf)


def _values_of(column: Column, rows: FloatArray, codes: tuple[float, ...]) -> list[Trait]:
    """Every value of a column that holds few different whole numbers, codes left out; none of any other column."""
    seen = np.unique(rows[np.isfinite(rows[:, column.start]), column.start])
    regular = seen[~np.isin(seen, codes)]
    if column.kind != "integer" or not 2 <= len(regular) <= MOST_VALUES:
        return []
    return [
        Trait(column.name, column.start, value - 1.0, value + 1.0, f"{column.name} = {words.number(value)}")
        for value in regular.tolist()
    ]


def _log_chance(n: float, a: FloatArray, b: FloatArray) -> FloatArray:
    """Logarithm of the chance that ``a`` of ``n`` rows, drawn without regard, miss all ``b`` others."""
    with np.errstate(invalid="ignore"):
        chance = gammaln(n - b + 1) - gammaln(n - b - a + 1) - gammaln(n + 1) + gammaln(n - a + 1)
    return np.asarray(np.where(a + b > n, np.inf, chance))


def _pairs_of_levels(
    levels: list[Trait], has: BoolArray, counts: FloatArray, log_level: float
) -> Iterator[NeverTogetherPair]:
    n = has.shape[1]
    both = has.astype(np.float32) @ has.T.astype(np.float32)
    expected = np.outer(counts, counts) / n
    chance = _log_chance(float(n), counts[:, None].astype(float), counts[None, :].astype(float))
    for i, j in np.argwhere((both == 0) & (expected >= LEAST_EXPECTED) & (chance <= log_level)).tolist():
        if i < j and levels[i].column != levels[j].column:
            yield NeverTogetherPair(levels[i], levels[j], float(expected[i, j]))


def _ranges_of(
    column: Column,
    codes: tuple[float, ...],
    levels: list[Trait],
    has: BoolArray,
    rows: FloatArray,
    log_level: float,
) -> Iterator[NeverTogetherPair]:
    """Ranges of a number, codes left out, in which a level of another column never occurs."""
    values = rows[:, column.start]
    is_regular = np.isfinite(values) & ~np.isin(values, codes)
    ordered = np.sort(values[is_regular])
    n = len(ordered)
    for trait, has_it in zip(levels, has):
        own = np.unique(values[is_regular & has_it])
        a = int((is_regular & has_it).sum())
        if trait.column == column.name or a == 0 or a * n < LEAST_EXPECTED:
            continue  # none at all is a pair of levels: the level and "no code"
        below, above = np.append(-np.inf, own), np.append(own, np.inf)
        inside = np.append(np.searchsorted(ordered, own, "left"), n) - np.append(
            0, np.searchsorted(ordered, own, "right")
        )
        expected = inside * (a / n)
        chance = _log_chance(float(n), np.full(len(inside), float(a)), inside.astype(float)) + np.log(len(below))
        for k in np.flatnonzero((expected >= LEAST_EXPECTED) & (chance <= log_level)).tolist():
            yield NeverTogetherPair(
                trait, _range(column, float(below[k]), float(above[k]), codes, ordered), float(expected[k])
            )


def _range(column: Column, low: float, high: float, codes: tuple[float, ...], ordered: FloatArray) -> Trait:
    if np.isinf(low):
        text = f"{column.name} below {words.number(high)}"
        low = max((code for code in codes if code < ordered[0]), default=-np.inf)
    elif np.isinf(high):
        text = f"{column.name} above {words.number(low)}"
        high = min((code for code in codes if code > ordered[-1]), default=np.inf)
    else:
        text = f"{column.name} between {words.number(low)} and {words.number(high)}"
    return Trait(column.name, column.start, low, high, text)
