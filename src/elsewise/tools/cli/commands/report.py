"""``elsewise report``: rows explained in one HTML file, for whoever has to read and to keep it."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ....answers import Explanations, Ladder, Plan, WhyNot
from ....errors import InvalidInputError
from ....explainer import Explainer
from ....rules import Constraints
from ...audit import audit
from ...files.read_answers import read_answers
from ...files.tables import SUFFIXES, column_of_data, read_rows
from ...files.values import sha256_of as checksum
from ...report import write_report
from ..arguments import ALL_ANSWERED, WENT_WRONG, Commands, exit_codes, file_to_read, file_to_write, image_shape, whole
from ..progress import done_in_all, progress_bar
from ..question import ASKED, add_question, add_rows, called_by, note_columns_set_aside, note_why, prepare, rules_of
from ..sources import add_language, add_source, explainer_of

if TYPE_CHECKING:
    import pandas as pd


# Seconds that the search for the rules in the way of one row, or for other ways, may take, unless a limit is given.
ROW_SECONDS = 5.0


def add_to(commands: Commands) -> None:
    """Add the parser of ``elsewise report``."""
    command = commands.add_parser(
        "report",
        help="write a report on rows: one HTML file to read, print and keep",
        description="Write one HTML file: a summary and, for every row, what would have to change, with pictures and "
        "proofs; for one row a single page, with other ways. It needs no network. Answers are computed, or read from a "
        "file by `elsewise explain`; either way they are checked again.",
        epilog=exit_codes(),
    )
    add_source(command)
    add_language(command)
    asked = command.add_argument_group("question")
    add_rows(asked)
    asked.add_argument("--rows", type=whole(1), metavar="N", help="only the first N of them")
    asked.add_argument("--answers", type=file_to_read(*SUFFIXES), metavar="FILE",
                       help="answers for these rows by `elsewise explain`; then these are not computed")  # fmt: skip
    add_question(asked, [name for name in ASKED if name != "ranges"])
    asked.add_argument("--why", nargs="?", type=whole(0), const=sys.maxsize, default=0, metavar="N",
                       help="for up to N rows without an answer, find the rules that stand in the way; "
                       "takes at most 5 seconds a row, or --time-limit")  # fmt: skip
    asked.add_argument("--plans", nargs="?", type=whole(0), const=sys.maxsize, default=0, metavar="N",
                       help="for up to N rows, find the best order of the changes")  # fmt: skip
    asked.add_argument("--bands", type=float, nargs="+", metavar="NUMBER",
                       help="for every row, find what it takes to reach each of these bands, worst first: least "
                       "probabilities of --target, or numbers at which bands of a regressor begin")  # fmt: skip
    output = command.add_argument_group("output")
    output.add_argument("--out", type=file_to_write(".html", ".htm"), metavar="FILE", required=True,
                        help="the report; an existing file is replaced")  # fmt: skip
    output.add_argument("--by", metavar="COLUMN",
                        help="column of --data with groups, for a section on what recourse costs each "
                        "of them")  # fmt: skip
    output.add_argument("--id", metavar="COLUMN", help="column of --data that names the rows in the report")
    output.add_argument("--certificates", action="store_true",
                        help="have the independent program check the proof of every answer, and put the proofs into "
                        "the report as files")  # fmt: skip
    output.add_argument("--title", metavar="TEXT", help="heading of the report")
    output.add_argument("--description", metavar="TEXT", help="a sentence or two on the data")
    output.add_argument("--image-shape", type=image_shape, metavar="HxW", help="rows are images, such as 8x8")
    output.add_argument("--quiet", action="store_true", help="no notes and no progress bar on stderr")
    command.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Explain the rows, or read the answers, and write the report; return an exit code."""
    rules = rules_of(arguments)
    if arguments.answers is None:
        explainer, answers = _explained(arguments, rules)
    else:
        explainer, answers = _read(arguments, rules)
    checks = write_report(
        explainer,
        answers,
        arguments.out,
        title=arguments.title,
        data_description=_description(arguments),
        constraints=rules,
        why_not=_why_not(explainer, answers, rules, arguments),
        plans=_plans(explainer, answers, rules, arguments),
        ladders=_ladders(explainer, answers, rules, arguments),
        image_shape=arguments.image_shape,
        audit=None if arguments.by is None else audit(answers, _groups(answers, arguments)),
        seconds_for_ways=ROW_SECONDS if arguments.time_limit is None else arguments.time_limit,
    )
    size = arguments.out.stat().st_size
    shown = f"{size / 1e6:.1f} MB" if size >= 5e4 else f"{size / 1e3:.0f} kB"
    n_rows = len(set(answers.rows.tolist()))
    print(f"{n_rows:,} {'row' if n_rows == 1 else 'rows'} in {arguments.out} ({shown})")
    broken = [check.promise for check in checks if check.failed]
    if broken:
        print(f"elsewise: some answers do not hold ({'; '.join(broken)}). The report tells which.", file=sys.stderr)
        return WENT_WRONG
    return ALL_ANSWERED


def _explained(arguments: argparse.Namespace, rules: Constraints | None) -> tuple[Explainer, Explanations]:
    """Compute the answers."""
    job = prepare(arguments, rules)
    options = replace(job.options, certificate=arguments.certificates)
    job = replace(job, rows=called_by(job.rows, arguments), options=options)
    if not arguments.quiet:
        note_columns_set_aside(job.rows, job.rows.index)
    n_rows = len(job.checked.features) if arguments.rows is None else min(arguments.rows, len(job.checked.features))
    with progress_bar(n_rows, quiet=arguments.quiet) as bar:
        return job.explainer, job.answers(slice(n_rows), done_in_all(bar.update))


def _read(arguments: argparse.Namespace, rules: Constraints | None) -> tuple[Explainer, Explanations]:
    """Read the answers."""
    given = [f"--{name.replace('_', '-')}" for name in ("target", "min_probability", "time_limit")
             if getattr(arguments, name) is not None]  # fmt: skip
    given += ["--n-counterfactuals"] * (arguments.n_counterfactuals > 1)
    given += ["--robust-radius"] * (arguments.robust_radius > 0)
    given += ["--certificates"] * arguments.certificates
    if given:
        stated = ", ".join(given)
        raise InvalidInputError(f"--answers is read, not computed: {stated} cannot be given as well.")
    explainer = explainer_of(arguments, rules)
    answers = read_answers(
        arguments.answers, explainer, called_by(read_rows(arguments.data, explainer.table_), arguments), rules
    )
    if arguments.rows is not None:
        answers = answers.take(np.flatnonzero(answers.rows < arguments.rows))
    return explainer, answers


def _groups(answers: Explanations, arguments: argparse.Namespace) -> pd.Series[Any]:
    """Find the group of each answer's row, in any column of the data."""
    return column_of_data(arguments.data, arguments.by, "--by").iloc[answers.rows]


def _why_not(
    explainer: Explainer, answers: Explanations, rules: Constraints | None, arguments: argparse.Namespace
) -> dict[int, WhyNot]:
    """Find out what stands in the way, of the first rows that are proven to have no answer."""
    proven = np.flatnonzero(~answers.found & np.isinf(answers.lower_bounds)).tolist()
    has_rules = explainer.fitted_.constraints_of(rules) is not None
    if explainer.fitted_.rules(rules).may_become_missing:  # why_not is about values that are there
        return {}
    if proven and not arguments.why and has_rules and not arguments.quiet:
        note_why()
    known = {}
    chosen = [place for place in proven[: arguments.why] if answers.targets[place] is not None]
    limit = ROW_SECONDS if arguments.time_limit is None else arguments.time_limit
    with progress_bar(len(chosen), quiet=arguments.quiet or not chosen) as bar:
        for place in chosen:
            row = answers.x.iloc[place : place + 1]
            why = explainer.why_not(
                row,
                answers.targets[place],
                rules,
                min_probability=arguments.min_probability,
                time_limit=limit,
            )
            if why.reason != "unknown":
                known[int(answers.rows[place])] = why
            bar.update(1)
    return known


def _plans(
    explainer: Explainer, answers: Explanations, rules: Constraints | None, arguments: argparse.Namespace
) -> dict[int, Plan]:
    """Order the changes of the best answer of each of the first rows that have one."""
    _, first = np.unique(answers.rows, return_index=True)
    chosen = [place for place in np.sort(first).tolist() if answers.found[place]][: arguments.plans]
    return {int(answers.rows[place]): explainer.plan(answers[place], constraints=rules) for place in chosen}


def _ladders(
    explainer: Explainer, answers: Explanations, rules: Constraints | None, arguments: argparse.Namespace
) -> dict[int, Ladder]:
    """Find what each band takes, row by row."""
    if arguments.bands is None:
        return {}
    rows, first = np.unique(answers.rows, return_index=True)
    right = answers.statuses[first] != "error"
    ladders = {}
    with progress_bar(int(right.sum()), quiet=arguments.quiet) as bar:
        for row, place in zip(rows[right].tolist(), first[right].tolist(), strict=True):
            target = None if explainer.classes_ is None else answers.targets[place]
            ladders[row] = explainer.ladder(
                answers.x.iloc[place : place + 1],
                arguments.bands,
                target=target,
                constraints=rules,
                time_limit=arguments.time_limit,
            )
            bar.update(1)
    return ladders


def _description(arguments: argparse.Namespace) -> str:
    """Describe which files the report is about, so that it can be checked later whether they are the same."""
    parts = [] if arguments.description is None else [arguments.description]
    names = ("data", "answers", "rules", "explainer", "model", "train")
    for path in (getattr(arguments, name) for name in names):
        if path is not None:
            parts.append(f"{path.name}: SHA-256 {checksum(path)}")
    return "\n\n".join(parts)
