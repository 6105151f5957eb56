"""Paths and plans in words: what to do first, what next, how typical each stage is and what is proven.

    First lower amount from 6,000 to 4,500, then raise duration from 12 to 18. After step 2 the model predicts "good".

Claims are rounded to the safe side, as everywhere.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from .languages import in_its_wording, plural, say
from .numbers import FEW, MANY, at_most, number, percent, percent_down, percent_up, rounded_down
from .sentence import change_words, reason_of
from .words import Word, column_word, decision_words, fill, is_missing, joined, label_word, plain, status_word

if TYPE_CHECKING:
    from ..answers import Change, Path, Plan, PlanStep


@in_its_wording
def headline_of_path(path: Path) -> str:
    """Return a path in a few words."""
    parts = {"prediction": label_word(path.prediction), "target": label_word(path.target)}
    status = status_word(path.status)
    if path.status == "infeasible":
        return say("path.headline", **parts, status=status)
    steps = plural("steps", len(path))
    return say("path.headline, length", **parts, status=status, steps=steps, length=number(path.length, MANY))


@in_its_wording
def sentence_of_path(path: Path) -> str:
    """Return a path in a sentence or two of plain text."""
    return plain(words_of_path(path))


@in_its_wording
def words_of_path(path: Path) -> list[Word]:
    """Return a path as words."""
    decides = decision_words(path.prediction)
    if path.status == "infeasible":
        return fill("path.none", decides=decides, reason=reason_of(path))
    if len(path) == 0:
        return fill("path.nothing", decides=decides)
    decide = decision_words(path.target, form="decide", least=_least(path))
    words = fill("path.steps", decides=decides, decide=decide, steps=plural("steps", len(path)))
    if path.enters:
        words += [Word(" "), *fill("path.enters")]
    return [*words, Word(f" {level_in_words(path)} {proof_of_path(path)}")]


def _least(way: Path | Plan) -> float | None:
    return None if math.isnan(way.min_probability) else way.min_probability


def level_in_words(path: Path) -> str:
    """Describe in a sentence how typical every point of a path is."""
    if path.level <= 0.0:
        return say("path.least typical")
    return say("path.typical", share=percent_down(path.level))


def proof_of_path(path: Path) -> str:
    """Describe in a sentence what is proven of shorter ways."""
    if path.status == "optimal":
        return say("path.shortest")
    if not path.lower_bound > 0.0:
        return say("path.open")
    return say("path.gap", gap=at_most(path.gap))


@in_its_wording
def text_of_path(path: Path) -> str:
    """Return sentence, steps, certificate."""
    lines = [sentence_of_path(path)]
    for place, changes in enumerate(path.changes):
        lines.append(f"  {place + 1}. {step_in_words(changes)}")
    if path.status != "infeasible" and len(path):
        lines.append(f"  {certificate_of_path(path)}")
    return "\n".join(lines)


def step_in_words(changes: Sequence[Change]) -> str:
    """Name what a step changes, most important first."""
    return plain(words_of_step(changes))


def words_of_step(changes: Sequence[Change]) -> list[Word]:
    """Name everything a step changes: "amount from 6,000 to 4,500, ..."."""
    return joined([_filled(change, "step.change", "step.given") for change in changes]) or fill("step.nothing")


def _filled(change: Change, key: str, key_of_missing: str) -> list[Word]:
    now, then = change_words(change, FEW)
    column = column_word(change.feature)
    if is_missing(change.before):
        return fill(key_of_missing, column=column, then=then)
    return fill(key, column=column, now=now, then=then)


def certificate_of_path(path: Path) -> str:
    """Describe what is proven and checked of a path, in one line."""
    assert path.bottleneck is not None
    parts = {
        "status": status_word(path.status),
        "length": number(path.length),
        "density": number(path.bottleneck.log_density, MANY),
        "level": number(path.log_level, MANY),
    }
    if path.status == "optimal":
        return say("path.certificate", **parts)
    return say("path.certificate, open", **parts, bound=rounded_down(path.lower_bound))


def remark_of_path(path: Path) -> str:
    """Return the reason where the sentence has not said it."""
    return reason_of(path) if path.status == "feasible" else ""


@in_its_wording
def headline_of_plan(plan: Plan) -> str:
    """Return a plan in a few words."""
    parts = {"prediction": label_word(plan.prediction), "target": label_word(plan.target)}
    status = status_word(plan.status)
    if not len(plan):
        return say("plan.headline", **parts, status=status)
    return say("plan.headline, steps", **parts, status=status, steps=plural("steps", len(plan)))


@in_its_wording
def sentence_of_plan(plan: Plan) -> str:
    """Return a plan in a few sentences: what first, what next, where the model turns, how typical it is."""
    return plain(words_of_plan(plan))


@in_its_wording
def words_of_plan(plan: Plan) -> list[Word]:
    """Return a plan as words."""
    if plan.status == "infeasible":
        return [Word(reason_of(plan))]
    if not len(plan):
        return fill("plan.nothing")
    words: list[Word] = []
    for place, step in enumerate(plan.steps):
        clause = words_of_instruction(step.changes)
        if len(plan) == 1 and clause[0].kind == "words":
            words += [Word(_capital(clause[0].text)), *clause[1:]]
        elif len(plan) == 1:
            words += clause
        else:
            words += [*fill("plan.first" if place == 0 else "plan.then"), *clause]
    return [*words, Word("."), *_remark(plan)]


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


@in_its_wording
def remark_of_plan(plan: Plan) -> str:
    """Describe where the model turns and how typical the least typical row is, without the steps themselves."""
    return plain(_remark(plan)).strip()


def _remark(plan: Plan) -> list[Word]:
    return [word for sentence in (_turn(plan), _least_typical(plan)) if sentence for word in [Word(" "), *sentence]]


def instruction_in_words(changes: Sequence[Change]) -> str:
    """Return what to do in one step, as plain text."""
    return plain(words_of_instruction(changes))


def words_of_instruction(changes: Sequence[Change]) -> list[Word]:
    """Return what to do in one step: "lower amount from 6,000 to 4,500"."""
    items = []
    for change in changes:
        key = "do.change" if not change.difference else "do.raise" if change.difference > 0 else "do.lower"
        items.append(_filled(change, key, "do.give"))
    return joined(items, last=say("and", first="", last=""))


def _turn(plan: Plan) -> list[Word]:
    if plan.turn is None:
        return []
    if plan.turn == 0:
        return fill("plan.from the beginning", decides=decision_words(plan.target))
    last = "plan.after only" if len(plan) == 1 else "plan.after last"
    key = last if plan.turn == len(plan) else "plan.after step"
    step, least = str(plan.turn), _least(plan)
    if least is not None:
        return fill(f"{key}, probability", step=step, label=label_word(plan.target), least=rounded_down(least))
    return fill(key, step=step, decides=decision_words(plan.target))


def _least_typical(plan: Plan) -> list[Word]:
    if plan.bottleneck is None:
        return []
    share, step = plan.steps[plan.bottleneck].share, plan.bottleneck + 1
    if share <= 0.0:
        said = [say("plan.untypical", step=step)]
    else:
        said = [say("plan.least typical", step=step, share=percent_down(share))]
    if plan.status == "optimal":
        said.append(say("plan.best"))
    else:
        key = "plan.open, untypical" if plan.bound <= 0.0 else "plan.open"
        said.append(say(key, share=percent_up(max(plan.bound, 0.0))))
    return [Word(" ".join(said))]


@in_its_wording
def text_of_plan(plan: Plan) -> str:
    """Return the sentence, then a line a step with what is met."""
    lines = [sentence_of_plan(plan)]
    for place, step in enumerate(plan):
        lines.append(f"  {place + 1}. {step_in_words(step.changes)}{stage_in_words(step)}")
    return "\n".join(lines)


def stage_in_words(step: PlanStep) -> str:
    """Describe in brackets how typical a stage is and what the model says of it."""
    said = [] if math.isnan(step.share) else [say("stage.typical", share=percent_down(step.share))]
    said.append(say("stage.model", decides=plain(decision_words(step.prediction))))
    if not math.isnan(step.probability):
        said.append(say("stage.probability", share=percent(step.probability)))
    return f" ({', '.join(said)})"
