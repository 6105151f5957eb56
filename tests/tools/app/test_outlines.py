"""Outlines on a grid: areas and lengths are those of the sets, and borders lie where they are."""

from __future__ import annotations

import re

import numpy as np
import pytest

pytest.importorskip("fastapi", reason="the explorer needs the extra elsewise[serve]")

from elsewise.tools.app.outlines import Outline

N = 64


def rings(path):
    """Corners of each part of a path, array of shape (n, 2)."""
    found = []
    for part in re.findall(r"M[^M]+", path):
        points = []
        for kind, text in re.findall(r"([MLHV])([\d. -]+)", part):
            numbers = [float(each) for each in text.split()]
            last = points[-1] if points else None
            points.append(numbers if kind in "ML" else [numbers[0], last[1]] if kind == "H" else [last[0], numbers[0]])
        found.append(np.array(points))
    return found


def area(path):
    """Area inside of a path; parts that run the other way round would count as holes."""
    return sum(
        0.5 * float(np.sum(ring[:, 0] * np.roll(ring[:, 1], -1) - np.roll(ring[:, 0], -1) * ring[:, 1]))
        for ring in rings(path)
    )


@pytest.fixture
def distances():
    across, up = np.meshgrid(np.arange(N), np.arange(N))
    return np.hypot(across - 30.2, up - 33.7)


def test_a_disc_has_its_area_and_a_border_in_one_line(distances):
    disc = Outline.of_values(20.0 - distances)
    assert area(disc.filled()) == pytest.approx(np.pi * 400, rel=2e-3)
    (line,) = rings(disc.border())
    assert np.linalg.norm(np.diff(line, axis=0), axis=1).sum() == pytest.approx(2 * np.pi * 20, rel=2e-3)
    assert np.hypot(line[:, 0] - 30.2, line[:, 1] - 33.7) == pytest.approx(20.0, abs=0.02)


def test_a_border_that_can_only_be_asked_for_is_found(distances):
    grid = (np.linspace(-3.0, 3.0, N), np.linspace(10.0, 50.0, N))
    across, up = np.meshgrid(*grid)

    def decide(places):
        return places[:, 1] > 8.0 * places[:, 0] + 27.0

    inside = decide(np.stack([across.ravel(), up.ravel()], axis=1)).reshape(N, N)
    (line,) = rings(Outline.of_decisions(inside, grid, decide).border())
    at = [np.interp(line[:, k], np.arange(N), grid[k]) for k in range(2)]
    assert at[1] == pytest.approx(8.0 * at[0] + 27.0, abs=0.02)


def test_nothing_everything_and_two_corners():
    assert Outline.of_values(-np.ones((5, 6))).filled() == ""
    whole = Outline.of_values(np.ones((5, 6)))
    assert area(whole.filled()) == 20
    assert whole.border() == ""
    corners = Outline.of_values(np.array([[1.0, -1.0], [-1.0, 1.0]]))
    assert area(corners.filled()) == pytest.approx(0.75)  # joined in the middle
    assert len(rings(corners.border())) == 2
