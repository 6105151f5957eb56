"""Rules that the names and values of columns suggest: what a person cannot change, or only in one direction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import floor, inf, log10
from typing import Any

from ...table.derived import DerivedColumn
from ..constraints import Constraints, way_and_most
from .column_facts import ColumnFacts
from .column_words import (
    EDUCATION,
    PAST,
    PERHAPS_PAST,
    PLACE,
    REQUEST,
    SCORES,
    SPENDING,
    TIME_IN_RANGES,
    are_dates,
    direction_by_name,
    education_ranks,
    finds,
    is_date,
    is_identity,
    is_tenure,
    longest_wait,
    who_by_levels,
    who_by_name,
    words_of,
)
from .suggested_rules import Certainty, Subject, SuggestedRule, SuggestedRules

# Subjects of columns that no answer should change: a fit warns where they are free.
CANNOT_CHANGE: tuple[Subject, ...] = ("who somebody is", "identity", "date", "past")
# A rank correlation with the target of at least this size is notable, if it is no chance either.
NOTABLE_CORRELATION = 0.05
# At least so large it tells a direction of which the name says nothing.
CONSIDERABLE_CORRELATION = 0.1
# Standard errors, of a rank correlation of independent columns or a difference of shares, that chance seldom exceeds.
STANDARD_ERRORS = 2.0
# Levels of a category up to which it is said which of them lead away from the outcome: more are no rule to be read.
MOST_LEVELS = 20
# A number moves by at least this share of the interquartile range: less is no advice. Of a bell curve it is an
# eighth of the typical distance between two rows.
LEAST_SHARE_OF_SPREAD = 0.1
# A ratio of two steps is whole up to this, relative to it.
WHOLE_RATIO = 1e-9
# Sizes below this are rounding, not numbers of a table.
LEAST_SIZE = 1e-6
# Rows from which on values that are all different say something about a column.
FEWEST_ROWS = 50
# Levels of education that somebody may gain for an answer.
MOST_LEVELS_GAINED = 2
# Values at most of a column of amounts on offer, and how many times as many steps as values there are at least.
MOST_ON_OFFER, GAPS = 12, 5.0
# Digits of a whole number from which on numbers of equal length look like identifiers.
FEWEST_DIGITS = 6


class RulesWarning(UserWarning):
    """Columns that look as if nobody could change them are free to change."""


def suggest(
    facts: Sequence[ColumnFacts], wanted: tuple[Any, int] | None = None, derived: Sequence[DerivedColumn] = ()
) -> SuggestedRules:
    """Suggest rules for columns.

    Parameters
    ----------
    facts : sequence of ColumnFacts
    wanted : (label, 1 or -1), optional
        The wanted outcome: a label of the correlations, None for a regressor, and whether more or less of it is better.
        Without it, no direction is suggested but that of time and of education.
    derived : sequence of DerivedColumn
        Columns that follow from others.
    """
    reason = "The formula holds in every training row."
    rules = [SuggestedRule(c.name, "derive", c.text, "formula", reason, "certain") for c in derived]
    behind = _behind_fixed(derived)
    known = [
        _cannot_change(column) or behind.get(column.name) or _with_time(column) or _education(column)
        for column in facts
    ]
    directions: list[SuggestedRule | None] = [None] * len(known)
    if wanted is not None:
        is_open = [rule is None for rule in known]
        sense = _sense([column for column, free in zip(facts, is_open) if free], wanted)
        directions = [_direction(column, wanted, sense) if free else None for column, free in zip(facts, is_open)]
        # names that say nothing at all, and rows that tell no way, are no reason to let nothing change
        if any(map(_leads_somewhere, directions)) or any(rule is not None for rule in known):
            directions = [
                rule or (_leads_nowhere(column, wanted) if free else None)
                for column, rule, free in zip(facts, directions, is_open)
            ]
    for column, rule, direction in zip(facts, known, directions):
        found = rule or direction
        sizes = [] if found is not None and found.kind == "immutable" else _sizes(column, _most(found))
        rules += [rule for rule in (found, *sizes) if rule is not None]
    return SuggestedRules(tuple(rules))


def combined(suggested: SuggestedRules, constraints: Constraints | None) -> Constraints:
    """Join suggested rules with the user's, which decide alone where every column they name may go."""
    if constraints is None:
        return suggested.constraints
    ruled = columns_ruled(constraints)
    kept = [r for r in suggested.rules if r.subject == "size" or r.kind == "derive" or r.column not in ruled]
    left = replace(suggested, rules=tuple(kept)).constraints
    return constraints & replace(
        left,
        min_change=left.min_change if constraints.min_change is None else None,
        step=left.step if constraints.step is None else None,
        derive=left.derive if constraints.derive is None else None,
    )


def columns_ruled(constraints: Constraints | None) -> list[str]:
    """Return the columns for which a user's rules say how they may move."""
    if constraints is None:
        return []
    return [*constraints.immutable, *constraints.monotone, *constraints.bounds, *constraints.allowed]


def free_columns(suggested: SuggestedRules, constraints: Constraints | None) -> list[str]:
    """Return the columns that look as if nobody could change them, and that a user's rules leave free."""
    rules = suggested.about(CANNOT_CHANGE).apart_from(columns_ruled(constraints)).rules
    return [rule.column for rule in rules]


def warning_about(names: Sequence[str]) -> str:
    """Return the warning that columns which should not be free are, with the line that fixes them."""
    return (
        "Answers may change columns that look as if nobody could. To fix them, make the explainer with "
        f'constraints=Constraints(immutable={list(names)!r}), or with rules="suggested" for all rules of '
        "explainer.suggest_rules(). rules=None says that they are free on purpose."
    )


def _cannot_change(column: ColumnFacts) -> SuggestedRule | None:
    """Suggest that a column stays as it is, by its name first and by its content then."""
    name, words = column.name, words_of(column.name)

    def fixed(subject: Subject, certainty: Certainty, reason: str) -> SuggestedRule:
        return SuggestedRule(name, "immutable", None, subject, reason, certainty)

    if meaning := who_by_name(words):
        return fixed("who somebody is", "certain", f"The name is about {meaning}, which nobody can change.")
    if meaning := who_by_levels(column.levels):
        return fixed("who somebody is", "likely", f"The levels are about {meaning}, which nobody can change.")
    if is_tenure(words):
        return None if column.kind != "category" or column.ranks else fixed("time", "certain", "Only time changes it.")
    if phrase := finds(SCORES, words):
        return fixed("score", "likely", f"The name is that of a score or limit ({phrase!r}), which others decide.")
    if is_identity(words):
        return fixed("identity", "certain", "The name is that of an identifier.")
    if _is_numbering(column):
        return fixed("identity", "likely", "The values number the rows.")
    if _is_all_different(column):
        return fixed("identity", "guess", "Nearly every row has a value of its own, as identifiers have.")
    if phrase := finds(PAST, words):
        return fixed("past", "certain", f"The name is about the past ({phrase!r}), which cannot be changed.")
    if phrase := finds(PERHAPS_PAST, words):
        return fixed("past", "likely", f"The name seems to be about the past ({phrase!r}), which cannot be changed.")
    if is_date(words) or are_dates(column.levels) or ("year" in words and 1900 <= column.low <= column.high <= 2100):
        return fixed("date", "likely", "It is a date, a time or the weather, which nobody sets.")
    if _has_gaps(column):
        reason = (
            f"It takes only {column.n_distinct} values from {column.low:g} to {column.high:g}, which are far apart."
        )
        return fixed("value", "guess", reason)
    if column.twin:
        reason = f"It changes with {column.twin!r} in every training row, but no formula is known."
        return fixed("formula", "likely", reason)
    if phrase := finds(REQUEST, words):
        return fixed(
            "request", "likely", f"The name is about what was requested ({phrase!r}), which is the reason for asking."
        )
    if phrase := finds(PLACE, words):
        return fixed(
            "place",
            "guess",
            f"The name is about where somebody lives or what they own ({phrase!r}); nobody changes either for this.",
        )
    return None


def _behind_fixed(derived: Sequence[DerivedColumn]) -> dict[str, SuggestedRule]:
    """Suggest that columns stay from which follows what nobody can change: who somebody is, a past fact, a time."""
    rules: dict[str, SuggestedRule] = {}
    for column in reversed(derived):  # those that others follow from come last
        words = words_of(column.name)
        is_fixed = who_by_name(words) or is_tenure(words) or finds(SCORES, words) or finds(PAST, words)
        if not (is_fixed or column.name in rules):
            continue
        for name in column.sources:
            reason = f"{column.name!r} follows from it, and nobody can change that."
            rules[name] = SuggestedRule(name, "immutable", None, "formula", reason, "likely")
    return rules


def _is_numbering(column: ColumnFacts) -> bool:
    """Whether whole numbers are all different and leave no larger gaps than there are rows."""
    is_enough = column.kind == "integer" and column.n_rows >= FEWEST_ROWS
    return is_enough and column.n_distinct == column.n_rows and column.high - column.low < 2 * column.n_rows


def _has_gaps(column: ColumnFacts) -> bool:
    """Whether numbers take few values that are far apart: amounts on offer, 150, 300, 500 and 1,000."""
    if column.n_rows < FEWEST_ROWS or not 3 <= column.n_distinct <= MOST_ON_OFFER:
        return False
    step = max(column.step, 1.0 if column.kind == "integer" else 0.0)
    return step > 0 and column.high - column.low >= GAPS * step * column.n_distinct


def _is_all_different(column: ColumnFacts) -> bool:
    """Whether texts, or long whole numbers of equal length, are all or nearly all different."""
    if column.n_rows < FEWEST_ROWS:
        return False
    if column.kind == "category":
        return 10 * column.n_distinct >= 9 * column.n_rows
    if column.kind != "integer" or column.n_distinct < column.n_rows or column.low < 0:
        return False
    return FEWEST_DIGITS <= len(f"{column.low:.0f}") == len(f"{column.high:.0f}")


def _with_time(column: ColumnFacts) -> SuggestedRule | None:
    """Suggest that a time in a place grows by what somebody could wait for: a year, or to the next range of years."""
    words = words_of(column.name)
    if not is_tenure(words) and not (column.kind == "category" and column.ranks and finds(TIME_IN_RANGES, words)):
        return None
    if column.kind == "category":
        return _one_way(column, "increase", "time", "certain", "Time only passes, and nobody waits for long.", most=1)
    most = longest_wait(words)
    reason = "Time only passes, and nobody waits for more than a year."
    return _one_way(column, "increase", "time", "certain", reason, most=most)


def _education(column: ColumnFacts) -> SuggestedRule | None:
    if not finds(EDUCATION, words_of(column.name)):
        return None
    is_ladder = column.kind != "category" or bool(education_ranks(column.levels))
    what = "levels" if column.kind == "category" else "levels or years"
    reason = f"Nobody loses education, and it grows by {MOST_LEVELS_GAINED} {what} at most."
    return _one_way(column, "increase", "education", "likely", reason, most=MOST_LEVELS_GAINED) if is_ladder else None


def _correlation(column: ColumnFacts, wanted: tuple[Any, int]) -> float:
    """Return the rank correlation of a column with what is wanted."""
    return float(wanted[1] * dict(column.correlations).get(wanted[0], 0.0))


def _is_notable(column: ColumnFacts, correlation: float) -> bool:
    return bool(abs(correlation) >= max(NOTABLE_CORRELATION, STANDARD_ERRORS / max(column.n_rows - 1, 1) ** 0.5))


def _sense(facts: Sequence[ColumnFacts], wanted: tuple[Any, int]) -> int:
    """Return 1 where columns that names call good go along with what is wanted, -1 where they go against it.

    Income and the like decide where there are any: who earns more also owes more, and a debt alone says less.
    """
    totals = {"increase": 0.0, "decrease": 0.0}
    for column in facts:
        words, correlation = words_of(column.name), _correlation(column, wanted)
        way = "" if finds(SPENDING, words) else direction_by_name(words)
        if way and _is_notable(column, correlation):
            totals[way] += correlation
    return 1 if (totals["increase"] or -totals["decrease"]) >= 0 else -1


def _direction(column: ColumnFacts, wanted: tuple[Any, int], sense: int) -> SuggestedRule | None:
    """Suggest a direction by the name, else by the training rows alone."""
    target, correlation = wanted[0], _correlation(column, wanted)
    named, is_notable = direction_by_name(words_of(column.name)), _is_notable(column, correlation)
    outcome = "the wanted numbers" if target is None else f"the outcome {target!r}"
    if column.kind == "category" and not column.ranks:
        return _to_better_levels(column, wanted, outcome)
    if not named and not (is_notable and abs(correlation) >= CONSIDERABLE_CORRELATION):
        return None
    by_name, by_rows = sense if named == "increase" else -sense, 1 if correlation > 0 else -1
    direction = "increase" if (by_name if named else by_rows) > 0 else "decrease"
    more, in_numbers = "more" if direction == "increase" else "less", f"rank correlation {correlation:+.2f}"
    if not named:
        reason = f"In the training rows {more} of it goes with {outcome} ({in_numbers})."
        return _one_way(column, direction, "direction", "guess", reason)
    if is_notable and by_name == by_rows:
        reason = f"Its name and the training rows ({in_numbers}) say that {more} helps {outcome}."
        return _one_way(column, direction, "direction", "likely", reason)
    if is_notable and abs(correlation) >= CONSIDERABLE_CORRELATION:
        reason = (
            f"Its name says that {more} helps {outcome}, but the training rows say the opposite ({in_numbers}), so "
            "neither direction is good advice."
        )
        return SuggestedRule(column.name, "immutable", None, "direction", reason, "guess")
    rows_say = "slightly the opposite" if is_notable and by_name != by_rows else "nothing clear"
    reason = f"Its name says that {more} helps {outcome}, the training rows say {rows_say} ({in_numbers})."
    return _one_way(column, direction, "direction", "guess", reason)


def _leads_somewhere(rule: SuggestedRule | None) -> bool:
    """Whether a direction leaves somewhere to go."""
    if rule is None or rule.kind == "immutable":
        return False
    return rule.kind == "monotone" or any(rule.value.values())


def _leads_nowhere(column: ColumnFacts, wanted: tuple[Any, int]) -> SuggestedRule | None:
    """Suggest that a column stays of which neither the name nor the training rows tell a way that helps."""
    if column.n_rows < FEWEST_ROWS:
        return None
    if column.kind == "category" and not column.ranks:
        rows = f"its more than {MOST_LEVELS} levels"
    else:
        rows = f"the training rows (rank correlation {_correlation(column, wanted):+.2f})"
    reason = f"Neither its name nor {rows} tell which direction helps."
    return SuggestedRule(column.name, "immutable", None, "direction", reason, "guess")


def _to_better_levels(column: ColumnFacts, wanted: tuple[Any, int], outcome: str) -> SuggestedRule | None:
    """Suggest that a category without an order goes only to levels that have the outcome notably more often."""
    means = {level: wanted[1] * mean for level, mean in dict(column.means).get(wanted[0], ())}
    if not 2 <= len(means) <= MOST_LEVELS:
        return None
    counts, spread = dict(column.counts), dict(column.spreads)[wanted[0]]

    def is_better(other: Any, level: Any) -> bool:
        error = spread * (1.0 / counts[other] + 1.0 / counts[level]) ** 0.5
        return bool(means[other] - means[level] > STANDARD_ERRORS * error)

    ahead = {level: tuple(other for other in means if is_better(other, level)) for level in means}
    reason = f"In the training rows {outcome} is notably more frequent there."
    return SuggestedRule(column.name, "allowed", ahead, "direction", reason, "guess")


def _most(rule: SuggestedRule | None) -> float:
    """Return how far a column may go where a rule says so, infinite elsewhere."""
    return way_and_most(rule.value)[1] if rule is not None and rule.kind == "monotone" else inf


def _sizes(column: ColumnFacts, most: float) -> list[SuggestedRule]:
    """Suggest that numbers of a wide range do not move by next to nothing, and to round numbers.

    Where a column may go ``most`` at most, neither says that it may not go at all.
    """
    size = LEAST_SHARE_OF_SPREAD * column.spread
    is_whole = column.kind == "integer" or column.step == floor(column.step) > 0
    if column.kind not in ("number", "integer") or not size >= (2 if is_whole else LEAST_SIZE):
        return []
    size = min(max(size, column.step), most)
    power = floor(log10(size))
    least, unit = (float(f"{int(size / 10.0**power)}e{power}"), float(f"1e{power}"))
    if least >= 1:
        least, unit = int(least), int(unit)
    reason = f"A smaller change hardly counts: half of the rows lie within {column.spread:.6g} of each other."
    rules = [SuggestedRule(column.name, "min_change", least, "size", reason, "guess")] if least > column.step else []
    ratio = unit / column.step if column.step else 2.0
    is_coarser = ratio > 1.5 and abs(ratio - round(ratio)) < WHOLE_RATIO * ratio
    if is_coarser and (not is_whole or unit > 1):
        reason = "Round numbers are easier to say and to reach."
        rules.append(SuggestedRule(column.name, "step", unit, "size", reason, "guess"))
    return rules


def _one_way(
    column: ColumnFacts,
    direction: str,
    subject: Subject,
    certainty: Certainty,
    reason: str,
    *,
    most: int | None = None,
) -> SuggestedRule | None:
    """Suggest a direction; for categories whose levels tell an order, by the levels that may be reached, so many."""
    if column.kind == "boolean":
        return SuggestedRule(column.name, "monotone", direction, subject, reason, certainty)
    if column.kind != "category":
        far = "" if most is None else f" by at most {most}"
        return SuggestedRule(column.name, "monotone", direction + far, subject, reason, certainty)
    if not column.ranks:
        return None
    sign = 1 if direction == "increase" else -1
    steps = sorted({sign * rank for _, rank in column.ranks})
    ends = {
        rank: steps[-1] if most is None else steps[min(place + most, len(steps) - 1)]
        for place, rank in enumerate(steps)
    }
    ahead = {
        level: tuple(o for o, r in column.ranks if sign * rank <= sign * r <= ends[sign * rank] and o != level)
        for level, rank in column.ranks
    }
    if subject == "time":  # who has none yet begins with the shortest
        ahead |= {level: (column.ranks[0][0],) for level in column.levels if level not in ahead}
    return SuggestedRule(column.name, "allowed", ahead, subject, reason, certainty)
