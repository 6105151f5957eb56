"""``elsewise mcp``: a saved explainer as tools of assistants."""

from __future__ import annotations

import argparse

from ...files.explainers import load
from ...files.tables import read_rows
from ..arguments import ALL_ANSWERED, Commands, exit_codes, file_to_read, seconds


def add_to(commands: Commands) -> None:
    """Add the parser of ``elsewise mcp``."""
    command = commands.add_parser(
        "mcp",
        help="serve an explainer to assistants over the Model Context Protocol",
        description="Speak the Model Context Protocol over standard input and output: an assistant that starts this "
        "command can ask a saved explainer (explain, why_not, levers, reasons, verify) and change nothing. Reading a "
        "saved explainer can run any code: open only files that you trust.",
        epilog=exit_codes(),
    )
    command.add_argument("--explainer", type=file_to_read(), metavar="FILE", required=True,
                         help="saved by `elsewise fit`")  # fmt: skip
    command.add_argument("--data", type=file_to_read(), metavar="FILE", help="rows to pick from (.csv, .parquet)")
    command.add_argument("--title", help="what the model is about (default: the explainer's file name)")
    command.add_argument("--time-limit", type=seconds, default=4.0, metavar="SECONDS",
                         help="longest time for a question (default: 4)")  # fmt: skip
    command.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Serve until the assistant closes the connection."""
    from ...mcp import create_server

    explainer = load(arguments.explainer)
    rows = None if arguments.data is None else read_rows(arguments.data, explainer.table_).columns
    title = arguments.title or arguments.explainer.stem
    create_server(explainer, rows, title=title, time_limit=arguments.time_limit).run()
    return ALL_ANSWERED
