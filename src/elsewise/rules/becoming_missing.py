"""Columns whose values may become missing: what the user says of them, and what it means for a table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from math import isfinite
from numbers import Real
from typing import TYPE_CHECKING

from ..errors import InvalidInputError
from ..table.derived import read_formula, sources_of
from .arithmetic.linear import read_rule

if TYPE_CHECKING:
    from ..table.column import Column
    from ..table.table import Table
    from .constraints import Constraints

# What it costs that a number becomes missing, in units of the distance: as much as a change of category.
PRICE_OF_MISSING = 1.0
# Columns of numbers that may become missing at once: every set of them is a search of its own.
MOST_BECOMING_MISSING = 6


def checked_prices(given: object) -> dict[str, float]:
    """Return the price of becoming missing of each column, from a list of names or a mapping of names to prices."""
    if isinstance(given, (str, bytes)) or not isinstance(given, (Mapping, Iterable)):
        raise InvalidInputError(
            f"may_become_missing: expected a list of columns, or {{column: price}}, received {given!r}."
        )
    prices = dict(given) if isinstance(given, Mapping) else dict.fromkeys(given, PRICE_OF_MISSING)
    for name, price in prices.items():
        if not isinstance(name, str):
            raise InvalidInputError(f"may_become_missing: expected names of columns, received {name!r}.")
        is_number = isinstance(price, Real) and not isinstance(price, bool)
        if not (is_number and isfinite(price) and price > 0):
            raise InvalidInputError(
                f"may_become_missing: expected a positive number as the price of {name!r}, received {price!r}."
            )
    return {name: float(price) for name, price in prices.items()}


def prices_of_features(
    given: Constraints, table: Table, find: Callable[[str, str], Column]
) -> tuple[dict[int, float], set[str]]:
    """Resolve what may become missing.

    Parameters
    ----------
    given : Constraints
    table : Table
    find : function of a name and a parameter
        Gives the column, or says that there is none.

    Returns
    -------
    prices : {feature: price}
        Of numbers.
    categories : set of str
        Categories whose missing level may be entered, at the price of any other level.
    """
    stated = checked_prices(given.may_become_missing)
    used = [name for name in stated if name not in table.unused]
    columns = [find(name, "may_become_missing") for name in used]
    prices: dict[int, float] = {}
    categories: set[str] = set()
    for column in columns:
        if column.kind == "category" and None in column.levels:
            categories.add(column.name)
        elif column.kind == "category" or not column.missing_stays:
            raise InvalidInputError(
                f"may_become_missing: the model takes no missing values in column {column.name!r}, or none was missing "
                "in the training rows behind its pipeline. Leave it out."
            )
        else:
            _refuse_other_rules(given, table, column)
            prices[column.start] = stated[column.name]
    if len(prices) > MOST_BECOMING_MISSING:
        raise InvalidInputError(
            f"may_become_missing: every set of these columns is a search of its own; expected at most "
            f"{MOST_BECOMING_MISSING} columns of numbers, received {len(prices)}."
        )
    return prices, categories


def _refuse_other_rules(given: Constraints, table: Table, column: Column) -> None:
    """Refuse a column of which another rule needs the number."""
    needed = {
        "immutable": column.name in given.immutable,
        "linear": any(column.name in read_rule(rule).columns for rule in given.linear),
        "together": any(column.name in group for group in given.together),
        "derive": any(column.name in derived.sources for derived in table.derived)
        or any(column.name in sources_of(read_formula(*pair)[0]) for pair in (given.derive or {}).items()),
    }
    for parameter, is_needed in needed.items():
        if is_needed:
            raise InvalidInputError(
                f"may_become_missing: {column.name!r} is in {parameter}, too, which needs its value. Drop one of them."
            )
