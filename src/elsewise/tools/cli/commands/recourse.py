"""``elsewise levers``, ``reasons`` and ``ladder``: what stands in the way of one row, and what helps it."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from typing import Any

from ....answers import Explanation, Ladder, Levers
from ....answers.records import record_of, record_of_reasons
from ....errors import InvalidInputError
from ...files.settings import target_from_text
from ..arguments import ALL_ANSWERED, SOME_WITHOUT_ANSWER, Commands, exit_codes, whole
from ..question import Job, add_question, add_rows, prepare, rules_of
from ..sources import add_source

_FIXED = {"errors": "raise", "why": False}


def add_to(commands: Commands) -> None:
    """Add the parsers of the three commands."""
    levers = _parser(commands, "levers", "find the columns of a row whose change alone is enough", _run_levers,
                     ("min_probability", "time_limit"))  # fmt: skip
    levers.add_argument("--max-size", type=whole(1), default=2, metavar="N",
                        help="try sets of up to N columns (default: 2)")  # fmt: skip
    reasons = _parser(commands, "reasons", "find the principal reasons for the decision on a row", _run_reasons,
                      ("min_probability", "time_limit"))  # fmt: skip
    reasons.add_argument("--at-most", type=whole(1), default=4, metavar="N", help="reasons to name (default: 4)")
    ladder = _parser(commands, "ladder", "find what each better band takes for a row", _run_ladder, ("time_limit",))
    ladder.add_argument("--bands", nargs="+", required=True, metavar="[NAME=]BAND",
                        help="from worst to best: labels, least probabilities of --target, or LOW:HIGH of a "
                        "regressor")  # fmt: skip


def _parser(
    commands: Commands,
    name: str,
    help_text: str,
    run: Callable[[argparse.Namespace], int],
    options: Sequence[str],
) -> argparse.ArgumentParser:
    command = commands.add_parser(
        name,
        help=help_text,
        description=f"{help_text.capitalize()}, with proofs.",
        epilog=exit_codes("there is no answer"),
    )
    add_source(command)
    asked = command.add_argument_group("question")
    add_rows(asked)
    asked.add_argument("--row", type=whole(1), metavar="N", required=True, help="number of the row in --data, from 1")
    add_question(asked, options)
    command.add_argument("--json", action="store_true", help="print one JSON document instead of words")
    command.add_argument("--quiet", action="store_true", help="no notes on stderr")
    command.set_defaults(run=run, **_FIXED)
    return command


def _asked(arguments: argparse.Namespace, *, needs_target: bool = True) -> tuple[Job, Any, dict[str, Any]]:
    """Read everything; return the job, the row, and what all three questions have in common."""
    job = prepare(arguments, rules_of(arguments))
    n_rows = len(job.rows.columns)
    if arguments.row > n_rows:
        raise InvalidInputError(f"--row: {arguments.data} has {n_rows} rows, received {arguments.row}.")
    if needs_target and job.target is None:
        raise InvalidInputError("--target: expected the wanted outcome.")
    options = {"constraints": job.options.constraints, "time_limit": job.options.time_limit}
    return job, job.rows.columns.iloc[arguments.row - 1 : arguments.row], options


def _run_levers(arguments: argparse.Namespace) -> int:
    job, row, options = _asked(arguments)
    least = job.options.min_probability
    found = job.explainer.levers(row, job.target, max_size=arguments.max_size, min_probability=least, **options)
    return _told(arguments, found, _levers_as_json(found), is_found=bool(len(found)) or found.has_outcome)


def _run_reasons(arguments: argparse.Namespace) -> int:
    job, row, options = _asked(arguments)
    least = job.options.min_probability
    found = job.explainer.reasons(row, job.target, at_most=arguments.at_most, min_probability=least, **options)
    return _told(arguments, found, record_of_reasons(found), is_found=found.status in ("proven", "has outcome"))


def _run_ladder(arguments: argparse.Namespace) -> int:
    names, texts = zip(*(_band(text) for text in arguments.bands), strict=True)
    label = arguments.target
    if label is None and ":" in texts[0]:  # a regressor's
        arguments.target = texts[0]
    job, row, options = _asked(arguments, needs_target=False)
    classes = None if job.explainer.classes_ is None else job.explainer.classes_.tolist()
    target = job.target if label is not None and classes is not None else None
    values = [_value(text, classes, is_share=target is not None) for text in texts]
    is_named = all(name is not None for name in names)
    bands = dict(zip(names, values, strict=True)) if is_named else values
    found = job.explainer.ladder(row, bands, target=target, **options)
    is_found = all(step.explanation.found for step in found)
    return _told(arguments, found, _ladder_as_json(found), is_found=is_found)


def _band(text: str) -> tuple[str | None, str]:
    name, mark, value = text.partition("=")
    return (name, value) if mark else (None, text)


def _value(text: str, classes: list[Any] | None, *, is_share: bool) -> Any:
    if not is_share:
        return target_from_text(text, classes, "--bands")
    try:
        return float(text)
    except ValueError as error:
        raise InvalidInputError(f"--bands: expected least probabilities of --target, received {text!r}.") from error


def _levers_as_json(found: Levers) -> dict[str, Any]:
    enough = [{"columns": list(lever.columns), **_answer(lever.explanation)} for lever in found]
    sets = {"not_enough": found.not_enough, "unknown": found.unknown}
    return {
        "has_outcome": found.has_outcome,
        "enough": enough,
        **{name: [list(columns) for columns in each] for name, each in sets.items()},
        "fixed": list(found.fixed),
    }


def _ladder_as_json(found: Ladder) -> dict[str, Any]:
    steps = [{"band": step.band.name, "reaches": step.reaches or None, **_answer(step.explanation)} for step in found]
    return {"current": None if found.current is None else found.current.name, "steps": steps}


def _answer(one: Explanation) -> dict[str, Any]:
    record = record_of(one)
    return {name: record[name] for name in ("status", "distance", "lower_bound", "plausibility", "changes", "proven")}


def _told(arguments: argparse.Namespace, found: object, document: dict[str, Any], *, is_found: bool) -> int:
    print(json.dumps(document, allow_nan=False) if arguments.json else found)
    return ALL_ANSWERED if is_found else SOME_WITHOUT_ANSWER
