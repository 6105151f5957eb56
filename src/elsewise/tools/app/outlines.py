"""Outlines of sets that are known on a grid, as SVG paths in units of the grid: between its points they run straight.

A cell whose corners are all inside is part of the path as it is; of a cell with corners inside and outside, the path
holds the polygon between the inner corners and the places where the border crosses the cell's sides.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ...arrays import BoolArray, FloatArray

# Halvings that find where a border crosses a side of a cell.
N_HALVINGS = 6

# Corners of a cell in order, as steps up and across.
_CORNERS = ((0, 0), (0, 1), (1, 1), (1, 0))


@dataclass(frozen=True, slots=True, eq=False)
class Outline:
    """A set on a grid.

    Attributes
    ----------
    inside : bool array of shape (n_up, n_across)
    across : array of shape (n_up, n_across - 1)
        Where the border crosses each side that leads across, between 0 and 1; unused where both ends are alike.
    up : array of shape (n_up - 1, n_across)
    """

    inside: BoolArray
    across: FloatArray
    up: FloatArray

    @classmethod
    def of_values(cls, values: FloatArray) -> Outline:
        """Return the set where values, known on the grid and linear between its points, are at least 0."""
        with np.errstate(divide="ignore", invalid="ignore"):
            across = values[:, :-1] / (values[:, :-1] - values[:, 1:])
            up = values[:-1] / (values[:-1] - values[1:])
        return cls(values >= 0, *(np.clip(np.nan_to_num(each, nan=0.5), 0.0, 1.0) for each in (across, up)))

    @classmethod
    def of_decisions(
        cls, inside: BoolArray, grid: tuple[FloatArray, FloatArray], decide: Callable[[FloatArray], BoolArray]
    ) -> Outline:
        """Return a set of which only can be asked whether points (array of shape (n, 2)) are in it."""
        sides = []
        for step in ((0, 1), (1, 0)):
            first = inside[: inside.shape[0] - step[0], : inside.shape[1] - step[1]]
            fractions = np.full(first.shape, 0.5)
            where = np.argwhere(first != inside[step[0] :, step[1] :])
            if len(where):
                starts = np.stack([grid[0][where[:, 1]], grid[1][where[:, 0]]], axis=1)
                ends = np.stack([grid[0][where[:, 1] + step[1]], grid[1][where[:, 0] + step[0]]], axis=1)
                low, high = np.zeros(len(where)), np.ones(len(where))
                of_start = first[tuple(where.T)]
                for _ in range(N_HALVINGS):
                    middle = 0.5 * (low + high)
                    same = decide(starts + middle[:, None] * (ends - starts)) == of_start
                    low, high = np.where(same, middle, low), np.where(same, high, middle)
                fractions[tuple(where.T)] = 0.5 * (low + high)
            sides.append(fractions)
        return cls(inside, *sides)

    def _crossing(self, up: int, across: int, corner: int) -> tuple[float, float]:
        """Return where the border crosses the side of a cell that begins at a corner, as across and up."""
        if corner == 0:
            return across + float(self.across[up, across]), float(up)
        if corner == 1:
            return across + 1.0, up + float(self.up[up, across + 1])
        if corner == 2:
            return across + float(self.across[up + 1, across]), up + 1.0
        return float(across), up + float(self.up[up, across])

    def filled(self) -> str:
        """Return the set as a path to be filled."""
        inside, parts = self.inside, []
        high, wide = inside.shape[0] - 1, inside.shape[1] - 1
        n_corners = np.sum([inside[du : high + du, da : wide + da] for du, da in _CORNERS], axis=0)
        for up, line in enumerate((n_corners == 4).tolist()):
            start = None
            for across, is_whole in enumerate([*line, False]):
                if is_whole and start is None:
                    start = across
                elif not is_whole and start is not None:
                    parts.append(f"M{start} {up}H{across}V{up + 1}H{start}z")
                    start = None
        for up, across in np.argwhere((n_corners > 0) & (n_corners < 4)).tolist():
            points = []
            for corner, (du, da) in enumerate(_CORNERS):
                next_up, next_across = _CORNERS[(corner + 1) % 4]
                here = inside[up + du, across + da]
                if here:
                    points.append((float(across + da), float(up + du)))
                if here != inside[up + next_up, across + next_across]:
                    points.append(self._crossing(up, across, corner))
            parts.append(f"M{'L'.join(map(_written, points))}z")
        return "".join(parts)

    def border(self) -> str:
        """Return the border inside of the grid as a path to be drawn, in lines as long as they go."""
        inside = self.inside
        following: dict[str, list[str]] = {}
        for up, across in np.argwhere(np.ones((inside.shape[0] - 1, inside.shape[1] - 1))).tolist():
            corners = [bool(inside[up + du, across + da]) for du, da in _CORNERS]
            if all(corners) or not any(corners):
                continue
            leaving = [n for n in range(4) if corners[n] and not corners[(n + 1) % 4]]
            for n in leaving:  # the border runs from where the set is left to where it is entered again
                entering = next((n + k) % 4 for k in (1, 2, 3) if corners[(n + k + 1) % 4])
                ends = [_written(self._crossing(up, across, each)) for each in (n, entering)]
                if ends[0] != ends[1]:
                    following.setdefault(ends[0], []).append(ends[1])
        reached = {end for ends in following.values() for end in ends}
        lines = []
        for start in [each for each in following if each not in reached] + list(following):
            line = [start]
            while following.get(line[-1]):
                line.append(following[line[-1]].pop())
            if len(line) > 1:
                lines.append(f"M{'L'.join(line)}")
        return "".join(lines)


def _written(point: tuple[float, float]) -> str:
    return f"{point[0]:.2f} {point[1]:.2f}"
