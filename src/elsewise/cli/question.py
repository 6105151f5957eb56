"""What ``elsewise explain`` and ``elsewise report`` ask: their common options, and everything that is read for them."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..arrays import FloatArray
from ..asking import Options
from ..asking.progress import ProgressOption
from ..columns import Table
from ..constraints import Constraints
from ..constraints.words import did_you_mean
from ..errors import InvalidInputError
from ..explainer import Explainer
from ..files.error_names import errors_about
from ..files.questions import target_from_text
from ..files.settings import SUFFIXES as SETTINGS
from ..files.settings import read_rules
from ..files.tables import SUFFIXES, FileRows, read_rows
from ..results import Explanations, explain_rows
from .arguments import Group, file_to_read, jobs, seconds, share, whole
from .constants import MOST_LISTED
from .sources import explainer_of

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True)
class Job:
    """Everything that is needed to answer.

    Attributes
    ----------
    explainer : Explainer
    rows : FileRows
    features : array of shape (n_rows, n_features)
        The rows in the features of the table.
    target : label, (low, high), or None for the nearest other class
    table : Table
        In which answers are written.
    options : Options
    """

    explainer: Explainer
    rows: FileRows
    features: FloatArray
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
            features=self.features[rows],
            n_jobs=self.explainer.n_jobs,
            progress=progress,
        )


def add_rows(group: Group) -> None:
    """Add the option for the rows that are asked about."""
    group.add_argument("--data", type=file_to_read(*SUFFIXES), metavar="FILE", required=True,
                       help="rows to explain, CSV or Parquet; columns are found by name, others set aside")  # fmt: skip


def add_question(group: Group) -> None:
    """Add the options for what is asked about every row."""
    group.add_argument("--target", metavar="LABEL",
                       help="wanted outcome: a label (default: the nearest other class), or LOW:HIGH for a regressor, "
                       "where either end may be empty (--target=-5:3 if it starts with -)")  # fmt: skip
    group.add_argument("--rules", type=file_to_read(*SETTINGS), metavar="FILE",
                       help="TOML: what may change and how; keys are the parameters of Constraints")  # fmt: skip
    group.add_argument("--min-probability", type=share, metavar="P", help="least probability of the label")
    group.add_argument("--n-counterfactuals", type=whole(1), default=1, metavar="K",
                       help="answers a row, best first (default: 1)")  # fmt: skip
    group.add_argument("--time-limit", type=seconds, metavar="S", help="seconds a row may take for its proof")
    group.add_argument("--jobs", type=jobs, default=1, metavar="N", help="threads, -1 for all cores (default: 1)")


def rules_of(arguments: argparse.Namespace) -> Constraints | None:
    """Read the rules, if there are any."""
    return None if arguments.rules is None else read_rules(arguments.rules)


def prepare(arguments: argparse.Namespace, rules: Constraints | None) -> Job:
    """Read everything that :func:`add_rows` and :func:`add_question` speak of, and check it before the long work."""
    explainer = explainer_of(arguments)
    explainer.n_jobs = arguments.jobs
    classes = None if explainer.classes_ is None else explainer.classes_.tolist()
    target = target_from_text(arguments.target, classes)
    rows = read_rows(arguments.data, explainer.table_)
    features = explainer.table_.encode(rows.columns, name=str(arguments.data))
    with errors_about(arguments.rules):
        resolved = explainer.fitted_.rules(rules)
        resolved.check_rows(features, rows.columns, explainer.table_.missing(rows.columns))
    options = Options(
        constraints=rules,
        min_probability=arguments.min_probability,
        n_counterfactuals=arguments.n_counterfactuals,
        time_limit=arguments.time_limit,
    )
    return Job(explainer, rows, features, target, explainer.fitted_.table_under(resolved), options)


def kept_columns(rows: FileRows, arguments: argparse.Namespace) -> pd.DataFrame:
    """Pick the further columns that ``--keep`` names, and a Parquet file's own index."""
    missing = [name for name in arguments.keep if name not in rows.others.columns]
    if missing:
        if missing[0] in rows.columns.columns:
            raise InvalidInputError(f"--keep: {missing[0]!r} is a column of the model, which is in the output anyway.")
        known = did_you_mean(missing[0], list(rows.others.columns)) if len(rows.others.columns) else ""
        raise InvalidInputError(f"--keep: {arguments.data} has no column {missing[0]!r}. {known}")
    return rows.others[list(dict.fromkeys([*rows.index, *arguments.keep]))]


def note_why() -> None:
    """Say how to find out more about rows without an answer."""
    print("elsewise: some rows have no answer; --why finds out which rules stand in their way", file=sys.stderr)


def note_columns_set_aside(rows: FileRows, kept: Sequence[str], hint: str = "") -> None:
    """Say which columns of the data are not looked at."""
    aside = [str(name) for name in rows.others.columns if name not in kept]
    if aside:
        listed = ", ".join(aside[:MOST_LISTED]) + (", ..." if len(aside) > MOST_LISTED else "")
        print(f"elsewise: set aside, since the model does not take it: {listed}{hint}", file=sys.stderr)
