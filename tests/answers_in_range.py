"""Watches all answers that are made, and notes values beyond those of the training rows."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from unittest.mock import patch

import numpy as np

from elsewise import explainer
from elsewise.questions import explain, presentation
from elsewise.questions.recourse import presented

# Relative: an answer may lie on an end.
SLACK = 1e-9


def _mark(fitted):
    return fitted.profiles[None][0].percentiles


@contextmanager
def watched() -> Iterator[list[str]]:
    """Note what leaves the range of the training rows, as long as this lasts.

    A value that a row has already may stay, though it is outside. Explainers that are told to learn no rules are left
    out: they show what answers would be like without.
    """
    outside: list[str] = []
    without_rules: list[object] = []  # what every copy of a fitted model keeps
    fit, present = explainer.fit_model, presentation.explanations_of

    def fitting(model, X, y, settings, tell):
        fitted = fit(model, X, y, settings, tell)
        if not settings.learn_rules:
            without_rules.append(_mark(fitted))
        return fitted

    def presenting(answers, *others, **options):
        question, found = answers.question, np.isfinite(answers.value)
        if any(_mark(question.fitted) is each for each in without_rules):
            return present(answers, *others, **options)
        for column, profile in zip(question.table.columns, question.fitted.profiles[None], strict=True):
            if not len(profile.percentiles):
                continue
            then, now = (rows[found, column.start] for rows in (answers.points, answers.rows))
            low, high = np.fmin(profile.percentiles[0], now), np.fmax(profile.percentiles[-1], now)
            slack = SLACK * (1.0 + np.maximum(np.abs(low), np.abs(high)))
            for value in then[(then < low - slack) | (then > high + slack)].tolist():
                outside.append(f"{column.name}: {value:g} is outside of {low.min():g} to {high.max():g}")
        return present(answers, *others, **options)

    with ExitStack() as stack:
        stack.enter_context(patch.object(explainer, "fit_model", fitting))
        for module in (presentation, explain, presented):
            stack.enter_context(patch.object(module, "explanations_of", presenting))
        yield outside
