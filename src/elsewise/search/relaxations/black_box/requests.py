"""What a row's search asks for. Searches are generators: many run together, and what they ask for is asked at once."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import Any, TypeVar

from ....arrays import BoolArray, FloatArray, IntArray

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Ask:
    """Which points are answers: accepted by the model, dense enough, within all rules, new.

    Attributes
    ----------
    points : array of shape (n, n_features)
        Whole where they must be. The reply is a bool array of shape (n,).
    """

    points: FloatArray


@dataclass(frozen=True, slots=True)
class Score:
    """How far inside points are, by the model's own score; they need not be answers. The reply has shape (n,).

    Attributes
    ----------
    points : array of shape (n, n_features)
    labels : bool
        By its labels instead: 1 inside, 0 outside.
    """

    points: FloatArray
    labels: bool = False


@dataclass(frozen=True, slots=True)
class Project:
    """The nearest points of cones within boxes and half-spaces, whole numbers relaxed.

    Attributes
    ----------
    cones : int array of shape (n,)
    lower, upper : arrays of shape (n, n_features)
        In which every category is decided.
    normals, offsets : arrays of shape (n_cuts, n_features), (n_cuts,)
        Half-spaces ``normals x <= offsets``, the same for all.
    limit : float
        Nothing farther is of interest. The reply is an array of shape (n, n_features), NaN where there is none.
    """

    cones: IntArray
    lower: FloatArray
    upper: FloatArray
    normals: FloatArray
    offsets: FloatArray
    limit: float


# A search under way: it yields what it asks for, is sent the reply, and returns its result.
Steps = Generator[Ask | Score | Project, Any, Result]
Reply = BoolArray | FloatArray
