"""A parser that says what is wrong first, suggests what may have been meant, and shows examples in its help."""

from __future__ import annotations

import argparse
import re
import sys
from difflib import get_close_matches
from typing import Any, NoReturn

from .arguments import WRONG_USAGE

# Of each command, lines as one would type them.
EXAMPLES = {
    "fit": (
        "elsewise fit --model model.joblib --data train.csv --label outcome --out loans.ew",
        "elsewise fit --model model.joblib --data train.csv --label outcome --rules rules.toml --out loans.ew",
    ),
    "explain": (
        "elsewise explain --explainer loans.ew --data rows.csv --target good --out answers.csv",
        "elsewise explain --explainer loans.ew --data rows.csv --target good --rules rules.toml --out answers.jsonl",
    ),
    "levers": ("elsewise levers --explainer loans.ew --data rows.csv --row 1 --target good --max-size 2",),
    "reasons": ("elsewise reasons --explainer loans.ew --data rows.csv --row 1 --target good --at-most 4",),
    "ladder": ("elsewise ladder --explainer loans.ew --data rows.csv --row 1 --target good --bands B=0.5 A=0.8",),
    "letter": ("elsewise letter --explainer loans.ew --data rows.csv --row 1 --target good --out letter.html",),
    "letters": ("elsewise letters --explainer loans.ew --data rows.csv --target good --out letters/",),
    "verify": ("elsewise verify answers.jsonl --explainer loans.ew",),
    "audit": ("elsewise audit answers.csv --data rows.csv --by sex",),
    "monitor": ("elsewise monitor --explainer loans.ew --data this-month.csv",),
    "rules": ("elsewise rules suggest --explainer loans.ew --out rules.toml",),
    "suggest": ("elsewise rules suggest --explainer loans.ew --out rules.toml",),
    "report": (
        "elsewise report --explainer loans.ew --data rows.csv --target good --out report.html",
        "elsewise report --explainer loans.ew --data rows.csv --rows 1 --target good --out one.html",
    ),
    "serve": (
        "elsewise serve --demo breast_cancer",
        "elsewise serve --explainer loans.ew --data rows.csv --target good",
    ),
    "mcp": ("elsewise mcp --explainer loans.ew --data rows.csv",),
    "demo": ("elsewise demo",),
    "reproduce": ("elsewise reproduce table1",),
}


class Parser(argparse.ArgumentParser):
    """An argument parser whose errors come before the usage and say what may have been meant."""

    def format_help(self) -> str:
        """Return the help, with examples at its end."""
        examples = EXAMPLES.get(self.prog.split()[-1], ())
        listed = "".join(f"  {line}\n" for line in examples)
        return super().format_help() + (f"\nexamples:\n{listed}" if listed else "")

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[Any, list[str]]:
        """Parse, and remember what was typed, so that an error can speak of it."""
        self._typed = list(sys.argv[1:] if args is None else args)
        return super().parse_known_args(args, namespace)

    def error(self, message: str) -> NoReturn:
        """Say what is wrong, what may have been meant and where help is; exit."""
        print(f"elsewise: {message}{self._meant(message)}\nTry: {self.prog} --help", file=sys.stderr)
        raise SystemExit(WRONG_USAGE)

    def _meant(self, message: str) -> str:
        """Suggest options or commands that are spelt like those that are not known."""
        if "invalid choice: '" in message:
            wrong, known = message.split("invalid choice: '")[1].split("'")[0], self._commands()
        elif "unrecognized arguments: " in message:
            wrong = message.split("unrecognized arguments: ")[1].split("=")[0].partition(" ")[0]
            known = self._options()
        elif "arguments are required" in message:  # perhaps one of them was typed, and misspelt
            known = self._options()
            wrong = next((each for each in self._typed if each[:2] == "--" and each.split("=")[0] not in known), "")
        else:
            return ""
        close = get_close_matches(wrong, known, n=1)
        return f"\nDid you mean {close[0]}?" if close else ""

    def _options(self) -> list[str]:
        own = [name for action in self._actions for name in action.option_strings]
        usages = [each.format_usage() for action in self._actions for each in _parsers(action)]
        return own + re.findall(r"--[a-z-]+", " ".join(usages))

    def _commands(self) -> list[str]:
        return [str(name) for action in self._actions for name in action.choices or ()]


def _parsers(action: argparse.Action) -> list[argparse.ArgumentParser]:
    """Return the parsers of commands, if the action chooses among such."""
    choices = action.choices.values() if isinstance(action.choices, dict) else ()
    return [each for each in choices if isinstance(each, argparse.ArgumentParser)]
