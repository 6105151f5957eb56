"""The way there, in the report: plans and paths of rows, step by step."""

from __future__ import annotations

from math import isnan

from ...answers import Path, Plan
from ...text.markup import html_of_words
from ...text.numbers import percent
from ...text.steps import (
    certificate_of_path,
    remark_of_path,
    words_of_instruction,
    words_of_path,
    words_of_plan,
    words_of_step,
)
from ...text.words import label_word
from .markup import bar, details, escaped, html_of_word, of_numbers, paragraph, plural, table


def plan_html(plan: Plan) -> str:
    """Write a plan: its sentence, then what each step does and leads to."""
    rows = []
    for place, step in enumerate(plan):
        rows.append(
            [
                str(place + 1),
                html_of_words(words_of_instruction(step.changes)),
                "" if isnan(step.share) else bar(step.share),
                "" if isnan(step.probability) else percent(step.probability),
                html_of_word(label_word(step.prediction)),
            ]
        )
    header = (of_numbers("step"), "what to do", "as typical as", of_numbers("probability"), "predicted")
    stated = f"<p>{html_of_words(words_of_plan(plan))}</p>" + (table(header, rows) if rows else "")
    return details(f"In which order: {plural(len(plan), 'step')}" if len(plan) else "In which order", stated)


def path_html(path: Path) -> str:
    """Write a path: its sentence, what each step changes and how sparse it gets, the certificate."""
    stated = f"<p>{html_of_words(words_of_path(path))}</p>"
    if len(path) and path.profile is not None:
        total = float(path.lengths.sum())
        ends = [0.0, *(float(end) / total for end in path.lengths.cumsum())] if total > 0 else [0.0] * (len(path) + 1)
        rows = []
        for place, changes in enumerate(path.changes):
            between = (path.profile.positions >= ends[place]) & (path.profile.positions <= ends[place + 1])
            rows.append(
                [
                    str(place + 1),
                    html_of_words(words_of_step(changes)),
                    bar(ends[place + 1] - ends[place]),
                    bar(float(path.profile.shares[between].min(initial=1.0))),
                ]
            )
        stated += table((of_numbers("step"), "what changes", "share of the way", "least typical: as typical as"), rows)
        stated += f'<p class="ew-certificate">Certificate: {escaped(certificate_of_path(path))}.</p>'
        stated += paragraph(remark_of_path(path), "ew-note")
    return details("A way among real cases" if len(path) else "No way among real cases", stated)
