"""``elsewise explain`` into a folder: a file of answers for every file of rows, here or on a cluster."""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from ... import __version__
from ...errors import InvalidInputError
from ...explainer import Explainer
from ...reasons import STATUSES, WITHOUT_ANSWER
from ..batch import Mapper
from ..batch.partitions import (
    ENGINES,
    Partition,
    PartitionAnswers,
    answer_here,
    answer_on_dask,
    finished,
    partitions_of,
    remove_unfinished,
)
from ..files.settings import target_from_text
from ..files.tables import SUFFIXES, check_format, dtypes_of
from ..files.values import errors_about
from .arguments import ALL_ANSWERED, SOME_WITHOUT_ANSWER, is_pattern, matching, whole
from .progress import progress_bar
from .question import note_rules_replaced, options_of, rules_of
from .sources import explainer_of

# Options that say which rows are asked about, which each file of answers tells by itself.
_ABOUT_ROWS = "--data"


def add_engine(command: argparse.ArgumentParser) -> None:
    """Add the options for many files of rows."""
    group = command.add_argument_group(
        "many files",
        "If --out is a folder, every file of rows gets its own file of answers there (Parquet), once it is "
        "complete; the same command, given again, continues with the missing ones. Memory does not grow with the rows.",
    )
    group.add_argument("--engine", choices=ENGINES, help="where to compute (default: in this process)")
    group.add_argument(
        "--scheduler", metavar="ADDRESS", help="address of a Dask cluster (default: one is started here)"
    )
    group.add_argument("--workers", type=whole(1), metavar="N",
                       help="processes of a cluster that is started here (default: one per core)")  # fmt: skip
    group.add_argument("--sentences", action="store_true", help="add a sentence to every answer (slower)")


def answers_in_folder(arguments: argparse.Namespace) -> bool:
    """Whether answers go into a folder, file by file."""
    is_folder = arguments.out.is_dir() or not arguments.out.suffix
    if not is_folder and (is_pattern(arguments.data) or arguments.engine is not None):
        raise InvalidInputError(
            f"--out: expected a folder for the answers of several files or on a cluster, received {arguments.out}."
        )
    if arguments.engine is None and (arguments.scheduler or arguments.workers):
        raise InvalidInputError("--scheduler and --workers are for --engine dask.")
    if not is_folder and arguments.sentences:
        raise InvalidInputError("--sentences is for answers in a folder; those in one file have sentences anyway.")
    return is_folder


def explain_partitions(arguments: argparse.Namespace, question: Mapping[str, Any]) -> int:
    """Answer for all files of rows that are not answered yet; return one of the exit codes."""
    started = time.perf_counter()
    if arguments.why:
        raise InvalidInputError("--why is for answers in one file: give a file as --out.")
    if arguments.json_lines:
        raise InvalidInputError("--json-lines is for answers in one file: give a file ending in .jsonl as --out.")
    if arguments.errors == "raise":
        raise InvalidInputError("--errors raise is for answers in one file: in a folder wrong rows end nothing.")
    files = matching(arguments.data, SUFFIXES)
    check_format(Path("answers.parquet"))
    mapper = _mapper(arguments, files)
    partitions = partitions_of(files, arguments.out, _digest(question))
    arguments.out.mkdir(exist_ok=True)
    if arguments.fresh:
        for partition in partitions:
            partition.answers.unlink(missing_ok=True)
    done = {partition: known for partition in partitions if (known := finished(partition)) is not None}
    waiting = [partition for partition in partitions if partition not in done]
    if done and not arguments.quiet:
        print(f"elsewise: {len(done)} of {len(partitions)} files are finished already", file=sys.stderr)
    remove_unfinished(arguments.out)
    results = list(done.values())
    with progress_bar(len(partitions), unit="file", done=len(done), quiet=arguments.quiet) as bar:
        for each in _answered(mapper, waiting, arguments):
            results.append(each)
            bar.update(1)
    return _finish(arguments, results, len(done), time.perf_counter() - started)


def _mapper(arguments: argparse.Namespace, files: Sequence[Path]) -> Mapper:
    rules = rules_of(arguments)
    explainer: Explainer = explainer_of(arguments, rules)
    note_rules_replaced(explainer, arguments)
    classes = None if explainer.classes_ is None else explainer.classes_.tolist()
    asked = options_of(arguments, rules)
    of_rows = ("errors", "ranges", "certificate")
    options = {item.name: getattr(asked, item.name) for item in fields(asked) if item.name not in of_rows}
    with errors_about(arguments.rules):
        return explainer.mapper(
            target_from_text(arguments.target, classes),
            id_columns=dtypes_of(files[0], list(dict.fromkeys(arguments.keep))),
            sentences=arguments.sentences,
            n_jobs=arguments.jobs,
            **options,
        )


def _answered(
    mapper: Mapper, partitions: Sequence[Partition], arguments: argparse.Namespace
) -> Iterator[PartitionAnswers]:
    if not partitions:
        return iter(())
    if arguments.engine is None:
        return answer_here(mapper, partitions)
    absolute = [Partition(each.rows.resolve(), each.answers.resolve(), each.question) for each in partitions]
    return answer_on_dask(mapper, absolute, arguments.scheduler, arguments.workers)


def _digest(question: Mapping[str, Any]) -> str:
    """Checksum of what is asked, but for the rows."""
    asked = {name: value for name, value in question.items() if name != _ABOUT_ROWS}
    return hashlib.sha256(json.dumps(asked, sort_keys=True, default=str).encode()).hexdigest()


def _finish(arguments: argparse.Namespace, results: Sequence[PartitionAnswers], before: int, took: float) -> int:
    counts: Counter[str] = Counter()
    for each in results:
        counts.update(each.statuses)
    n_rows = sum(each.n_rows for each in results)
    code = SOME_WITHOUT_ANSWER if any(counts[status] for status in WITHOUT_ANSWER) else ALL_ANSWERED
    stated = {status: counts[status] for status in STATUSES}
    if arguments.json:
        document = {
            "elsewise": __version__,
            "data": str(arguments.data),
            "out": str(arguments.out),
            "complete": True,
            "exit_code": code,
            "files": len(results),
            "finished_before": before,
            "rows": n_rows,
            "statuses": stated,
            "seconds": round(took, 3),
        }
        print(json.dumps(document, allow_nan=False))
    else:
        listed = ", ".join(f"{count:,} {status}" for status, count in stated.items() if count) or "none"
        print(f"{arguments.data}: {len(results):,} files, {n_rows:,} rows ({listed})\nWritten to {arguments.out}")
    return code
