"""Leaves whose scores are votes, or shares of them that add up without rounding."""

from __future__ import annotations

import numpy as np

from ....arrays import BoolArray, FloatArray
from .decisions import Decision, Largest
from .trees import TreeSum

# Scores that are multiples of this and at most one add up exactly: 2^33 of them have no more than 53 bits.
VOTE = 2.0**-20


def exact_leaves(scores: FloatArray) -> BoolArray:
    """Leaves whose scores are multiples of `VOTE` up to one, so that sums of them are exact in any order.

    Parameters
    ----------
    scores : array of shape (n_leaves, n_scores)

    Returns
    -------
    bool array of shape (n_leaves,)
    """
    votes = scores / VOTE
    return np.asarray(((votes == np.round(votes)) & (np.abs(scores) <= 1.0)).all(axis=1))


def strict_conditions(trees: TreeSum, decision: Decision, n_conditions: int) -> BoolArray:
    """Conditions that a tie of exact sums does not meet: the first of equal scores wins, against those before it.

    Returns
    -------
    bool array of shape (n_conditions,)
    """
    strict = np.zeros(n_conditions, dtype=np.bool_)
    # votes that are averaged: boosting starts from a number of its own
    adds_up = trees.divisor > 1.0 and not (trees.single or trees.doubt > 0.0 or trees.base.any())
    if isinstance(decision, Largest) and decision.least_log_odds == -np.inf and adds_up:
        strict[: decision.index] = True  # conditions are in the order of the rivals
    return strict
