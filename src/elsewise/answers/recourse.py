"""Levers: the small sets of columns that are enough to change the outcome by themselves.

Ladders: what each better band takes.

Monotone: whether more of a column can ever lower the score of an outcome.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from ..arrays import UserData, UserTarget
from ..reasons import Target
from ..table.wording import Wording
from ..text import (
    html_of_ladder,
    html_of_levers,
    sentence_of_ladder,
    sentence_of_levers,
    sentence_of_monotone,
    text_of_ladder,
    text_of_levers,
)
from .explanation import Explanation
from .records import pandas_for

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


@dataclass(frozen=True, slots=True)
class Band:
    """A band of outcomes.

    Attributes
    ----------
    name : str
    target : Target
        What the model has to say.
    """

    name: str
    target: Target


@dataclass(frozen=True, slots=True, eq=False)
class LadderStep:
    """What it takes to reach a band or a better one.

    Attributes
    ----------
    band : Band
    explanation : Explanation
        The nearest counterfactual in this band or a better one. Its bound and status are about all of these bands.
    reaches : str
        Name of the band that it is in; empty if there is none.
    """

    band: Band
    explanation: Explanation
    reaches: str

    @property
    def distance(self) -> float:
        """Distance of the nearest counterfactual; NaN if there is none."""
        return self.explanation.distance


@dataclass(frozen=True, slots=True, eq=False)
class Ladder:
    """What each better band takes: a sequence of :class:`LadderStep`, from the next band to the best.

    Distances and lower bounds never fall from one step to the next.

    Attributes
    ----------
    bands : tuple of Band
        All of them, from the worst to the best.
    current : Band or None
        The best band that the row is in already.
    steps : tuple of LadderStep
        One for each better band.
    wording : Wording or None
        How people call columns and outcomes; None: as they are in the data.
    """

    kind: ClassVar[str] = "ladder"
    bands: tuple[Band, ...]
    current: Band | None
    steps: tuple[LadderStep, ...]
    wording: Wording | None = field(default=None, repr=False, compare=False)

    @property
    def distances(self) -> tuple[float, ...]:
        """Distance of each step; NaN where there is none."""
        return tuple(step.distance for step in self.steps)

    @property
    def sentence(self) -> str:
        """All of it for people."""
        return sentence_of_ladder(self)

    def __len__(self) -> int:
        return len(self.steps)

    def __iter__(self) -> Iterator[LadderStep]:
        return iter(self.steps)

    def __getitem__(self, index: int) -> LadderStep:
        return self.steps[index]

    def to_frame(self) -> pd.DataFrame:
        """Table with a line per step: band, status, distance, bound and plausibility."""
        names = ("status", "distance", "lower_bound", "plausibility")
        lines = [
            {"band": step.band.name, **{name: getattr(step.explanation, name) for name in names}} for step in self.steps
        ]
        return pandas_for("to_frame").DataFrame(lines, columns=["band", *names])

    def __repr__(self) -> str:
        return f"<Ladder: {len(self.bands)} bands, {len(self.steps)} steps up>"

    def __str__(self) -> str:
        return text_of_ladder(self)

    def _repr_html_(self) -> str:
        return html_of_ladder(self)


@dataclass(frozen=True, slots=True, eq=False)
class Monotone:
    """Whether more, or less, of a column can ever lower the score of an outcome.

    Attributes
    ----------
    column : str
    direction : "increase" or "decrease"
    target : label, or None for a regressor
    status : "proven", "refuted" or "unknown"
        "proven": for all rows, up to rounding; of several classes, the lead of the target over each other class never
        falls. "refuted": ``rows`` show the contrary. "unknown": neither was found.
    rows : data frame or array of shape (2, n_columns), or None
        Two rows that differ in the column alone: the score of the second, which is farther in the direction, is lower.
    scores : tuple of two floats, or None
        Their scores by the model itself: a probability, a decision value or a prediction.
    wording : Wording or None
        How people call columns and outcomes; None: as they are in the data.
    """

    kind: ClassVar[str] = "monotone"
    column: str
    direction: str
    target: UserTarget
    status: str
    rows: UserData = None
    scores: tuple[float, float] | None = None
    wording: Wording | None = field(default=None, repr=False, compare=False)

    @property
    def is_proven(self) -> bool:
        """Whether it is proven that the score never falls."""
        return self.status == "proven"

    @property
    def sentence(self) -> str:
        """All of it for people."""
        return sentence_of_monotone(self)

    def __str__(self) -> str:
        return self.sentence
