r"""Plans: in which order to make the changes of an answer, one after the other.

A stage is how many parts of each move are done. Among all orders, the one is looked for whose sparsest stage between
row and answer is densest, all stages within the rules:

.. math:: C(s) = \max_{\text{moves from } s \text{ to } s'} \min(v(s'), C(s')), \qquad C(\text{answer}) = \infty,

with v(s) the log density of stage s in the mixture of all training rows, and minus infinity where a rule is broken. So
many stages can be looked at one by one (:math:`2^{15}`: fifteen moves), from the last to the first. Where there are
more, a beam goes forward, and what no order can beat is bounded by the stages every order passes: one after the first
move, and one before the last.

Among orders that are equally good, the model's probability of the target rises earliest: the first move is the one
after which it is highest, then the second, and so on.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ...arrays import BoolArray, FloatArray, IntArray

# Stages of a plan that are looked at one by one: those of fifteen moves. Beyond, a beam keeps so many at a time.
MOST_STAGES, BEAM_WIDTH = 2**15, 128

# Features of stages (n, n_features) to log densities, minus infinity where a rule is broken.
Height = Callable[[FloatArray], FloatArray]
# Features of stages to what is to rise: the probability of the target, or a stand-in.
Rise = Callable[[FloatArray], FloatArray]


@dataclass(frozen=True, slots=True, eq=False)
class Move:
    """Something that is changed in one step, or in several equal ones.

    Attributes
    ----------
    features : int array
        Which features it changes.
    stages : array of shape (n_parts + 1, n_features_of_the_move)
        Their values after each part; the row's first, the answer's last.
    """

    features: IntArray
    stages: FloatArray

    @property
    def n_parts(self) -> int:
        """Number of steps it takes."""
        return len(self.stages) - 1


@dataclass(frozen=True, slots=True, eq=False)
class Order:
    """An order of moves.

    Attributes
    ----------
    moves : tuple of int
        Which move each step makes; empty if no order keeps the rules at every stage.
    stages : array of shape (n_steps + 1, n_features)
        From the row to the answer.
    bottleneck : float
        Log density of the sparsest stage between; infinite without one between.
    bound : float
        No order has a denser sparsest stage.
    is_exact : bool
        Every order was considered.
    """

    moves: tuple[int, ...]
    stages: FloatArray
    bottleneck: float
    bound: float
    is_exact: bool


def best_order(row: FloatArray, moves: Sequence[Move], height: Height, rise: Rise) -> Order:
    """Order moves so that the sparsest stage is densest.

    Parameters
    ----------
    row : array of shape (n_features,)
    moves : sequence of Move
    height, rise : functions of stages in features
    """
    sizes = np.array([move.n_parts + 1 for move in moves], dtype=np.int64)
    if np.prod(sizes.astype(np.float64)) <= MOST_STAGES:
        return _exact(row, moves, sizes, height, rise)
    return _beam(row, moves, sizes, height, rise)


def _features(row: FloatArray, moves: Sequence[Move], counts: IntArray) -> FloatArray:
    """Stages in features, from how many parts of each move are done; array of shape (n, n_features)."""
    stages = np.repeat(row[None], len(counts), axis=0)
    for place, move in enumerate(moves):
        stages[:, move.features] = move.stages[counts[:, place]]
    return stages


def _exact(row: FloatArray, moves: Sequence[Move], sizes: IntArray, height: Height, rise: Rise) -> Order:
    strides = np.append(1, np.cumprod(sizes[:-1])).astype(np.int64)
    number = np.arange(int(np.prod(sizes)))
    counts = number[:, None] // strides % sizes
    values = np.full(len(number), np.inf)
    values[1:-1] = height(_features(row, moves, counts[1:-1]))
    total = counts.sum(axis=1)
    best = np.full(len(number), -np.inf)
    best[-1] = np.inf
    for layer in range(int(total[-1]) - 1, -1, -1):
        here = number[total == layer]
        for place in range(len(moves)):
            movable = here[counts[here, place] < sizes[place] - 1]
            onward = movable + strides[place]
            best[movable] = np.maximum(best[movable], np.minimum(values[onward], best[onward]))
    if best[0] == -np.inf:
        return Order((), row[None], -np.inf, -np.inf, is_exact=True)
    order, state = [], 0
    while state < number[-1]:
        ahead = [p for p in range(len(moves)) if counts[state, p] < sizes[p] - 1]
        ahead = [p for p in ahead if min(values[state + strides[p]], best[state + strides[p]]) >= best[0]]
        risen = rise(_features(row, moves, counts[state + strides[ahead]]))
        order.append(ahead[int(np.argmax(risen))])
        state += int(strides[order[-1]])
    return Order(tuple(order), _along(row, moves, order), float(best[0]), float(best[0]), is_exact=True)


def _beam(row: FloatArray, moves: Sequence[Move], sizes: IntArray, height: Height, rise: Rise) -> Order:
    n_steps = int((sizes - 1).sum())
    counts = np.zeros((1, len(moves)), dtype=np.int64)
    worst = np.array([np.inf])
    made: list[tuple[int, ...]] = [()]
    for step in range(n_steps):
        came, place = np.nonzero(counts < sizes - 1)
        onward = counts[came]
        onward[np.arange(len(came)), place] += 1
        stages = _features(row, moves, onward)
        values = height(stages) if step < n_steps - 1 else np.full(len(stages), np.inf)
        reached = np.minimum(worst[came], values)
        ranked = np.lexsort((place, -rise(stages), -reached))
        _, first = np.unique(onward[ranked], axis=0, return_index=True)
        chosen = ranked[np.sort(first)][:BEAM_WIDTH]
        chosen = chosen[reached[chosen] > -np.inf]
        if len(chosen) == 0:
            return Order((), row[None], -np.inf, _ceiling(row, moves, sizes, height), is_exact=False)
        made = [(*made[came[k]], int(place[k])) for k in chosen.tolist()]
        counts, worst = onward[chosen], reached[chosen]
    order = list(made[0])
    bound = max(_ceiling(row, moves, sizes, height), float(worst[0]))
    return Order(tuple(order), _along(row, moves, order), float(worst[0]), bound, is_exact=False)


def _ceiling(row: FloatArray, moves: Sequence[Move], sizes: IntArray, height: Height) -> float:
    """Bound what no order can beat: the densest stage after one step, and the densest before the last."""
    one = np.eye(len(moves), dtype=np.int64)
    return min(float(height(_features(row, moves, counts)).max()) for counts in (one, (sizes - 1) - one))


def _along(row: FloatArray, moves: Sequence[Move], order: Sequence[int]) -> FloatArray:
    done = np.zeros((len(order) + 1, len(moves)), dtype=np.int64)
    for step, place in enumerate(order):
        done[step + 1] = done[step]
        done[step + 1, place] += 1
    return _features(row, moves, done)


def in_parts(
    before: float,
    after: float,
    n_parts: int,
    *,
    is_whole: bool,
    nearest: Callable[[FloatArray], FloatArray] | None = None,
) -> FloatArray:
    """Values of a number that changes in equal parts; equal neighbours are left out.

    Whole ones if it is whole; those ``nearest`` to them that it may take, if it moves in steps.
    """
    values = before + (after - before) * np.arange(n_parts + 1) / n_parts
    values = np.round(values) if is_whole else values
    values = values if nearest is None else nearest(values)
    values[0], values[-1] = before, after
    kept: BoolArray = np.append(True, np.diff(values) != 0.0)
    return np.asarray(values[kept])
