"""The way there, in the report: plans, paths and ladders of rows, step by step."""

from __future__ import annotations

from math import isnan

from ...answers import Ladder, Path, Plan
from ...text.html import headings
from ...text.languages import plural, say
from ...text.markup import html_of_words
from ...text.numbers import percent
from ...text.recourse import sentence_of_ladder
from ...text.sentence import changes_in_short, distance_in_short, plausibility_in_short
from ...text.steps import (
    certificate_of_path,
    remark_of_path,
    words_of_instruction,
    words_of_path,
    words_of_plan,
    words_of_step,
)
from ...text.words import label_word, status_word
from .markup import Heading, bar, details, escaped, html_of_word, paragraph, table, texts


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
    header = headings("*step", "what to do", "typical", "*probability", "predicted")
    stated = f"<p>{html_of_words(words_of_plan(plan))}</p>" + (table(header, rows) if rows else "")
    title = say("report.plan, steps", steps=plural("steps", len(plan))) if len(plan) else say("report.plan")
    return details(title, stated)


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
        header = [*headings("*step", "what changes", "share of way"), *texts("head least typical")]
        stated += table(header, rows)
        stated += paragraph(say("report.certificate", certificate=certificate_of_path(path)), "ew-certificate")
        stated += paragraph(remark_of_path(path), "ew-note")
    return details(say("report.path" if len(path) else "report.no path"), stated)


def ladder_html(ladder: Ladder) -> str:
    """Write what each better band takes."""
    longest = max((step.distance for step in ladder if step.explanation.found), default=0.0)
    rows = []
    for step in ladder:
        one = step.explanation
        rows.append(
            [
                escaped(step.band.name),
                bar(one.distance / longest) if one.found and longest > 0 else "",
                distance_in_short(one),
                escaped(plausibility_in_short(one)),
                html_of_words(changes_in_short(one, " → ")),
                escaped(status_word(one.status)),
            ]
        )
    header: list[str | Heading] = [*headings("band"), "", *headings("*distance", "*typical", "changes", "status")]
    return details(
        say("report.ladder"), f"<p>{escaped(sentence_of_ladder(ladder))}</p>{table(header, rows) if rows else ''}"
    )
