"""``elsewise rules suggest``: rules that the columns suggest, as a file to edit."""

from __future__ import annotations

import argparse

from ....errors import InvalidInputError
from ...files.settings import SUFFIXES as SETTINGS
from ...files.settings import target_from_text
from ..arguments import ALL_ANSWERED, Commands, exit_codes, file_to_write
from ..sources import add_source, explainer_of


def add_to(commands: Commands) -> None:
    """Add the parser of ``elsewise rules``."""
    command = commands.add_parser("rules", help="suggest rules for the columns of a model")
    actions = command.add_subparsers(title="what to do", metavar="ACTION", required=True)
    suggest = actions.add_parser(
        "suggest",
        help="suggest which columns stay, and which move one way only",
        description="Suggest rules from the names and values of the columns: who somebody is, identifiers, dates and "
        "past facts stay as they are; tenure and education do not fall. Prints TOML, to edit and to use with --rules.",
        epilog=exit_codes(),
    )
    add_source(suggest)
    suggest.add_argument("--target", metavar="LABEL",
                         help="wanted outcome: amounts move only in the direction that helps it")  # fmt: skip
    suggest.add_argument("--out", "--output", type=file_to_write(*SETTINGS), metavar="FILE",
                         help="file to write instead of printing: .toml (with reasons) or .json")  # fmt: skip
    suggest.add_argument("--overwrite", action="store_true", help="replace an existing file")
    suggest.set_defaults(run=run, quiet=True)


def run(arguments: argparse.Namespace) -> int:
    """Suggest rules, and print or write them."""
    if arguments.out is not None and arguments.out.exists() and not arguments.overwrite:
        raise InvalidInputError(f"{arguments.out} exists already. Give another --out, or replace it with --overwrite.")
    explainer = explainer_of(arguments)
    classes = None if explainer.classes_ is None else explainer.classes_.tolist()
    suggested = explainer.suggest_rules(target_from_text(arguments.target, classes))
    if arguments.out is None:
        print(suggested.to_toml(), end="")
        return ALL_ANSWERED
    suggested.save(arguments.out)
    print(f"{suggested}\nWritten to {arguments.out}")
    return ALL_ANSWERED
