"""The audit trail: a line of JSON an answer, with everything that is needed to check it later.

A line tells the row and who it is about, the answer, what the model says of both, what is proven, under which rules and
options, by which versions, when, and the SHA-256 of the files and of the model. ``record_sha256`` is that of the line
itself without this entry: it finds accidents. Who wants to forge a line can compute it; ``elsewise verify`` therefore
checks what the line says by the model, the density and the rules.

Lines of an audit trail as a whole: each tells its number and how many there are, so that one left out is missed.

Trails may be put one after the other in a file, in any order: lines that were written together carry the same ``id``.
"""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ....answers import Explanations
from ....answers.records import record_of
from ....arrays import BoolArray, FloatArray
from ....errors import InvalidInputError
from ....fitted import FittedModel
from ....questions import Options
from ....questions.targets import outcome_of_target
from ....rules import Constraints
from ....table.frames import rows_of
from ....table.json_values import to_json
from ..explainers import installed_versions
from ..values import jsonable, rules_as_json

if TYPE_CHECKING:
    import pandas as pd


# Number of the layout of audit trails.
TRAIL_FORMAT = 2

# Options that have a place of their own in a record, or say nothing of an answer.
_TOLD_ELSEWHERE = ("constraints", "min_probability", "confidence", "errors")
_FORMAT, CHECKSUM = "elsewise_answer", "record_sha256"


@dataclass(frozen=True, slots=True)
class Circumstances:
    """What the answers of a question share.

    Attributes
    ----------
    options : Options
    sha256 : dict of str to str
        Of the model (:func:`~.fingerprints.fingerprint`) and of files: explainer, data, ...
    versions : dict of str to str
    """

    options: Options
    sha256: Mapping[str, str]
    versions: Mapping[str, str] = field(default_factory=lambda: installed_versions())

    def stated(self, stored: Constraints | None = None) -> dict[str, Any]:
        """Return all of it as JSON holds it; the rules are those of the question or, where it has none, ``stored``."""
        own = self.options.constraints
        rules = rules_as_json(stored if own is None else own)
        return {
            "rules": rules,
            "options": {
                item.name: jsonable(getattr(self.options, item.name))
                for item in fields(Options)
                if item.name not in _TOLD_ELSEWHERE
            },
            "sha256": {**self.sha256, "rules": rules_sha256(rules)},
            "versions": dict(self.versions),
        }


def trail_records(
    fitted: FittedModel,
    answers: Explanations,
    ids: pd.DataFrame | None,
    circumstances: Circumstances,
    first_row: int = 0,
) -> Iterator[dict[str, Any]]:
    """Write answers as records of the audit trail.

    Parameters
    ----------
    fitted : FittedModel
        Is asked for probabilities.
    answers : Explanations
    ids : data frame of shape (n_rows, n_ids) or None
        Columns that the user knows rows by.
    circumstances : Circumstances
    first_row : int
        Number of the first of these rows among all.
    """
    before, after = target_probabilities(fitted, answers)
    targets = dict.fromkeys(one.target for one in answers)
    outcomes = {target: None if target is None else outcome_of_target(target, fitted.classes) for target in targets}
    shared = {
        target: circumstances.stated(fitted.constraints_of(None, outcome)) for target, outcome in outcomes.items()
    }
    when = datetime.now(UTC).isoformat(timespec="seconds")
    turn = np.arange(len(answers)) - np.searchsorted(answers.rows, answers.rows) + 1
    for place, one in enumerate(answers):
        known = {} if ids is None else {str(name): to_json(ids[name].iloc[one.row]) for name in ids.columns}
        record = {
            _FORMAT: TRAIL_FORMAT,
            "id": known,
            "answer": int(turn[place]),
            **record_of(one),
            "row": first_row + one.row,
            "probability_before": to_json(before[place]),
            "probability_after": to_json(after[place]),
            **shared[one.target],
            "time": when,
        }
        yield {**record, CHECKSUM: record_sha256(record)}


def line_of(record: Mapping[str, Any]) -> str:
    """Write a record as a line."""
    return json.dumps(record, allow_nan=False, separators=(",", ":")) + "\n"


def read_trail(path: Path) -> list[dict[str, Any]]:
    """Read the records of a trail; what they say is not checked here.

    Raises
    ------
    InvalidInputError
        If a line is no JSON, or no record of a trail.
    """
    records = []
    with path.open(encoding="utf-8") as file:
        for number, line in enumerate(file, start=1):
            try:
                record = json.loads(line)
                written = record[_FORMAT]
            except (ValueError, KeyError, TypeError) as error:
                raise InvalidInputError(
                    f"{path}: line {number} is no answer of an audit trail. Expected a file by "
                    "`elsewise explain --json-lines`."
                ) from error
            if written != TRAIL_FORMAT:
                raise InvalidInputError(f"{path}: line {number} is written in format {written!r}, not {TRAIL_FORMAT}.")
            records.append(record)
    return records


def record_sha256(record: Mapping[str, Any]) -> str:
    """SHA-256 of what a record says, whatever the order of its entries."""
    return _sha256({name: value for name, value in record.items() if name != CHECKSUM})


def is_as_written(record: Mapping[str, Any]) -> bool:
    """Whether a record still has the checksum it was written with."""
    return record.get(CHECKSUM) == record_sha256(record)


def rules_sha256(rules: Mapping[str, Any] | None) -> str:
    """SHA-256 of rules as JSON holds them."""
    return _sha256(rules)


def target_probabilities(fitted: FittedModel, answers: Explanations) -> tuple[FloatArray, FloatArray]:
    """Ask the model how probable the target is at rows and counterfactuals; NaN where it cannot tell.

    Returns
    -------
    before, after : arrays of shape (n_answers,)
    """
    before, after = np.full(len(answers), np.nan), np.full(len(answers), np.nan)
    if fitted.classes is None or not hasattr(fitted.model, "predict_proba"):
        return before, after
    labels = fitted.classes.tolist()
    variants = answers.after_losses()
    targets = np.array([labels.index(label) if label in labels else -1 for label in answers.targets])
    for index in np.unique(targets[targets >= 0]).tolist():
        for place, of, values, result in (
            ("row", answers, answers.row_features, before),
            ("after", variants, answers.features, after),
        ):
            asked = (targets == index) & ((answers.statuses != "error") if place == "row" else answers.found)
            chosen = np.flatnonzero(asked)
            if len(chosen):
                result[chosen] = fitted.probability(
                    values[chosen],
                    rows_of(of.x, chosen),
                    of.row_features[chosen],
                    index=index,
                    table=answers.table,
                )
    return before, after


def _sha256(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


_PLACE = "trail"


def numbered(records: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """Return records that are written together their numbers, from 1 on, and new checksums.

    Parameters
    ----------
    records : sequence of records
        See :func:`~.trail.trail_records`.
    """
    own_id = hashlib.sha256("".join(record[CHECKSUM] for record in records).encode()).hexdigest()
    for line, record in enumerate(records, start=1):
        placed = {**record, _PLACE: {"id": own_id, "line": line, "lines": len(records)}}
        yield {**placed, CHECKSUM: record_sha256(placed)}


def has_neighbours(records: Sequence[Mapping[str, Any]]) -> BoolArray:
    """Whether the lines before and after each, as they were written, are there as well; shape (n_records,)."""
    stated = [_place(record) for record in records]
    return _in_a_row([(place.get("id"), place.get("line"), place.get("lines")) for place in stated])


def rows_have_neighbours(records: Sequence[Mapping[str, Any]], n_rows: int) -> BoolArray:
    """Whether the rows before and after each line's, of ``n_rows`` in all, are stated as well; shape (n_records,)."""
    rows = [record["row"] for record in records]
    return _in_a_row([("", row + 1 if isinstance(row, int) else None, n_rows) for row in rows])


def _place(record: Mapping[str, Any]) -> Mapping[str, Any]:
    stated = record.get(_PLACE)
    return stated if isinstance(stated, Mapping) else {}


def _in_a_row(places: Sequence[tuple[Any, Any, Any]]) -> BoolArray:
    """Whether the numbers next to each are there, from 1 to the last, among those of the same key.

    Whoever edits a line may leave anything.
    """
    there: defaultdict[str, set[int]] = defaultdict(set)
    whole = [type(line) is int and type(last) is int and 1 <= line <= last for _, line, last in places]
    for (key, line, _), is_whole in zip(places, whole, strict=True):
        if is_whole:
            there[str(key)].add(line)
    held = np.zeros(len(places), dtype=np.bool_)
    for number in np.flatnonzero(whole).tolist():
        key, line, last = places[number]
        own = there[str(key)]
        held[number] = (line == 1 or line - 1 in own) and (line == last or line + 1 in own)
    return held
