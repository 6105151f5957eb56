"""The rules of a table as the search takes them, and the last check before an answer is returned."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ..arrays import BoolArray, FloatArray, IntArray
from ..errors import InvalidInputError
from ..search.domains.clauses import Clauses
from ..search.domains.domain import Layout
from ..search.domains.lattice import Lattice
from ..table.column import groups_of
from ..text.languages import say
from . import words
from .atomic import Codes, FewChanges, Linear, MissingStays, Rule, Whole, value_in_words
from .implications import Implies
from .learned.derived_ranges import DerivedRange
from .learned.found_rules import NumberOrCode, Ranges, Unseen
from .learned.special_values import NumbersOrCodes, joined
from .meaningful import LeastChange
from .steps import OnSteps, lattice_of

if TYPE_CHECKING:
    from ..table.column import Column

# Two half-spaces are opposite if their normals, scaled to a largest entry of 1, are within this of each other, relative
# and absolute: decimals written in two ways round differently.
OPPOSITE_RELATIVE = 1e-9
OPPOSITE_ABSOLUTE = 1e-12
# Room between two opposite half-spaces, relative to where they lie, within which rounding cannot find a number: some
# thousand times what keeping away from each of them takes.
LEAST_ROOM = 1e-9


@dataclass(frozen=True, eq=False)
class Rules:
    """What a counterfactual of a row may be, in features; made by :func:`elsewise.rules.resolve`.

    For a row ``e0``, a counterfactual ``e`` satisfies

        lower(e0) <= e <= upper(e0),  e_i whole where integer_i,  normals e <= offsets,
        one indicator of each category, among those reachable from e0, and at most max_changes columns of e0 differ.

    Attributes
    ----------
    columns : tuple of Column
    n_features : int
    integer : bool array of shape (n_features,)
        Features that must be whole; True for every rank of ordered levels, False for indicators.
    single : tuple of Rule
        The rules one by one.
    unit : int array of shape (n_columns,), or None
        What each column counts as where changes are counted; None for itself.
    may_become_missing : {feature: price}
        Numbers of which an answer may have none. No rule of ``single`` knows of it: rows without them are asked about
        by themselves.
    """

    columns: tuple[Column, ...]
    n_features: int
    integer: BoolArray
    single: tuple[Rule, ...]
    unit: IntArray | None = None
    may_become_missing: Mapping[int, float] = field(default_factory=dict)

    @cached_property
    def least_moves(self) -> FloatArray:
        """Least size of a change of each feature, 0 where any will do; array of shape (n_features,)."""
        least = np.zeros(self.n_features)
        for rule in self.single:
            if isinstance(rule, LeastChange):
                least[rule.column.start] = rule.least
        return least

    @cached_property
    def lattice(self) -> Lattice | None:
        """Steps of columns; None if no column has one."""
        return lattice_of(self.single, self.n_features)

    @cached_property
    def codes(self) -> dict[int, tuple[float, ...]]:
        """Special codes of features that have any."""
        known = [rule for rule in self.single if isinstance(rule, (Codes, NumberOrCode))]
        return {rule.column.start: tuple(rule.codes.tolist()) for rule in known}

    @cached_property
    def layout(self) -> Layout:
        """How features form columns, and columns count as changes."""
        widths = [column.width for column in self.columns]
        unit = np.arange(len(widths)) if self.unit is None else self.unit
        return Layout(np.repeat(np.arange(len(widths)), widths), len(widths), groups_of(self.columns), unit)

    @cached_property
    def _searched(self) -> list[Rule | NumbersOrCodes]:
        """The rules as the search takes them: many of one kind at once."""
        return joined(self.single)

    @cached_property
    def _kind_limits(self) -> tuple[FloatArray, FloatArray]:
        """Limits that features have by the kinds of their columns, two arrays of shape (n_features,)."""
        lower, upper = np.full(self.n_features, -np.inf), np.full(self.n_features, np.inf)
        for column in self.columns:
            if column.kind == "ordinal":
                lower[column.start], upper[column.start] = 0.0, len(column.levels) - 1
            elif column.kind == "category":
                lower[column.features], upper[column.features] = 0.0, 1.0
        return lower, upper

    @property
    def names(self) -> tuple[str, ...]:
        """Each rule in words."""
        return tuple(rule.name for rule in self.single)

    @property
    def given_names(self) -> tuple[str, ...]:
        """Each rule of the user in words."""
        return tuple(rule.name for rule in self.single if not rule.is_found)

    @property
    def found_names(self) -> tuple[str, ...]:
        """Each rule that the training rows suggest in words, pairs never seen together one by one."""
        found = [rule for rule in self.single if rule.is_found]
        return tuple(part.name for rule in found for part in (rule.split() if isinstance(rule, Unseen) else [rule]))

    @property
    def is_empty(self) -> bool:
        """Whether nothing restricts: no rule, and no feature that must be whole (categories are no restriction)."""
        return not self.single and not self.integer.any()

    @property
    def max_changes(self) -> int | None:
        """How many columns may change, None for any number."""
        return min((rule.most for rule in self.single if isinstance(rule, FewChanges)), default=None)

    @cached_property
    def _linear(self) -> list[Linear | DerivedRange]:
        return [rule for rule in self.single if isinstance(rule, Linear | DerivedRange)]

    @cached_property
    def normals(self) -> FloatArray:
        """Normals of the linear rules ``normals e <= offsets``, shape (n_half_spaces, n_features)."""
        return np.concatenate([np.empty((0, self.n_features)), *(rule.normals for rule in self._linear)])

    @cached_property
    def offsets(self) -> FloatArray:
        """Right-hand sides of the linear rules, shape (n_half_spaces,)."""
        return np.concatenate([np.empty(0), *(rule.offsets for rule in self._linear)])

    @property
    def rule_of_half_space(self) -> IntArray:
        """Position in ``names`` of the rule that each half-space comes from, shape (n_half_spaces,)."""
        counts = [len(rule.offsets) if isinstance(rule, Linear | DerivedRange) else 0 for rule in self.single]
        return np.repeat(np.arange(len(counts), dtype=np.int64), counts)

    def keeps_linear(self, E: FloatArray) -> BoolArray:
        """Whether rows ``E`` keep every linear rule as it was written, without any tolerance, shape (n_samples,)."""
        kept = np.ones(len(E), dtype=np.bool_)
        for rule in self._linear:
            if isinstance(rule, Linear):
                kept &= ~rule.breaks(E, E)
            elif len(rule.offsets):
                kept &= ~rule.outside(E)
        return kept

    def refuse_equations(self) -> None:
        """Refuse linear rules that leave no room to each other, where a number that is not whole is about them.

        The search keeps a small distance from every boundary; between ``a <= 3`` and ``a >= 3`` there is none.
        """
        normals, offsets = self.normals, self.offsets
        if len(offsets) < 2:
            return
        size = np.abs(normals).max(axis=1, initial=0.0)
        is_discrete, lattice = self.integer.copy(), self.lattice
        for column in self.columns:
            is_discrete[column.features] |= column.kind == "category"
        if lattice is not None:
            is_discrete[lattice.features] = True
        for i in range(len(offsets)):
            for j in range(i):
                opposite = np.allclose(
                    normals[i] / size[i], -normals[j] / size[j], rtol=OPPOSITE_RELATIVE, atol=OPPOSITE_ABSOLUTE
                )
                width = offsets[i] / size[i] + offsets[j] / size[j]
                rounding = LEAST_ROOM * (1.0 + abs(offsets[i] / size[i]))
                if opposite and abs(width) <= rounding and (normals[i] != 0)[~is_discrete].any():
                    names = sorted({self.names[self.rule_of_half_space[j]], self.names[self.rule_of_half_space[i]]})
                    raise InvalidInputError(
                        f"linear: {' and '.join(repr(name) for name in names)} leave a single value, which rounding "
                        "cannot meet. Leave some room between the lower and the upper end."
                    )

    def without(self, indices: Iterable[int]) -> Rules:
        """Drop the rules at some positions of ``names``."""
        dropped = set(indices)
        integer = self.integer.copy()
        for index in dropped:
            rule = self.single[index]
            if isinstance(rule, Whole):
                integer[rule.column.start] = False
        kept = tuple(rule for index, rule in enumerate(self.single) if index not in dropped)
        return replace(self, single=kept, integer=integer)

    def of_all_numbers(self) -> Rules:
        """Drop the steps and least changes that the training rows suggest; the user's stay."""
        kept = tuple(rule for rule in self.single if not (isinstance(rule, OnSteps | LeastChange) and rule.is_found))
        return self if len(kept) == len(self.single) else replace(self, single=kept)

    def where_missing(self, missing: BoolArray) -> Rules:
        """Make the rules of rows in which some numbers are missing: these stay so, and no other rule is about them.

        Parameters
        ----------
        missing : bool array of shape (n_features,)

        Raises
        ------
        InvalidInputError
            A linear rule needs one of these numbers.
        """
        columns = [column for column in self.columns if missing[column.start] and column.kind != "category"]
        for rule in self.single:
            if isinstance(rule, Linear) and (rule.normals[:, missing] != 0).any():
                needed = next(column.name for column in columns if (rule.normals[:, column.start] != 0).any())
                raise InvalidInputError(
                    f"linear: {rule.name!r} needs a number in column {needed!r}, which is missing in a row. Leave the "
                    "rule out for such rows, or impute the column in the pipeline."
                )
        kept = [left for rule in self.single if (left := _apart_from(rule, missing)) is not None]
        stays = [MissingStays(say("rule.is missing", column=words.column(column.name)), column) for column in columns]
        return replace(self, single=(*kept, *stays))

    def after_changes(self, n_changes: int) -> Rules:
        """Make the rules of what is left to change in rows of which so many columns have changed already."""
        kept = tuple(
            replace(rule, most=rule.most - n_changes) if isinstance(rule, FewChanges) else rule for rule in self.single
        )
        return replace(self, single=kept) if n_changes else self

    def limits(self, E: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Limits of each feature for the counterfactuals of rows.

        Parameters
        ----------
        E : array of shape (n_samples, n_features)

        Returns
        -------
        lower, upper : arrays of shape (n_samples, n_features)
            Infinite where free, whole for features that must be so (or the row's own value), 0 and 1 for indicators. A
            row that `check_rows` accepts lies within its own limits.
        """
        lower, upper = (np.tile(ends, (len(E), 1)) for ends in self._kind_limits)
        for rule in self._searched:
            rule.narrow(E, lower, upper)
        low, high, own = lower[:, self.integer], upper[:, self.integer], E[:, self.integer]
        # Adding zero turns -0.0, the ceiling of -0.5, into 0.0.
        inner_low, inner_high = np.ceil(low) + 0.0, np.floor(high) + 0.0
        # A value that is not whole to begin with may stay: rounding must not exclude it.
        lower[:, self.integer] = np.where((low <= own) & (own < inner_low), own, inner_low)
        upper[:, self.integer] = np.where((high >= own) & (own > inner_high), own, inner_high)
        lattice = self.lattice
        if lattice is not None:
            f = lattice.features
            low, high, own = lower[:, f], upper[:, f], E[:, f]
            inner_low, inner_high = lattice.inner_limits(low, high)
            lower[:, f] = np.where((low <= own) & (own < inner_low), own, inner_low)
            upper[:, f] = np.where((high >= own) & (own > inner_high), own, inner_high)
        return lower, upper

    def reachable(self, E: FloatArray) -> BoolArray:
        """Whether the counterfactual of a row may have each level.

        Parameters
        ----------
        E : array of shape (n_samples, n_features)

        Returns
        -------
        bool array of shape (n_samples, n_features)
            For indicators; True for numeric features.
        """
        reachable = np.ones(E.shape, dtype=np.bool_)
        for column in self.columns:
            if column.open and column.kind == "category":
                reachable[:, column.stop - 1] = False
        for rule in self.single:
            rule.bar(E, reachable)
        return np.asarray(reachable | ((E == 1) & (self.layout.group >= 0)))

    def clauses(self, E: FloatArray) -> Clauses | None:
        """Return alternatives of which answers to rows ``E``, of shape (n_samples, n_features), keep one each."""
        return Clauses.join([found for rule in self._searched if (found := rule.clauses(E)) is not None])

    def check_rows(self, E: FloatArray, given: object = None, missing: BoolArray | None = None) -> None:
        """Refuse rows for which a rule makes no sense, such as a bound that excludes the row itself.

        Parameters
        ----------
        E : array of shape (n_samples, n_features)
        given : data frame, optional
            The rows as they came: their labels help to find a row.
        missing : bool array of shape (n_samples, n_features), optional
            Numbers that are missing: no rule is about them.
        """
        for rule in self.single:
            excludes = rule.excludes(E)
            if not excludes.any():
                continue
            excluded = np.flatnonzero(excludes & ~_is_about(rule, missing))
            if len(excluded):
                row = int(excluded[0])
                column: Column = rule.column  # type: ignore[attr-defined]  # only rules about a column exclude rows
                more = f" The same holds for {len(excluded) - 1} more rows." if len(excluded) > 1 else ""
                raise InvalidInputError(
                    f"{words.row(row, given)}: {column.name!r} is {value_in_words(column, E[row])}, but "
                    f"{rule.objection(E[row])}.{more}"
                )

    def broken(self, E0: FloatArray, E1: FloatArray, missing: BoolArray | None = None) -> list[tuple[int, str]]:
        """Check counterfactuals against every rule, one by one and by direct comparison.

        Parameters
        ----------
        E0, E1 : arrays of shape (n_samples, n_features)
            Rows, and their counterfactuals as they would be returned.
        missing : bool array of shape (n_samples, n_features), optional
            Numbers that are missing: no rule is about them.

        Returns
        -------
        list of (int, str)
            Row, and which rule it breaks and how; ordered by row, empty if all is well.
        """
        found: list[tuple[int, str]] = []
        moves = (E0 != E1).any(axis=0)  # what no row changes has the values that the rows have
        declared = {rule.column.start for rule in self.single if isinstance(rule, Whole)}
        for place in np.flatnonzero(np.logical_or.reduceat(moves, self.layout.starts)).tolist():
            column = self.columns[place]
            for row in np.flatnonzero(self._is_no_value(column, E0, E1, declared)).tolist():
                values = E1[row, column.features].tolist()
                found.append((row, f"{column.name} has no value of its kind ({column.kind}): {values}"))
        for rule in self.single:
            if isinstance(rule, (NumberOrCode, LeastChange, Whole)) and not moves[rule.column.start]:
                continue  # a value that stays as it is keeps them
            breaks = rule.breaks(*_present(rule, missing, E0, E1)) & ~_is_about(rule, missing)
            for row in np.flatnonzero(breaks).tolist():
                found.append((row, f"{rule.name}: {rule.in_detail(E0[row], E1[row])}"))
        return sorted(found, key=lambda item: item[0])

    def _is_no_value(self, column: Column, E0: FloatArray, E1: FloatArray, declared: set[int]) -> BoolArray:
        """Whether what rows of ``E1`` have in a column is no value of it at all, shape (n_samples,).

        ``declared`` are the features for which a rule says that they are whole: that rule judges them.
        """
        before, after = E0[:, column.features], E1[:, column.features]
        if column.kind == "category":
            is_one_level = ((after == 0) | (after == 1)).all(axis=1) & ((after == 1).sum(axis=1) == 1)
            entered_unseen = (after[:, -1] == 1) & (before[:, -1] != 1) & column.open
            return np.asarray(~is_one_level | entered_unseen)
        value, was = after[:, 0], before[:, 0]
        wrong = ~np.isfinite(value)
        if self.integer[column.start] and column.start not in declared:
            wrong |= (value != np.round(value)) & (value != was)
        if column.kind == "ordinal":
            wrong |= ~np.isin(value, np.arange(len(column.levels)))
        return np.asarray(wrong)


def _apart_from(rule: Rule, missing: BoolArray) -> Rule | None:
    """Return what a rule says about other features than these, of shape (n_features,); None if nothing."""
    if isinstance(rule, (Ranges, Unseen)):
        return rule.where_missing(missing)
    if isinstance(rule, DerivedRange) and missing[list(rule.features.values())].any():
        return None
    return None if _is_about(rule, missing) else rule


def _present(rule: Rule, missing: BoolArray | None, *rows: FloatArray) -> Sequence[FloatArray]:
    """Blank what is missing in rows, for rules about many columns: nothing is known of it."""
    if missing is None or not isinstance(rule, (DerivedRange, Ranges, Unseen)):
        return rows
    return [np.where(missing, np.nan, E) for E in rows]


def _is_about(rule: Rule, missing: BoolArray | None) -> BoolArray:
    """Whether a rule is about a column whose number is missing, of one row or of rows with features as columns."""
    if isinstance(rule, Implies) and missing is not None:
        return np.asarray(missing[..., [column.start for column in rule.columns.values()]].any(axis=-1))
    column = getattr(rule, "column", None)
    if missing is None or column is None or isinstance(rule, MissingStays):
        return np.zeros((), dtype=np.bool_)
    return np.asarray(missing[..., column.start])
