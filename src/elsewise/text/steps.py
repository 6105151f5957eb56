"""Paths and plans in words: what to do first, what next, how typical each stage is and what is proven.

    First lower amount from 6,000 to 4,500, then raise duration from 12 to 18. After step 2 the model predicts "good".

Claims are rounded to the safe side, as everywhere.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from .constants import FEW, MANY
from .numbers import number, percent, percent_down, percent_up, rounded_down
from .sentence import at_most, change_words, reason_of_cause
from .words import Word, column_word, decision_words, in_its_wording, is_missing, label_word

if TYPE_CHECKING:
    from ..answers import Change, Path, Plan, PlanStep


@in_its_wording
def headline_of_path(path: Path) -> str:
    """Give a path in a few words."""
    way = f", {_steps(len(path))}, length {number(path.length, MANY)}" if path.status != "infeasible" else ""
    return f"{label_word(path.prediction)} -> {label_word(path.target)}: {path.status}{way}"


def sentence_of_path(path: Path) -> str:
    """Tell a path in a sentence or two of plain text."""
    return "".join(str(word) for word in words_of_path(path))


@in_its_wording
def words_of_path(path: Path) -> list[Word]:
    """Tell a path as words."""
    words = [Word("The model "), *decision_words(path.prediction)]
    if path.status == "infeasible":
        return [*words, Word(f". {reason_of_cause(path)}")]
    if math.isnan(path.min_probability):
        decision = decision_words(path.target, of_model=False)
    else:
        least = number(path.min_probability, MANY)
        decision = [Word("give "), label_word(path.target), Word(f" a probability of at least {least}")]
    if len(path) == 0:
        return [*words, Word(". Nothing has to change.")]
    words += [Word(". It would "), *decision, Word(f" after {_steps(len(path))}.")]
    if path.enters:
        words.append(Word(" The first leads to where real cases are."))
    words.append(Word(f" {level_in_words(path)} {proof_of_path(path)}"))
    return words


def level_in_words(path: Path) -> str:
    """Say in a sentence how typical every point of a path is."""
    share = path.level
    if share <= 0.0:
        return "Every point on the way is as typical as required, but less typical than any real case."
    return f"Every point on the way is at least as typical as {percent_down(share)} of all real cases."


def proof_of_path(path: Path) -> str:
    """Say in a sentence what is proven of shorter ways."""
    if path.status == "optimal":
        return "No shorter way is as typical (proven)."
    if not path.lower_bound > 0.0:
        return "Whether a shorter way is as typical is not known."
    return f"A shorter way could save {at_most(path.gap)} (proven)."


@in_its_wording
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
    """Name everything a step changes: "amount from 6,000 to 4,500, ..."."""
    words: list[Word] = []
    for place, change in enumerate(changes):
        if place:
            words.append(Word(", "))
        words += [column_word(change.feature), *_from_to(change)]
    return words or [Word("nothing")]


def _from_to(change: Change) -> list[Word]:
    before, after = change_words(change, FEW)
    if is_missing(change.before):
        return [Word(" to "), after]
    return [Word(" from "), before, Word(" to "), after]


def certificate_of_path(path: Path) -> str:
    """Say what is proven and checked of a path, in one line."""
    assert path.bottleneck is not None
    bound = rounded_down(path.lower_bound)
    proof = "proven shortest" if path.status == "optimal" else f"the shortest is at least {bound}"
    density, level = number(path.bottleneck.log_density, MANY), number(path.log_level, MANY)
    return (
        f"{path.status}: length {number(path.length)}, {proof}; lowest log density {density}, at least {level} required"
    )


def remark_of_path(path: Path) -> str:
    """Give the reason where the sentence has not said it."""
    return reason_of_cause(path) if path.status == "feasible" else ""


def _steps(count: int) -> str:
    return f"{count} step{'' if count == 1 else 's'}"


@in_its_wording
def headline_of_plan(plan: Plan) -> str:
    """Give a plan in a few words."""
    steps = f", {_steps(len(plan))}" if len(plan) else ""
    return f"{label_word(plan.prediction)} -> {label_word(plan.target)}: {plan.status}{steps}"


def sentence_of_plan(plan: Plan) -> str:
    """Tell a plan in a few sentences of plain text: what first, what next, where the model turns, how typical it is."""
    return "".join(str(word) for word in words_of_plan(plan))


@in_its_wording
def words_of_plan(plan: Plan) -> list[Word]:
    """Tell a plan as words."""
    if plan.status == "infeasible":
        return [Word(reason_of_cause(plan))]
    if not len(plan):
        return [Word("Nothing has to change.")]
    words: list[Word] = []
    for place, step in enumerate(plan.steps):
        clause = words_of_instruction(step.changes)
        if len(plan) == 1:
            words += [Word(clause[0].text.capitalize()), *clause[1:]]
        else:
            words += [Word("First " if place == 0 else ", then "), *clause]
    return [*words, Word("."), *_turn(plan), *_least_typical(plan)]


@in_its_wording
def remark_of_plan(plan: Plan) -> str:
    """Say where the model turns and how typical the least typical row is, without the steps themselves."""
    return "".join(str(word) for word in [*_turn(plan), *_least_typical(plan)]).strip()


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
        return [Word(" The model "), *decision_words(plan.target), Word(" from the beginning.")]
    when = "the last step" if plan.turn == len(plan) else f"step {plan.turn}"
    if not math.isnan(plan.min_probability):
        least = number(plan.min_probability, MANY)
        return [
            Word(f" After {when} the probability of "),
            label_word(plan.target),
            Word(f" is at least {least}."),
        ]
    return [Word(f" After {when} the model "), *decision_words(plan.target), Word(".")]


def _least_typical(plan: Plan) -> list[Word]:
    if plan.bottleneck is None:
        return []
    share = plan.steps[plan.bottleneck].share
    typical = "less typical than any" if share <= 0.0 else f"at least as typical as {percent_down(share)} of all"
    cases = "real case" if share <= 0.0 else "real cases"
    after = f" Between the steps, the least typical row (after step {plan.bottleneck + 1}) is {typical} {cases}."
    if plan.status == "optimal":
        return [Word(f"{after} No other order stays closer to real data (proven).")]
    most = (
        "no order stays among them" if plan.bound <= 0.0 else f"at most as typical as {percent_up(plan.bound)} of them"
    )
    return [Word(f"{after} Another order may stay closer to real data: {most} (proven).")]


@in_its_wording
def text_of_plan(plan: Plan) -> str:
    """Sentence, then a line a step with what is met."""
    lines = [sentence_of_plan(plan)]
    for place, step in enumerate(plan):
        lines.append(f"  {place + 1}. {step_in_words(step.changes)}{stage_in_words(step)}")
    return "\n".join(lines)


def stage_in_words(step: PlanStep) -> str:
    """Say in brackets how typical a stage is and what the model says of it."""
    said = [] if math.isnan(step.share) else [f"as typical as {percent_down(step.share)} of real cases"]
    said.append("the model " + "".join(str(word) for word in decision_words(step.prediction)))
    if not math.isnan(step.probability):
        said.append(f"probability of the target {percent(step.probability)}")
    return f" ({', '.join(said)})"
