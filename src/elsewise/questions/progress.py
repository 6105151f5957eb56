"""Progress of long work: a bar, a callback, or silence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from threading import Lock
from typing import Protocol

from ..errors import InvalidInputError, MissingDependencyError

ProgressOption = bool | Callable[[int, int], None]


class Progress(Protocol):
    """Is called with how many more rows are done, and the statuses of their answers, if they have any."""

    def __call__(self, count: int, statuses: Sequence[str] = ()) -> None:
        """Take note of rows that are done."""


def _say_nothing(count: int, statuses: Sequence[str] = ()) -> None:
    """Do nothing."""


@contextmanager
def reporter(progress: ProgressOption, total: int) -> Iterator[Progress]:
    """Return a function that is called with how many more rows are done and their statuses, from any thread.

    Parameters
    ----------
    progress : bool or function of (done, total)
        True draws a bar with tqdm, with how many answers are proven so far and how many are not; a function is called
        after each chunk.
    total : int
    """
    if progress is False or progress is None:
        yield _say_nothing
        return
    if progress is True:
        try:
            from tqdm.auto import tqdm
        except ImportError as error:
            raise MissingDependencyError(
                "progress=True needs tqdm. Install it with: pip install 'elsewise[progress]', or pass a function."
            ) from error
        counts: Counter[str] = Counter()

        def draw(count: int, statuses: Sequence[str] = ()) -> None:
            counts.update(statuses)
            bar.set_postfix_str(quality_in_words(counts), refresh=False)
            bar.update(count)

        with tqdm(total=total, unit="row") as bar:
            yield draw
        return
    if not callable(progress):
        raise InvalidInputError(
            f"progress: expected True, False or a function of (done, total), received {progress!r}."
        )
    done, lock = 0, Lock()

    def tell(count: int, statuses: Sequence[str] = ()) -> None:
        nonlocal done
        with lock:
            done += count
            progress(done, total)

    yield tell


def quality_in_words(counts: Counter[str]) -> str:
    """Return how good the answers so far are, by their statuses; empty without any."""
    proven = counts["optimal"] + counts["infeasible"]
    other = {"with a gap": counts["feasible"] + counts["densest"], "open": counts["unknown"], "wrong": counts["error"]}
    words = [f"{proven} proven"] if counts.total() else []
    return ", ".join(words + [f"{count} {name}" for name, count in other.items() if count])
