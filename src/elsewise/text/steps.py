"""Paths and plans in words: what to do first, what next, how plausible each stage is and what is proven.

    First lower amount from 6,000 to 4,500; then raise duration from 12 to 18. After step 2 the model says "good".

Claims are rounded to the safe side, as everywhere.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from .constants import FEW, MANY, MOST_CHANGES_OF_STEP, MOST_IN_SENTENCE
from .numbers import gap_in_percent, number, percent, percent_up, percentile, rounded_down
from .sentence import change_words, reason_of_cause
from .words import Word, column_word, is_missing, label_word

if TYPE_CHECKING:
    from ..results import Change, Path, Plan, PlanStep


def headline_of_path(path: Path) -> str:
    """Give a path in a few words."""
    way = f", {_steps(len(path))}, length {number(path.length, MANY)}" if path.status != "infeasible" else ""
    return f"{label_word(path.prediction)} -> {label_word(path.target)}: {path.status}{way}"


def sentence_of_path(path: Path) -> str:
    """Tell a path in a sentence or two of plain text."""
    return "".join(str(word) for word in words_of_path(path))


def words_of_path(path: Path) -> list[Word]:
    """Tell a path as words."""
    words = [Word("Predicted "), label_word(path.prediction)]
    if path.status == "infeasible":
        return [*words, Word(f". {reason_of_cause(path)}")]
    target, least = label_word(path.target), number(path.min_probability, MANY)
    asks_for_probability = not math.isnan(path.min_probability)
    if len(path) == 0:
        if asks_for_probability:
            words += [Word(". The probability of "), target, Word(f" is at least {least}")]
        return [*words, Word(", as wanted: nothing has to change.")]
    if asks_for_probability:
        words += [Word(". A probability of "), target, Word(f" of at least {least}")]
    else:
        words += [Word(". "), target]
    words.append(Word(f" is {_steps(len(path))} away"))
    if path.enters:
        words.append(Word(", the first of them to where data are dense"))
    words.append(Word(f"; {level_in_words(path)}; {proof_of_path(path)}."))
    return words


def level_in_words(path: Path) -> str:
    """Say how dense every place of a path is."""
    share = path.level
    if share <= 0.0:
        return "every place on the way is as dense as asked, though sparser than any real case"
    return f"every place on the way is at least as dense as {percent(share)} of all real cases"


def proof_of_path(path: Path) -> str:
    """Say what is proven of shorter ways."""
    if path.status == "optimal":
        return "no shorter way as dense exists"
    if not path.lower_bound > 0.0:
        return "whether a shorter way as dense exists is not proven"
    bound = rounded_down(path.lower_bound)
    length = number(path.length)
    return f"of length {length}, and none as dense is shorter than {bound} (gap {gap_in_percent(path.gap)})"


def text_of_path(path: Path) -> str:
    """Sentence, steps, certificate."""
    lines = [sentence_of_path(path)]
    for place, changes in enumerate(path.changes):
        lines.append(f"  {place + 1}. {step_in_words(changes)}")
    if path.status != "infeasible" and len(path):
        lines.append(f"  {certificate_of_path(path)}")
    return "\n".join(lines)


def step_in_words(changes: Sequence[Change]) -> str:
    """Name what a step changes, most important first."""
    return "".join(str(word) for word in words_of_step(changes))


def words_of_step(changes: Sequence[Change]) -> list[Word]:
    """Name what a step changes: "amount from 6,000 to 4,500, ... and 3 more"."""
    shown = changes if len(changes) <= MOST_CHANGES_OF_STEP + 1 else changes[:MOST_CHANGES_OF_STEP]
    words: list[Word] = []
    for place, change in enumerate(shown):
        if place:
            words.append(Word(", "))
        words += [column_word(change.feature), *_from_to(change)]
    n_more = len(changes) - len(shown)
    if n_more:
        words.append(Word(f", and {n_more} more columns"))
    return words or [Word("nothing")]


def _from_to(change: Change) -> list[Word]:
    before, after = change_words(change, FEW)
    if is_missing(change.before):
        return [Word(" to "), after]
    return [Word(" from "), before, Word(" to "), after]


def certificate_of_path(path: Path) -> str:
    """Say what is proven and checked of a path, in one line."""
    assert path.bottleneck is not None
    length, bound = number(path.length, MANY), rounded_down(path.lower_bound, MANY)
    density, level = number(path.bottleneck.log_density, MANY), number(path.log_level, MANY)
    return (
        f"{path.status}: length {length}, no way as dense is shorter than {bound}; the sparsest place has log density "
        f"{density} >= {level}"
    )


def remark_of_path(path: Path) -> str:
    """Give the reason where the sentence has not said it."""
    return reason_of_cause(path) if path.status == "feasible" else ""


def _steps(count: int) -> str:
    return f"{count} step{'' if count == 1 else 's'}"


def headline_of_plan(plan: Plan) -> str:
    """Give a plan in a few words."""
    steps = f", {_steps(len(plan))}" if len(plan) else ""
    return f"{label_word(plan.prediction)} -> {label_word(plan.target)}: {plan.status}{steps}"


def sentence_of_plan(plan: Plan) -> str:
    """Tell a plan in a few sentences of plain text: what first, what next, where the model turns, how dense it is."""
    return "".join(str(word) for word in words_of_plan(plan))


def words_of_plan(plan: Plan) -> list[Word]:
    """Tell a plan as words."""
    if plan.status == "infeasible":
        return [Word(reason_of_cause(plan))]
    if not len(plan):
        return [Word("Nothing has to change.")]
    words: list[Word] = []
    shown = plan.steps if len(plan) <= MOST_IN_SENTENCE + 1 else plan.steps[:MOST_IN_SENTENCE]
    for place, step in enumerate(shown):
        if place:
            words.append(Word("; "))
        lead = ("First " if place == 0 else "last " if place == len(plan) - 1 else "then ") if len(plan) > 1 else ""
        clause = words_of_instruction(step.changes)
        words += [Word(lead), *clause] if lead else [Word(clause[0].text.capitalize()), *clause[1:]]
    n_more = len(plan) - len(shown)
    words.append(Word(f"; then {n_more} more steps." if n_more else "."))
    words += _turn(plan)
    words += _sparsest_stage(plan)
    return words


def remark_of_plan(plan: Plan) -> str:
    """Say where the model turns and how dense the sparsest stage is, without the steps themselves."""
    return "".join(str(word) for word in [*_turn(plan), *_sparsest_stage(plan)]).strip()


def instruction_in_words(changes: Sequence[Change]) -> str:
    """Tell what to do in one step, as plain text."""
    return "".join(str(word) for word in words_of_instruction(changes))


def words_of_instruction(changes: Sequence[Change]) -> list[Word]:
    """Tell what to do in one step: "lower amount from 6,000 to 4,500"."""
    words: list[Word] = []
    for place, change in enumerate(changes):
        if place:
            words.append(Word(" and " if place == len(changes) - 1 else ", "))
        verb = "change" if not change.difference else "raise" if change.difference > 0 else "lower"
        words += [Word(f"{verb} "), column_word(change.feature), *_from_to(change)]
    return words


def _turn(plan: Plan) -> list[Word]:
    if plan.turn is None:
        return []
    if plan.turn == 0:
        return [Word(" The model decides as wanted from the beginning.")]
    when = "the last step" if plan.turn == len(plan) else f"step {plan.turn}"
    if not math.isnan(plan.min_probability):
        least = number(plan.min_probability, MANY)
        return [
            Word(f" After {when} the probability of "),
            label_word(plan.target),
            Word(f" is at least {least}."),
        ]
    says = "predicts" if not isinstance(plan.target, tuple) else "predicts a value that is"
    return [Word(f" After {when} the model {says} "), label_word(plan.target), Word(".")]


def _sparsest_stage(plan: Plan) -> list[Word]:
    if plan.bottleneck is None:
        return []
    share = plan.steps[plan.bottleneck].share
    dense = "sparser than any real case" if share <= 0.0 else f"at least as dense as {percent(share)} of all real cases"
    after = f"The sparsest stage between, after step {plan.bottleneck + 1}, is {dense}"
    if plan.status == "optimal":
        return [Word(f" {after}; in no other order is the sparsest one denser.")]
    most = "real cases are denser" if plan.bound <= 0.0 else f"it is not denser than {percent_up(plan.bound)} of them"
    return [Word(f" {after}; other orders may have a denser one, but {most} in any order.")]


def text_of_plan(plan: Plan) -> str:
    """Sentence, then a line a step with what is met."""
    lines = [sentence_of_plan(plan)]
    for place, step in enumerate(plan):
        lines.append(f"  {place + 1}. {step_in_words(step.changes)}{stage_in_words(step)}")
    return "\n".join(lines)


def stage_in_words(step: PlanStep) -> str:
    """Say in brackets how dense a stage is and what the model says of it."""
    said = [] if math.isnan(step.share) else [f"density percentile {percentile(step.share)}"]
    said.append(f"predicted {label_word(step.prediction)}")
    if not math.isnan(step.probability):
        said.append(f"probability of the target {percent(step.probability)}")
    return f" ({', '.join(said)})"
