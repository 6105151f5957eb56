"""``elsewise explain``: rows of a file explained, into another file."""

from __future__ import annotations

import argparse
import json
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .... import __version__
from ....answers import Explanations
from ....errors import InvalidInputError
from ....questions.solving.becoming_missing import refuse_rules
from ....text.languages import say, speaking
from ...files.answers import frame_of, records_of
from ...files.certificates import SUFFIX as CERTIFICATES
from ...files.certificates import save_certificates
from ...files.tables import SUFFIXES, write_frame
from ...files.values import sha256_of as checksum
from ..arguments import ALL_ANSWERED, SOME_WITHOUT_ANSWER, Commands, exit_codes, file_or_folder_to_write
from ..partial import Interrupted, Partial, Stop, interruptible, uninterrupted
from ..partitioned import add_engine, answers_in_folder, explain_partitions
from ..progress import Bar, progress_bar
from ..question import Job, add_question, add_rows, kept_columns, note_columns_set_aside, note_why, prepare, rules_of
from ..sources import add_language, add_source
from ..summary import AnswersSummary, summarise
from ..trail import JSON_LINES, Trail, check_out, write_trail

if TYPE_CHECKING:
    import pandas as pd

# Seconds that rows take which are put away together: what an interrupt costs at most, and enough to share work.
SECONDS_A_CHUNK = 1.0
# Rows of the first chunk, before it is known how long a row takes, and of the largest: memory is bounded.
FIRST_CHUNK, LARGEST_CHUNK = 16, 4096
# From one chunk to the next the number of rows changes by this factor at most: one slow row says little of the others.
LARGEST_STEP = 2.0

# Options on which answers do not depend. All others are part of the question.
_NOT_ASKED = frozenset(["run", "out", "fresh", "json", "quiet", "jobs", "trust", "engine", "scheduler", "workers"])


def add_to(commands: Commands) -> None:
    """Add the parser of ``elsewise explain``."""
    command = commands.add_parser(
        "explain",
        help="find the smallest change for every row of a file",
        description="For every row, find the smallest realistic change that makes the model decide otherwise. After "
        "Ctrl-C the finished rows are kept; the same command, given again, continues from there.",
        epilog=exit_codes("done, but some rows have no answer (the column `reason` says why)"),
    )
    add_source(command)
    add_language(command)
    asked = command.add_argument_group("question")
    add_rows(asked, many=True)
    add_question(asked)
    asked.add_argument(
        "--why",
        action="store_true",
        help="for every row without an answer, find the rules that stand in the way (slower)",
    )
    output = command.add_argument_group("output")
    output.add_argument("--out", type=file_or_folder_to_write(*SUFFIXES, *JSON_LINES), metavar="FILE", required=True,
                        help="answers, CSV or Parquet, one line per answer; or a folder: one file of answers per "
                        "file of rows")  # fmt: skip
    output.add_argument("--json-lines", action="store_true",
                        help="an audit trail (.jsonl) for `elsewise verify`: one line of JSON per answer, with row, "
                        "answer, probabilities, proof, rules, versions and checksums")  # fmt: skip
    output.add_argument("--certificates", type=Path, metavar="DIR",
                        help="write the proof of every answer into a folder, one file each, named by its SHA-256, for "
                        "`python -m elsewise_check` and `elsewise verify --proofs`")  # fmt: skip
    output.add_argument("--keep", nargs="+", default=[], metavar="COLUMN", help="further columns of --data to copy")
    output.add_argument("--fresh", "--overwrite", action="store_true",
                        help="start again: replace the output and forget rows that were finished before")  # fmt: skip
    output.add_argument("--json", action="store_true", help="print one JSON document instead of a summary in words")
    output.add_argument("--quiet", action="store_true", help="no notes and no progress bar on stderr")
    add_engine(command)
    command.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Explain the rows; return one of the exit codes."""
    if answers_in_folder(arguments):
        if arguments.certificates is not None:
            raise InvalidInputError("--certificates goes with one file of answers: expected an --out with an ending.")
        return explain_partitions(arguments, question_of(arguments))
    check_out(arguments)
    rules = rules_of(arguments)
    partial_path = arguments.out.with_name(arguments.out.name + ".partial")
    if arguments.out.exists() and not partial_path.exists() and not arguments.fresh:
        raise InvalidInputError(f"{arguments.out} exists already. Give another --out, or replace it with --fresh.")
    started = time.perf_counter()
    with interruptible() as stop, Partial(arguments.out, question_of(arguments), fresh=arguments.fresh) as partial:
        try:
            job = prepare(arguments, rules)
            job = replace(job, options=replace(job.options, certificate=arguments.certificates is not None))
            if arguments.why and job.target is None:
                raise InvalidInputError("--why is about one wanted outcome: give a --target as well.")
            if arguments.why:
                refuse_rules(job.explainer.fitted_.rules(rules))
            kept = kept_columns(job.rows, arguments)
        except BaseException:
            if partial.n_finished == 0:
                partial.remove()
            raise
        if not arguments.quiet:
            note_columns_set_aside(job.rows, list(kept.columns), hint=" (--keep copies columns)")
        before, interrupted = partial.n_finished, None
        if before and not arguments.quiet:
            print(f"elsewise: {before} rows are finished already, going on from there", file=sys.stderr)
        try:
            with progress_bar(len(job.rows.columns), done=before, quiet=arguments.quiet) as bar:
                trail = Trail.of(job, kept, arguments) if arguments.json_lines else None
                _explain_all(job, partial, stop, bar, trail, arguments)
        except Interrupted as error:
            interrupted = error
        with uninterrupted():
            return _finish(arguments, job, kept, partial, interrupted, before, time.perf_counter() - started)


def _explain_all(
    job: Job, partial: Partial, stop: Stop, bar: Bar, trail: Trail | None, arguments: argparse.Namespace
) -> None:
    """Answer chunk by chunk, and put each away. A row's answer does not depend on the chunks."""
    n_rows, size = len(job.rows.columns), FIRST_CHUNK
    while partial.n_finished < n_rows:
        first = partial.n_finished
        chunk = slice(first, min(first + size, n_rows))
        started = time.perf_counter()
        answers = job.answers(chunk)
        if arguments.why:
            answers = _with_reasons(job, first, answers)
        if arguments.certificates is not None:
            save_certificates(answers, arguments.certificates)
        records = list(records_of(answers, first))
        if trail is not None:
            trail.add_to(records, answers, first)
        with stop.put_off():  # on disk and counted, or neither
            partial.append(records)
        stop.check()
        took = max(time.perf_counter() - started, 1e-9)
        bar.update(chunk.stop - chunk.start)
        step = np.clip(SECONDS_A_CHUNK / took, 1 / LARGEST_STEP, LARGEST_STEP)
        size = int(np.clip(size * step, 1, LARGEST_CHUNK))


def _with_reasons(job: Job, first: int, answers: Explanations) -> Explanations:
    """Replace the reasons of rows that are proven to have no answer by what stands in their way."""
    causes = list(answers.causes)
    for place in np.flatnonzero(~answers.found & np.isinf(answers.lower_bounds)).tolist():
        row = first + int(answers.rows[place])
        why = job.explainer.why_not(
            job.rows.columns.iloc[row : row + 1],
            job.target,
            job.options.constraints,
            min_probability=job.options.min_probability,
            time_limit=job.options.time_limit,
        )
        if why.reason != "unknown":
            causes[place] = why
    return replace(answers, causes=tuple(causes))


def _finish(
    arguments: argparse.Namespace,
    job: Job,
    kept: pd.DataFrame,
    partial: Partial,
    interrupted: Interrupted | None,
    before: int,
    took: float,
) -> int:
    """Write the output, say what is in it, and give the exit code."""
    records = partial.records()
    n_rows = len(job.rows.columns)
    if arguments.json_lines:
        write_trail(records, arguments.out)
    elif records or interrupted is None:
        frame = frame_of(
            records,
            job.rows.columns,
            job.checked.features,
            job.table,
            kept,
            is_regressor=job.explainer.classes_ is None,
            several=arguments.n_counterfactuals > 1,
        )
        write_frame(frame, arguments.out)
    if interrupted is None or not records:
        partial.remove()
    summary = summarise(records, job.table, n_rows)
    has_rules = job.explainer.fitted_.constraints_of(job.options.constraints) is not None
    if summary.infeasible and has_rules and not arguments.why and not arguments.quiet:
        note_why()
    code = SOME_WITHOUT_ANSWER if summary.infeasible or summary.wrong else ALL_ANSWERED
    if interrupted is not None:
        code = interrupted.exit_code
        where = f"{len(records)} of {n_rows} rows are finished, in {arguments.out}" if records else "no row is finished"
        print(f"elsewise: interrupted; {where}. The same command goes on from there.", file=sys.stderr)
    if arguments.json:
        document = {
            "elsewise": __version__,
            "data": str(arguments.data),
            "out": str(arguments.out),
            "exactness": job.explainer.exactness_,
            "complete": interrupted is None,
            "exit_code": code,
            "finished_before": before,
            "seconds": round(took, 3),
            **summary.to_mapping(),
        }
        print(json.dumps(document, allow_nan=False))
    elif interrupted is None:
        with speaking(job.table.wording):
            print(_in_words(arguments, summary, job))
        if arguments.certificates is not None:
            n_files = sum(1 for _ in arguments.certificates.glob(f"*{CERTIFICATES}"))
            print(f"{n_files:,} certificates in {arguments.certificates}")
    return code


def _in_words(arguments: argparse.Namespace, summary: AnswersSummary, job: Job) -> str:
    """Say at the end what was asked, what came of it and where it is."""
    exactness = job.explainer.exactness_
    target = job.table.wording.outcome(job.target) or arguments.target or say("headline.another class")
    proofs = "" if exactness == "exact" else f"\n  {say(f'exactness.{exactness}')}"
    written = say("summary.written", file=arguments.out)
    return f"{arguments.data} -> {target}\n{summary}{proofs}\n{written}"


def question_of(arguments: argparse.Namespace) -> dict[str, Any]:
    """Describe what is asked, by option, files by their content: the same question has the same answers."""
    asked: dict[str, Any] = {"the version of elsewise": __version__}
    for name, value in sorted(vars(arguments).items()):
        if name not in _NOT_ASKED and value not in (None, False, []):
            is_file = isinstance(value, Path) and value.is_file()
            stated = (
                f"a file with the SHA-256 {checksum(value)}"
                if is_file
                else str(value)
                if isinstance(value, Path)
                else value
            )
            asked[f"--{name.replace('_', '-')}"] = stated
    return asked
