"""``elsewise fit``: a model and its training rows made into an explainer, saved."""

from __future__ import annotations

import argparse
import json
from collections import Counter
from typing import Any

from ....errors import InvalidInputError
from ....explainer import Explainer
from ....text.languages import say
from ....text.numbers import percent
from ...files.explainers import model_in_words, save
from ...files.settings import SUFFIXES as SETTINGS
from ...files.settings import read_rules
from ...files.values import rules_as_json
from ..arguments import ALL_ANSWERED, MOST_LISTED, Commands, exit_codes, file_to_read, file_to_write
from ..partial import interruptible
from ..sources import WARNING, add_language, add_model, fitted_explainer, in_words_asked_for, told_warnings


def add_to(commands: Commands) -> None:
    """Add the parser of ``elsewise fit``."""
    command = commands.add_parser(
        "fit",
        help="fit an explainer to a model and its training rows, and save it",
        description=f"Read the model, learn what typical rows of each class look like, and save both. {WARNING}",
        epilog=exit_codes(),
    )
    add_model(command, data="--data", required=True)
    add_language(command)
    command.add_argument("--rules", type=file_to_read(*SETTINGS), metavar="FILE",
                         help="TOML: rules to store, for all questions without rules of their own, and names (labels, "
                         "outcomes)")  # fmt: skip
    command.add_argument("--reason-codes", type=file_to_read(".csv"), metavar="FILE",
                         help="CSV: column,direction,code and a column of texts per language (en, de); how reasons and "
                         "letters call reasons")  # fmt: skip
    command.add_argument("--out", type=file_to_write(), metavar="FILE", required=True,
                         help="where to save the explainer (.ew by convention)")  # fmt: skip
    command.add_argument("--overwrite", action="store_true", help="replace an existing file")
    command.add_argument("--json", action="store_true", help="print one JSON document instead of a summary in words")
    command.add_argument("--quiet", action="store_true", help="no notes on stderr")
    command.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Fit and save."""
    if arguments.out.exists() and not arguments.overwrite:
        raise InvalidInputError(f"{arguments.out} exists already. Give another --out, or replace it with --overwrite.")
    rules = None if arguments.rules is None else read_rules(arguments.rules)
    with interruptible():
        explainer = in_words_asked_for(fitted_explainer(arguments, rules), arguments)
        with told_warnings(quiet=arguments.quiet):
            save(explainer, arguments.out)
    if arguments.json:
        print(json.dumps({"out": str(arguments.out), **_facts(explainer)}))
    else:
        print(_in_words(explainer))
        print(f"Written to {arguments.out}")
    return ALL_ANSWERED


def _facts(explainer: Explainer) -> dict[str, Any]:
    classes = explainer.classes_
    return {
        "model": model_in_words(explainer.model),
        "columns": {column.name: column.kind for column in explainer.table_.columns},
        "exactness": explainer.exactness_,
        "classes": None if classes is None else [str(label) for label in classes.tolist()],
        "distance": type(explainer.distance_).__name__.removeprefix("Resolved").lower(),
        "components": {
            "all" if label is None else str(label): len(density.mixture_.weights_)
            for label, density in explainer.densities_.items()
        },
        "threshold": explainer.threshold,
        "rules": rules_as_json(explainer.constraints),
    }


def _in_words(explainer: Explainer) -> str:
    facts = _facts(explainer)
    kinds = Counter(facts["columns"].values())
    columns = ", ".join(f"{count} {kind}" for kind, count in kinds.items())
    classes = "predicts numbers" if facts["classes"] is None else f"classes {', '.join(facts['classes'])}"
    lines = [
        ("model", f"{facts['model']}; {classes}"),
        ("proofs", say(f"exactness.{explainer.exactness_}")),
        ("columns", f"{sum(kinds.values())}: {columns}"),
        ("realistic", "anything" if not explainer.densities_ else
         f"at least as typical as {percent(facts['threshold'])} of the rows"
         + (" with the wanted outcome" if explainer.classes_ is not None else "")),
    ]  # fmt: skip
    if explainer.constraints is not None:
        rules = explainer.fitted_.rules(None).given_names
        listed = [*rules[:MOST_LISTED], *([f"and {len(rules) - MOST_LISTED} more"] if len(rules) > MOST_LISTED else [])]
        lines += [("" if place else "rules", rule) for place, rule in enumerate(listed or ["none"])]
    return "\n".join(f"  {name:<10} {stated}" for name, stated in lines)
