"""Rows in chunks: bounded memory, and something for threads to share. Answers do not depend on the chunks."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from numbers import Integral
from typing import TypeVar

from joblib import effective_n_jobs

from ...errors import InvalidInputError
from .question import Question

# Open nodes a chunk may hold, and rows: bounds memory, and gives threads something to share. A row that is branched on
# holds more nodes than can be known beforehand.
MOST_NODES_A_CHUNK, MOST_ROWS_A_CHUNK, MOST_BRANCHING_ROWS_A_CHUNK = 400_000, 1024, 128
# The same where only found rules and least changes need branches: most rows have few nodes, and what a chunk costs
# beside them matters (23 numbers: 0.40 ms a row in chunks of 128, 0.17 in chunks of 512).
MOST_ROWS_UNDER_FOUND_RULES_A_CHUNK = 512

Result = TypeVar("Result")


def in_chunks(question: Question, n_rows: int, n_jobs: int | None, run: Callable[[slice], Result]) -> list[Result]:
    """Run a function over spans of rows, at least one (empty) span; results in the order of the rows.

    Parameters
    ----------
    question : Question
    n_rows : int
    n_jobs : int or None
        Threads; None is one, -1 all cores.
    run : function of a slice of rows
    """
    n_threads = 1 if n_jobs is None else _n_threads(n_jobs)
    # covers that search boxes hold the boxes of one row at a time
    in_waves = question.branches and not all(goal.cover.searches_boxes for goal in question.problem.goals)
    most = MOST_BRANCHING_ROWS_A_CHUNK if in_waves else MOST_ROWS_A_CHUNK
    if question.relaxes_first:
        most = MOST_ROWS_UNDER_FOUND_RULES_A_CHUNK
    most = min(most, MOST_NODES_A_CHUNK // max(1, *(goal.size for goal in question.problem.goals)))
    if n_threads > 1:
        most = min(most, -(-n_rows // (2 * n_threads)))
    most = max(most, 1)
    spans = [slice(start, min(start + most, n_rows)) for start in range(0, max(n_rows, 1), most)]
    if n_threads == 1 or len(spans) == 1:
        return [run(span) for span in spans]
    with ThreadPoolExecutor(n_threads) as pool:
        return list(pool.map(run, spans))


def _n_threads(n_jobs: object) -> int:
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, Integral) or n_jobs == 0:
        raise InvalidInputError(
            f"n_jobs must be a whole number other than 0 (-1 for all cores) or None, received {n_jobs!r}."
        )
    return int(effective_n_jobs(int(n_jobs)))
