"""``elsewise verify``: an audit trail checked again, by the model, the density, the rules, and a fresh search."""

from __future__ import annotations

import argparse
import json

from ....errors import InvalidInputError
from ...files.models import PICKLES, SKOPS, read_model
from ...files.questions import with_threshold
from ...files.settings import SUFFIXES as SETTINGS
from ...files.settings import read_rules
from ...files.tables import SUFFIXES, read_rows
from ...files.trail.fingerprints import fingerprint
from ...files.trail.records import read_trail, rules_sha256
from ...files.values import rules_as_json
from ...report.trail_check import Known, TrailCheck, check_trail
from ..arguments import Commands, file_to_read, share, whole
from ..checksums import checksum
from ..constants import MOST_LISTED
from ..exit_codes import ALL_ANSWERED, WENT_WRONG
from ..sources import saved_explainer
from ..trail import JSON_LINES

# Rows whose bound `elsewise verify` checks by a fresh search: seconds, and a forged bound is rarely alone.
ROWS_SEARCHED_AGAIN = 20


def add_to(commands: Commands) -> None:
    """Add the parser of ``elsewise verify``."""
    command = commands.add_parser(
        "verify",
        help="check an audit trail again, line by line",
        description="Check every answer of a file by `elsewise explain --json-lines`: the model's own prediction and "
        "probabilities, the density, the rules, the distance, checksums and, for a sample of the rows, the bound by a "
        "fresh search.",
        epilog="exit codes: 0 everything holds; 1 something does not, or it went wrong; 2 wrong usage.",
    )
    command.add_argument("trail", type=file_to_read(*JSON_LINES), metavar="ANSWERS", help="the trail, .jsonl")
    command.add_argument("--explainer", type=file_to_read(), metavar="FILE", required=True,
                         help="the explainer that made it, saved by `elsewise fit` (a pickle: only files you "
                         "trust)")  # fmt: skip
    command.add_argument("--model", type=file_to_read(*PICKLES, *SKOPS), metavar="FILE",
                         help="the model on its own: it must be the explainer's, and the trail's")  # fmt: skip
    command.add_argument("--trust", nargs="+", default=[], metavar="TYPE",
                         help="types in a .skops file that you know to be harmless")  # fmt: skip
    command.add_argument("--data", type=file_to_read(*SUFFIXES), metavar="FILE",
                         help="the rows: those of the trail must be among them")  # fmt: skip
    command.add_argument(
        "--rules", type=file_to_read(*SETTINGS), metavar="FILE", help="the rules it must be made under"
    )
    command.add_argument("--threshold", type=share, metavar="SHARE",
                         help="the quantile it was made at, where it is not the explainer's own")  # fmt: skip
    command.add_argument("--search", type=whole(0), default=ROWS_SEARCHED_AGAIN, metavar="N",
                         help="rows whose bound is checked by a fresh search "
                         f"(default: {ROWS_SEARCHED_AGAIN})")  # fmt: skip
    command.add_argument("--seed", type=whole(0), default=0, metavar="N", help="which rows these are (default: 0)")
    command.add_argument("--json", action="store_true", help="print one JSON document instead of words")
    command.add_argument("--quiet", action="store_true", help="no notes on stderr")
    command.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Check the trail; return an exit code."""
    records = read_trail(arguments.trail)
    if not records:
        raise InvalidInputError(f"{arguments.trail} is empty: there is nothing to check.")
    explainer = with_threshold(saved_explainer(arguments), arguments.threshold)
    digests = {"model": fingerprint(explainer.model), "explainer": checksum(arguments.explainer)}
    if arguments.model is not None:
        digests["model"] = fingerprint(read_model(arguments.model, arguments.trust))
        if digests["model"] != fingerprint(explainer.model):
            raise InvalidInputError(f"{arguments.model} is not the model of {arguments.explainer}.")
    if not any("explainer" in (record.get("sha256") or ()) for record in records):
        del digests["explainer"]  # it was fitted on the way, and has no file
    rows = None
    if arguments.data is not None:
        digests["data"], rows = checksum(arguments.data), read_rows(arguments.data, explainer.table_).columns
    if arguments.rules is not None:
        digests["rules"] = rules_sha256(rules_as_json(read_rules(arguments.rules)))
    found = check_trail(explainer, records, Known(digests, rows, arguments.search, arguments.seed))
    if arguments.json:
        print(json.dumps({"trail": str(arguments.trail), **found.to_mapping()}, allow_nan=False))
    else:
        print(_in_words(found, str(arguments.trail)))
    return ALL_ANSWERED if found.holds else WENT_WRONG


def _in_words(found: TrailCheck, name: str) -> str:
    lines = []
    for check in found.checks:
        if not check.failed:
            lines.append(f"  holds    {check.n_checked:>7,} lines: {check.promise}")
            continue
        listed = ", ".join(f"{line + 1:,}" for line in check.failed[:MOST_LISTED])
        more = ", ..." if len(check.failed) > MOST_LISTED else ""
        lines.append(f"  FAILS    {len(check.failed):>7,} of {check.n_checked:,} lines: {check.promise}")
        lines.append(f"           in line {listed}{more}")
    verdict = "Everything holds." if found.holds else "Not everything holds: do not rely on these answers."
    return "\n".join([f"{name}: {found.n_lines:,} answers checked again", *lines, verdict])
