"""``elsewise letter`` and ``elsewise letters``: letters about decisions, one or thousands, from a file of rows."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from ....answers import Explanation, Explanations
from ....answers.records import record_of_reasons
from ....errors import ElsewiseError, InvalidInputError
from ....rules.words import did_you_mean
from ....text.languages import LANGUAGES
from ...files.trail.records import CHECKSUM, record_sha256
from ...letters.letter import Letter, LetterRequest, versions_of, write_letter
from ...letters.templates import INCLUDED, LISTS, SCALARS, SUFFIXES, LetterTemplate, read_template
from ..arguments import ALL_ANSWERED, SOME_WITHOUT_ANSWER, Commands, exit_codes, file_to_write, whole
from ..partial import Interrupted, Partial, Stop, interruptible, uninterrupted
from ..progress import Bar, progress_bar
from ..question import Job, add_question, add_rows, kept_columns, prepare, rules_of
from ..sources import add_source
from ..trail import Trail, write_trail
from .explain import question_of

# The audit trail beside letters.
TRAIL_NAME = "letters.jsonl"
# Options of the question that letters have; rows that have the outcome get no letter, and stay as they are.
_ASKED = ("min_probability", "time_limit")
_FIXED = {"errors": "row", "on_satisfied": "keep", "why": False}
_NOT_IN_NAMES = re.compile(r"[^\w.-]+")


@dataclass(frozen=True, slots=True, eq=False)
class Writer:
    """Writes letters about rows of a file.

    Attributes
    ----------
    job : Job
    template : LetterTemplate
    request : LetterRequest
        With the fields that all letters share.
    versions : dict of str to str
    columns : dict of str to list
        Values of the template's own placeholders that the file has for each row.
    """

    job: Job
    template: LetterTemplate
    request: LetterRequest
    versions: Mapping[str, str]
    columns: Mapping[str, list[Any]]

    @classmethod
    def of(cls, job: Job, arguments: argparse.Namespace) -> Writer:
        """Check the template and its fields against the file, before any work."""
        template = read_template(arguments.template, arguments.language)
        fields = dict(_field(text) for text in arguments.field)
        by_row = {}
        for name in (*template.placeholders, "reference"):
            source = arguments.id if name == "reference" and arguments.id is not None else name
            is_own = name not in (*SCALARS, *LISTS) or name == "reference"
            if is_own and name not in fields and source in job.rows.others.columns:
                by_row[name] = ["" if value != value else str(value) for value in job.rows.others[source].tolist()]
        template.check_fields([name for name in (*fields, *by_row) if name != "reference"])
        request = LetterRequest(template, arguments.language, fields, job.explainer.reason_codes_, job.options)
        return cls(job, template, request, versions_of(job.explainer.fitted_), by_row)

    def letter(self, explanation: Explanation, row: int) -> Letter:
        """Write the letter about a row of the file."""
        own = {name: values[row] for name, values in self.columns.items()}
        fields = {"reference": str(row + 1), **self.request.fields, **own}
        request = replace(self.request, fields=fields)
        return write_letter(self.job.explainer.fitted_, explanation, request, self.versions)


def add_to(commands: Commands) -> None:
    """Add the parsers of ``elsewise letter`` and ``elsewise letters``."""
    one = _parser(commands, "letter", "write a letter about the decision on one row", _run_one)
    one.add_argument("--row", type=whole(1), metavar="N", required=True, help="number of the row in --data, from 1")
    one.add_argument("--out", type=file_to_write(*SUFFIXES), metavar="FILE", required=True,
                     help="the letter, .txt or .html; an existing file is replaced")  # fmt: skip
    many = _parser(commands, "letters", "write letters about all rows of a file, one file each", _run_many)
    many.add_argument("--out", type=Path, metavar="FOLDER", required=True,
                      help=f"folder for the letters and {TRAIL_NAME}, their audit trail")  # fmt: skip
    many.add_argument("--format", choices=[suffix[1:] for suffix in SUFFIXES], default="html",
                      help="format of the letters (default: html)")  # fmt: skip
    many.add_argument("--keep", nargs="+", default=[], metavar="COLUMN",
                      help="further columns of --data for the trail, such as groups to compare")  # fmt: skip
    many.add_argument("--fresh", action="store_true", help="start again and replace existing letters")


def _parser(
    commands: Commands, name: str, help_text: str, run: Callable[[argparse.Namespace], int]
) -> argparse.ArgumentParser:
    command = commands.add_parser(
        name,
        help=help_text,
        description="A letter of one page: the decision, up to four principal reasons, the values that would have led "
        "to another decision, and what of it is proven. `elsewise verify` can check it years later.",
        epilog=exit_codes("some rows have no answer"),
    )
    add_source(command)
    asked = command.add_argument_group("question")
    add_rows(asked)
    add_question(asked, _ASKED)
    letter = command.add_argument_group("letter")
    letter.add_argument("--template", default=INCLUDED[0], metavar="NAME|FILE",
                        help=f"{', '.join(INCLUDED)}, or a .txt or .html file with placeholders "
                        f"(default: {INCLUDED[0]})")  # fmt: skip
    letter.add_argument(
        "--language", choices=list(LANGUAGES), default="en", help="language of the letters (default: en)"
    )
    letter.add_argument("--field", action="append", default=[], metavar="NAME=TEXT",
                        help="text for a placeholder, with \\n for a new line; columns of --data that the model does "
                        "not use fill the placeholders of the same name")  # fmt: skip
    letter.add_argument("--id", metavar="COLUMN",
                        help="column of --data that identifies a row: reference, and name of the file")  # fmt: skip
    command.add_argument("--quiet", action="store_true", help="no notes on stderr")
    command.set_defaults(run=run, ranges=True, **_FIXED)
    return command


def _field(text: str) -> tuple[str, str]:
    name, mark, value = text.partition("=")
    if not mark or not name:
        raise InvalidInputError(f"--field: expected NAME=TEXT, received {text!r}.")
    return name, value.replace("\\n", "\n")


def _prepared(arguments: argparse.Namespace) -> tuple[Job, Writer]:
    read_template(arguments.template, arguments.language)  # what is wrong with it is said before a fit
    job = prepare(arguments, rules_of(arguments))
    if job.target is None:
        raise InvalidInputError("--target: a letter is about one wanted outcome. Name it.")
    if arguments.id is not None and arguments.id not in job.rows.others.columns:
        known = did_you_mean(arguments.id, list(job.rows.others.columns))
        raise InvalidInputError(f"--id: {arguments.data} has no such further column {arguments.id!r}. {known}")
    return job, Writer.of(job, arguments)


def _run_one(arguments: argparse.Namespace) -> int:
    """Write one letter."""
    job, writer = _prepared(arguments)
    n_rows = len(job.rows.columns)
    if arguments.row > n_rows:
        raise InvalidInputError(f"--row: {arguments.data} has {n_rows} rows, received {arguments.row}.")
    row = arguments.row - 1
    letter = writer.letter(job.answers(slice(row, row + 1))[0], row)
    letter.save(arguments.out)
    print(f"Written to {arguments.out}")
    return ALL_ANSWERED


def _run_many(arguments: argparse.Namespace) -> int:
    """Write letters about all rows, and the trail."""
    arguments.out.mkdir(exist_ok=True)
    out = arguments.out / TRAIL_NAME
    if out.exists() and not out.with_name(f"{TRAIL_NAME}.partial").exists() and not arguments.fresh:
        raise InvalidInputError(f"{out} exists already. Give another --out, or replace it with --fresh.")
    with interruptible() as stop, Partial(out, question_of(arguments), fresh=arguments.fresh) as partial:
        try:
            job, writer = _prepared(arguments)
            kept = kept_columns(job.rows, arguments)
            names = _file_names(job, arguments)
        except BaseException:
            if partial.n_finished == 0:
                partial.remove()
            raise
        ids = kept if arguments.id is None else kept.assign(**{arguments.id: job.rows.others[arguments.id]})
        trail, interrupted = Trail.of(job, ids, arguments), None
        try:
            with progress_bar(len(names), done=partial.n_finished, quiet=arguments.quiet) as bar:
                _write_all(writer, trail, partial, stop, bar, [arguments.out / name for name in names])
        except Interrupted as error:
            interrupted = error
        with uninterrupted():
            return _finish(arguments, partial, len(names), interrupted)


def _write_all(writer: Writer, trail: Trail, partial: Partial, stop: Stop, bar: Bar, paths: list[Path]) -> None:
    """Write letter by letter; a row is put away once its letter is on disk."""
    while partial.n_finished < len(paths):
        row = partial.n_finished
        answers = writer.job.answers(slice(row, row + 1))
        line = _line(writer, trail, answers, row, paths[row])
        with stop.put_off():  # counted, or written again
            partial.append([{"answers": [{"trail": line}]}])
        stop.check()
        bar.update(1)


def _line(writer: Writer, trail: Trail, answers: Explanations, row: int, path: Path) -> dict[str, Any]:
    """Write the letter about a row, if there is anything to write, and return its line of the trail."""
    record: dict[str, Any] = next(iter(trail.lines(answers, row)))
    stated: dict[str, Any] = {"letter": None}
    if not bool(answers.found[0] and not answers.changed[0].any()):
        try:
            letter = writer.letter(answers[0], row)
        except ElsewiseError as error:
            stated["letter"] = {"error": str(error)}
        else:
            letter.save(path)
            stated["letter"] = {"file": path.name, **letter.to_mapping()}
            if letter.reasons is not None:
                stated["reasons"] = record_of_reasons(letter.reasons)
    record = {**record, **stated}
    return {**record, CHECKSUM: record_sha256(record)}


def _file_names(job: Job, arguments: argparse.Namespace) -> list[str]:
    """Name the files of all letters: by the rows' ids, or numbers."""
    n_rows = len(job.rows.columns)
    ids = range(1, n_rows + 1) if arguments.id is None else job.rows.others[arguments.id].tolist()
    stems = [_NOT_IN_NAMES.sub("_", str(one)).strip("._") for one in ids]
    seen, first = np.unique(np.array(stems), return_index=True)
    if len(seen) < n_rows or "" in seen:
        wrong = next(place for place in range(n_rows) if place not in first or not stems[place])
        raise InvalidInputError(
            f"--id: row {wrong + 1} has no file name of its own ({stems[wrong]!r}). Use unique ids."
        )
    return [f"{stem}.{arguments.format}" for stem in stems]


def _finish(arguments: argparse.Namespace, partial: Partial, n_rows: int, interrupted: Interrupted | None) -> int:
    if interrupted is not None:
        where = f"{partial.n_finished} of {n_rows} rows are finished"
        print(f"elsewise: interrupted; {where}. The same command goes on from there.", file=sys.stderr)
        return interrupted.exit_code
    records = partial.records()
    write_trail(records, arguments.out / TRAIL_NAME)
    partial.remove()
    stated = [answer["trail"]["letter"] for record in records for answer in record["answers"]]
    written = [one for one in stated if one is not None and "file" in one]
    wrong = [place for place, one in enumerate(stated) if one is not None and "error" in one]
    print(f"{len(written):,} letters in {arguments.out}, told of in {TRAIL_NAME}; "
          f"{sum(one is None for one in stated):,} rows need none")  # fmt: skip
    for place in wrong[:3]:
        print(f"elsewise: no letter about row {place + 1}: {stated[place]['error']}", file=sys.stderr)
    if wrong:
        print(f"elsewise: {len(wrong)} rows have no letter; {TRAIL_NAME} says why", file=sys.stderr)
    return SOME_WITHOUT_ANSWER if wrong else ALL_ANSWERED
