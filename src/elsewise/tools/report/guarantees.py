"""What the answers promise, what came of checking it again, and what they do not promise: in plain words."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ...answers import Explanations
from ...explainer import Explainer
from ...text.languages import plural, say
from ...text.numbers import number
from .check import Checked
from .markup import MOST_FAILED, escaped, items, point, section

_NOT_PROMISED = ("not causes", "not quality", "not beyond", "not another")


def guarantees(
    explainer: Explainer, explanations: Explanations, checks: Sequence[Checked], link: Callable[[int], str]
) -> str:
    """Explain valid, plausible, minimal, repeatable, and what is not promised.

    Parameters
    ----------
    explainer : Explainer
    explanations : Explanations
    checks : sequence of Checked
    link : function of a place among the answers
        HTML that leads to the answer.
    """
    is_cut_short = bool((explanations.statuses == "feasible").any())
    promised = [
        point("valid"),
        _realistic(explainer, explanations),
        _smallest(explanations),
        point("repeatable", *[say("report.repeatable limit")] * is_cut_short),
    ]
    return section(
        "guarantees",
        say("report.guarantees"),
        [
            items(promised, "plain"),
            _checked(checks, link),
            f"<h3>{say('report.not promised')}</h3>",
            items(map(point, _NOT_PROMISED), "plain"),
        ],
    )


def _realistic(explainer: Explainer, explanations: Explanations) -> str:
    found = explanations.found
    if not explainer.densities_ or not np.isfinite(explanations.log_thresholds[found]).any():
        if explainer.densities_ and not found.any():
            return f"<strong>{say('report.realistic')}</strong> {say('report.realistic none')}"
        return point("unrealistic")
    more = [say("report.realistic given")] * bool(explanations.given.any())
    more += [say("report.realistic densest")] * bool((explanations.statuses == "densest").any())
    return point("realistic", *more)


def _smallest(explanations: Explanations) -> str:
    statuses = explanations.statuses
    feasible, proven, wrong = (int((statuses == name).sum()) for name in ("feasible", "infeasible", "error"))
    none = len(statuses) - int(explanations.found.sum())
    more = []
    if feasible:
        more.append(plural("report.feasible", feasible, n=number(feasible)))
    if explanations.nearer.any():
        more.append(say("report.nearer"))
    if none:
        more.append(plural("report.none proven", none, n=number(none), proven=number(proven)))
        more += [say("report.none rest")] * (proven < none)
    if wrong:
        more.append(plural("report.wrong", wrong, n=number(wrong)))
    if not len(statuses):
        more.append(say("report.no answers"))
    return point("smallest", *more)


def what_is_proven(explanations: Explanations, checks: Sequence[Checked], link: Callable[[int], str]) -> str:
    """Return what is proven of one row, and that it was checked again, in short."""
    return section("proven", say("report.proven"), [f"<p>{_smallest(explanations)}</p>", _checked(checks, link)])


def _checked(checks: Sequence[Checked], link: Callable[[int], str]) -> str:
    """Describe what came of checking again; what does not hold is stated loudly."""
    if not checks:
        return ""
    lines = []
    for check in checks:
        sign = ("fails" if check.failed else "holds").join(['<span class="', '">'])
        sign += f"{escaped(say('report.fails' if check.failed else 'report.holds'))}</span>"
        n_held = len(check.failed) if check.failed else check.n_checked
        parts = {"held": number(n_held), "n": number(check.n_checked), "promise": check.promise}
        sign += ":" if check.n_checked == 1 else ""
        line = f"{sign} {escaped(plural('report.check', check.n_checked, **parts))}"
        if check.failed:
            more = len(check.failed) - MOST_FAILED
            line += " " + ", ".join(link(place) for place in check.failed[:MOST_FAILED])
            line += f" {say('and more', n=number(more))}" if more > 0 else ""
        lines.append(line)
    warning = ""
    if any(check.failed for check in checks):
        warning = f'<p class="warning" role="alert">{point("warning")}</p>'
    return f"<h3>{say('report.checked')}</h3>{warning}{items(lines, 'checks')}"
