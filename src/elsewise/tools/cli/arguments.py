"""Readers of single arguments, for argparse: they say what was expected and what was received.

What the exit codes of ``elsewise`` mean, in one place.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from glob import glob
from math import isfinite
from pathlib import Path
from typing import Any, Protocol

from ...errors import InvalidInputError


class Commands(Protocol):
    """What subcommands are added to."""

    def add_parser(self, name: str, **options: Any) -> argparse.ArgumentParser:
        """Add the parser of a subcommand."""


class Group(Protocol):
    """What options are added to: a parser, or a group of one."""

    def add_argument(self, *names: str, **options: Any) -> object:
        """Add an option."""


def whole(low: int, high: int | None = None) -> Callable[[str], int]:
    """Reader of whole numbers within limits."""
    limits = f"of at least {low}" if high is None else f"from {low} to {high}"

    def read(text: str) -> int:
        if not text.removeprefix("-").isdecimal() or int(text) < low or (high is not None and int(text) > high):
            raise argparse.ArgumentTypeError(f"expected a whole number {limits}, received {text!r}")
        return int(text)

    return read


def jobs(text: str) -> int:
    """Read a number of threads: 1 or more, or -1 for all cores."""
    number = whole(-1)(text)
    if number == 0:
        raise argparse.ArgumentTypeError("expected a whole number of at least 1, or -1 for all cores, received '0'")
    return number


def share(text: str) -> float:
    """Read a number strictly between 0 and 1."""
    number = _number(text)
    if not 0.0 < number < 1.0:
        raise argparse.ArgumentTypeError(f"expected a number between 0 and 1, both excluded, received {text!r}")
    return number


def seconds(text: str) -> float:
    """Read a positive number of seconds."""
    number = _number(text)
    if number <= 0.0:
        raise argparse.ArgumentTypeError(f"expected a positive number of seconds, received {text!r}")
    return number


def diversity(text: str) -> str | float:
    """Read how answers differ: by columns, or by a positive distance."""
    number = "columns" if text == "columns" else _number(text)
    if not isinstance(number, str) and number <= 0.0:
        raise argparse.ArgumentTypeError(f"expected 'columns' or a positive distance, received {text!r}")
    return number


def distance(text: str) -> float:
    """Read a distance."""
    number = _number(text)
    if number < 0.0:
        raise argparse.ArgumentTypeError(f"expected a distance of at least 0, received {text!r}")
    return number


def image_shape(text: str) -> tuple[int, int]:
    """Read height and width of an image in pixels, such as 8x8."""
    sizes = text.lower().split("x")
    if len(sizes) != 2 or not all(size.isdecimal() and int(size) > 0 for size in sizes):
        raise argparse.ArgumentTypeError(f"expected height and width in pixels, such as 8x8, received {text!r}")
    return int(sizes[0]), int(sizes[1])


def _number(text: str) -> float:
    try:
        number = float(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"expected a number, received {text!r}") from error
    if not isfinite(number):
        raise argparse.ArgumentTypeError(f"expected a finite number, received {text!r}")
    return number


def file_to_read(*suffixes: str) -> Callable[[str], Path]:
    """Reader of names of files that are there, with one of the endings if some are given."""

    def read(text: str) -> Path:
        path = Path(text)
        _check_suffix(path, suffixes)
        if not path.is_file():
            what = "is a folder" if path.is_dir() else "does not exist"
            raise argparse.ArgumentTypeError(f"the file {text!r} {what}")
        return path

    return read


def file_to_write(*suffixes: str) -> Callable[[str], Path]:
    """Reader of names of files in a folder that is there, with one of the endings if some are given."""

    def read(text: str) -> Path:
        path = Path(text)
        _check_suffix(path, suffixes)
        if path.is_dir():
            raise argparse.ArgumentTypeError(f"{text!r} is a folder: expected the name of a file")
        if not path.parent.is_dir():
            raise argparse.ArgumentTypeError(f"the folder {str(path.parent)!r} does not exist: create it first")
        return path

    return read


def files_to_read(*suffixes: str) -> Callable[[str], Path]:
    """Reader of the name of a file that is there, or of a pattern, such as ``'parts/*.parquet'``."""
    one = file_to_read(*suffixes)
    return lambda text: Path(text) if is_pattern(text) else one(text)


def is_pattern(path: str | Path) -> bool:
    """Whether a name is a pattern; a file that is there, and called so, is none."""
    return bool(set("*?[") & set(str(path))) and not Path(path).is_file()


def matching(path: Path, suffixes: tuple[str, ...]) -> list[Path]:
    """Files that fit a pattern, in order, with one of the endings; the file itself, if it is one."""
    if not is_pattern(path):
        return [path]
    files = sorted(Path(name) for name in glob(str(path)) if Path(name).is_file())
    wrong = [file for file in files if file.suffix.lower() not in suffixes]
    if wrong or not files:
        what = f"{wrong[0]} does not end in {', '.join(suffixes)}" if wrong else "no file fits it"
        raise InvalidInputError(f"{path}: {what}.")
    return files


def file_or_folder_to_write(*suffixes: str) -> Callable[[str], Path]:
    """Reader of the name of a file to write, or, if it ends in none of the endings, of a folder."""
    one = file_to_write(*suffixes)

    def read(text: str) -> Path:
        path = Path(text)
        if path.suffix.lower() in suffixes and not path.is_dir():
            return one(text)
        if path.exists() and not path.is_dir():
            return one(text)
        if path.suffix and not text.endswith(("/", os.sep)) and not path.is_dir():
            return one(text)
        if not path.parent.is_dir():
            raise argparse.ArgumentTypeError(f"the folder {str(path.parent)!r} does not exist: create it first")
        return path

    return read


def _check_suffix(path: Path, suffixes: tuple[str, ...]) -> None:
    if suffixes and path.suffix.lower() not in suffixes:
        raise argparse.ArgumentTypeError(f"expected a file ending in {', '.join(suffixes)}, received {str(path)!r}")


# Names and reasons that are listed before "and more".
MOST_LISTED = 5
# Largest seed that numpy and scikit-learn both take.
LARGEST_SEED = 2**32 - 1
# Dots an inch of pictures: sharp on a page, and a file of some ten kilobytes.
PICTURE_RESOLUTION = 110


ALL_ANSWERED = 0
WENT_WRONG = 1
WRONG_USAGE = 2
SOME_WITHOUT_ANSWER = 3
CHANGED = 4
INTERRUPTED = 130


def exit_codes(three: str = "", four: str = "") -> str:
    """Return what the exit codes of a command mean, for the end of its help; 3 and 4 where it has them."""
    meant = {0: "done", 1: "an error, described on stderr", 2: "wrong usage", 3: three, 4: four}
    meant |= {INTERRUPTED: "interrupted by Ctrl-C", 143: "ended by SIGTERM"}
    return "exit codes: " + "; ".join(f"{code} {what}" for code, what in meant.items() if what) + "."
