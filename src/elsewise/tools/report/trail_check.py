"""An audit trail checked again: by the model, the density and the rules alone and, for a sample, by a fresh search."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ...answers import Explanations
from ...answers.records import OPTIMAL_GAP
from ...arrays import BoolArray, FloatArray, IntArray, JsonObject, ReadObject
from ...errors import ElsewiseError
from ...explainer import Explainer
from ...questions import Options, checked_rows
from ...questions.explain import explain_rows
from ...reasons import STATUSES, has_answer
from ...rules import Constraints
from ..audit.comparison import compare
from ..files.trail.reading import explanations_of_trail, frame_of_values, numbers_of
from ..files.trail.records import (
    has_neighbours,
    is_as_written,
    rows_have_neighbours,
    rules_sha256,
    target_probabilities,
)
from .check import Checked, check_again, density_as_told
from .markup import ROUNDING

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True)
class TrailCheck:
    """What came of checking a trail.

    Attributes
    ----------
    n_lines : int
    checks : tuple of Checked
        Places are lines, counted from 0.
    """

    n_lines: int
    checks: tuple[Checked, ...]

    @property
    def holds(self) -> bool:
        """Whether everything that was checked is as the trail tells it."""
        return not any(check.failed for check in self.checks)

    def to_mapping(self) -> JsonObject:
        """Return all of it as plain values; lines are counted from 1."""
        checks = [
            {"promise": check.promise, "checked": check.n_checked, "failed_lines": [line + 1 for line in check.failed]}
            for check in self.checks
        ]
        return {"lines": self.n_lines, "holds": self.holds, "checks": checks}


@dataclass(frozen=True, slots=True, eq=False)
class Known:
    """What the verifier has at hand, apart from the explainer.

    Attributes
    ----------
    sha256 : dict of str to str
        Of the model and of the files that were given, by the names they have in the trail.
    rows : data frame or None
        All rows of the data, in the table's columns.
    n_searched : int
        Rows whose bound is checked by a fresh search.
    seed : int
        Which rows these are.
    """

    sha256: Mapping[str, str]
    rows: pd.DataFrame | None = None
    n_searched: int = 0
    seed: int = 0


def check_trail(explainer: Explainer, records: Sequence[ReadObject], known: Known) -> TrailCheck:
    """Check everything a trail says that can be checked.

    Parameters
    ----------
    explainer : fitted Explainer
    records : sequence of records
    known : Known
    """
    whole = np.array(_whole_lines(records, explainer), dtype=np.bool_)
    every = np.arange(len(records))
    checks = [_checked("the line can be read: row, answer, rules and numbers are there", every, whole)]
    checks.append(_each("the line is as it was written", records, is_as_written))
    checks.append(_checked("the lines written before and after it are there", every, has_neighbours(records)))
    for check in _read_lines(explainer, [records[place] for place in every[whole].tolist()], known):
        checks.append(replace(check, failed=tuple(int(every[whole][place]) for place in check.failed)))
    return TrailCheck(len(records), tuple(checks))


def _read_lines(explainer: Explainer, records: Sequence[ReadObject], known: Known) -> tuple[Checked, ...]:
    """Check lines that can be read."""
    checks = [
        _each(f"the SHA-256 of the {name} is that of the one given", records, _has_sha256(name, digest))
        for name, digest in known.sha256.items()
    ]
    every = np.arange(len(records))
    checks.append(_checked("the answer is recorded once", every, _is_first(records)))
    if known.rows is not None:
        held = rows_have_neighbours(records, len(known.rows))
        checks.append(_checked("the rows of the data before and after it are recorded, too", every, held))
    checks.append(
        _each(
            "the SHA-256 of the rules is that of the recorded rules",
            records,
            lambda record: record["sha256"]["rules"] == rules_sha256(record["rules"]),
        )
    )
    for rules, places in _by_rules(records):
        constraints = Constraints() if rules is None else Constraints.from_mapping(rules)  # not those stored
        checks += _under_rules(explainer, [records[place] for place in places.tolist()], places, constraints, known)
    return _joined(checks)


def _whole_lines(records: Sequence[ReadObject], explainer: Explainer) -> list[bool]:
    """Return which lines have all they need, in the forms they need it: whoever edits a line may leave anything.

    All are tried together; where that fails, in halves, until the lines at fault are alone.
    """
    try:
        if records:
            _read_all(records, explainer)
    except (ElsewiseError, KeyError, TypeError, ValueError, AttributeError):
        half = len(records) // 2
        if not half:
            return [False]
        return _whole_lines(records[:half], explainer) + _whole_lines(records[half:], explainer)
    return [True] * len(records)


def _read_all(records: Sequence[ReadObject], explainer: Explainer) -> None:
    """Read all that checks read of lines; raise if something is not as it has to be."""
    for rules, places in _by_rules(records):
        constraints = Constraints() if rules is None else Constraints.from_mapping(rules)  # not those stored
        own = [records[place] for place in places.tolist()]
        for record in own:
            Options(constraints=constraints, min_probability=record["min_probability"], **record["options"])
            dict(record["sha256"])
            if not (record["status"] in STATUSES and record["answer"] >= 1 and isinstance(record["x"], dict)):
                raise ValueError("status, number or row")
        for name in ("probability_before", "probability_after"):
            numbers_of(own, name)
        right = [record for record in own if record["status"] != "error"]
        answers = explanations_of_trail(right, explainer, constraints) if right else None
        if answers is not None and any(
            answers.targets[place] is None for place in np.flatnonzero(answers.found).tolist()
        ):
            raise ValueError("target")


def _under_rules(
    explainer: Explainer,
    records: Sequence[ReadObject],
    places: IntArray,
    constraints: Constraints | None,
    known: Known,
) -> list[Checked]:
    is_wrong = np.array([record["status"] == "error" for record in records])
    checks = []
    if known.rows is not None:
        checks.append(_checked("the row is that of the data", places, _is_of_data(records, explainer, known.rows)))
    if is_wrong.any():
        wrong = np.flatnonzero(is_wrong)
        refused = _is_refused([records[place] for place in wrong.tolist()], explainer, constraints)
        checks.append(_checked("a row that is told to be wrong is refused", places[wrong], refused))
    right = np.flatnonzero(~is_wrong)
    if len(right) == 0:
        return checks
    own, lines = [records[place] for place in right.tolist()], places[right]
    answers = explanations_of_trail(own, explainer, constraints)
    again = check_again(explainer, answers, constraints)
    checks += [replace(check, failed=tuple(int(lines[place]) for place in check.failed)) for check in again]
    for promise, held in _as_told(explainer, own, answers, constraints):
        checks.append(_checked(promise, lines, held))
    checks += _claimed(explainer, own, lines)
    if known.n_searched:
        checks.append(_searched(explainer, own, answers, lines, constraints, known))
    return checks


def _as_told(
    explainer: Explainer,
    records: Sequence[ReadObject],
    answers: Explanations,
    constraints: Constraints | None,
) -> list[tuple[str, BoolArray]]:
    """Compare numbers that a trail tells with what model and density say."""
    fitted, found = explainer.fitted_, answers.found
    said = fitted.predict(answers.row_features, answers.x, answers.row_features, table=answers.table).tolist()
    predicted = [_alike(stated, outcome) for stated, outcome in zip(answers.predictions.tolist(), said)]
    before, after = target_probabilities(fitted, answers)
    probable = _same(numbers_of(records, "probability_before"), before)
    probable &= _same(numbers_of(records, "probability_after"), after)
    distances, bounds = answers.distances, answers.lower_bounds
    with np.errstate(invalid="ignore", divide="ignore"):
        gaps = (distances - bounds) / np.where(distances > 0, distances, 1.0)
    # a bound may be above the distance by no more than rounding: it would say that the answer does not exist
    bounded = ~found | ((bounds <= distances * (1 + ROUNDING) + ROUNDING) & _same(answers.gaps, gaps))
    without = np.where(np.isposinf(bounds), "infeasible", "unknown")
    statuses = np.where(found, np.where(answers.gaps <= OPTIMAL_GAP, "optimal", "feasible"), without)
    may_settle = np.array([record["options"].get("on_infeasible") == "densest" for record in records])
    named = (answers.statuses == statuses) | (may_settle & (answers.statuses == "densest"))
    return [
        ("the model's prediction for the row is the recorded one", np.array(predicted, dtype=np.bool_)),
        ("the model's probabilities of the target are the recorded ones", probable),
        ("the gap and the status follow from distance and bound", np.asarray(bounded & named, dtype=np.bool_)),
        ("density, threshold and plausibility are the recorded ones", density_as_told(explainer, answers, constraints)),
    ]


def _claimed(explainer: Explainer, records: Sequence[ReadObject], lines: IntArray) -> list[Checked]:
    """Check ranges and reasons anew, where lines tell them."""
    stated = [place for place, record in enumerate(records) if record.get("ranges") or record.get("reasons")]
    found = compare([records[place] for place in stated], explainer).lines
    checks = []
    for claim, promise in (
        ("range", "every row in the ranges has the outcome"),
        ("reason", "no realistic change leaves all columns of the reasons as they are"),
    ):
        verdicts = [(lines[place], getattr(one, claim)) for place, one in zip(stated, found) if getattr(one, claim)]
        if verdicts:
            held = np.array([verdict != "false" for _, verdict in verdicts], dtype=np.bool_)
            checks.append(_checked(promise, np.array([line for line, _ in verdicts]), held))
    return checks


def _searched(
    explainer: Explainer,
    records: Sequence[ReadObject],
    answers: Explanations,
    lines: IntArray,
    constraints: Constraints | None,
    known: Known,
) -> Checked:
    """Ask again for some rows: no bound may be above an answer, no answer below a bound."""
    first = np.flatnonzero([record["answer"] == 1 for record in records])
    rng = np.random.default_rng(known.seed)
    chosen = np.sort(rng.permutation(first)[: known.n_searched])
    held = np.ones(len(chosen), dtype=np.bool_)
    for number, place in enumerate(chosen.tolist()):
        asked = {**records[place]["options"], "n_counterfactuals": 1}
        options = Options(constraints=constraints, min_probability=records[place]["min_probability"], **asked)
        fresh = explain_rows(explainer.fitted_, answers.x.iloc[[place]], answers.targets[place], options)[0]
        held[number] = _agree(answers, place, fresh)
    return Checked(
        "a fresh search finds nothing nearer than the bound (a sample)", len(chosen), _failed(lines[chosen], held)
    )


def _agree(answers: Explanations, place: int, fresh: Any) -> bool:
    """Whether an answer and one that was found anew can both be true."""
    distance, bound = float(answers.distances[place]), float(answers.lower_bounds[place])
    fresh_found, told_found = has_answer(fresh.status), bool(answers.found[place])
    if fresh_found and bound > fresh.distance * (1 + ROUNDING) + ROUNDING:
        return False  # among them: stated to be proven that there is none
    return not (told_found and fresh.lower_bound > distance * (1 + ROUNDING) + ROUNDING)


def _is_of_data(records: Sequence[ReadObject], explainer: Explainer, rows: pd.DataFrame) -> BoolArray:
    """Whether each row is, value by value, the one of this number in the data."""
    from ...answers.records import values_by_name

    held = []
    names = explainer.table_.names
    for record in records:
        number = record["row"]
        inside = isinstance(number, int) and 0 <= number < len(rows)
        held.append(inside and values_by_name(names, rows.iloc[[number]].to_numpy(dtype=object)[0]) == record["x"])
    return np.array(held, dtype=np.bool_)


def _is_refused(records: Sequence[ReadObject], explainer: Explainer, constraints: Constraints | None) -> BoolArray:
    fitted = explainer.fitted_
    given = frame_of_values([record["x"] for record in records], fitted.table)
    wrong = checked_rows(fitted, fitted.rules(constraints), given).wrong
    return np.array([place in wrong for place in range(len(records))], dtype=np.bool_)


def _is_first(records: Sequence[ReadObject]) -> BoolArray:
    """Whether no line before tells the same answer of the same row to the same question."""
    seen: set[str] = set()
    first = np.ones(len(records), dtype=np.bool_)
    for place, record in enumerate(records):
        asked = [record["sha256"].get("data"), record["rules"], record["target"], record["options"]]
        key = json.dumps([*asked, record["min_probability"], record["row"], record["answer"]], sort_keys=True)
        first[place] = key not in seen
        seen.add(key)
    return first


def _by_rules(records: Sequence[ReadObject]) -> list[tuple[Any, IntArray]]:
    """Group lines by the rules they were made under."""
    groups: dict[str, tuple[Any, list[int]]] = {}
    for place, record in enumerate(records):
        groups.setdefault(rules_sha256(record["rules"]), (record["rules"], []))[1].append(place)
    return [(rules, np.array(places, dtype=np.int64)) for rules, places in groups.values()]


def _has_sha256(name: str, digest: str) -> Callable[[ReadObject], bool]:
    return lambda record: record["sha256"].get(name) == digest


def _each(promise: str, records: Sequence[ReadObject], holds: Callable[[ReadObject], bool]) -> Checked:
    held = np.array([holds(record) for record in records], dtype=np.bool_)
    return _checked(promise, np.arange(len(records)), held)


def _checked(promise: str, lines: IntArray, held: BoolArray) -> Checked:
    return Checked(promise, len(held), _failed(lines, held))


def _failed(lines: IntArray, held: BoolArray) -> tuple[int, ...]:
    return tuple(int(line) for line in lines[~held])


def _joined(checks: Sequence[Checked]) -> tuple[Checked, ...]:
    """Add up checks of the same promise, under several rules."""
    joined: dict[str, Checked] = {}
    for check in checks:
        other = joined.get(check.promise)
        joined[check.promise] = check if other is None else Checked(
            check.promise, other.n_checked + check.n_checked, tuple(sorted((*other.failed, *check.failed)))
        )  # fmt: skip
    return tuple(joined.values())


def _same(stated: FloatArray, found: FloatArray) -> BoolArray:
    """Whether numbers agree up to rounding; nothing agrees with nothing alone."""
    both = np.isnan(stated) & np.isnan(found)
    with np.errstate(invalid="ignore"):
        return np.asarray(both | (np.abs(stated - found) <= ROUNDING * (1 + np.abs(found))))


def _alike(stated: Any, found: Any) -> bool:
    if isinstance(found, float) and isinstance(stated, (int, float)):
        return abs(float(stated) - found) <= ROUNDING * (1 + abs(found))
    return bool(stated == found or str(stated) == str(found))
