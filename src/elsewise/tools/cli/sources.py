"""Where an explainer comes from: a saved one, or a model with its training rows.

Commands that need an explainer call :func:`add_source` on their parser and :func:`explainer_of` on the arguments.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sklearn.exceptions import NotFittedError

from ...errors import InvalidInputError
from ...explainer import Explainer
from ...rules import Constraints
from ...rules.learned.suggestions import free_columns
from ...rules.words import did_you_mean
from ...table.as_trained import level_reader
from ...text.languages import LANGUAGES
from ..files import explainers as saved_explainers
from ..files.bodies import PICKLES, SKOPS, is_pickle, read_model
from ..files.settings import SUFFIXES as SETTINGS
from ..files.settings import read_declarations, with_names_of, with_threshold
from ..files.tables import SUFFIXES, few, read_frame
from ..files.values import errors_about
from .arguments import Group, file_to_read, share

if TYPE_CHECKING:
    import pandas as pd

# Quantile of the training rows' densities that answers reach if nothing else is asked: the paper's median.
DEFAULT_THRESHOLD = 0.5

DISTANCES = ("auto", "manhattan", "scaled", "mahalanobis")
DENSITIES = ("auto", "gaussian_mixture", "kernel", "none")
WARNING = "Reading a joblib, pickle or .ew file can run any code: use only files that you trust."


def add_source(command: argparse.ArgumentParser) -> None:
    """Add the arguments for an explainer, saved or to be fitted."""
    source = command.add_argument_group(
        "explainer", f"Either --explainer, or --model with --train and --label. {WARNING}"
    )
    source.add_argument("--explainer", type=file_to_read(), metavar="FILE", help="saved by `elsewise fit`")
    add_model(source, data="--train", required=False)


def add_model(group: Group, *, data: str, required: bool) -> None:
    """Add the arguments for a model and its training rows; ``data`` is what the option for the latter is called."""
    group.add_argument("--model", type=file_to_read(*PICKLES, *SKOPS), metavar="FILE", required=required,
                       help="fitted scikit-learn model: .joblib, .pkl, .pickle or .skops")  # fmt: skip
    group.add_argument(data, dest="train", type=file_to_read(*SUFFIXES), metavar="FILE", required=required,
                       help="training rows, CSV or Parquet")  # fmt: skip
    group.add_argument("--label", metavar="COLUMN", help="column with the labels (not needed for a regressor)")
    group.add_argument("--columns", type=file_to_read(*SETTINGS), metavar="FILE",
                       help="TOML: kinds and levels of columns, where the values do not show them")  # fmt: skip
    group.add_argument("--distance", choices=DISTANCES, help="how the size of a change is measured (default: auto)")
    group.add_argument("--density", choices=DENSITIES, help="how it is measured how typical a row is (default: auto)")
    group.add_argument("--threshold", type=share, metavar="SHARE",
                       help="answers are at least as typical as this share of the training rows of the target "
                       "(default: 0.5, or as saved)")  # fmt: skip
    group.add_argument("--condition-on-fixed", action=argparse.BooleanOptionalAction, default=None,
                       help="judge how typical a row is given the columns that cannot change (the default; keeps "
                       "training rows in the file), or all columns together")  # fmt: skip
    group.add_argument("--trust", nargs="+", default=[], metavar="TYPE",
                       help="types in a .skops file that you know are harmless")  # fmt: skip


def add_language(group: Group) -> None:
    """Add the option for the language of all text."""
    group.add_argument("--language", dest="spoken", choices=list(LANGUAGES),
                       help="language of all text for people (default: en, or as saved)")  # fmt: skip


def in_words_asked_for(explainer: Explainer, arguments: argparse.Namespace) -> Explainer:
    """Return the explainer in the language that was asked for, with the names in the file of rules."""
    spoken, rules = getattr(arguments, "spoken", None), getattr(arguments, "rules", None)
    explainer = explainer if spoken is None else explainer.with_language(spoken)
    return explainer if rules is None else with_names_of(explainer, rules)


def explainer_of(arguments: argparse.Namespace, rules: Constraints | None = None) -> Explainer:
    """Load or fit the explainer that the arguments of :func:`add_source` speak of.

    Rules of the question are checked before a fit, which may take long, and not stored.
    """
    if arguments.explainer is None:
        explainer = in_words_asked_for(fitted_explainer(arguments, rules), arguments)
        return explainer if rules is None else explainer.with_constraints(None)
    names = ("model", "train", "label", "columns", "distance", "density", "condition_on_fixed", "trust")
    given = [f"--{name.replace('_', '-')}" for name in names if getattr(arguments, name) not in (None, [])]
    if given:
        raise InvalidInputError(
            f"--explainer is a fitted explainer: {', '.join(given)} cannot be given as well. Fit another one."
        )
    return in_words_asked_for(with_threshold(saved_explainer(arguments), arguments.threshold), arguments)


def saved_explainer(arguments: argparse.Namespace) -> Explainer:
    """Load the explainer that ``--explainer`` names."""
    if saved_explainers.read_header(arguments.explainer).body == "pickle":
        _warn_of_pickle(arguments.explainer, arguments)
    with told_warnings():
        return saved_explainers.load(arguments.explainer)


def fitted_explainer(arguments: argparse.Namespace, rules: Constraints | None = None) -> Explainer:
    """Fit an explainer, with rules to store, from the arguments of :func:`add_model`."""
    if arguments.model is None or arguments.train is None:
        raise InvalidInputError("Expected --explainer FILE, or --model FILE with --train FILE and --label COLUMN.")
    declared = None if arguments.columns is None else read_declarations(arguments.columns)
    if is_pickle(arguments.model):
        _warn_of_pickle(arguments.model, arguments)
    with told_warnings():
        model = read_model(arguments.model, arguments.trust)
    frame = read_frame(arguments.train)
    if len(frame) == 0:
        raise InvalidInputError(
            f"{arguments.train} has no rows: expected the rows the model was trained on, or like them."
        )
    labels = _labels(frame, model, arguments)
    rows = _training_rows(frame, model, arguments)
    explainer = Explainer(
        model,
        columns=declared,
        distance=arguments.distance or "auto",
        density=None if arguments.density == "none" else arguments.density or "auto",
        threshold=DEFAULT_THRESHOLD if arguments.threshold is None else arguments.threshold,
        condition_on_fixed=arguments.condition_on_fixed is not False,
        constraints=rules,
        rules=None,
        reason_codes=vars(arguments).get("reason_codes"),
    )
    try:
        with errors_about(arguments.train, rules=getattr(arguments, "rules", None)):
            explainer.fit(rows, labels)
    except NotFittedError as error:
        raise InvalidInputError(f"{arguments.model}: the model is not fitted. Fit it before it is saved.") from error
    _tell_free_columns(explainer, arguments)
    return explainer


def _tell_free_columns(explainer: Explainer, arguments: argparse.Namespace) -> None:
    free = free_columns(explainer.suggest_rules(), explainer.constraints)
    if free and not getattr(arguments, "quiet", False):
        print(f"elsewise: answers may change {', '.join(free)}, which look as if nobody could. `elsewise rules "
              "suggest` writes a file of rules to edit, for --rules.", file=sys.stderr)  # fmt: skip


def _labels(frame: pd.DataFrame, model: Any, arguments: argparse.Namespace) -> list[Any] | None:
    """Labels of the training rows as the model writes them, None where there are none."""
    classes = getattr(model, "classes_", None)
    if classes is not None and len(classes) == 0:  # a regressor of CatBoost
        classes = None
    if arguments.label is None:
        if classes is None or arguments.density == "none":
            return None
        raise InvalidInputError("Expected --label COLUMN: what is typical is learned from the rows of each class.")
    if arguments.label not in frame.columns:
        known = did_you_mean(arguments.label, list(frame.columns))
        raise InvalidInputError(f"--label: {arguments.train} has no column {arguments.label!r}. {known}")
    if classes is None:
        return None
    labels = frame[arguments.label]
    if labels.isna().any():
        raise InvalidInputError(
            f"{arguments.train}: the label {arguments.label!r} is missing in "
            f"{int(labels.isna().sum())} rows. Drop them."
        )
    read = level_reader(classes.tolist())
    found = [read(label) for label in labels.tolist()]
    _check_labels(found, classes.tolist(), arguments)
    return found


def _check_labels(labels: list[Any], classes: list[Any], arguments: argparse.Namespace) -> None:
    """Refuse labels that are not those of the model, in the words of the command line."""
    unknown = [label for label in dict.fromkeys(labels) if label not in classes]
    if unknown:
        raise InvalidInputError(
            f"--label: the column {arguments.label!r} of {arguments.train} holds {few(unknown)}, which the model does "
            f"not know: expected {few(classes)}. Give the column that the model was trained on."
        )
    absent = [label for label in classes if label not in labels]
    if absent and arguments.density != "none":
        raise InvalidInputError(
            f"{arguments.train} has no row whose {arguments.label!r} is {few(absent)}: what is typical cannot be "
            "learned for that class. Give rows of every class, or use --density none."
        )


def _training_rows(frame: pd.DataFrame, model: Any, arguments: argparse.Namespace) -> pd.DataFrame:
    """Columns that the model takes, in its order; all but the label if it knows no names."""
    names = getattr(model, "feature_names_in_", None)
    if names is None:
        return frame.drop(columns=[arguments.label]) if arguments.label is not None else frame
    missing = [name for name in names if name not in frame.columns]
    if missing:
        raise InvalidInputError(
            f"{arguments.train} lacks {len(missing)} of the {len(names)} columns that the model takes: {few(missing)}. "
            f"It has {few(frame.columns)}."
        )
    return frame[list(names)]


def _warn_of_pickle(path: Path, arguments: argparse.Namespace) -> None:
    if not getattr(arguments, "quiet", False):
        print(f"elsewise: reading {path}, which holds a pickle. Pickles can run any code when they are read: give "
              "only files you trust.", file=sys.stderr)  # fmt: skip


@contextmanager
def told_warnings(*, quiet: bool = False) -> Iterator[None]:
    """Describe on stderr, once each and in one line, what is warned of while a file is read or written."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    for message in dict.fromkeys(" ".join(str(item.message).split()) for item in caught if not quiet):
        print(f"elsewise: {message}", file=sys.stderr)
