"""Support vector machines with a linear kernel: two classes have a hyperplane, several let all pairs of classes vote.

The machine of a pair ``i < j`` votes for ``i`` where ``w_ij·z + b_ij > 0``, else for ``j``. Most votes win; among
classes with as many votes the first, or with ``break_ties`` the one with the largest sum of signed decision values,
which is linear in ``z`` again. Class ``c`` wins with ``v`` votes if it wins ``v`` of its pairs and every other class
loses so many of its own that it has no more than ``v``. A polyhedron is one choice of pairs that are won and lost;
pairs whose vote does not matter are left out, so polyhedra are few and large, and may overlap.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, product

import numpy as np
from scipy.sparse import issparse
from sklearn.svm import SVC, NuSVC

from ..arrays import Estimator, FloatArray
from ..errors import UnsupportedModelError, UnsupportedSettingError
from ..search import Region
from ..search.region import DecisionValue, Interval, Outcome, Response, require_label
from ..search.relaxations.polyhedra import PolyhedronUnion, union
from .linear import halfspaces, linear_region, scores, slab
from .registry import register, register_response

# Polyhedra of one class, beyond which a vote of pairs is refused.
MOST_POLYHEDRA_OF_PAIRS = 5_000

# A vote: who wins against whom.
Vote = tuple[int, int]


@register(SVC, NuSVC)
def svc_region(model: Estimator, outcome: Outcome) -> PolyhedronUnion:
    """Region of a support vector machine with a linear kernel."""
    label = require_label(model, outcome)
    _require_linear(model)
    if len(model.classes_) == 2:
        return linear_region(model, outcome)
    W, b = scores(model)
    breaks_ties = bool(model.break_ties and model.decision_function_shape == "ovr")
    return _most_votes_region(W, b, len(model.classes_), label.index, breaks_ties)


@register_response(SVC, NuSVC)
def svc_response_region(model: Estimator, response: Response) -> Region:
    """Region where the decision value of two classes lies in a range."""
    _require_linear(model)
    if not isinstance(response, DecisionValue) or len(model.classes_) > 2:
        raise UnsupportedSettingError(
            f"{type(model).__name__} is supported with its decision value of two classes, not with probabilities or "
            "several decision values. Leave min_probability out, or use LogisticRegression, or "
            f"CalibratedClassifierCV({type(model).__name__}(kernel='linear'), ensemble=False)."
        )
    W, b = scores(model)
    return slab(W, b, Interval(response.low, response.high))


def _require_linear(model: Estimator) -> None:
    name = type(model).__name__
    if model.kernel != "linear":
        raise UnsupportedSettingError(
            f"{name} is supported with kernel='linear' only, received kernel={model.kernel!r}: other kernels do not "
            f"decide by hyperplanes. Use {name}(kernel='linear') or LinearSVC."
        )
    if issparse(model.support_vectors_):
        raise UnsupportedSettingError(
            f"This {name} was fitted on a sparse matrix; expected a dense array. Fit it on X.toarray()."
        )


def _most_votes_region(W: FloatArray, b: FloatArray, n_classes: int, c: int, breaks_ties: bool) -> PolyhedronUnion:
    """Union of the ways in which class ``c`` gets the most votes of all pairs."""
    place = {pair: k for k, pair in enumerate(combinations(range(n_classes), 2))}
    sums, constants = np.zeros((n_classes, W.shape[1])), np.zeros(n_classes)
    for (i, j), k in place.items():
        sums[i], constants[i] = sums[i] + W[k], constants[i] + b[k]
        sums[j], constants[j] = sums[j] - W[k], constants[j] - b[k]
    found: list[tuple[FloatArray, FloatArray]] = []
    for votes, tied in _ways_to_win(n_classes, c, breaks_ties):
        A, offsets = [], []
        for winner, loser in votes:
            k = place[min(winner, loser), max(winner, loser)]
            sign = -1.0 if winner < loser else 1.0  # s > 0 is a vote for the first of the pair
            A.append(sign * W[k])
            offsets.append(-sign * b[k])
        for other in tied:
            A.append(sums[other] - sums[c])
            offsets.append(constants[c] - constants[other])
        region = halfspaces(np.array(A), np.array(offsets))
        found += [region.polyhedron(i) for i in range(region.n_polyhedra)]
        if len(found) > MOST_POLYHEDRA_OF_PAIRS:
            raise UnsupportedModelError(
                f"SVC lets all pairs of its {n_classes} classes vote, and one of them wins in more than "
                f"{MOST_POLYHEDRA_OF_PAIRS} ways. Use LinearSVC, which compares one score for each class."
            )
    return union(found, n_features=W.shape[1])


def _ways_to_win(n_classes: int, c: int, breaks_ties: bool) -> Iterator[tuple[list[Vote], list[int]]]:
    """Find sets of votes with which class ``c`` wins whatever the others are, and the classes it may be tied with."""
    others = [k for k in range(n_classes) if k != c]
    for n_votes in range(n_classes - 1, 0, -1):
        for beaten in combinations(others, n_votes):
            own: list[Vote] = [(c, k) for k in beaten]
            # losses among the others that leave a class fewer votes than c; as many votes are one loss less
            fewer = {k: n_classes - 2 - (n_votes - 1) + (k not in beaten) for k in others}
            ties = [k for k in others if fewer[k] > 0 and (breaks_ties or k > c)]
            chosen = product((False, True), repeat=len(ties)) if breaks_ties else [(True,) * len(ties)]
            for is_tied in chosen:
                tied = [k for k, may in zip(ties, is_tied) if may]
                losses = {k: max(fewer[k] - (k in tied), 0) for k in others}
                for votes in _with_losses(others, losses):
                    yield own + votes, tied if breaks_ties else []


def _with_losses(players: list[int], losses: dict[int, int]) -> Iterator[list[Vote]]:
    """Find sets of votes between players in which each has exactly so many losses."""

    def go_on(place: int, votes: dict[tuple[int, int], int]) -> Iterator[dict[tuple[int, int], int]]:
        if place == len(players):
            yield votes
            return
        k = players[place]
        free = [other for other in players if other != k and (min(k, other), max(k, other)) not in votes]
        for winners in combinations(free, losses[k]):
            yield from go_on(place + 1, votes | {(min(k, w), max(k, w)): w for w in winners})

    for votes in go_on(0, {}):
        yield [(winner, i + j - winner) for (i, j), winner in votes.items()]
