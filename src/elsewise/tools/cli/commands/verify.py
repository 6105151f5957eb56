"""``elsewise verify``: an audit trail checked again, by the model, the density, the rules, and a fresh search."""

from __future__ import annotations

import argparse
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from ....errors import InvalidInputError
from ...audit.comparison import CLAIMS, compare
from ...files.bodies import PICKLES, SKOPS, read_model
from ...files.certificates import wrong_certificates
from ...files.settings import SUFFIXES as SETTINGS
from ...files.settings import read_rules, with_threshold
from ...files.tables import SUFFIXES, read_rows
from ...files.trail.fingerprints import fingerprint
from ...files.trail.records import read_trail, rules_sha256
from ...files.values import rules_as_json
from ...files.values import sha256_of as checksum
from ...letters import check_letter
from ...letters.letter import versions_of
from ...letters.seals import seal_of
from ...letters.templates import SUFFIXES as LETTERS
from ...report.check import Checked
from ...report.trail_check import Known, TrailCheck, check_trail
from ..arguments import ALL_ANSWERED, CHANGED, MOST_LISTED, WENT_WRONG, Commands, file_to_read, seconds, share, whole
from ..sources import saved_explainer
from ..trail import JSON_LINES

PROOF_CHECKED = "the proof is checked by an independent program, and is that of the answer"
# Rows whose bound `elsewise verify` checks by a fresh search: seconds, and a forged bound is rarely alone.
ROWS_SEARCHED_AGAIN = 20


def add_to(commands: Commands) -> None:
    """Add the parser of ``elsewise verify``."""
    command = commands.add_parser(
        "verify",
        help="check an audit trail or a letter again",
        description="Check every answer of an audit trail (by `elsewise explain --json-lines`) again: prediction, "
        "probabilities, density, rules, distance, checksums and, for some rows, the proof by a fresh search. A letter "
        "(.txt, .html) is checked for changes since it was written and, with --explainer and --rules, against these.",
        epilog="exit codes: 0 everything holds; 1 something does not hold, or an error; 2 wrong usage; 4 with "
        "--against: something no longer holds.",
    )
    command.add_argument("trail", type=file_to_read(*JSON_LINES, *LETTERS), metavar="ANSWERS",
                         help="the trail, .jsonl, or a letter")  # fmt: skip
    command.add_argument("--explainer", type=file_to_read(), metavar="FILE",
                         help="the explainer that made it, saved by `elsewise fit` (a pickle: only files you "
                         "trust); a letter is checked without, too")  # fmt: skip
    command.add_argument("--against", type=file_to_read(), metavar="FILE",
                         help="another explainer, of a new model: find the counterfactuals, ranges and reasons "
                         "of the trail are no longer true of it, and nothing else")  # fmt: skip
    command.add_argument("--by", metavar="COLUMN",
                         help="with --against: count by the groups of this column")  # fmt: skip
    command.add_argument("--time-limit", type=seconds, metavar="S", help="with --against: seconds for each search")
    command.add_argument("--model", type=file_to_read(*PICKLES, *SKOPS), metavar="FILE",
                         help="the model itself, to compare with that of the explainer and of the trail")  # fmt: skip
    command.add_argument("--trust", nargs="+", default=[], metavar="TYPE",
                         help="types in a .skops file that you know to be harmless")  # fmt: skip
    command.add_argument("--data", type=file_to_read(*SUFFIXES), metavar="FILE",
                         help="the rows, to find those of the trail in")  # fmt: skip
    command.add_argument(
        "--rules", type=file_to_read(*SETTINGS), metavar="FILE", help="the rules that the answers have to keep"
    )
    command.add_argument("--threshold", type=share, metavar="SHARE",
                         help="the threshold of the answers, if it is not the explainer's")  # fmt: skip
    command.add_argument("--proofs", type=Path, metavar="DIR",
                         help="the certificates, by `elsewise explain --certificates`: each is checked by the program "
                         "elsewise_check, which shares nothing with elsewise")  # fmt: skip
    command.add_argument("--search", type=whole(0), default=ROWS_SEARCHED_AGAIN, metavar="N",
                         help="rows whose bound is checked by a fresh search "
                         f"(default: {ROWS_SEARCHED_AGAIN})")  # fmt: skip
    command.add_argument(
        "--seed", type=whole(0), default=0, metavar="N", help="seed that chooses these rows (default: 0)"
    )
    command.add_argument("--json", action="store_true", help="print one JSON document instead of words")
    command.add_argument("--quiet", action="store_true", help="no notes on stderr")
    command.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Check the trail; return an exit code."""
    if arguments.trail.suffix.lower() in LETTERS:
        return _run_letter(arguments)
    records = read_trail(arguments.trail)
    if not records:
        raise InvalidInputError(f"{arguments.trail} is empty: there is nothing to check.")
    if arguments.against is not None:
        return _run_against(arguments, records)
    if arguments.explainer is None:
        raise InvalidInputError("Expected --explainer FILE: the explainer that made the trail.")
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
    found = replace(found, checks=(*found.checks, *_letters_beside(arguments.trail, records)))
    if arguments.proofs is not None:
        n_checked, failed = wrong_certificates(records, arguments.proofs)
        found = replace(found, checks=(*found.checks, Checked(PROOF_CHECKED, n_checked, failed)))
    if arguments.json:
        print(json.dumps({"trail": str(arguments.trail), **found.to_mapping()}, allow_nan=False))
    else:
        print(_in_words(found, str(arguments.trail)))
    return ALL_ANSWERED if found.holds else WENT_WRONG


def _letters_beside(trail: Path, records: list[dict[str, Any]]) -> list[Checked]:
    """Check the letters that a trail tells of, which are in its folder."""
    failed, n_letters = [], 0
    for place, record in enumerate(records):
        stated = record.get("letter") or {}
        if "file" in stated:
            path, n_letters = trail.parent / Path(str(stated["file"])).name, n_letters + 1
            document = path.read_text(encoding="utf-8") if path.is_file() else ""
            seals = list(dict(stated.get("sha256") or {}).values())
            if seal_of(document) not in seals or not all(check_letter(document).values()):
                failed.append(place)
    return [Checked("the letter beside the trail is as it was written", n_letters, tuple(failed))] if n_letters else []


def _run_against(arguments: argparse.Namespace, records: list[dict[str, Any]]) -> int:
    """Compare the trail with another explainer; return an exit code."""
    if arguments.explainer is not None:
        raise InvalidInputError("--against compares with another explainer: leave --explainer out, or verify first.")
    arguments.explainer = arguments.against
    found = compare(records, saved_explainer(arguments), by=arguments.by, time_limit=arguments.time_limit)
    if arguments.json:
        print(json.dumps({"trail": str(arguments.trail), **found.to_mapping()}, allow_nan=False))
    else:
        print(f"{arguments.trail} against {arguments.against}\n{found}")
        false = [line for line in found.lines if not line.holds]
        for line in false[:MOST_LISTED]:
            stated = ", ".join(claim for claim in CLAIMS if getattr(line, claim) == "false")
            known = "".join(f" {name} {value}" for name, value in line.id.items())
            print(f"  line {line.line}{known}: {stated}")
        if len(false) > MOST_LISTED:
            print(f"  ... and {len(false) - MOST_LISTED:,} more; --json lists all")
    return ALL_ANSWERED if found.holds else CHANGED


def _run_letter(arguments: argparse.Namespace) -> int:
    """Check a letter; return an exit code."""
    rules = None if arguments.rules is None else read_rules(arguments.rules)
    versions = {} if rules is None else {"rules": rules_sha256(rules_as_json(rules))}
    if arguments.explainer is not None:
        versions = {**versions_of(saved_explainer(arguments).fitted_), **versions}
    checks = check_letter(arguments.trail.read_text(encoding="utf-8"), versions)
    if arguments.json:
        print(json.dumps({"letter": str(arguments.trail), "holds": all(checks.values()), "checks": checks}))
    else:
        lines = [f"  {'holds' if holds else 'FAILS':<8} {promise}" for promise, holds in checks.items()]
        print("\n".join([str(arguments.trail), *lines]))
    return ALL_ANSWERED if all(checks.values()) else WENT_WRONG


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
