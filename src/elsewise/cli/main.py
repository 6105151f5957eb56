"""The command ``elsewise``: one subcommand a module.

A subcommand is a module with ``add_to(commands)``, which adds its parser and sets ``run``, a function of the parsed
arguments that returns an exit code: 0 done, 1 it went wrong (said on stderr), 2 wrong usage, 130 interrupted.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from types import ModuleType

from .. import __version__
from ..errors import ElsewiseError
from . import demo, reproduce

_COMMANDS: tuple[ModuleType, ...] = (demo, reproduce)


def parser() -> argparse.ArgumentParser:
    """Build the parser with all subcommands."""
    top = argparse.ArgumentParser(
        prog="elsewise", description="Plausible counterfactual explanations with proofs: valid, dense, minimal, fast."
    )
    top.add_argument("--version", action="version", version=f"elsewise {__version__}")
    commands = top.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for module in _COMMANDS:
        module.add_to(commands)
    return top


def main(argv: Sequence[str] | None = None) -> int:
    """Run a subcommand and return its exit code.

    Parameters
    ----------
    argv : sequence of str, optional
        Arguments without the program's name; those of the process by default.
    """
    arguments = parser().parse_args(argv)
    try:
        code: int = arguments.run(arguments)
        sys.stdout.flush()
        return code
    except (ElsewiseError, OSError) as error:
        if isinstance(error, BrokenPipeError):
            # The reader has gone (`elsewise demo | head`): leave quietly, also when Python flushes at exit.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 1
        print(f"elsewise: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("elsewise: interrupted", file=sys.stderr)
        return 130
