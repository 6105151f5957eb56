"""One self-contained HTML file: put together from its parts, and written so that it is complete or not there."""

from __future__ import annotations

import base64
import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache
from html import escape
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path as FilePath

import numpy as np

from ...answers import Explanation, Explanations, Ladder, Path, Plan, WhyNot
from ...errors import InvalidInputError
from ...explainer import Explainer
from ...questions.targets import outcome_of_target
from ...reasons import Reason, for_everyone
from ...rules import Constraints
from ...text import speaking
from ...text.html import style
from ...text.languages import say
from ...text.numbers import number
from ..audit import Audit
from ..files.explainers import model_in_words, replacing
from ..plot.pictures.arguments import fitted, same_columns
from .check import Checked, check_again
from .column_pictures import ColumnPictures
from .description import description, rules_in_words
from .groups import groups_section
from .guarantees import guarantees, what_is_proven
from .markup import LONGEST_TITLE, LONGEST_WINDOW_TITLE, counted, details, escaped, paragraph
from .overview import overview
from .paths import ladder_html, path_html, plan_html
from .rows import RowImages, RowWriter, rows_section
from .ways import find_ways, ways_section

# Seconds for other ways of one row, unless a limit is given.
SECONDS_FOR_WAYS = 5.0

# Parts of the page, and the texts that name them.
_CONTENTS = {
    "summary": "summary",
    "rows": "row by row",
    "groups": "groups",
    "guarantees": "guarantees",
    "model": "model",
    "rules": "rules",
}


def write_report(
    explainer: Explainer,
    explanations: Explanations | Explanation,
    path: str | os.PathLike[str],
    *,
    title: str | None = None,
    data_description: str | None = None,
    constraints: Constraints | None = None,
    why_not: Mapping[int, WhyNot] | None = None,
    plans: Mapping[int, Plan] | None = None,
    paths: Mapping[int, Path] | None = None,
    ladders: Mapping[int, Ladder] | None = None,
    image_shape: tuple[int, int] | None = None,
    audit: Audit | None = None,
    made: datetime | None = None,
    seconds_for_ways: float = SECONDS_FOR_WAYS,
) -> tuple[Checked, ...]:
    """Write a report to one HTML file; see :func:`html_report`.

    The file needs no network and no script, and is complete or not there.

    Parameters
    ----------
    explainer, explanations, title, data_description, constraints, why_not, plans, paths, ladders, image_shape, audit, \
made, seconds_for_ways
        As for :func:`html_report`.
    path : path of the file
        A file that is there already is replaced.

    Returns
    -------
    tuple of Checked
        What came of checking the answers again, as the report says it.
    """
    asked = _Asked(
        title, data_description, constraints, why_not, plans, paths, ladders, image_shape, audit, made, seconds_for_ways
    )
    page, checks = _report(explainer, explanations, asked)
    with replacing(FilePath(path)) as file:
        # What no encoding knows (half of a pair of surrogates) must not lose the rest.
        file.write(page.encode("utf-8", errors="replace"))
    return checks


def html_report(
    explainer: Explainer,
    explanations: Explanations | Explanation,
    *,
    title: str | None = None,
    data_description: str | None = None,
    constraints: Constraints | None = None,
    why_not: Mapping[int, WhyNot] | None = None,
    plans: Mapping[int, Plan] | None = None,
    paths: Mapping[int, Path] | None = None,
    ladders: Mapping[int, Ladder] | None = None,
    image_shape: tuple[int, int] | None = None,
    audit: Audit | None = None,
    made: datetime | None = None,
    seconds_for_ways: float = SECONDS_FOR_WAYS,
) -> str:
    """Make a report: summary, guarantees, model and data, rules, then every row.

    What the answers promise is checked again by the model, the density and the rules, and the report says what came of
    it.

    Parameters
    ----------
    explainer : fitted Explainer
        The one that made the explanations.
    explanations : Explanations, or one Explanation
    title : str, optional
    data_description : str, optional
        What the data are, in plain text; an empty line begins a new paragraph.
    constraints : Constraints, optional
        The rules that the explanations were asked under, where these are not the explainer's own.
    why_not : mapping of int to WhyNot, optional
        What ``explainer.why_not`` says of rows without an answer, by their position in the batch: then the summary
        counts which rules stand in the way.
    plans, paths, ladders : mappings of int to Plan, Path and Ladder, optional
        What ``explainer.plan``, ``explainer.path`` and ``explainer.ladder`` say of rows, by their position in the
        batch: shown with them.
    image_shape : (height, width), optional
        Rows are images of this shape, and shown as such.
    audit : Audit, optional
        What ``elsewise.audit(explanations, by)`` says: what recourse costs each group of rows.
    made : datetime, optional
        When the report was made; now by default.
    seconds_for_ways : float, default=5
        For a report of one row with one answer: seconds to look for other ways, with at most one, two and three
        changes, or with changes of other columns where one change is enough. Models that have to agree are not asked
        again. 0 leaves them out.

    Returns
    -------
    str
        A whole HTML document.
    """
    asked = _Asked(
        title, data_description, constraints, why_not, plans, paths, ladders, image_shape, audit, made, seconds_for_ways
    )
    return _report(explainer, explanations, asked)[0]


@dataclass(frozen=True, slots=True)
class _Asked:
    """What is asked of a report; see :func:`html_report`."""

    title: str | None
    data_description: str | None
    constraints: Constraints | None
    why_not: Mapping[int, WhyNot] | None
    plans: Mapping[int, Plan] | None
    paths: Mapping[int, Path] | None
    ladders: Mapping[int, Ladder] | None
    image_shape: tuple[int, int] | None
    audit: Audit | None
    made: datetime | None
    seconds_for_ways: float


def _report(
    explainer: Explainer, explanations: Explanations | Explanation, asked: _Asked
) -> tuple[str, tuple[Checked, ...]]:
    """Make a report in the words of the explainer, and return what came of the checks in it, too."""
    fitted(explainer)
    with speaking(explainer.table_.wording):
        return _report_in_its_words(explainer, explanations, asked)


def _report_in_its_words(
    explainer: Explainer, explanations: Explanations | Explanation, asked: _Asked
) -> tuple[str, tuple[Checked, ...]]:
    """Make a report."""
    title, constraints = asked.title, asked.constraints
    answers = _as_many(explanations)
    same_columns(explainer, answers.table)
    known = dict(asked.why_not or {})
    answers = replace(answers, causes=_causes(answers, known))
    fitted, targets = explainer.fitted_, list(dict.fromkeys(answers.targets))
    # directions that depend on the outcome are listed where all rows want the same
    outcome = outcome_of_target(targets[0], fitted.classes) if len(targets) == 1 and targets[0] is not None else None
    rules, is_stated = fitted.rules(constraints, outcome), fitted.constraints_of(constraints, outcome) is not None
    for name, text in (("title", title), ("data_description", asked.data_description)):
        if text is not None and not isinstance(text, str):
            raise InvalidInputError(f"{name}: expected plain text or None, received {type(text).__name__}.")
    pictures = ColumnPictures(explainer)
    images = None if asked.image_shape is None else RowImages.of(answers, asked.image_shape)
    writer = RowWriter(answers, pictures, images, _told(asked))
    is_one_row = len(np.unique(answers.rows)) == 1
    rows = rows_section(writer, len(answers), is_one_row=is_one_row)
    checks = check_again(explainer, answers, constraints)
    method = [
        guarantees(explainer, answers, checks, writer.link),
        description(explainer, asked.data_description),
        rules_in_words(rules.given_names, given=is_stated, found=rules.found_names),
    ]
    groups = "" if asked.audit is None else groups_section(asked.audit)
    if is_one_row:  # a page to hand over; what is behind it is folded
        folded = details(say("report.folded"), "".join(method), on_paper=False)
        alone = len(answers) == 1 and images is None  # nobody counts pixels
        ways = find_ways(explainer, answers, constraints, asked.seconds_for_ways) if alone else None
        parts = [rows, groups, what_is_proven(answers, checks, writer.link), ways_section(ways), folded]
    else:  # people first, method last
        parts = [overview(answers, known), rows, groups, *method]
    title = title or say("report.title", model=model_in_words(explainer.model))
    return _page(title, answers, pictures, parts, asked.made), checks


def _told(asked: _Asked) -> dict[int, list[str]]:
    """Write what is told of rows beside their answers, by their position in the batch."""
    parts = [(row, plan_html(plan)) for row, plan in (asked.plans or {}).items()]
    parts += [(row, path_html(path)) for row, path in (asked.paths or {}).items()]
    parts += [(row, ladder_html(ladder)) for row, ladder in (asked.ladders or {}).items()]
    told: dict[int, list[str]] = {}
    for row, part in parts:
        told.setdefault(row, []).append(part)
    return told


def _page(title: str, answers: Explanations, pictures: ColumnPictures, parts: list[str], made: datetime | None) -> str:
    when = (datetime.now(UTC) if made is None else made).strftime("%Y-%m-%d %H:%M %Z").strip()
    script = _asset("report.js")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    # Even if something got past the escaping, nothing of it could run or reach the network.
    policy = f"default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src 'sha256-{digest}'"
    contents = "".join(
        f'<li><a href="#{name}">{say(f"report.{key}")}</a></li>'
        for name, key in _CONTENTS.items()
        if any(f'id="{name}"' in part for part in parts)
    )
    several = any('id="summary"' in part for part in parts)
    made_by = f"elsewise {version('elsewise')}, scikit-learn {version('scikit-learn')}, numpy {np.__version__}"
    return "\n".join(
        [
            f'<!DOCTYPE html>\n<html lang="{answers.table.wording.language}">\n<head>\n<meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{escape(policy)}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="color-scheme" content="light dark">\n<meta name="referrer" content="no-referrer">',
            f"<title>{escaped(title, LONGEST_WINDOW_TITLE)}</title>",
            f"<style>\n{style()}\n{_asset('report.css')}{_words_of_style()}</style>\n</head>",
            f'<body class="elsewise report">\n{pictures.definitions()}',
            f"<header><h1>{escaped(title, LONGEST_TITLE)}</h1>",
            paragraph(_lead(answers), "lead"),
            paragraph(say("report.made", when=when, programs=made_by), "made"),
            f'<nav aria-label="{escaped(say("report.contents"))}"><ul>{contents}</ul></nav></header>\n<main>'
            if several
            else "</header>\n<main>",
            *parts,
            f"</main>\n<footer><p>{counted('alone', len(answers))}</p></footer>",
            f"<script>{script}</script>\n</body>\n</html>\n",
        ]
    )


def _words_of_style() -> str:
    """Return the words that the style puts before values on a phone, where there is no heading."""
    words = (f'--rp-{each}: "{say(f"head.{each}")} ";' for each in ("now", "then"))
    return f".elsewise.report {{ {' '.join(words)} }}\n"


def _lead(answers: Explanations) -> str:
    """Say how many rows there are, and of how many there is an answer; one row needs no count."""
    n_rows, n_found = len(np.unique(answers.rows)), len(np.unique(answers.rows[answers.found]))
    return "" if n_rows == 1 else say("report.lead", rows=counted("rows", n_rows), found=number(n_found))


@cache
def _asset(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


def _causes(answers: Explanations, why_not: Mapping[int, WhyNot]) -> tuple[Reason | WhyNot | None, ...]:
    """Return the reasons as a reader needs them: what is known of the rules, and no hints for programmers."""
    return tuple(
        why_not[row] if status == "infeasible" and row in why_not else for_everyone(cause)
        for row, status, cause in zip(answers.rows.tolist(), answers.statuses.tolist(), answers.causes)
    )


def _as_many(explanations: object) -> Explanations:
    """One explanation as a batch of one."""
    if isinstance(explanations, Explanations):
        return explanations
    if not isinstance(explanations, Explanation):
        raise InvalidInputError(
            f"explanations: expected what explain or explain_one returns, received {type(explanations).__name__}."
        )
    return Explanations.of_one(explanations)
