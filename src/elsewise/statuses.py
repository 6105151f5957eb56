"""What becomes of a row, in a word: the words that answers, files, pages and programs use."""

from __future__ import annotations

# "optimal": the nearest, proven. "feasible": valid and dense enough, proof not finished. "densest": nothing is as dense
# as asked, this is the nearest that is as dense as can be. "infeasible": proven that there is no answer.
# "unknown": none found, nothing proven. "error": the row is wrong, and nothing was asked of it.
STATUSES = ("optimal", "feasible", "densest", "infeasible", "unknown", "error")
# Rows of these have no counterfactual.
WITHOUT_ANSWER = ("infeasible", "unknown", "error")


def has_answer(status: str) -> bool:
    """Whether a row of this status has a counterfactual."""
    return status not in WITHOUT_ANSWER
