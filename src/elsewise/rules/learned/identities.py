"""Identities of the training rows: columns that are sums (weighted, too), differences, products or ratios of others."""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterator
from itertools import combinations, product
from typing import TYPE_CHECKING

import numpy as np

from ...arrays import FloatArray
from ...table.derived import computed, decimals_of, match, read_formula
from .column_words import words_of

if TYPE_CHECKING:
    from ...table.table import Table

# Rows from which on an identity is no chance, and distinct values that a derived column has at least.
FEWEST_ROWS, FEWEST_VALUES = 30, 8
# A column that is rounded has a standard deviation of at least so many units: else many formulas agree with it.
LEAST_SPREAD_IN_UNITS = 5.0
# Columns of numbers up to which pairs are compared.
MOST_COLUMNS = 100
# Rows on which formulas are tried first.
N_ROWS_TRIED = 40
# Factors that people multiply ratios and products by: per cent, per thousand, months of a year.
FACTORS = (1.0, 100.0, 1000.0, 12.0, 0.01)
# Rounding of 32-bit numbers, relative to them.
SHORT = 1.2e-7
# Coefficients of a sum are whole up to this.
WHOLE = 1e-6
# Words of names of columns that are sums of others.
TOTALS = {"total", "sum", "overall", "gross", "gesamt", "summe", "totale", "totaux"}
# Columns that a sum is looked for in at most, and rows for each of them at least.
MOST_TERMS, ROWS_A_TERM = 60, 3


def identities_of(table: Table, rows: FloatArray) -> dict[str, str]:
    """Find formulas of columns, which hold in every training row up to rounding.

    Parameters
    ----------
    table : Table
    rows : array of shape (n_samples, n_features)
        In features, NaN where missing.

    Returns
    -------
    dict of column name to formula
        No column is in its own formula, directly or through others.
    """
    numbers = [c for c in table.columns if c.kind in ("number", "integer") and not c.is_group]
    values = {c.name: rows[:, c.start] for c in numbers if "`" not in c.name and np.isfinite(rows[:, c.start]).all()}
    values = {name: column for name, column in values.items() if np.ptp(column) > 0}
    if len(rows) < FEWEST_ROWS or len(values) < 2 or len(values) > MOST_COLUMNS:
        return {}
    found: dict[str, str] = {}
    order = {name: place for place, name in enumerate(values)}
    candidates = [*_sums(values), *_pairs(values)]
    # sums and multiples first, of which products and ratios may be made, and those of fewest columns and digits first;
    # what is computed from others is called a total, or stands behind them in most tables
    candidates.sort(
        key=lambda candidate: (
            _is_bent(*candidate),
            min(len(_words(candidate[1])), 2),
            _n_digits(candidate[1]) if len(_words(candidate[1])) > 1 else 0,
            not TOTALS & set(words_of(candidate[0])),
            -order[candidate[0]],
        )
    )
    # products and ratios of others come last: they hold in every answer, but models behind them can only be queried
    for may_be_chain in (False, True):
        for name, text in candidates:
            is_free = name not in found and not _goes_round(name, text, found)
            if is_free and not may_be_chain and _is_bent(name, text):
                used_by = [other for other, formula in found.items() if _quoted(name) in _words(formula)]
                uses = [word[1:-1] for word in _words(text) if word[1:-1] in found]
                is_free = not any(_is_bent(other, found[other]) for other in (*used_by, *uses))
            if is_free and _is_no_chance(values[name]) and _holds(name, text, values):
                found[name] = text
    return {name: re.sub(r"`([^\W\d]\w*)`", _unquoted, text) for name, text in found.items()}


def _unquoted(found: re.Match[str]) -> str:
    return found[0] if keyword.iskeyword(found[1]) else found[1]


def _is_bent(name: str, text: str) -> bool:
    """Whether a formula is a product or ratio of columns, not a sum or multiple."""
    return bool(read_formula(name, text)[0].symbol)


def _goes_round(name: str, text: str, found: dict[str, str]) -> bool:
    """Whether a formula uses its own column, directly or through others."""
    ahead = [word[1:-1] for word in _words(text)]
    while ahead:
        word = ahead.pop()
        if word == name:
            return True
        ahead += [inner[1:-1] for inner in _words(found.get(word, ""))]
    return False


def _words(text: str) -> list[str]:
    """Columns of a formula as it is written here, each name in backticks."""
    return [f"`{part}`" for part in text.split("`")[1::2]]


def _n_digits(text: str) -> int:
    """Digits of the numbers of a formula: 0.31 is a price, 3.226 is what comes of turning it round."""
    return sum(letter.isdigit() for part in text.split("`")[::2] for letter in part)


def _quoted(name: str) -> str:
    return f"`{name}`"


def _is_no_chance(values: FloatArray) -> bool:
    return len(np.unique(values)) >= FEWEST_VALUES


def _holds(name: str, text: str, values: dict[str, FloatArray]) -> bool:
    own, expected = values[name], computed(name, text, values)
    decimals = decimals_of(own)
    holds, is_rounded = match(own, expected, decimals)
    if not holds.all():
        return False
    return not is_rounded or bool(own.std() >= LEAST_SPREAD_IN_UNITS * 10.0 ** -(decimals or 0))


def _sums(values: dict[str, FloatArray]) -> Iterator[tuple[str, str]]:
    """Columns that equal another one, or are sums and differences of others, each equation solved for each column."""
    names = sorted(values, key=lambda name: -float(values[name].std()))
    for place, name in enumerate(names):
        for other in names[:place]:
            if np.array_equal(values[name], values[other]):
                yield name, _quoted(other)
                yield other, _quoted(name)
    distinct = [n for k, n in enumerate(names) if not any(np.array_equal(values[n], values[o]) for o in names[:k])]
    known = []
    for identity in _triples(distinct, values):
        known.append(list(identity)[-1])
        yield from _solved(identity)
    if not 3 <= len(distinct) <= MOST_TERMS:
        return
    for name in distinct:
        others = [other for other in distinct if other != name and other not in known]
        signs = _signs(name, others, values)
        if len(signs) > 2 and name not in known:
            known.append(name)
            yield from _solved({name: -1, **signs})
    for name in distinct:
        if name not in known:
            yield from _weighted(name, [other for other in distinct if other != name and other not in known], values)


def _solved(identity: dict[str, int]) -> Iterator[tuple[str, str]]:
    """Write columns that add up to nothing, each with 1 or -1, as formulas of each of them."""
    for derived, sign in identity.items():
        yield derived, _sum_in_words({n: -sign * other for n, other in identity.items() if n != derived})


def _triples(names: list[str], values: dict[str, FloatArray]) -> Iterator[dict[str, int]]:
    """Columns of which two add up to the third on the rows that are tried first, which comes last with -1."""
    tried = _first_rows(names, values)
    for first, second in combinations(range(len(names)), 2):
        total = tried[first] + tried[second]
        near = np.abs(tried - total) <= 1e-12 * (1.0 + np.abs(total))
        for place in np.flatnonzero(near.all(axis=1)).tolist():
            if place not in (first, second):
                yield {names[first]: 1, names[second]: 1, names[place]: -1}


def _first_rows(names: list[str], values: dict[str, FloatArray]) -> FloatArray:
    """Rows from all over the data on which formulas are tried first, array of shape (n_columns, n_rows)."""
    n = len(values[names[0]])
    places = np.linspace(0, n - 1, min(n, N_ROWS_TRIED)).astype(np.int64)
    return np.array([values[name][places] for name in names])


def _signs(name: str, others: list[str], values: dict[str, FloatArray]) -> dict[str, int]:
    """Columns, with 1 or -1, whose sum is a column; none if there is no such sum."""
    own = values[name]
    places = np.linspace(0, len(own) - 1, min(len(own), ROWS_A_TERM * len(others) + N_ROWS_TRIED)).astype(np.int64)
    A, b = np.column_stack([values[other][places] for other in others]), own[places]
    scale = np.abs(A).max(axis=0) + 1e-300
    factors, *_ = np.linalg.lstsq(A / scale, b, rcond=1e-10)
    factors = factors / scale
    whole: FloatArray = np.round(np.asarray(factors))
    if (np.abs(factors - whole) > WHOLE).any() or np.abs(whole).max(initial=0.0) != 1.0 or np.abs(whole).sum() < 2:
        return {}
    return {other: int(whole[place]) for place, other in enumerate(others) if whole[place]}


def _weighted(name: str, others: list[str], values: dict[str, FloatArray]) -> Iterator[tuple[str, str]]:
    """Write a column as a sum of others times numbers of few digits, and one, as prices and fees make it; if it is."""
    own = values[name]
    places = np.linspace(0, len(own) - 1, min(len(own), ROWS_A_TERM * len(others) + N_ROWS_TRIED)).astype(np.int64)
    if len(places) < ROWS_A_TERM * (len(others) + 1) or not others:
        return
    A = np.column_stack([*(values[other][places] for other in others), np.ones(len(places))])
    A /= np.abs(A).max(axis=0) + 1e-300
    unit = decimals_of(own)
    slack = SHORT * float(np.abs(own).max()) if unit is None else 0.5 * 10.0**-unit

    def fitted(kept: list[int]) -> FloatArray | None:
        """Factors of some terms, if these are enough."""
        factors: FloatArray = np.asarray(np.linalg.lstsq(A[:, kept], own[places], rcond=1e-10)[0], dtype=np.float64)
        return factors if (np.abs(A[:, kept] @ factors - own[places]) <= 2.0 * slack).all() else None

    kept = list(range(len(others) + 1))
    factors = fitted(kept)
    if factors is None:
        return
    for k in np.argsort(np.abs(factors)).tolist():  # columns that go along with others are not needed
        fewer = [other for other in kept if other != k]
        if fewer and (left := fitted(fewer)) is not None:
            kept, factors = fewer, left
    size = np.array([*(np.abs(values[other][places]).max() for other in others), 1.0])
    numbers = {k: _short(factor / size[k], slack / size[k]) for k, factor in zip(kept, factors.tolist())}
    constant = numbers.pop(len(others), 0.0)
    if numbers:
        text = " + ".join(_term(number, others[k]) for k, number in numbers.items())
        yield name, (text + (f" + {constant:.12g}" if constant else "")).replace("+ -", "- ")


def _term(number: float, name: str) -> str:
    if abs(number) == 1.0:
        return _quoted(name) if number > 0 else f"-{_quoted(name)}"
    return f"{number:.12g} * {_quoted(name)}"


def _short(number: float, slack: float) -> float:
    """Return the number of fewest digits that is as near as the slack, of seven at most."""
    shorter = (float(f"{number:.{digits}g}") for digits in range(1, 7))
    return next((one for one in shorter if abs(one - number) <= slack), float(f"{number:.7g}"))


def _sum_in_words(signs: dict[str, int]) -> str:
    ordered = sorted(signs, key=lambda name: -signs[name])
    text = _quoted(ordered[0]) if signs[ordered[0]] > 0 else f"-{_quoted(ordered[0])}"
    return text + "".join(f" {'+' if signs[name] > 0 else '-'} {_quoted(name)}" for name in ordered[1:])


def _pairs(values: dict[str, FloatArray]) -> Iterator[tuple[str, str]]:
    """Columns that are products or ratios of two others, or squares, on the rows that are tried first."""
    names = list(values)
    tried = _first_rows(names, values)
    positive = np.array([bool((values[name] > 0).all()) for name in names])
    units = [decimals_of(values[name]) for name in names]
    slack = np.array([0.0 if unit is None else 0.5 * 10.0**-unit for unit in units])
    yield from _multiples(names, tried, slack)
    for first, second in product(range(len(names)), repeat=2):
        forms = [(f"{_quoted(names[first])} * {_quoted(names[second])}", tried[first] * tried[second])]
        forms = forms if first <= second else []
        if positive[second] and first != second:
            forms.append((f"{_quoted(names[first])} / {_quoted(names[second])}", tried[first] / tried[second]))
        for text, made in forms:
            for factor in FACTORS:
                near = np.abs(tried - factor * made) <= slack[:, None] + SHORT * np.abs(factor * made)
                for place in np.flatnonzero(near.all(axis=1)).tolist():
                    if place not in (first, second):
                        yield names[place], text if factor == 1.0 else f"{factor:g} * {text}"


def _multiples(names: list[str], tried: FloatArray, slack: FloatArray) -> Iterator[tuple[str, str]]:
    """Columns that are another one times a number of few digits, on the rows that are tried first."""
    for source, numbers in enumerate(tried):
        if not (numbers != 0).any():
            continue
        factors = (tried @ numbers) / (numbers @ numbers)
        factors = np.array([float(f"{factor:.3g}") for factor in factors])
        near = np.abs(tried - factors[:, None] * numbers) <= slack[:, None] + SHORT * np.abs(tried)
        for place in np.flatnonzero(near.all(axis=1) & (factors != 1.0) & (factors != 0.0)).tolist():
            if place != source:
                yield names[place], f"{factors[place]:g} * {_quoted(names[source])}"
