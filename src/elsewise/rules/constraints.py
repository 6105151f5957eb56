"""What a person may change: the user's rules, before any data are seen."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from math import inf, isfinite
from numbers import Integral, Real
from typing import Any

import numpy as np

from ..errors import NAMES_ARE_TEXT, InvalidInputError
from ..table.derived import read_formula
from .arithmetic.linear import WrittenRule, read_rule
from .becoming_missing import checked_prices
from .conditions import read_condition, tests_of
from .meaningful import checked_groups, checked_sizes
from .steps import checked_steps
from .words import did_you_mean

# A direction, and how far a row may go in it.
_DIRECTION = re.compile(r"(increase|decrease)(?: by at most (\d+(?:\.\d+)?))?")
# A formula that is the name of a column and nothing else.
_COLUMN = re.compile(r"[^\W\d]\w*|`[^`]+`")


@dataclass(frozen=True, slots=True)
class Constraints:
    """Rules that every counterfactual keeps, in the user's columns.

    The rules are checked for their form here, and against columns and rows when they are used. ``rules & more`` joins
    two sets: what one leaves at its default the other decides, and where both speak of the same, the stricter holds.

    Parameters
    ----------
    immutable : names of columns
        They stay as they are.
    monotone : {column: "increase" or "decrease"}
        The column moves in this direction or not at all. For numbers, ordered levels, and yes/no columns (False comes
        before True). ``"increase by at most 2"`` says how far from where the row is: units of the column, or levels.
    bounds : {column: (low, high)}
        Both inclusive, None for an open end. The ends are levels where the column has ordered levels. A value of the
        row that is outside already may stay there, or come nearer. Bounds of a derived column (see ``derive``) hold
        for every answer, wherever the row is.
    integer : None or names of columns
        None takes whole numbers where the training data have them. Names say it outright: these numeric columns hold
        whole numbers and no others do; an empty list is for none. Ordered levels are not affected. A value that is not
        whole in the row itself may stay, but moves only to whole numbers.
    allowed : {column: {from_level: [to_level, ...]}} or {column: [to_level, ...]}
        Where a category may go from a level; levels that are not mentioned may go anywhere. A list says where it may go
        from anywhere. Staying is always allowed.
    linear : formulas or triples
        ``"installments <= 0.5 * income"``, ``"0 <= a - b <= 10"``, with names that are not plain words in backticks:
        ``"`credit amount` <= 1000"``; or ``({"installments": 1, "income": -0.5}, "<=", 0)``. Columns of True and False
        count as 1 and 0; other categories cannot take part. The row itself need not keep them; its counterfactual does,
        as they are written, evaluated in double precision and without any tolerance.
    max_changes : int or None
        At most so many columns differ from the row.
    min_change : {column: least size}, "auto", "any" or None
        A numeric column stays as it is or moves at least so far, in its own units. None is 2 % of the column's scale
        (see :class:`~elsewise.Scaled`) for numbers of data frames that are not whole and have no step; a size given
        here replaces it, ``{column: 0}`` says that there is none, ``"any"`` that no column has one. ``"auto"`` is one
        step (see ``step``; 1 for whole numbers) or 2 % of the scale, whichever is more, for all numeric columns.
    step : {column: step}, "any" or None
        A numeric column moves to multiples of its step only, 0.05 or 10_000, in exact decimals: 0.15, not
        0.15000000000000002. None takes the steps that were found in a data frame (``explainer.steps_``: 99 % of the
        values are multiples of them); a step given here replaces the one that was found, ``{column: None}`` says that
        there is none, ``"any"`` that no column has one. A value of the row that is no multiple may stay. Special codes
        need not be multiples.
    together : lists of names of columns
        Columns that move together, ``[["bill_1", "bill_2"]]``: however many of a group change, they count as one change
        for ``max_changes``, for a distance's ``per_change`` and where several answers differ by their columns.
    special : None, {column: [code, ...]} or [code, ...]
        Numbers that stand for "no number here", such as -7, -8, -9 in credit data. They are levels of their own: an
        answer has a code, or a number in the range of the regular values, and nothing between (bounds do not apply to
        a code that stays). None takes those that were found in a data frame (``explainer.special_values_``), ``{}``
        says that there are none: then such codes are numbers like any others. A list means every numeric
        column in which one of its codes occurs. Linear rules take a code for the number it is written as.
    codes : None, "change" or "stay"
        ``"change"``: an answer may enter and leave codes, at the price of the difference of the two numbers as they
        are written. ``"stay"``: a row that has a code in a column keeps it there, and a regular value never becomes a
        code. None is ``"stay"`` for codes that were found and are not all zero, and for columns with a ``step`` of
        which a code is no multiple; else ``"change"``.
    range : None, "training", "any" or names of columns
        Numbers that do not leave the range of the training rows: all (``"training"``), none (``"any"``) or those named.
        None is ``"training"``, without learned rules ``"any"``. An end that ``bounds`` gives replaces that of the
        range. A value that is outside already may stay there, or come nearer. Derived columns keep their ranges as
        others do; where one is a product, answers outside are refused, and another may not be found.
    unseen : "forbid" or "allow"
        Whether an answer may bring together what never occurs together in the training rows although it should by
        chance (``explainer.never_together_``). What the row itself has may stay.
    implies : {condition: condition}
        Where the first holds in an answer the second does: ``{"pdays == -1": "previous == 0 and poutcome ==
        'unknown'"}``. Conditions compare a column with a value (``==``, ``!=``, ``<``, ``<=``, ``>``, ``>=``, ``in``),
        joined by ``and``, ``or`` and ``not``; a column of True and False may stand alone. The row itself need not keep
        them.
    derive : {column: formula} or None
        Columns that follow from others: ``{"ltv": "loan / price", "total": "a + b"}``, sums, differences, products and
        ratios, rounded as in the data. Only their sources change and cost; the model sees the column as it follows. A
        fit needs to know them: ``Explainer(model, constraints=...)``. None takes the identities that were found to hold
        in all rows of a data frame (``explainer.derived_``), ``{}`` says that there are none. ``"total == a + b"``
        among ``linear`` says the same.
    may_become_missing : names of columns, or {column: price}
        Columns of which an answer may have no value, where the model takes missing values as such. That costs as much
        as a change of category (1), or the price given here, in units of the distance, however large the value was, and
        counts as one change. Without it nothing becomes missing. For ``explain``, ``levers`` and ``ladder``.

    Examples
    --------
    >>> import elsewise as ew
    >>> rules = ew.Constraints(
    ...     immutable=["foreign_worker"],
    ...     monotone={"age": "increase"},
    ...     bounds={"credit_amount": (250, 20_000)},
    ...     allowed={"housing": {"rent": ["own"]}},
    ...     linear=["installments <= 0.5 * income"],
    ...     max_changes=3,
    ... )
    >>> rules.bounds["credit_amount"]
    (250, 20000)
    """

    immutable: Sequence[str] = ()
    monotone: Mapping[str, str] = field(default_factory=dict)
    bounds: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    integer: Sequence[str] | None = None
    allowed: Mapping[str, Mapping[Any, Sequence[Any]] | Sequence[Any]] = field(default_factory=dict)
    linear: Sequence[Any] = ()
    max_changes: int | None = None
    min_change: Mapping[str, float] | str | None = None
    step: Mapping[str, float | None] | str | None = None
    together: Sequence[Sequence[str]] = ()
    special: Mapping[str, Sequence[float]] | Sequence[float] | None = None
    codes: str | None = None
    range: str | Sequence[str] | None = None
    unseen: str = "forbid"
    implies: Mapping[str, str] = field(default_factory=dict)
    derive: Mapping[str, str] | None = None
    may_become_missing: Mapping[str, float] | Sequence[str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        inequalities, identities = _without_identities(self.linear)
        # Own copies in plain types: what was checked here cannot change later.
        checked = {
            "immutable": _names(self.immutable, "immutable"),
            "monotone": _monotone(self.monotone),
            "bounds": {name: _ends(name, ends) for name, ends in _by_column(self.bounds, "bounds")},
            "integer": None if self.integer is None else _names(self.integer, "integer"),
            "allowed": {name: _targets(name, targets) for name, targets in _by_column(self.allowed, "allowed")},
            "linear": _linear(inequalities),
            "max_changes": _max_changes(self.max_changes),
            "min_change": checked_sizes(self.min_change),
            "step": checked_steps(self.step),
            "together": checked_groups(self.together),
            "special": _special(self.special),
            "codes": None if self.codes is None else _one_of(self.codes, "codes", ("change", "stay")),
            "range": _range(self.range),
            "unseen": _one_of(self.unseen, "unseen", ("forbid", "allow")),
            "implies": _implies(self.implies),
            "derive": _derive(self.derive, identities),
            "may_become_missing": checked_prices(self.may_become_missing),
        }
        for name, value in checked.items():
            object.__setattr__(self, name, value)

    def __repr__(self) -> str:
        return f"Constraints({', '.join(f'{name}={value!r}' for name, value in self.to_mapping().items())})"

    def __and__(self, other: Constraints | None) -> Constraints:
        from .joining import joined

        return self if other is None else joined(self, other) if isinstance(other, Constraints) else NotImplemented

    __rand__ = __and__  # None & rules

    @classmethod
    def from_mapping(cls, mapping: Mapping[str, Any]) -> Constraints:
        """Make rules from a mapping with the parameters as keys, as a TOML or JSON file holds them.

        Keys of such files are text: a level that is a number or a boolean is found by how it is written. For the open
        end of a bound TOML has ``-inf`` and ``inf``, JSON ``null``.
        """
        if not isinstance(mapping, Mapping):
            raise InvalidInputError(f"Rules: expected a mapping, received {type(mapping).__name__}.")
        known = [item.name for item in fields(cls)]
        for key in mapping:
            if key not in known:
                raise InvalidInputError(f"Rules: {key!r} is not a kind of rule. {did_you_mean(key, known)}")
        return cls(**mapping)

    def to_mapping(self) -> dict[str, Any]:
        """Return the rules as plain dicts and lists, without what was left at its default; undone by `from_mapping`."""
        defaults = Constraints()
        return {
            item.name: _plain(getattr(self, item.name))
            for item in fields(self)
            if getattr(self, item.name) != getattr(defaults, item.name)
        }


def names_in(constraints: Constraints | None) -> set[str]:
    """Names of the columns that rules speak of, but for formulas of derived columns."""
    if not isinstance(constraints, Constraints):  # what else it is, is refused where rules are resolved
        return set()
    given = constraints
    lists: list[Iterable[Any]] = [given.immutable, given.integer or (), *given.together, given.may_become_missing]
    lists += [() if isinstance(given.range, str) else given.range or ()]
    lists += [mapping for mapping in (given.monotone, given.bounds, given.allowed, given.special) if mapping]
    lists += [sizes for sizes in (given.min_change, given.step) if isinstance(sizes, Mapping)]
    lists += [read_rule(rule).columns for rule in given.linear]
    conditions = [read_condition(side) for pair in given.implies.items() for side in pair]
    named = {test.column for condition in conditions for test in tests_of(condition)}
    return named | {name for names in lists for name in names if isinstance(name, str)}


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, tuple) else value


def _python(value: Any) -> Any:
    """Numbers, texts and booleans of NumPy as Python's own."""
    return value.item() if isinstance(value, np.generic) else value


def _list(values: object, what: str) -> tuple[Any, ...]:
    if isinstance(values, (str, bytes, Mapping)) or not isinstance(values, Iterable):
        hint = "" if isinstance(values, Mapping) else f"; write [{values!r}] for one"
        raise InvalidInputError(f"{what}: expected a list, received {values!r}{hint}.")
    return tuple(_python(value) for value in values)


def _names(values: object, what: str) -> tuple[str, ...]:
    names = _list(values, what)
    for name in names:
        _check_name(name, what)
    return tuple(dict.fromkeys(names))


def _check_name(name: object, what: str) -> None:
    if not isinstance(name, str):
        raise InvalidInputError(
            f"{what}: expected names of columns, received {name!r} of type {type(name).__name__}. " + NAMES_ARE_TEXT
        )


def _by_column(mapping: object, what: str) -> list[tuple[str, Any]]:
    if not isinstance(mapping, Mapping):
        raise InvalidInputError(
            f"{what}: expected a mapping from names of columns, received {type(mapping).__name__} ({mapping!r})."
        )
    for name in mapping:
        _check_name(name, what)
    return list(mapping.items())


def _monotone(mapping: Mapping[str, str]) -> dict[str, str]:
    for name, direction in _by_column(mapping, "monotone"):
        if not isinstance(direction, str) or not _DIRECTION.fullmatch(direction):
            raise InvalidInputError(
                f"monotone: expected 'increase', 'decrease' or 'increase by at most 2' for {name!r}, received "
                f"{direction!r}. "
                "A column that may do neither belongs in immutable."
            )
    return dict(mapping)


def way_and_most(direction: str) -> tuple[str, float]:
    """Split a direction into "increase" or "decrease" and how far a row may go in it; infinite where that is open."""
    found = _DIRECTION.fullmatch(direction)
    assert found is not None  # checked when the rules were made
    return found[1], inf if found[2] is None else float(found[2])


def _ends(name: str, ends: object) -> tuple[Any, Any]:
    if isinstance(ends, (str, bytes, Mapping)) or not isinstance(ends, Iterable) or len(pair := tuple(ends)) != 2:
        raise InvalidInputError(
            f"bounds: expected (low, high) for {name!r}, with None for an open end; received {ends!r}."
        )
    low, high = (_python(end) for end in pair)
    low, high = None if _is_number(low, -inf) else low, None if _is_number(high, inf) else high
    for end in (low, high):
        if isinstance(end, Real) and not isfinite(end):
            raise InvalidInputError(
                f"bounds: expected finite numbers or None for {name!r}, low before high; received {ends!r}."
            )
    return low, high


def _is_number(value: object, number: float) -> bool:
    return isinstance(value, Real) and bool(value == number)


def _targets(name: str, targets: object) -> dict[Any, tuple[Any, ...]] | tuple[Any, ...]:
    if isinstance(targets, Mapping):
        return {_python(level): _list(reached, f"allowed[{name!r}][{level!r}]") for level, reached in targets.items()}
    return _list(targets, f"allowed[{name!r}]")


def _linear(rules: object) -> tuple[WrittenRule, ...]:
    if isinstance(rules, tuple) and len(rules) == 3 and isinstance(rules[0], Mapping):
        raise InvalidInputError(f"linear: expected a list of rules, received one; write [{rules!r}].")
    checked = _list(rules, "linear")
    for rule in checked:
        read_rule(rule)
    return tuple(rule if isinstance(rule, str) else _triple(*rule) for rule in checked)


def _triple(factors: Mapping[str, float], sign: str, bound: float) -> tuple[dict[str, float], str, float]:
    return {name: _python(factor) for name, factor in factors.items()}, sign, _python(bound)


def _max_changes(count: object) -> int | None:
    if count is None:
        return None
    if isinstance(count, bool) or not isinstance(count, Integral) or count < 0:
        raise InvalidInputError(
            f"max_changes: expected a whole number of columns, 0 or more, or None for any number; received {count!r}."
        )
    return int(count)


def _special(special: object) -> dict[str, tuple[float, ...]] | tuple[float, ...] | None:
    if special is None:
        return None
    if isinstance(special, Mapping):
        return {name: _codes(codes, f"special[{name!r}]") for name, codes in _by_column(special, "special")}
    return _codes(special, "special")


def _one_of(value: object, what: str, known: tuple[str, ...]) -> str:
    if not isinstance(value, str) or value not in known:
        raise InvalidInputError(f"{what}: expected {' or '.join(map(repr, known))}, received {value!r}.")
    return value


def _implies(mapping: object) -> dict[str, str]:
    if not isinstance(mapping, Mapping):
        raise InvalidInputError(
            f"implies: expected {{condition: condition}}, received {type(mapping).__name__} ({mapping!r})."
        )
    for condition, then in mapping.items():
        read_condition(condition)
        read_condition(then)
    return dict(mapping)


def _range(value: object) -> str | tuple[str, ...] | None:
    if value is None or (isinstance(value, str) and value in ("training", "any")):
        return value
    if isinstance(value, (str, Mapping)) or not isinstance(value, Iterable):
        raise InvalidInputError(
            f"range: expected 'training', 'any' or a list of columns, received {value!r}. Give ends with bounds."
        )
    return _names(value, "range")


def _codes(values: object, what: str) -> tuple[float, ...]:
    codes = _list(values, what)
    for code in codes:
        if isinstance(code, bool) or not isinstance(code, Real) or not isfinite(code):
            raise InvalidInputError(f"{what}: expected finite numbers as codes, received {code!r}.")
    return tuple(dict.fromkeys(codes))


def _without_identities(linear: object) -> tuple[object, dict[str, str]]:
    """Take equations that say what a column is, ``"total == a + b"``, out of linear rules."""
    if isinstance(linear, (str, bytes, Mapping)) or not isinstance(linear, Iterable):
        return linear, {}
    rules, identities = [], {}
    for rule in linear:
        sides = rule.split("==") if isinstance(rule, str) else []
        names = [side.strip().strip("`") for side in sides if _COLUMN.fullmatch(side.strip())]
        if len(sides) != 2 or not names:
            rules.append(rule)
            continue
        is_first = _COLUMN.fullmatch(sides[0].strip()) is not None
        identities[names[0]] = sides[1 if is_first else 0].strip()
    return (rules, identities) if identities else (linear, {})


def _derive(given: object, identities: Mapping[str, str]) -> dict[str, str] | None:
    if given is None:
        return dict(identities) or None
    formulas = dict(_by_column(given, "derive"))
    for name, text in formulas.items():
        if not isinstance(text, str):
            raise InvalidInputError(
                f"derive: expected formulas such as 'loan / price', received {text!r} for {name!r}."
            )
    formulas |= identities
    for name, text in formulas.items():
        read_formula(name, text)
    return formulas
