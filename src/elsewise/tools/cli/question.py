"""What ``elsewise explain`` and ``elsewise report`` ask: their common options, and everything that is read for them."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ...answers import Explanations
from ...errors import InvalidInputError
from ...explainer import Explainer
from ...questions import CheckedRows, Options, checked_rows
from ...questions.explain import explain_rows
from ...questions.options import CHOICES, OPTIONS, describe_option
from ...questions.progress import ProgressOption
from ...rules import Constraints, Rules
from ...rules.words import did_you_mean
from ...table import Table
from ..files.settings import SUFFIXES as SETTINGS
from ..files.settings import read_rules, target_from_text
from ..files.tables import SUFFIXES, FileRows, read_rows
from ..files.values import errors_about
from .arguments import MOST_LISTED, Group, distance, diversity, file_to_read, files_to_read, jobs, seconds, share, whole
from .sources import explainer_of

if TYPE_CHECKING:
    import pandas as pd


# Options of a question on the command line, and how they are read there.
ASKED: dict[str, dict[str, Any]] = {
    "min_probability": {"type": share, "metavar": "P"},
    "confidence": {"type": share, "metavar": "Q"},
    "n_counterfactuals": {"type": whole(1), "metavar": "K"},
    "diversity": {"type": diversity, "metavar": "D"},
    "on_satisfied": {},
    "time_limit": {"type": seconds, "metavar": "S"},
    "effort": {},
    "robust_radius": {"type": distance, "metavar": "D"},
    "errors": {"default": "row"},  # rows of a file are not all looked at by the user
    "on_infeasible": {},
    "ranges": {"action": "store_true"},
}


@dataclass(frozen=True, slots=True)
class Job:
    """Everything that is needed to answer.

    Attributes
    ----------
    explainer : Explainer
    rows : FileRows
    checked : CheckedRows
        The rows in the features of the table, and what is wrong with some.
    target : label, (low, high), or None for the nearest other class
    table : Table
        In which answers are written.
    options : Options
    """

    explainer: Explainer
    rows: FileRows
    checked: CheckedRows
    target: Any
    table: Table
    options: Options

    def answers(self, rows: slice, progress: ProgressOption = False) -> Explanations:
        """Explain some of the rows, which are not encoded again."""
        return explain_rows(
            self.explainer.fitted_,
            self.rows.columns.iloc[rows],
            self.target,
            self.options,
            checked=self.checked.part(rows),
            n_jobs=self.explainer.n_jobs,
            progress=progress,
        )


def add_rows(group: Group, *, many: bool = False) -> None:
    """Add the option for the rows that are asked about; ``many``: a pattern of several files may be given."""
    read = files_to_read(*SUFFIXES) if many else file_to_read(*SUFFIXES)
    pattern = "; for many files a quoted pattern, such as 'parts/*.parquet'" if many else ""
    group.add_argument("--data", type=read, metavar="FILE", required=True,
                       help="rows to explain, CSV or Parquet; columns are matched by name, further ones are ignored"
                       + pattern)  # fmt: skip


def add_question(group: Group, only: Collection[str] = tuple(ASKED)) -> None:
    """Add the options for what is asked about every row: target, rules, threads, and ``only`` these of `Options`."""
    group.add_argument("--target", metavar="LABEL",
                       help="outcome that you want: a label (default: the nearest other class), or LOW:HIGH for a "
                       "regressor; either end may be empty (--target=-5:3 if it starts with a minus)")  # fmt: skip
    group.add_argument("--rules", type=file_to_read(*SETTINGS), metavar="FILE",
                       help="TOML: what may change, and how; the keys are the parameters of Constraints, and labels "
                       "and outcomes for names. Replaces the rules stored in the explainer")  # fmt: skip
    for name in only:
        _add_option(group, name, **ASKED[name])
    group.add_argument("--jobs", type=jobs, default=1, metavar="N", help="threads, -1 for all cores (default: 1)")


def _add_option(group: Group, name: str, **settings: Any) -> None:
    """Add an option of a question, with the choices, default and description that it has in `Options`."""
    settings = {"default": OPTIONS[name].default, **settings}
    if name in CHOICES:
        settings["choices"] = CHOICES[name]
    is_told = settings["default"] is not None and settings["default"] is not False
    stated = f" (default: {settings['default']})" if is_told else ""
    group.add_argument(f"--{name.replace('_', '-')}", help=describe_option(name) + stated, **settings)


def rules_of(arguments: argparse.Namespace) -> Constraints | None:
    """Read the rules, if there are any."""
    return None if arguments.rules is None else read_rules(arguments.rules)


def options_of(arguments: argparse.Namespace, rules: Constraints | None) -> Options:
    """Put together how the question is asked."""
    asked = {name: value for name, value in vars(arguments).items() if name in OPTIONS}
    return Options(constraints=rules, **asked)


def prepare(arguments: argparse.Namespace, rules: Constraints | None) -> Job:
    """Read everything that :func:`add_rows` and :func:`add_question` speak of, and check it before the long work."""
    if vars(arguments).get("robust_radius") and arguments.why:
        raise InvalidInputError("--why tells which rules stand in the way, whatever lasts: leave --robust-radius out.")
    explainer = explainer_of(arguments, rules)
    explainer.n_jobs = arguments.jobs
    note_rules_replaced(explainer, arguments)
    classes = None if explainer.classes_ is None else explainer.classes_.tolist()
    target = target_from_text(arguments.target, classes)
    rows = read_rows(arguments.data, explainer.table_)
    with errors_about(arguments.rules):
        resolved = explainer.fitted_.rules(rules)
    checked = _checked(explainer, resolved, rows, arguments)
    options = options_of(arguments, rules)
    return Job(explainer, rows, checked, target, explainer.fitted_.table_under(resolved), options)


def _checked(explainer: Explainer, rules: Rules, rows: FileRows, arguments: argparse.Namespace) -> CheckedRows:
    """Encode the rows, once; what is wrong with some is stated of them, or refused with the file's name."""
    fitted = explainer.fitted_
    if arguments.errors == "row":
        return checked_rows(fitted, rules, rows.columns)
    features = explainer.table_.encode(rows.columns, name=str(arguments.data))
    missing = explainer.table_.missing(rows.columns)
    with errors_about(arguments.rules):
        rules.check_rows(features, rows.columns, missing)
    return CheckedRows(features, {})


def kept_columns(rows: FileRows, arguments: argparse.Namespace) -> pd.DataFrame:
    """Pick the further columns that ``--keep`` names, and a Parquet file's own index."""
    missing = [name for name in arguments.keep if name not in rows.others.columns]
    if missing:
        if missing[0] in rows.columns.columns:
            raise InvalidInputError(f"--keep: {missing[0]!r} is a column of the model, which is in the output anyway.")
        known = did_you_mean(missing[0], list(rows.others.columns)) if len(rows.others.columns) else ""
        raise InvalidInputError(f"--keep: {arguments.data} has no column {missing[0]!r}. {known}")
    return rows.others[list(dict.fromkeys([*rows.index, *arguments.keep]))]


def called_by(rows: FileRows, arguments: argparse.Namespace) -> FileRows:
    """Return rows the names that the column ``--id`` has for them, or a Parquet file's own index."""
    names = [arguments.id] if arguments.id is not None else list(rows.index[:1])
    if not names:
        return rows
    everything = {**rows.columns, **rows.others}
    if names[0] not in everything:
        known = did_you_mean(names[0], list(everything))
        raise InvalidInputError(f"--id: {arguments.data} has no column {names[0]!r}. {known}")
    return replace(rows, columns=rows.columns.set_axis(everything[names[0]].tolist(), axis=0))


def note_rules_replaced(explainer: Explainer, arguments: argparse.Namespace) -> None:
    """State that the rules of a file are asked with instead of those that are stored."""
    if arguments.rules is not None and explainer.constraints is not None and not arguments.quiet:
        print(f"elsewise: {arguments.rules} replaces the rules that are stored in the explainer", file=sys.stderr)


def note_why() -> None:
    """Describe how to find out more about rows without an answer."""
    print("elsewise: some rows have no answer; --why finds out which rules stand in their way", file=sys.stderr)


def note_columns_set_aside(rows: FileRows, kept: Sequence[str], hint: str = "") -> None:
    """Describe which columns of the data are not looked at."""
    aside = [str(name) for name in rows.others.columns if name not in kept]
    if aside:
        listed = ", ".join(aside[:MOST_LISTED]) + (", ..." if len(aside) > MOST_LISTED else "")
        print(f"elsewise: set aside, since the model does not take it: {listed}{hint}", file=sys.stderr)
