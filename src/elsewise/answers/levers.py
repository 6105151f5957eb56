"""Levers: the small sets of columns that are enough to change the outcome by themselves."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from ..reasons import Target
from ..table.wording import Wording
from ..text import html_of_levers, sentence_of_levers, text_of_levers
from .cells import pandas_for
from .explanation import Explanation

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True, eq=False)
class Lever:
    """A set of columns that is enough by itself.

    Attributes
    ----------
    columns : tuple of str
    explanation : Explanation
        The nearest counterfactual that changes no other column, as ``explain`` gives it with all others immutable. It
        need not change all of these: what is typical is judged given the columns that may not change.
    """

    columns: tuple[str, ...]
    explanation: Explanation

    @property
    def distance(self) -> float:
        """Distance of the nearest counterfactual."""
        return self.explanation.distance

    @property
    def plausibility(self) -> float:
        """How typical it is, given the other columns; NaN without a density."""
        return self.explanation.plausibility


@dataclass(frozen=True, slots=True, eq=False)
class Levers:
    """Which sets of columns change the outcome by themselves, and which are proven not to.

    A sequence of :class:`Lever`, nearest first. No lever contains another.

    Attributes
    ----------
    target : Target
        What was asked of the model.
    max_size : int
        Sets of at most this many columns were asked about.
    enough : tuple of Lever
    not_enough : tuple of tuples of str
        Sets for which it is proven that no change of these columns alone is an answer.
    unknown : tuple of tuples of str
        Sets of which neither is known: the time limit ended the search, or the model can only be asked.
    fixed : tuple of str
        Columns that the rules leave nowhere to go; in no set.
    has_outcome : bool
        The model decides for the target already: nothing was asked.
    wording : Wording or None
        How people call columns and outcomes; None: as they are in the data.
    """

    kind: ClassVar[str] = "levers"
    target: Target
    max_size: int
    enough: tuple[Lever, ...]
    not_enough: tuple[tuple[str, ...], ...]
    unknown: tuple[tuple[str, ...], ...]
    fixed: tuple[str, ...]
    has_outcome: bool = False
    wording: Wording | None = field(default=None, repr=False, compare=False)

    @property
    def is_proven(self) -> bool:
        """Whether every set is known to be enough or proven not to be."""
        return not self.unknown

    @property
    def sentence(self) -> str:
        """All of it for people."""
        return sentence_of_levers(self)

    def __len__(self) -> int:
        return len(self.enough)

    def __iter__(self) -> Iterator[Lever]:
        return iter(self.enough)

    def __getitem__(self, index: int) -> Lever:
        return self.enough[index]

    def to_frame(self) -> pd.DataFrame:
        """Table with a line per set: its columns, whether it is enough, distance and plausibility, nearest first."""
        lines = [(lever.columns, "enough", lever.distance, lever.plausibility) for lever in self.enough]
        for status, sets in (("unknown", self.unknown), ("not enough", self.not_enough)):
            lines += [(columns, status, np.nan, np.nan) for columns in sets]
        return pandas_for("to_frame").DataFrame(lines, columns=["columns", "status", "distance", "plausibility"])

    def __repr__(self) -> str:
        return f"<Levers: {len(self.enough)} enough, {len(self.not_enough)} not, {len(self.unknown)} unknown>"

    def __str__(self) -> str:
        return text_of_levers(self)

    def _repr_html_(self) -> str:
        return html_of_levers(self)
