"""``elsewise audit``: what recourse costs each group of rows, from a file of answers."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ....errors import InvalidInputError
from ...audit import Audit, audit
from ...files.explainers import replacing
from ...files.tables import SUFFIXES, column_of_data, read_frame
from ...files.trail.records import read_trail
from ...plot.pictures.audit import AuditPicture
from ..arguments import (
    ALL_ANSWERED,
    PICTURE_RESOLUTION,
    Commands,
    file_to_read,
    file_to_write,
    files_to_read,
    matching,
    whole,
)
from ..trail import JSON_LINES

if TYPE_CHECKING:
    import pandas as pd


def add_to(commands: Commands) -> None:
    """Add the parser of ``elsewise audit``."""
    command = commands.add_parser(
        "audit",
        help="compare what recourse costs different groups",
        description="Compare groups of rows by their answers: share without an answer, distance, number of changes and "
        "how typical answers are, with confidence intervals, and the significant differences.",
    )
    command.add_argument("answers", type=files_to_read(*SUFFIXES, *JSON_LINES), metavar="ANSWERS",
                         help="answers by `elsewise explain`: CSV, Parquet or .jsonl, or a pattern for "
                         "several")  # fmt: skip
    command.add_argument("--by", metavar="COLUMN", required=True,
                         help="column with the groups: in --data, among the columns kept, or in a trail's "
                         "rows")  # fmt: skip
    command.add_argument("--data", type=file_to_read(*SUFFIXES), metavar="FILE",
                         help="the rows that were explained, if the answers do not hold the column")  # fmt: skip
    command.add_argument("--seed", type=whole(0), default=0, metavar="N", help="seed of the bootstrap (default: 0)")
    command.add_argument("--picture", type=file_to_write(".png", ".svg", ".pdf"), metavar="FILE",
                         help="also draw a picture")  # fmt: skip
    command.add_argument("--json", action="store_true", help="print one JSON document instead of words")
    command.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Audit the answers; return an exit code."""
    files = matching(arguments.answers, (*SUFFIXES, *JSON_LINES))
    reasons = None
    if files[0].suffix.lower() in JSON_LINES:
        records = [record for path in files for record in read_trail(path)]
        reasons = _reasons_of(records)
        answers, by = _from_trails(records, arguments.by)
    else:
        answers, by = _from_tables(files, arguments)
    found = audit(answers, by, reasons=reasons, seed=arguments.seed)
    if arguments.picture is not None:
        _draw(found, arguments.picture)
    print(json.dumps(found.to_mapping(), allow_nan=False) if arguments.json else found)
    return ALL_ANSWERED


def _from_tables(files: Sequence[Path], arguments: argparse.Namespace) -> tuple[pd.DataFrame, Any]:
    import pandas

    frames = [read_frame(path) for path in files]
    for path, frame in zip(files, frames, strict=True):
        if "status" not in frame.columns:
            raise InvalidInputError(
                f"{path} is no file of answers: it has no column 'status'. Expected files by `elsewise explain`, "
                "tables or, with --json-lines, audit trails."
            )
    answers = pandas.concat(frames, ignore_index=True)
    if arguments.data is None:
        return answers, arguments.by
    if len(files) > 1 or "row" not in answers.columns:
        raise InvalidInputError("--data: expected one file of answers, with their rows' numbers in the column 'row'.")
    column = column_of_data(arguments.data, arguments.by, "--by")
    if int(answers["row"].max()) >= len(column):
        raise InvalidInputError(f"--data: {arguments.data} has fewer rows than were explained.")
    return answers, column.iloc[answers["row"].to_numpy()]


def _reasons_of(records: Sequence[dict[str, Any]]) -> list[Any] | None:
    """Return the reasons that trails tell of each row, None if they tell none."""
    reasons = [record.get("reasons") for record in records if record["answer"] == 1]
    return reasons if any(reasons) else None


def _from_trails(records: Sequence[dict[str, Any]], by: str) -> tuple[pd.DataFrame, pd.Series[Any]]:
    """Read what an audit needs of trails, and the group of each answer: of the columns kept, else of the row."""
    import pandas

    groups = []
    for record in records:
        known = {**record["x"], **record["id"]}
        if by not in known:
            raise InvalidInputError(f"--by: a row of the trail has no column {by!r}. It has {', '.join(known)}.")
        groups.append(known[by])
    frame = pandas.DataFrame(
        {
            "answer": [record["answer"] for record in records],
            "status": [record["status"] for record in records],
            "distance": pandas.array([record["distance"] for record in records], dtype="Float64"),
            "plausibility": pandas.array([record["plausibility"] for record in records], dtype="Float64"),
            "n_changes": [len(record["changes"]) for record in records],
        }
    )
    return frame, pandas.Series(groups, name=by, dtype=object)


def _draw(found: Audit, path: Path) -> None:
    axes = AuditPicture.compute(found).draw()
    with replacing(path) as file:
        axes[0].figure.savefig(file, format=path.suffix[1:], dpi=PICTURE_RESOLUTION)
