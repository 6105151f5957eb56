"""What the answers promise, what came of checking it again, and what they do not promise: in plain words."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ...answers import Explanations
from ...explainer import Explainer
from .check import Checked
from .markup import MOST_FAILED, items, plural, section

_NOT_PROMISED = (
    "<strong>Not causes.</strong> An answer says for which row the model would decide otherwise. It does not say that "
    "changing these things in the world makes other things stay as they are, or that it is possible for this person: "
    "only the rules can say what may change.",
    "<strong>Not the model’s quality.</strong> That the model decides otherwise does not make the decision right or "
    "fair. A report on a wrong model is a correct report on a wrong model.",
    "<strong>Not beyond what was learned.</strong> “Plausible” is measured by a density learned from the training "
    "rows. It is as good as these rows, and describes them by a mixture: a description, not the truth.",
    "<strong>Not for another model.</strong> After the model is trained again, or the threshold or the rules change, "
    "answers have to be computed again.",
)


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
    promised = [
        "<strong>Valid.</strong> Each counterfactual was given to the model itself, in the form in which it stands "
        "here, and the model’s own prediction was the wanted outcome. Nothing was rounded afterwards.",
        _plausible(explainer, explanations),
        _minimal(explanations),
        "<strong>Repeatable.</strong> There is no chance in the search: the same model, data, rules and threshold give "
        "the same answers to the last digit, one by one or many at once, on one processor or on many."
        + (" What a time limit has cut short is excepted." if (explanations.statuses == "feasible").any() else ""),
    ]
    return section(
        "guarantees",
        "What is guaranteed",
        [
            items(promised, "plain"),
            _checked(checks, link),
            "<h3>What is not promised</h3>",
            items(_NOT_PROMISED, "plain"),
        ],
    )


def _plausible(explainer: Explainer, explanations: Explanations) -> str:
    found = explanations.found
    if not explainer.densities_ or not np.isfinite(explanations.log_thresholds[found]).any():
        if explainer.densities_ and not found.any():
            return "<strong>Plausible.</strong> No counterfactual was found that would have to be."
        return "<strong>Not plausible by proof.</strong> No density was asked for, so answers may be unlike real rows."
    return (
        "<strong>Plausible.</strong> Each counterfactual is at least as typical of real rows with the wanted outcome "
        "as was requested. A lower bound of the density is held to the threshold, so the density itself reaches it as "
        "well."
        + (
            " Where columns cannot change, that is said of the others given these: nobody is less plausible for what "
            "cannot change."
            if explanations.given.any()
            else ""
        )
        + (
            " Answers called “densest” are less typical: nothing is as typical, and they are the nearest of the most "
            "typical."
            if (explanations.statuses == "densest").any()
            else ""
        )
    )


def _minimal(explanations: Explanations) -> str:
    statuses = explanations.statuses
    optimal, feasible, proven = (int((statuses == name).sum()) for name in ("optimal", "feasible", "infeasible"))
    none = len(statuses) - int(explanations.found.sum())
    stated = (
        "<strong>Minimal.</strong> “Optimal” means proven: no row that is valid, plausible and keeps the rules is "
        "nearer (up to one part in a million)."
    )
    if feasible:
        stated += (
            f" {plural(feasible, 'answer is', 'answers are')} only “feasible”: valid and plausible all the same, but "
            "the proof was not finished; the certificate tells how much nearer an answer could at most be."
        )
    if explanations.nearer.any():
        stated += " Where a row has further answers, each is the nearest of another kind than those before it."
    if none:
        rest = "" if proven == none else "; for the others none was found, which is no proof"
        stated += (
            f" For {proven:,} of the {plural(none, 'row')} without an answer it is proven that there is none{rest}."
        )
    n_wrong = int((statuses == "error").sum())
    if n_wrong:
        stated += f" {plural(n_wrong, 'row is', 'rows are')} wrong (the reason says how): nothing was asked of them."
    if not optimal and not feasible and not none:
        stated += " There are no answers in this report."
    return stated


def what_is_proven(explanations: Explanations, checks: Sequence[Checked], link: Callable[[int], str]) -> str:
    """Return what is proven of one row, and that it was checked again, in short."""
    return section("proven", "What is proven", [paragraph_of(_minimal(explanations)), _checked(checks, link)])


def paragraph_of(content: str) -> str:
    """Return HTML as a paragraph."""
    return f"<p>{content}</p>"


def _checked(checks: Sequence[Checked], link: Callable[[int], str]) -> str:
    """Describe what came of checking again; what does not hold is stated loudly."""
    if not checks:
        return ""
    lines = []
    for check in checks:
        n_held = check.n_checked - len(check.failed)
        sign = '<span class="fails">does not hold</span>' if check.failed else '<span class="holds">holds</span>'
        line = f"{sign} for {n_held:,} of {check.n_checked:,} answers: {check.promise}."
        if check.failed:
            line = f"{sign} for {len(check.failed):,} of {check.n_checked:,} answers: {check.promise}. "
            line += ", ".join(link(place) for place in check.failed[:MOST_FAILED])
            line += f" and {len(check.failed) - MOST_FAILED:,} more" if len(check.failed) > MOST_FAILED else ""
        lines.append(line)
    failed = any(check.failed for check in checks)
    warning = (
        '<p class="warning" role="alert"><strong>Some answers do not hold.</strong> They were made by another model, '
        "with other rules or another threshold, or changed afterwards. Do not rely on them.</p>"
        if failed
        else ""
    )
    return f"<h3>Checked again while this report was written</h3>{warning}{items(lines, 'checks')}"
