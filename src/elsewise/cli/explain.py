"""``elsewise explain``: rows of a file explained, into another file."""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from .. import __version__
from ..columns import Table
from ..columns.as_trained import level_reader
from ..constraints import Constraints
from ..constraints.words import did_you_mean
from ..errors import InvalidInputError
from ..explainer import Explainer
from ..files.tables import SUFFIXES, Rows, check_format, read_rows, write_frame
from ..results import Explanations
from .answers_file import frame_of, records_of
from .arguments import file_to_read, file_to_write, jobs, seconds, share, whole
from .exit_codes import ALL_ANSWERED, IN_WORDS, SOME_WITHOUT_ANSWER
from .interrupts import Interrupted, Stop, interruptible, uninterrupted
from .partial import Partial
from .settings_files import SUFFIXES as SETTINGS
from .settings_files import read_rules
from .sources import add_source, explainer_of
from .summary import summarise

# Rows that are put away together take about this long: what an interrupt costs at most, and enough to share work.
_SECONDS_A_CHUNK, _FIRST_CHUNK, _LARGEST_CHUNK = 1.0, 16, 4096


def add_to(commands: Any) -> None:
    """Add the parser of ``elsewise explain``."""
    command = commands.add_parser(
        "explain",
        help="explain rows of a file, into another file",
        description="Find the smallest plausible change of every row that makes the model decide otherwise. Ctrl-C "
        "leaves the rows that are finished in the output; the same command, given again, goes on from there.",
        epilog=f"exit codes: {IN_WORDS}",
    )
    add_source(command)
    asked = command.add_argument_group("question")
    asked.add_argument("--data", type=file_to_read(*SUFFIXES), metavar="FILE", required=True,
                       help="rows to explain, CSV or Parquet; columns are found by name, others set aside")  # fmt: skip
    asked.add_argument("--target", metavar="LABEL",
                       help="wanted outcome: a label (default: the nearest other class), or LOW:HIGH for a regressor, "
                       "where either end may be empty (--target=-5:3 if it starts with -)")  # fmt: skip
    asked.add_argument("--rules", type=file_to_read(*SETTINGS), metavar="FILE",
                       help="TOML: what may change and how; keys are the parameters of Constraints")  # fmt: skip
    asked.add_argument("--min-probability", type=share, metavar="P", help="least probability of the label")
    asked.add_argument("--n-counterfactuals", type=whole(1), default=1, metavar="K",
                       help="answers a row, best first (default: 1)")  # fmt: skip
    asked.add_argument(
        "--why",
        action="store_true",
        help="find out for every row without an answer which rules stand in the way; takes longer",
    )
    asked.add_argument("--time-limit", type=seconds, metavar="S", help="seconds a row may take for its proof")
    asked.add_argument("--jobs", type=jobs, default=1, metavar="N", help="threads, -1 for all cores (default: 1)")
    output = command.add_argument_group("output")
    output.add_argument("--out", type=file_to_write(*SUFFIXES), metavar="FILE", required=True,
                        help="answers, CSV or Parquet: one line an answer")  # fmt: skip
    output.add_argument("--keep", nargs="+", default=[], metavar="COLUMN", help="further columns of --data to copy")
    output.add_argument("--fresh", "--overwrite", action="store_true",
                        help="begin anew and replace what is there: the output, and rows finished before")  # fmt: skip
    output.add_argument("--json", action="store_true", help="print one JSON document instead of a summary in words")
    output.add_argument("--quiet", action="store_true", help="no notes and no progress bar on stderr")
    command.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Explain the rows; return one of the exit codes."""
    check_format(arguments.out)
    rules = None if arguments.rules is None else read_rules(arguments.rules)
    partial_path = arguments.out.with_name(arguments.out.name + ".partial")
    if arguments.out.exists() and not partial_path.exists() and not arguments.fresh:
        raise InvalidInputError(f"{arguments.out} exists already. Give another --out, or replace it with --fresh.")
    started = time.perf_counter()
    with interruptible() as stop, Partial(arguments.out, _question(arguments), fresh=arguments.fresh) as partial:
        try:
            job = _prepare(arguments, rules)
        except BaseException:
            if partial.n_finished == 0:
                partial.remove()
            raise
        before, interrupted = partial.n_finished, None
        if before and not arguments.quiet:
            print(f"elsewise: {before} rows are finished already, going on from there", file=sys.stderr)
        try:
            with _bar(len(job.rows.columns), before, arguments.quiet) as advance:
                _explain_all(job, partial, stop, advance)
        except Interrupted as error:
            interrupted = error
        with uninterrupted():
            return _finish(arguments, job, partial, interrupted, before, time.perf_counter() - started)


@dataclass(frozen=True, slots=True)
class _Job:
    """Everything that is needed to answer.

    Attributes
    ----------
    explainer : Explainer
    rows : Rows
    kept : data frame of shape (n_rows, n_kept)
    target : label, (low, high), or None for the nearest other class
    table : Table
        In which answers are written.
    options : dict
        Further arguments of ``explain``.
    ask_why : bool
        Find out what stands in the way of rows without an answer.
    """

    explainer: Explainer
    rows: Rows
    kept: Any
    target: Any
    table: Table
    options: dict[str, Any]
    ask_why: bool


def _prepare(arguments: argparse.Namespace, rules: Constraints | None) -> _Job:
    """Read everything, and check all of it before the long work begins."""
    explainer = explainer_of(arguments)
    explainer.n_jobs = arguments.jobs
    target = read_target(arguments.target, explainer)
    if arguments.why and target is None:
        raise InvalidInputError("--why is about one wanted outcome: give a --target as well.")
    rows = read_rows(arguments.data, explainer.table_)
    kept = _kept(rows, arguments)
    _note_others(rows, kept, arguments)
    features = explainer.table_.encode(rows.columns, name=str(arguments.data))
    with _about(arguments.rules):
        explainer.fitted_.rules(rules).check_rows(features, rows.columns)
    options = {
        "constraints": rules,
        "min_probability": arguments.min_probability,
        "n_counterfactuals": arguments.n_counterfactuals,
        "time_limit": arguments.time_limit,
    }
    return _Job(explainer, rows, kept, target, explainer.fitted_.table_under(rules), options, arguments.why)


def read_target(text: str | None, explainer: Explainer) -> Any:
    """Read a wanted outcome: one of the model's labels as it is written, or a range for a regressor."""
    if explainer.classes_ is None:
        return _interval(text)
    if text is None:
        return None
    labels = explainer.classes_.tolist()
    found = level_reader(labels)(text)
    if found not in labels:
        raise InvalidInputError(f"--target: the model has no label {text!r}. {did_you_mean(text, labels)}")
    return found


def _interval(text: str | None) -> tuple[float | None, float | None]:
    ends = [] if text is None else text.split(":")
    try:
        low, high = (float(end) if end.strip() else None for end in ends)
    except ValueError as error:
        raise InvalidInputError(
            "--target: the model predicts numbers. Expected LOW:HIGH, either end may be empty, received "
            f"{'nothing' if text is None else repr(text)}."
        ) from error
    return low, high


def _kept(rows: Rows, arguments: argparse.Namespace) -> Any:
    missing = [name for name in arguments.keep if name not in rows.others.columns]
    if missing:
        if missing[0] in rows.columns.columns:
            raise InvalidInputError(f"--keep: {missing[0]!r} is a column of the model, which is in the output anyway.")
        known = did_you_mean(missing[0], list(rows.others.columns)) if len(rows.others.columns) else ""
        raise InvalidInputError(f"--keep: {arguments.data} has no column {missing[0]!r}. {known}")
    return rows.others[list(dict.fromkeys([*rows.index, *arguments.keep]))]


def _note_others(rows: Rows, kept: Any, arguments: argparse.Namespace) -> None:
    aside = [str(name) for name in rows.others.columns if name not in kept.columns]
    if aside and not arguments.quiet:
        few = ", ".join(aside[:5]) + (", ..." if len(aside) > 5 else "")
        print(f"elsewise: set aside, since the model does not take it: {few} (--keep copies columns)", file=sys.stderr)


@contextmanager
def _about(path: Path | None) -> Iterator[None]:
    """Name the file that an error is about."""
    try:
        yield
    except InvalidInputError as error:
        raise InvalidInputError(str(error) if path is None else f"{path}: {error}") from error


def _explain_all(job: _Job, partial: Partial, stop: Stop, advance: Callable[[int], Any]) -> None:
    """Answer chunk by chunk, and put each away. A row's answer does not depend on the chunks."""
    n_rows, size = len(job.rows.columns), _FIRST_CHUNK
    while partial.n_finished < n_rows:
        first = partial.n_finished
        chunk = job.rows.columns.iloc[first : first + size]
        started = time.perf_counter()
        answers = job.explainer.explain(chunk, job.target, **job.options)
        if job.ask_why:
            answers = _with_reasons(job, chunk, answers)
        records = records_of(answers, first)
        with stop.put_off():  # on disk and counted, or neither
            partial.append(records)
        stop.check()
        took = time.perf_counter() - started
        advance(len(chunk))
        # towards chunks of about a second, by steps of at most two
        size = int(np.clip(size * np.clip(_SECONDS_A_CHUNK / max(took, 1e-9), 0.5, 2.0), 1, _LARGEST_CHUNK))


def _with_reasons(job: _Job, chunk: Any, answers: Explanations) -> Explanations:
    """Replace the reasons of rows that are proven to have no answer by what stands in their way."""
    causes = list(answers.causes)
    for place in np.flatnonzero((answers.statuses == "infeasible") & np.isinf(answers.lower_bounds)).tolist():
        row = int(answers.rows[place])
        causes[place] = job.explainer.why_not(
            chunk.iloc[row : row + 1],
            job.target,
            job.options["constraints"],
            min_probability=job.options["min_probability"],
        )
    return replace(answers, causes=tuple(causes))


def _finish(
    arguments: argparse.Namespace,
    job: _Job,
    partial: Partial,
    interrupted: Interrupted | None,
    before: int,
    took: float,
) -> int:
    """Write the output, say what is in it, and give the exit code."""
    records = partial.records()
    n_rows = len(job.rows.columns)
    if records or interrupted is None:
        several = arguments.n_counterfactuals > 1
        is_regressor = job.explainer.classes_ is None
        frame = frame_of(records, job.rows.columns, job.table, job.kept, is_regressor=is_regressor, several=several)
        write_frame(frame, arguments.out)
    if interrupted is None or not records:
        partial.remove()
    summary = summarise(records, job.table, n_rows)
    code = SOME_WITHOUT_ANSWER if summary.infeasible else ALL_ANSWERED
    if interrupted is not None:
        code = interrupted.exit_code
        where = f"{len(records)} of {n_rows} rows are finished, in {arguments.out}" if records else "no row is finished"
        print(f"elsewise: interrupted; {where}. The same command goes on from there.", file=sys.stderr)
    if arguments.json:
        document = {
            "elsewise": __version__,
            "data": str(arguments.data),
            "out": str(arguments.out),
            "complete": interrupted is None,
            "exit_code": code,
            "finished_before": before,
            "seconds": round(took, 3),
            **summary.to_mapping(),
        }
        print(json.dumps(document, allow_nan=False))
    elif interrupted is None:
        target = "the nearest other class" if arguments.target is None else arguments.target
        print(f"{arguments.data} -> {target}\n{summary}\nWritten to {arguments.out}")
    return code


def _question(arguments: argparse.Namespace) -> dict[str, Any]:
    """Tell what is asked, by option, files by their content: the same question has the same answers."""
    files = ("explainer", "model", "train", "columns", "data", "rules")
    plain = ("label", "distance", "density", "threshold", "target", "min_probability", "n_counterfactuals",
             "time_limit", "why", "keep")  # fmt: skip
    asked: dict[str, Any] = {"the version of elsewise": __version__}
    asked |= {_option(name): _checksum(getattr(arguments, name)) for name in files}
    asked |= {_option(name): getattr(arguments, name) for name in plain}
    return {name: value for name, value in asked.items() if value is not None}


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _checksum(path: Path | None) -> str | None:
    if path is None:
        return None
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@contextmanager
def _bar(total: int, initial: int, quiet: bool) -> Iterator[Callable[[int], Any]]:
    """Progress bar on a terminal where tqdm is installed, silence elsewhere."""
    try:
        from tqdm import tqdm
    except ImportError:
        yield lambda count: None
        return
    silent = quiet or not sys.stderr.isatty()
    with tqdm(total=total, initial=initial, unit="row", desc="explaining", leave=False, disable=silent) as bar:
        advance: Callable[[int], Any] = bar.update
        yield advance
