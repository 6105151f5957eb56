"""Progress of long work: a bar, a callback, or silence."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock

from ..errors import InvalidInputError, MissingDependencyError

Progress = Callable[[int], None]
ProgressOption = bool | Callable[[int, int], None]


@contextmanager
def reporter(progress: ProgressOption, total: int) -> Iterator[Progress]:
    """Give a function that is told how many more rows are done, from any thread.

    Parameters
    ----------
    progress : bool or function of (done, total)
        True draws a bar with tqdm; a function is called after each chunk.
    total : int
    """
    if progress is False or progress is None:
        yield lambda count: None
        return
    if progress is True:
        try:
            from tqdm.auto import tqdm
        except ImportError as error:
            raise MissingDependencyError(
                "progress=True needs tqdm. Install it with: pip install 'elsewise[progress]', or pass a function."
            ) from error
        with tqdm(total=total, unit="row") as bar:
            yield bar.update
        return
    if not callable(progress):
        raise InvalidInputError(
            f"progress: expected True, False or a function of (done, total), received {progress!r}."
        )
    done, lock = 0, Lock()

    def tell(count: int) -> None:
        nonlocal done
        with lock:
            done += count
            progress(done, total)

    yield tell
