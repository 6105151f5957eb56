"""The audit trail that ``elsewise explain --json-lines`` writes."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ...answers import Explanations
from ...errors import InvalidInputError
from ..files.answers import Record
from ..files.explainers import replacing
from ..files.tables import check_format
from ..files.trail.fingerprints import fingerprint
from ..files.trail.records import Circumstances, line_of, numbered, trail_records
from ..files.values import sha256_of as checksum
from .question import Job

if TYPE_CHECKING:
    import pandas as pd

JSON_LINES = (".jsonl",)
# Options that name files whose checksum a trail tells, and what it calls them.
FILES = {"explainer": "explainer", "model": "model_file", "train": "train", "data": "data"}


@dataclass(frozen=True, slots=True, eq=False)
class Trail:
    """What is put away of every answer, beside what the tables of answers tell.

    Attributes
    ----------
    job : Job
    ids : data frame of shape (n_rows, n_ids)
        Columns that the user knows rows by.
    circumstances : Circumstances
    """

    job: Job
    ids: pd.DataFrame
    circumstances: Circumstances

    @classmethod
    def of(cls, job: Job, ids: pd.DataFrame, arguments: argparse.Namespace) -> Trail:
        """Find out what all answers share."""
        return cls(job, ids, Circumstances(job.options, checksums(job.explainer.model, arguments)))

    def lines(self, answers: Explanations, first: int) -> Iterator[Record]:
        """Return the lines of answers whose first row has the number ``first``."""
        ids = self.ids.iloc[first:]
        return trail_records(self.job.explainer.fitted_, answers, ids, self.circumstances, first)

    def add_to(self, records: Sequence[Record], answers: Explanations, first: int) -> None:
        """Add the lines of a chunk of answers, whose first row has the number ``first``, to their records."""
        lines = self.lines(answers, first)
        for record in records:
            for answer in record["answers"]:
                answer["trail"] = next(lines)


def checksums(model: object, arguments: argparse.Namespace) -> dict[str, str]:
    """SHA-256 of the model and of the files that were given, by the names a trail has for them."""
    given = {stated: getattr(arguments, option, None) for option, stated in FILES.items()}
    files = {stated: checksum(path) for stated, path in given.items() if isinstance(path, Path)}
    return {"model": fingerprint(model), **files}


def check_out(arguments: argparse.Namespace) -> None:
    """Refuse an output that does not go with --json-lines, or that cannot be written."""
    is_lines = arguments.out.suffix.lower() in JSON_LINES
    if is_lines != arguments.json_lines:
        raise InvalidInputError(
            f"{arguments.out}: expected a file ending in .jsonl with --json-lines, and --json-lines for such a file."
        )
    if not is_lines:
        check_format(arguments.out)
        if arguments.ranges:
            raise InvalidInputError(
                "--ranges: only an audit trail tells ranges. Give --json-lines and --out FILE.jsonl."
            )


def write_trail(records: Sequence[Record], path: Path) -> None:
    """Write the lines of all answers: the file is complete or not there."""
    lines = [answer["trail"] for record in records for answer in record["answers"]]
    with replacing(path) as file:
        for line in numbered(lines):
            file.write(line_of(line).encode())
