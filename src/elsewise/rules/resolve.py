"""From the user's rules to rules of a table: names become features, levels become positions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil, floor, isinf
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from ..arrays import BoolArray, FloatArray
from ..errors import InvalidInputError
from ..table.derived import read_formula
from ..text.languages import plural, say, speaking
from . import words
from .arithmetic.derived_bounds import bounds_of_derived
from .arithmetic.linear import read_rule
from .arithmetic.linear_rules import linear_rule
from .atomic import Codes, FewChanges, MissingStays, OneWay, Rule, Stays, Transitions, Whole, Within
from .becoming_missing import prices_of_features
from .constraints import Constraints, way_and_most
from .implications import implication
from .learned.derived_ranges import derived_ranges
from .learned.found_rules import NumberOrCode
from .learned.regularities import Regularities, found_rules, range_columns
from .meaningful import least_changes, units_of
from .rules import Rules
from .steps import OnSteps, step_rules
from .words import few, is_boolean, n_positions, position_of

if TYPE_CHECKING:
    from ..table.column import Column
    from ..table.table import Table

# Stands for all levels of a column; None is a level, the missing value.
_ANY_LEVEL = object()


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
        self.derived = {column.name: column for column in table.derived}
        self.integer = np.zeros(table.n_features, dtype=np.bool_)
        self.codes: dict[str, Codes | NumberOrCode] = {}

    def rules(self) -> Rules:
        """All rules, in the order of the parameters, in the words of the table."""
        with speaking(self.table.wording):
            return self._rules()

    def _rules(self) -> Rules:
        self._refuse_contradictions()
        self._refuse_other_formulas()
        whole = self._whole()
        special = self._special()
        steps = self._steps()
        prices, enterable = prices_of_features(self.given, self.table, self._column)
        with_ranges = [name for name, rule in self.codes.items() if isinstance(rule, NumberOrCode)]
        single: list[Rule] = [
            *(Stays(self._say("stays", name), self._column(name, "immutable")) for name in self._used("immutable")),
            *(self._monotone(name, self.given.monotone[name]) for name in self._used("monotone")),
            *(self._bounds(name, *ends) for name, ends in self.given.bounds.items() if tuple(ends) != (None, None)),
            *whole,
            *(rule for name in self._used("allowed") for rule in self._allowed(name, self.given.allowed[name])),
            *(linear_rule(read_rule(rule), self.n_features, self._column) for rule in self.given.linear),
            *steps,
            *self._least_changes({rule.column.start: float(rule.step) for rule in steps}),
            *special,
            *(implication(*pair, self._column, position_of) for pair in self.given.implies.items()),
            *found_rules(self.given, self.table, self.regularities, with_ranges),
            *derived_ranges(self.given, self.table, self.regularities, self._column),
            *(
                MissingStays(self._say("missing", column.name), column, column.name in enterable)
                for column in self.columns
                if column.missing_stays and column.kind == "category" and None in column.levels
            ),
        ]
        unit = units_of(self.table, self.given.together, self._column)
        most = self.given.max_changes
        if most is not None:
            in_words = plural("rule.few changes", most) if most else say("rule.no changes")
            single.append(FewChanges(in_words, self.columns, most, unit))
        return Rules(self.columns, self.n_features, self.integer, tuple(single), unit, prices)

    def _refuse_other_formulas(self) -> None:
        """Refuse formulas of derived columns that the fit has not seen."""
        known = {column.name: column.forms for column in self.table.derived}
        asked = self.given.derive
        if asked is None or known == {name: read_formula(name, text)[0] for name, text in asked.items()}:
            return
        settled = {column.name: column.text for column in self.table.derived}
        raise InvalidInputError(
            f"derive: which columns follow from others is settled by the fit ({settled or 'none do'}), received "
            f"{dict(asked)}. Fit an explainer with constraints=Constraints(derive=...), and leave derive out of "
            "questions."
        )

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
                self._refuse_large_size(column, sizes[name])
            sizes = {name: size for name, size in sizes.items() if name not in self.table.unused}
        known = self.regularities
        by_default = known is not None and known.by_default and self.given.integer is None
        return least_changes(sizes, self.columns, self.scales, steps, by_default=by_default)

    def _refuse_large_size(self, column: Column, size: float) -> None:
        """Refuse a least change that leaves no value within the range of the training rows to move to."""
        known, f = self.regularities, column.start
        if known is not None and known.by_default and size > known.high[f] - known.low[f]:
            low, high = words.number(known.low[f]), words.number(known.high[f])
            raise InvalidInputError(
                f"min_change: {column.name!r} goes from {low} to {high} in the training rows, so that it cannot move "
                f"by {words.number(size)} or more. Give a smaller size, or put it in immutable."
            )

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
        if name in self.derived:
            derived = self.derived[name]
            raise InvalidInputError(
                f"{parameter}: {name!r} follows from others, as {derived.text}, and does not move by itself. Name "
                f"{' and '.join(map(repr, derived.sources))} instead, give it bounds, or say derive={{}} at the fit if "
                "it is a column like any other."
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
                rules.append(Whole(self._say("whole", name), column))
        return rules

    def _monotone(self, name: str, direction: str) -> Rule:
        column = self._column(name, "monotone")
        way, most = way_and_most(direction)
        sign = 1 if way == "increase" else -1
        in_words = self._say(way, name) if isinf(most) else self._say(f"{way} by", name, most=words.number(most))
        if column.kind != "category":
            return OneWay(in_words, column, sign, most)
        if not is_boolean(column):
            raise InvalidInputError(
                f"monotone: {name!r} is a category without an order ({few(column.levels)}), so that nothing in it "
                f"increases. Say which changes are fine with allowed={{{name!r}: {{from_level: [to_level, ...]}}}}."
            )
        truth = np.array([float(level) for level in column.levels] + [np.nan] * column.open)  # never seen: no order
        steps = sign * (truth[None, :] - truth[:, None])
        return Transitions(in_words, column, np.asarray((steps >= 0) | np.eye(len(truth), dtype=np.bool_)))

    def _bounds(self, name: str, low: Any, high: Any) -> Rule:
        if name in self.derived:
            between = -np.inf if low is None else float(low), np.inf if high is None else float(high)
            in_words = self._bounds_in_words(name, low, high)
            return bounds_of_derived(self.derived[name], between, in_words, self.n_features, self._column)
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
        codes = self.codes[name].codes if name in self.codes else np.empty(0)
        return Within(self._bounds_in_words(name, low, high), column, least, most, codes)

    def _bounds_in_words(self, name: str, low: Any, high: Any) -> str:
        if low is None or high is None:
            key, end = ("most", high) if low is None else ("least", low)
            return self._say(key, name, end=words.value(name, end))
        return self._say("between", name, low=words.value(name, low), high=words.value(name, high))

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
            return [Transitions(self._say_allowed(name, targets), column, may)]
        rules: list[Rule] = []
        for level, reached in targets.items():
            may = self._only(column, [position_of(column, level, "allowed")], reached)
            rules.append(Transitions(self._say_allowed(name, reached, level), column, may))
        return rules

    def _say(self, key: str, name: str, **parts: str) -> str:
        return say(f"rule.{key}", column=words.column(name), **parts)

    def _say_allowed(self, name: str, targets: Sequence[Any], level: Any = _ANY_LEVEL) -> str:
        """Say to which levels a column may go, from all of its levels or from one."""
        given = "" if level is _ANY_LEVEL else " from"
        parts = {} if level is _ANY_LEVEL else {"level": words.value(name, level)}
        if not targets:
            return self._say(f"stuck{given}", name, **parts)
        return self._say(f"allowed{given}", name, **parts, levels=words.alternatives(name, targets))

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
        is_nothing = self.given.special is None and bool((codes != 0).any())
        stays = self.given.codes == "stay" or (self.given.codes is None and (off_step or is_nothing))
        if not stays or self.given.special is None:
            return self._number_or_code(column, codes, least, most, stays=stays)
        return Codes(
            self._say("codes", name, codes=words.alternatives(name, codes.tolist())),
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
        listed = words.alternatives(column.name, codes.tolist())
        in_words = self._say("codes" if stays else "number or code", column.name, codes=listed)
        ends = (max(least, user[0]), min(most, user[1]), *user)
        return NumberOrCode(in_words, column, codes, *ends, stays, self.given.special is None)
