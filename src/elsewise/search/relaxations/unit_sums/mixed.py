"""Layers whose units have different functions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ....arrays import FloatArray
from .functions import Function, Lines


@dataclass(frozen=True, slots=True, eq=False)
class Mixed(Function):
    """Functions one after the other, each of so many units.

    Attributes
    ----------
    parts : tuple of (Function, int)
    """

    parts: tuple[tuple[Function, int], ...]

    def value(self, t: FloatArray) -> FloatArray:
        """Give values."""
        return np.concatenate([part.value(t[..., units]) for part, units in self._spans()], axis=-1)

    def slope(self, t: FloatArray) -> FloatArray:
        """Give derivatives."""
        return np.concatenate([part.slope(t[..., units]) for part, units in self._spans()], axis=-1)

    def above(self, low: FloatArray, high: FloatArray, near: FloatArray) -> Lines:
        """Give lines above."""
        return _joined([part.above(low[units], high[units], near[units]) for part, units in self._spans()])

    def below(self, low: FloatArray, high: FloatArray, near: FloatArray) -> Lines:
        """Give lines below."""
        return _joined([part.below(low[units], high[units], near[units]) for part, units in self._spans()])

    def divide_at(self, low: float, high: float, near: float, unit: int) -> float | None:
        """Where the unit's own function says."""
        part, first = self._of(unit)
        return part.divide_at(low, high, near, unit - first)

    def beyond(self, at: float, unit: int) -> float:
        """Give what the unit's own function says."""
        part, first = self._of(unit)
        return part.beyond(at, unit - first)

    def _spans(self) -> Iterator[tuple[Function, slice]]:
        first = 0
        for part, n in self.parts:
            yield part, slice(first, first + n)
            first += n

    def _of(self, unit: int) -> tuple[Function, int]:
        """Give the function of a unit, and the first unit of that."""
        return next((part, units.start) for part, units in self._spans() if unit < units.stop)


def _joined(lines: list[Lines]) -> Lines:
    return Lines(np.concatenate([one.slope for one in lines]), np.concatenate([one.offset for one in lines]))
