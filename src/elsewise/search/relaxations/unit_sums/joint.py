"""Several sums of units that decide together: the units of all of them side by side, layer by layer."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.linalg import block_diag

from ....arrays import FloatArray
from .functions import IDENTITY, Function, Mixed
from .region import SumRegion
from .units import Layer, Sums


def can_be_joined(region: SumRegion) -> bool:
    """Whether margins alone decide: no soft minimum of them, and no arithmetic of the model's own."""
    return region.sums.log_odds is None and region.decides is None


def linear_sums(A: FloatArray, b: FloatArray) -> Sums:
    """Return the sums without units that are not negative where ``A z <= b``."""
    n = A.shape[1]
    return Sums((Layer(np.empty((0, n)), np.empty(0), IDENTITY),), np.empty((len(b), 0)), -A, np.asarray(b))


def joined(members: Sequence[Sums]) -> Sums:
    """Put sums side by side: features of model space after each other, units, and margins.

    Parameters
    ----------
    members : sequence of Sums
        Each over a model space of its own, without log odds. Where one has fewer layers than others, units that give
        its last ones on are put behind them.
    """
    depth = max(len(one.layers) for one in members)
    deep = [(*one.layers, *[_passed_on(one.layers[-1])] * (depth - len(one.layers))) for one in members]
    layers = tuple(
        Layer(
            block_diag(*(layer.W for layer in level)),
            np.concatenate([layer.b for layer in level]),
            _functions([(layer.function, len(layer.b)) for layer in level]),
        )
        for level in zip(*deep)
    )
    C, D = block_diag(*(one.C for one in members)), block_diag(*(one.D for one in members))
    return Sums(layers, C, D, np.concatenate([one.d for one in members]))


def _passed_on(layer: Layer) -> Layer:
    n_units = len(layer.b)
    return Layer(np.eye(n_units), np.zeros(n_units), IDENTITY)


def _functions(parts: Sequence[tuple[Function, int]]) -> Function:
    """Return one function for all units, neighbours with the same one being taken together."""
    merged: list[tuple[Function, int]] = []
    for function, n_units in parts:
        if n_units and merged and merged[-1][0] is function:
            merged[-1] = (function, merged[-1][1] + n_units)
        elif n_units:
            merged.append((function, n_units))
    return merged[0][0] if len(merged) == 1 else Mixed(tuple(merged))
