"""Progress bars on a terminal, silence elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol


class Bar(Protocol):
    """What follows progress; a tqdm bar is one."""

    def update(self, count: int) -> object:
        """Count some more as done."""

    def set_postfix_str(self, text: str) -> object:
        """Describe what was done last."""


class _Silence:
    def update(self, count: int) -> None: ...
    def set_postfix_str(self, text: str) -> None: ...


@contextmanager
def progress_bar(total: int, *, unit: str = "row", done: int = 0, quiet: bool = False) -> Iterator[Bar]:
    """Draw a bar where stderr is a terminal and tqdm is installed.

    Parameters
    ----------
    total : int
    unit : str
        What is counted.
    done : int
        How many are done already.
    quiet : bool
        Draw none in any case.
    """
    try:
        from tqdm import tqdm
    except ImportError:
        yield _Silence()
        return
    silent = quiet or not sys.stderr.isatty()
    with tqdm(total=total, initial=done, unit=unit, desc="explaining", leave=False, disable=silent) as bar:
        yield bar


def done_in_all(advance: Callable[[int], object]) -> Callable[[int, int], None]:
    """Make a ``progress`` function for :meth:`~elsewise.Explainer.explain` of one that takes what more is done."""
    done_before = 0

    def tell(done: int, total: int) -> None:
        nonlocal done_before
        advance(done - done_before)
        done_before = done

    return tell
