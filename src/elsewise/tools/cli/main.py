"""The command ``elsewise``: one subcommand a module.

A subcommand is a module with ``add_to(commands)``, which adds its parser and sets ``run``, a function of the parsed
arguments that returns one of the exit codes of :mod:`elsewise.tools.cli.arguments`.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType

from ... import __version__
from ...errors import ElsewiseError
from .arguments import INTERRUPTED, WENT_WRONG, exit_codes
from .parsing import Parser

_COMMANDS = (
    "fit",
    "explain",
    "recourse",
    "letters",
    "verify",
    "audit",
    "monitor",
    "rules",
    "report",
    "serve",
    "mcp",
    "demo",
    "reproduce",
)


def parser() -> argparse.ArgumentParser:
    """Build the parser with all subcommands."""
    top = Parser(
        prog="elsewise",
        description="What would have to change for the model to decide otherwise? The smallest realistic change, with "
        "a proof.",
        epilog=exit_codes("done, but some rows have no answer", "monitor --alert or verify --against found a change"),
    )
    top.add_argument("--version", action="version", version=f"elsewise {__version__}")
    commands = top.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for module in _modules():
        module.add_to(commands)
    return top


def _modules() -> list[ModuleType]:
    names = [f"{__package__}.commands.{name}" for name in _COMMANDS]
    return [import_module(name) for name in names if find_spec(name) is not None]


def main(argv: Sequence[str] | None = None) -> int:
    """Run a subcommand and return its exit code.

    Parameters
    ----------
    argv : sequence of str, optional
        Arguments without the program's name; those of the process by default.
    """
    try:
        arguments = parser().parse_args(argv)
        code: int = arguments.run(arguments)
        sys.stdout.flush()
        return code
    except (ElsewiseError, OSError) as error:
        if isinstance(error, BrokenPipeError):
            # The reader has gone (`elsewise demo | head`): leave quietly, also when Python flushes at exit.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return WENT_WRONG
        print(f"elsewise: {error}", file=sys.stderr)
        return WENT_WRONG
    except KeyboardInterrupt as error:
        print("elsewise: interrupted", file=sys.stderr)
        return getattr(error, "exit_code", INTERRUPTED)
