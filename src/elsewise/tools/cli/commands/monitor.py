"""``elsewise monitor``: new rows against those at fit, as numbers one can alert on."""

from __future__ import annotations

import argparse
import json

from ....errors import InvalidInputError
from ....explainer import Explainer
from ...files.explainers import read_header, save
from ...files.settings import SUFFIXES as SETTINGS
from ...files.settings import read_rules, target_from_text
from ...files.tables import SUFFIXES, FileRows, read_rows
from ...files.values import errors_about
from ..arguments import ALL_ANSWERED, CHANGED, Commands, exit_codes, file_to_read, file_to_write, jobs, seconds
from ..partial import interruptible
from ..question import note_columns_set_aside
from ..sources import WARNING, saved_explainer

# Options of a question, which is asked once and kept.
_QUESTION = ("target", "rules", "time_limit")


def add_to(commands: Commands) -> None:
    """Add the parser of ``elsewise monitor``."""
    command = commands.add_parser(
        "monitor",
        help="compare new rows with earlier ones",
        description="Compare new rows with held-out rows of the time when the explainer was made: the share of "
        "unreadable rows and of rows without an answer, the distances, and how typical the rows are. Run it once with "
        f"--set-baseline on held-out rows, which saves counts and quantiles, but no rows. {WARNING}",
        epilog=exit_codes(four="with --alert: something has changed"),
    )
    command.add_argument("--explainer", type=file_to_read(), metavar="FILE", required=True,
                         help="saved by `elsewise fit`, or by --set-baseline")  # fmt: skip
    command.add_argument("--data", type=file_to_read(*SUFFIXES), metavar="FILE", required=True,
                         help="new rows, or held-out rows with --set-baseline: CSV or Parquet")  # fmt: skip
    baseline = command.add_argument_group("baseline", "Once, on held-out rows that are as expected.")
    baseline.add_argument("--set-baseline", type=file_to_write(), metavar="OUT",
                          help="where to save the explainer with the figures to compare with (.ew by "
                          "convention)")  # fmt: skip
    baseline.add_argument("--overwrite", action="store_true", help="replace OUT if it is there")
    baseline.add_argument("--target", metavar="LABEL",
                          help="wanted outcome: a label (default: the nearest other class), or LOW:HIGH for a "
                          "regressor")  # fmt: skip
    baseline.add_argument("--rules", type=file_to_read(*SETTINGS), metavar="FILE",
                          help="TOML: what may change and how")  # fmt: skip
    baseline.add_argument("--time-limit", type=seconds, metavar="S", help="seconds a row may take")
    command.add_argument("--alert", action="store_true",
                         help="exit with code 4 if something has changed for certain, and not little")  # fmt: skip
    command.add_argument("--jobs", type=jobs, default=1, metavar="N", help="threads, -1 for all cores (default: 1)")
    command.add_argument("--json", action="store_true", help="print one JSON document instead of words")
    command.add_argument("--quiet", action="store_true", help="no notes on stderr")
    command.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Compare, or set the baseline; return an exit code."""
    _check(arguments)
    explainer = saved_explainer(arguments)
    saved_jobs, explainer.n_jobs = explainer.n_jobs, arguments.jobs
    rows = read_rows(arguments.data, explainer.table_)
    if not arguments.quiet:
        note_columns_set_aside(rows, ())
    with interruptible():
        if arguments.set_baseline is not None:
            _set_baseline(arguments, explainer, rows)
            explainer.n_jobs = saved_jobs
            return _save(arguments, explainer)
        found = explainer.monitor(rows.columns)
    print(json.dumps({"data": str(arguments.data), **found.to_mapping()}, allow_nan=False) if arguments.json else found)
    return CHANGED if arguments.alert and found.alerts else ALL_ANSWERED


def _check(arguments: argparse.Namespace) -> None:
    """Refuse options that do not go together."""
    if arguments.set_baseline is None:
        given = [name for name in _QUESTION if getattr(arguments, name) is not None]
        if given or arguments.overwrite:
            option = "overwrite" if not given else given[0].replace("_", "-")
            raise InvalidInputError(
                f"--{option} belongs to --set-baseline: new rows are asked the question of the baseline."
            )
    elif arguments.alert:
        raise InvalidInputError("--alert: nothing is compared while the baseline is set. Leave it out.")
    elif arguments.set_baseline.exists() and not arguments.overwrite:
        raise InvalidInputError(
            f"{arguments.set_baseline} exists already. Give another name to --set-baseline, or replace it with "
            "--overwrite."
        )


def _set_baseline(arguments: argparse.Namespace, explainer: Explainer, rows: FileRows) -> None:
    """Ask about held-out rows."""
    classes = None if explainer.classes_ is None else explainer.classes_.tolist()
    target = target_from_text(arguments.target, classes)
    rules = None if arguments.rules is None else read_rules(arguments.rules)
    with errors_about(arguments.rules):
        explainer.fitted_.rules(rules)
    explainer.set_baseline(rows.columns, target, constraints=rules, time_limit=arguments.time_limit)


def _save(arguments: argparse.Namespace, explainer: Explainer) -> int:
    """Save the explainer with its baseline, without a pickle if it came without one."""
    save(explainer, arguments.set_baseline, safe=read_header(arguments.explainer).body == "skops")
    seen = explainer.baseline_.observed
    stated = {"rows": seen.n_rows, "wrong": seen.n_wrong, "in_need": seen.n_in_need, "infeasible": seen.n_infeasible}
    if arguments.json:
        print(json.dumps({"data": str(arguments.data), "out": str(arguments.set_baseline), **stated}))
    else:
        print(f"{seen.n_rows:,} rows in the baseline: {seen.n_wrong:,} wrong, {seen.n_in_need:,} in need of a change, "
              f"{seen.n_infeasible:,} of them without an answer\nWritten to {arguments.set_baseline}")  # fmt: skip
    return ALL_ANSWERED
