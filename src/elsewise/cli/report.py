"""``elsewise report``: rows explained in one HTML file, for whoever has to read and to keep it."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from ..constraints import Constraints
from ..errors import InvalidInputError
from ..explainer import Explainer
from ..files.answers import read_answers
from ..files.tables import SUFFIXES, read_rows
from ..report import write_report
from ..results import Explanations, WhyNot
from .arguments import file_to_read, file_to_write, jobs, seconds, share, whole
from .exit_codes import ALL_ANSWERED, IN_WORDS, WENT_WRONG
from .explain import _bar, _checksum, _prepare
from .settings_files import SUFFIXES as SETTINGS
from .settings_files import read_rules
from .sources import add_source, explainer_of


def add_to(commands: Any) -> None:
    """Add the parser of ``elsewise report``."""
    command = commands.add_parser(
        "report",
        help="explain rows in one HTML file to read, print and keep",
        description="Write one HTML file that tells of every row what would have to change, with pictures and proofs, "
        "and a summary on top. It needs no network. Answers are computed, or taken from a file that `elsewise explain` "
        "has written; in either case they are checked again.",
        epilog=f"exit codes: {IN_WORDS}",
    )
    add_source(command)
    asked = command.add_argument_group("question")
    asked.add_argument("--data", type=file_to_read(*SUFFIXES), metavar="FILE", required=True,
                       help="rows, CSV or Parquet; columns are found by name, others set aside")  # fmt: skip
    asked.add_argument("--rows", type=whole(1), metavar="N", help="only the first N of them")
    asked.add_argument("--answers", type=file_to_read(*SUFFIXES), metavar="FILE",
                       help="answers about these rows by `elsewise explain`; then nothing is computed")  # fmt: skip
    asked.add_argument("--target", metavar="LABEL",
                       help="wanted outcome: a label (default: the nearest other class), or LOW:HIGH for a regressor, "
                       "where either end may be empty (--target=-5:3 if it starts with -)")  # fmt: skip
    asked.add_argument("--rules", type=file_to_read(*SETTINGS), metavar="FILE",
                       help="TOML: what may change and how; keys are the parameters of Constraints")  # fmt: skip
    asked.add_argument("--min-probability", type=share, metavar="P", help="least probability of the label")
    asked.add_argument("--n-counterfactuals", type=whole(1), default=1, metavar="K",
                       help="answers a row, best first (default: 1)")  # fmt: skip
    asked.add_argument("--why", nargs="?", type=whole(0), const=sys.maxsize, default=0, metavar="N",
                       help="find out which rules stand in the way of rows without an answer, of N of them at most; "
                       "takes seconds a row")  # fmt: skip
    asked.add_argument("--time-limit", type=seconds, metavar="S", help="seconds a row may take for its proof")
    asked.add_argument("--jobs", type=jobs, default=1, metavar="N", help="threads, -1 for all cores (default: 1)")
    output = command.add_argument_group("output")
    output.add_argument("--out", type=file_to_write(".html", ".htm"), metavar="FILE", required=True,
                        help="the report; a file that is there is replaced")  # fmt: skip
    output.add_argument("--title", metavar="TEXT", help="heading of the report")
    output.add_argument("--description", metavar="TEXT", help="what the data are, in a sentence or two")
    output.add_argument("--image-shape", type=_shape, metavar="HxW", help="rows are images, such as 8x8")
    output.add_argument("--quiet", action="store_true", help="no notes and no progress bar on stderr")
    command.set_defaults(run=run, keep=[])


def run(arguments: argparse.Namespace) -> int:
    """Explain the rows, or read the answers, and write the report; return an exit code."""
    rules = None if arguments.rules is None else read_rules(arguments.rules)
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
        image_shape=arguments.image_shape,
    )
    size = arguments.out.stat().st_size
    print(f"{len(answers):,} answers in {arguments.out} ({size / 1e6:.1f} MB)")
    broken = [check.promise for check in checks if check.failed]
    if broken:
        print(f"elsewise: some answers do not hold ({'; '.join(broken)}). The report tells which.", file=sys.stderr)
        return WENT_WRONG
    return ALL_ANSWERED


def _explained(arguments: argparse.Namespace, rules: Constraints | None) -> tuple[Explainer, Explanations]:
    """Compute the answers."""
    job = _prepare(argparse.Namespace(**{**vars(arguments), "why": False}), rules)
    rows = job.rows.columns if arguments.rows is None else job.rows.columns.iloc[: arguments.rows]
    with _bar(len(rows), 0, arguments.quiet) as advance:
        return job.explainer, job.explainer.explain(rows, job.target, progress=_steps(advance), **job.options)


def _read(arguments: argparse.Namespace, rules: Constraints | None) -> tuple[Explainer, Explanations]:
    """Read the answers."""
    given = [f"--{name.replace('_', '-')}" for name in ("target", "min_probability", "time_limit")
             if getattr(arguments, name) is not None]  # fmt: skip
    if given or arguments.n_counterfactuals > 1:
        told = ", ".join([*given, *["--n-counterfactuals"] * (arguments.n_counterfactuals > 1)])
        raise InvalidInputError(f"--answers is read, not computed: {told} cannot be given as well.")
    explainer = explainer_of(arguments)
    answers = read_answers(arguments.answers, explainer, read_rows(arguments.data, explainer.table_), rules)
    if arguments.rows is not None:
        answers = answers.take(np.flatnonzero(answers.rows < arguments.rows))
    return explainer, answers


def _steps(advance: Callable[[int], Any]) -> Callable[[int, int], None]:
    """Tell a bar, which counts steps, of what is done in all."""
    done_before = 0

    def tell(done: int, total: int) -> None:
        nonlocal done_before
        advance(done - done_before)
        done_before = done

    return tell


def _why_not(
    explainer: Explainer, answers: Explanations, rules: Constraints | None, arguments: argparse.Namespace
) -> dict[int, WhyNot]:
    """Find out what stands in the way, of the first rows that are proven to have no answer."""
    proven = np.flatnonzero((answers.statuses == "infeasible") & np.isinf(answers.lower_bounds)).tolist()
    if proven and not arguments.why and rules is not None and not arguments.quiet:
        print("elsewise: some rows have no answer; --why finds out which rules stand in their way", file=sys.stderr)
    known = {}
    for place in proven[: arguments.why]:
        if answers.targets[place] is not None:
            row = answers.x.iloc[place : place + 1]
            known[int(answers.rows[place])] = explainer.why_not(
                row, answers.targets[place], rules, min_probability=arguments.min_probability
            )
    return known


def _description(arguments: argparse.Namespace) -> str:
    """Say which files the report is about, so that it can be told later whether they are the same."""
    parts = [] if arguments.description is None else [arguments.description]
    names = ("data", "answers", "rules", "explainer", "model", "train")
    for path in (getattr(arguments, name) for name in names):
        if path is not None:
            parts.append(f"{path.name}: SHA-256 {_checksum(path)}")
    return "\n\n".join(parts)


def _shape(text: str) -> tuple[int, int]:
    sizes = text.lower().split("x")
    if len(sizes) != 2 or not all(size.isdecimal() and int(size) > 0 for size in sizes):
        raise argparse.ArgumentTypeError(f"expected height and width in pixels, such as 8x8, received {text!r}")
    return int(sizes[0]), int(sizes[1])
