"""Other ways, for a report of one row: answers with fewer changes, or with changes of other columns."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...answers import Explanation, Explanations
from ...distances import ResolvedMahalanobis
from ...explainer import Explainer
from ...questions.targets import outcome_of_target
from ...rules import Constraints
from ...text.html import headings
from ...text.languages import say
from ...text.numbers import FEW, number
from ...text.sentence import change_words, plausibility_in_short
from ...text.words import column_word
from .markup import counted, escaped, html_of_word, paragraph, section, table, texts

# Numbers of changes that are asked about, and the answers in all where the first one changes a single column.
COUNTS = (1, 2, 3)
N_ANSWERS = 3


@dataclass(frozen=True, slots=True)
class Ways:
    """Other answers for a row.

    Attributes
    ----------
    answers : tuple of Explanation
        One for each of ``counts``; or further answers, which change other columns.
    counts : tuple of int
        How many columns each may change at most; empty for further answers.
    """

    answers: tuple[Explanation, ...]
    counts: tuple[int, ...] = ()


def find_ways(
    explainer: Explainer, asked: Explanations, constraints: Constraints | None, seconds: float
) -> Ways | None:
    """Look for other ways to the same target, under the same rules; None where none can be asked for.

    Parameters
    ----------
    explainer : Explainer
    asked : Explanations
        The one answer of a row.
    constraints : Constraints or None
        The rules it was asked under.
    seconds : float
        For all of them together; 0 asks for none.
    """
    fitted, one = explainer.fitted_, asked[0]
    if seconds <= 0 or one.status not in ("optimal", "feasible") or not one.changes or one.robust_radius > 0:
        return None
    if isinstance(explainer.distance_, ResolvedMahalanobis) or fitted.rules(constraints).may_become_missing:
        return None
    least = None if np.isnan(one.min_probability) else one.min_probability
    most = len(one.changes)
    if most == 1:
        several = explainer.explain(
            asked.x,
            one.target,
            constraints=constraints,
            min_probability=least,
            n_counterfactuals=N_ANSWERS,
            time_limit=seconds,
        )
        return Ways(tuple(each for each in several[1:] if each.found))
    stated = fitted.constraints_of(constraints, outcome_of_target(one.target, fitted.classes)) or Constraints()
    counts = [count for count in COUNTS if count < most]
    found: list[tuple[int, Explanation]] = []
    for count in counts:
        answer = explainer.explain(
            asked.x,
            one.target,
            constraints=stated & Constraints(max_changes=count),
            min_probability=least,
            time_limit=seconds / len(counts),
        )[0]
        if not any(answer.found and len(other.changes) == len(answer.changes) for _, other in found):
            found.append((count, answer))
    return Ways(tuple(answer for _, answer in found), tuple(count for count, _ in found))


def ways_section(ways: Ways | None) -> str:
    """Write other ways as a table with a line each."""
    if ways is None:
        return ""
    if not ways.answers:
        return section("ways", say("report.ways"), [paragraph(say("report.ways none"))])
    rows = []
    for place, answer in enumerate(ways.answers):
        count = len(answer.changes) if answer.found else ways.counts[place]
        rows.append([counted("changes", count), _what(answer), _facts(answer)])
    lead = say("report.ways fewer" if ways.counts else "report.ways others")
    header = [*texts("head with"), *headings("what changes", "distance")]
    return section("ways", say("report.ways"), [paragraph(lead), table(header, rows)])


def _what(answer: Explanation) -> str:
    if not answer.found:
        return escaped(say("report.way none proven" if answer.status == "infeasible" else "report.way none found"))
    stated = []
    for change in answer.changes:
        now, then = change_words(change)
        stated.append(f"{html_of_word(column_word(change.feature))} {html_of_word(now)} → {html_of_word(then)}")
    return "".join(f"<div>{each}</div>" for each in stated)


def _facts(answer: Explanation) -> str:
    if not answer.found:
        return "–"
    proof = say("certificate.smallest" if answer.status == "optimal" else "certificate.open")
    stated = [f"{number(answer.distance, FEW)}, {proof}"]
    if np.isfinite(answer.plausibility):
        stated.append(say("stage.typical", share=plausibility_in_short(answer)))
    return "".join(f"<div>{escaped(each)}</div>" for each in stated)
