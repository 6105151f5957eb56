"""Estimators around estimators: searches, cut-offs, calibrations, votes and averages, as regions of what is inside.

What is inside may be a pipeline: :mod:`elsewise.pipeline` takes its transformers out (:mod:`.members`), so that here
every member is an estimator that sees model space.
"""

from . import averages, cutoffs, means, one_vs_rest, votes  # noqa: F401 - they register their model families
from .members import innermost, is_sampler, members_of, passes_rows_on, seen_through, with_members, with_trees_as_sums

__all__ = [
    "innermost",
    "is_sampler",
    "members_of",
    "passes_rows_on",
    "seen_through",
    "with_members",
    "with_trees_as_sums",
]
