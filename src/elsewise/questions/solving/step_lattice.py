"""Searches in which columns are counted in steps: rows go in, and points come out, as the user writes them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ...arrays import FloatArray, IntArray
from ...search import Domain, EarlierAnswer, Lattice, Ledger, SearchProblem, search_tree


def search_in_steps(
    lattice: Lattice,
    problem: SearchProblem,
    rows: FloatArray,
    goals: IntArray,
    domain: Domain,
    *,
    refused: Sequence[Sequence[FloatArray]],
    earlier: Sequence[Sequence[EarlierAnswer]],
    **options: Any,
) -> Ledger:
    """Search the nearest point of its goal within its domain for every row; see :func:`~elsewise.search.search_tree`.

    Parameters
    ----------
    lattice : Lattice
    problem : SearchProblem
        In counts of its steps.
    rows : array of shape (n_samples, n_features)
        In features, as all that follows and what is returned.
    goals : int array of shape (n_samples,)
    domain : Domain
    refused : sequence of sequences of points
    earlier : sequence of sequences of EarlierAnswer
    **options
        Of the search.
    """
    found = search_tree(
        problem,
        lattice.counts(rows),
        goals,
        lattice.domain(domain, rows),
        refused=[[lattice.counts(point) for point in points] for points in refused],
        earlier=[[replace(each, point=lattice.counts(each.point)) for each in answers] for answers in earlier],
        **options,
    )
    found.points[:] = lattice.points(found.points, rows)
    return found
