"""From the user's rules to rules of a table: names become features, levels become positions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil, floor
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from ..arrays import BoolArray, FloatArray
from ..errors import InvalidInputError
from . import words
from .arithmetic.linear import read_rule
from .arithmetic.linear_rules import linear_rule
from .atomic import Codes, FewChanges, MissingStays, OneWay, Rule, Stays, Transitions, Whole, Within
from .constraints import Constraints
from .implications import implication
from .learned.found_rules import NumberOrCode
from .learned.regularities import Regularities
from .learned.suggested import found_rules, range_columns
from .levels import few, is_boolean, n_positions, position_of
from .meaningful import least_changes, units_of
from .rules import Rules
from .steps import OnSteps, step_rules

if TYPE_CHECKING:
    from ..table.column import Column
    from ..table.table import Table


def resolve(
    constraints: Constraints | None,
    table: Table,
    rows: FloatArray | None = None,
    regularities: Regularities | None = None,
    scales: FloatArray | None = None,
) -> Rules:
    """Resolve rules against the columns of a table.

    Parameters
    ----------
    constraints : Constraints or None
        None for no rules but those of the table itself: whole numbers stay whole.
    table : Table
    rows : array of shape (n_samples, n_features), optional
        Encoded training rows, or the smallest and largest values of each feature. Only special codes need them, to tell
        on which side the regular values lie.
    regularities : Regularities, optional
        What holds of all training rows; without them no rule is added to the user's.
    scales : array of shape (n_features,), optional
        Of the features of training rows, as :class:`~elsewise.Scaled` has them. Only least changes need them.
    """
    return _Resolution(_checked(constraints), table, rows, regularities, scales).rules()


_NO_RULES = Constraints()


def _checked(constraints: object) -> Constraints:
    if constraints is None:
        return _NO_RULES
    if isinstance(constraints, Constraints):
        return constraints
    hint = " Make them with Constraints.from_mapping." if isinstance(constraints, Mapping) else ""
    raise InvalidInputError(
        f"constraints: expected elsewise.Constraints or None, received {type(constraints).__name__}.{hint}"
    )


class _Resolution:
    """Rules on their way to a table.

    Columns that the model does not use are not part of the table: they never change, so that what only says how they
    may change is kept without a rule.
    """

    def __init__(
        self,
        constraints: Constraints,
        table: Table,
        rows: FloatArray | None,
        regularities: Regularities | None,
        scales: FloatArray | None,
    ) -> None:
        self.given, self.regularities = constraints, regularities
        self.table = table
        self.columns, self.n_features = table.columns, table.n_features
        self.rows, self.scales = rows, scales
        self.by_name = {column.name: column for column in self.columns}
        self.integer = np.zeros(table.n_features, dtype=np.bool_)
        self.codes: dict[str, Codes | NumberOrCode] = {}

    def rules(self) -> Rules:
        """All rules, in the order of the parameters."""
        self._refuse_contradictions()
        whole = self._whole()
        special = self._special()
        steps = self._steps()
        single: list[Rule] = [
            *(Stays(f"{name} stays as it is", self._column(name, "immutable")) for name in self._used("immutable")),
            *(self._monotone(name, self.given.monotone[name]) for name in self._used("monotone")),
            *(self._bounds(name, *ends) for name, ends in self.given.bounds.items() if tuple(ends) != (None, None)),
            *whole,
            *(rule for name in self._used("allowed") for rule in self._allowed(name, self.given.allowed[name])),
            *(linear_rule(read_rule(rule), self.n_features, self._column) for rule in self.given.linear),
            *steps,
            *self._least_changes({rule.column.start: float(rule.step) for rule in steps}),
            *special,
            *(implication(*pair, self._column, position_of) for pair in self.given.implies.items()),
            *found_rules(self.given, self.table, self.regularities, self.codes),
            *(
                MissingStays(f"{column.name}: what is missing stays missing", column)
                for column in self.columns
                if column.missing_stays and column.kind == "category" and None in column.levels
            ),
        ]
        unit = units_of(self.table, self.given.together, self._column)
        most = self.given.max_changes
        if most is not None:
            in_words = {0: "no column changes", 1: "at most 1 column changes"}.get(
                most, f"at most {most} columns change"
            )
            single.append(FewChanges(in_words, self.columns, most, unit))
        return Rules(self.columns, self.n_features, self.integer, tuple(single), unit)

    def _steps(self) -> list[OnSteps]:
        given, known = self.given.step, self.regularities
        for name in given if isinstance(given, Mapping) else ():
            if name not in self.table.unused and self._column(name, "step").kind not in ("number", "integer"):
                raise InvalidInputError(
                    f"step: {name!r} is not a numeric column but has levels ({few(self.by_name[name].levels)}). Leave "
                    "it out."
                )
        found = known.steps if known is not None and known.by_default else {}
        if self.given.integer is not None:  # it says outright which numbers are like any others
            found = {name: step for name, step in found.items() if name in self.given.integer}
        if isinstance(given, Mapping):
            given = {name: step for name, step in given.items() if name in self.by_name}
        numbers = [column for column in self.columns if column.kind in ("number", "integer")]
        entered = {name: rule.codes for name, rule in self.codes.items() if self.given.codes == "change"}
        return step_rules(given, found, numbers, self.integer, entered)

    def _least_changes(self, steps: Mapping[int, float]) -> list[Rule]:
        sizes = self.given.min_change
        steps = {**dict.fromkeys(np.flatnonzero(self.integer).tolist(), 1.0), **steps}
        if isinstance(sizes, Mapping):
            for name in sizes:
                if name in self.table.unused:
                    continue
                column = self._column(name, "min_change")
                if column.kind not in ("number", "integer"):
                    raise InvalidInputError(
                        f"min_change: {name!r} is not a numeric column but has levels ({few(column.levels)}), between "
                        "which every change is a whole one. Leave it out."
                    )
            sizes = {name: size for name, size in sizes.items() if name not in self.table.unused}
        known = self.regularities
        by_default = known is not None and known.by_default and self.given.integer is None
        return least_changes(sizes, self.columns, self.scales, steps, by_default=by_default)

    def _used(self, parameter: str) -> list[str]:
        """Names of columns in a parameter, without those that the model does not use."""
        return [name for name in getattr(self.given, parameter) or () if name not in self.table.unused]

    def _column(self, name: str, parameter: str) -> Column:
        if name in self.by_name:
            return self.by_name[name]
        if name in self.table.unused:
            raise InvalidInputError(
                f"{parameter}: the model does not use the column {name!r}, so that no counterfactual changes it. Leave "
                "it out."
            )
        for column in self.columns:
            if column.is_group and name in [self.table.names[source] for source in column.sources]:
                raise InvalidInputError(
                    f"{parameter}: {name!r} is one of the indicators of the column {column.name!r}, which changes as "
                    f"one. Name {column.name!r} instead."
                )
        raise InvalidInputError(
            f"{parameter}: there is no column {name!r}. {words.did_you_mean(name, list(self.by_name))}"
        )

    def _refuse_contradictions(self) -> None:
        for name in self.given.immutable:
            for parameter in ("monotone", "allowed"):
                if name in getattr(self.given, parameter):
                    raise InvalidInputError(
                        f"{name!r} is both in immutable and in {parameter}: the one says that it stays as it is, the "
                        "other how it may move. Drop one of them."
                    )

    def _whole(self) -> list[Rule]:
        """Set which features are whole; rules for those that were declared so."""
        for column in self.columns:
            if column.kind == "ordinal" or (column.kind == "integer" and self.given.integer is None):
                self.integer[column.start] = True
        rules: list[Rule] = []
        for name in self._used("integer"):
            column = self._column(name, "integer")
            if column.kind == "category":
                raise InvalidInputError(
                    f"integer: {name!r} is a category with the levels {few(column.levels)}; only numeric columns can "
                    "hold whole numbers. Leave it out."
                )
            if column.kind != "ordinal":  # ranks are whole by their nature, whatever is declared
                self.integer[column.start] = True
                rules.append(Whole(f"{name} is a whole number", column))
        return rules

    def _monotone(self, name: str, direction: str) -> Rule:
        column = self._column(name, "monotone")
        sign = 1 if direction == "increase" else -1
        in_words = f"{name} may only {direction}"
        if column.kind != "category":
            return OneWay(in_words, column, sign)
        if not is_boolean(column):
            raise InvalidInputError(
                f"monotone: {name!r} is a category without an order ({few(column.levels)}), so that nothing in it "
                f"increases. Say which changes are fine with allowed={{{name!r}: {{from_level: [to_level, ...]}}}}."
            )
        truth = np.array([float(level) for level in column.levels] + [np.nan] * column.open)  # never seen: no order
        steps = sign * (truth[None, :] - truth[:, None])
        return Transitions(in_words, column, np.asarray((steps >= 0) | np.eye(len(truth), dtype=np.bool_)))

    def _bounds(self, name: str, low: Any, high: Any) -> Rule:
        column = self._column(name, "bounds")
        if column.kind == "category":
            raise InvalidInputError(
                f"bounds: {name!r} is a category ({few(column.levels)}), which has no lower or upper end. Say which "
                f"levels are fine with allowed={{{name!r}: [level, ...]}}."
            )
        ends = [self._end(column, end) for end in (low, high)]
        least, most = -np.inf if ends[0] is None else ends[0], np.inf if ends[1] is None else ends[1]
        low_word, high_word = words.level(low), words.level(high)
        if least > most:
            raise InvalidInputError(
                f"bounds: the bounds of {name!r} contradict each other: nothing is at least {low_word} and at most "
                f"{high_word}. Expected (low, high)."
            )
        if self.integer[column.start] and np.isfinite(least) and np.isfinite(most) and ceil(least) > floor(most):
            raise InvalidInputError(
                f"bounds: {name!r} holds whole numbers, and there is none between {low_word} and {high_word}. Widen "
                "the bounds, or say with integer=[...] which columns are whole."
            )
        if low is None or high is None:
            in_words = f"{name} at most {high_word}" if low is None else f"{name} at least {low_word}"
        else:
            in_words = f"{name} between {low_word} and {high_word}"
        codes = self.codes[name].codes if name in self.codes else np.empty(0)
        return Within(in_words, column, least, most, codes)

    def _end(self, column: Column, end: object) -> float | None:
        if end is None:
            return None
        if column.kind == "ordinal":
            return float(position_of(column, end, "bounds"))
        if isinstance(end, bool) or not isinstance(end, Real):
            raise InvalidInputError(
                f"bounds: expected numbers or None as bounds of the numeric column {column.name!r}, received {end!r}."
            )
        return float(end)

    def _allowed(self, name: str, targets: Mapping[Any, Sequence[Any]] | Sequence[Any]) -> list[Rule]:
        column = self._column(name, "allowed")
        if column.kind in ("number", "integer"):
            raise InvalidInputError(
                f"allowed: {name!r} is a numeric column, not a category. Limit it with bounds or monotone."
            )
        if not isinstance(targets, Mapping):
            may = self._only(column, range(n_positions(column)), targets)
            where = f"only to {words.levels(targets)}" if targets else "to no other level"
            return [Transitions(f"{name}: {where}", column, may)]
        rules: list[Rule] = []
        for level, reached in targets.items():
            may = self._only(column, [position_of(column, level, "allowed")], reached)
            where = f"only to {words.levels(reached)}" if reached else "to no other level"
            rules.append(Transitions(f"{name}: from {words.level(level)} {where}", column, may))
        return rules

    def _only(self, column: Column, sources: Sequence[int], targets: Sequence[Any]) -> BoolArray:
        """Allow from some positions nothing but the targets and staying; shape (n_levels, n_levels)."""
        may = np.ones((n_positions(column), n_positions(column)), dtype=np.bool_)
        may[list(sources)] = False
        for target in targets:
            may[list(sources), position_of(column, target, "allowed")] = True
        np.fill_diagonal(may, True)
        return may

    def _special(self) -> list[Rule]:
        special, found = self.given.special, self.regularities
        if special is None and found is not None and found.by_default:
            special = {name: codes for name, codes in found.special.items() if name in self.by_name}
        if special is None or special == {}:
            return []
        if self.rows is None or len(self.rows) == 0:
            raise InvalidInputError(
                "special: training rows are needed to tell on which side of the codes the regular values lie."
            )
        if not isinstance(special, Mapping):
            numeric = [column for column in self.columns if column.kind in ("number", "integer")]
            special = {column.name: special for column in numeric if np.isin(self.rows[:, column.start], special).any()}
        steps = {rule.column.name: rule for rule in self._steps()}
        self.codes = {
            name: self._codes(name, np.array(codes, dtype=float), self.rows, steps.get(name))
            for name, codes in special.items()
        }
        return [*self.codes.values()]

    def _codes(self, name: str, codes: FloatArray, rows: FloatArray, step: OnSteps | None) -> Codes | NumberOrCode:
        column = self._column(name, "special")
        if column.kind not in ("number", "integer"):
            raise InvalidInputError(
                f"special: {name!r} is not a numeric column but has levels ({few(column.levels)}). Leave it out; "
                "allowed and immutable are for levels."
            )
        values = rows[:, column.start]
        regular = values[~np.isin(values, codes)]
        in_words = words.levels(codes.tolist())
        if len(regular) == 0:
            raise InvalidInputError(
                f"special: {name!r} holds nothing but the codes {in_words} in the training rows, so that no regular "
                "values are known. Put it in immutable instead."
            )
        least, most = float(regular.min()), float(regular.max())
        amid = codes[(codes > least) & (codes < most)]
        if len(amid):
            raise InvalidInputError(
                f"special: the code {words.number(amid[0])} lies amid the regular values of {name!r}, which go from "
                f"{words.number(least)} to {words.number(most)}. A code must lie below or above all of them. Give the "
                "codes of each column, {column: [codes]}, all of them, or recode the column."
            )
        off_step = step is not None and not all(map(step.has_multiple, codes.tolist()))
        stays = self.given.codes == "stay" or (self.given.codes is None and off_step)
        if not stays or self.given.special is None:
            return self._number_or_code(column, codes, least, most, stays=stays)
        return Codes(
            f"{name} keeps the special codes {in_words} apart",
            column,
            codes,
            least if (codes < least).any() else -np.inf,
            most if (codes > most).any() else np.inf,
        )

    def _number_or_code(
        self, column: Column, codes: FloatArray, least: float, most: float, *, stays: bool
    ) -> NumberOrCode:
        """Make the rule of a number with codes: its regular part is as wide as bounds, range and codes allow."""
        low, high = (self._end(column, end) for end in self.given.bounds.get(column.name, (None, None)))
        user = (-np.inf if low is None else low, np.inf if high is None else high)
        least = least if (codes < least).any() else -np.inf
        most = most if (codes > most).any() else np.inf
        in_range = range_columns(self.given, self.table, self.regularities)
        if self.regularities is not None and column.name in in_range:
            f = column.start
            least = max(least, self.regularities.low[f]) if low is None else least
            most = min(most, self.regularities.high[f]) if high is None else most
        listed = words.levels(codes.tolist())
        in_words = f"{column.name} is a number of the regular range or one of {listed}"
        in_words = f"{column.name} keeps the special codes {listed} apart" if stays else in_words
        ends = (max(least, user[0]), min(most, user[1]), *user)
        return NumberOrCode(in_words, column, codes, *ends, stays, self.given.special is None)
