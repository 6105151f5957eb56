"""Ladders: what each better band takes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

from ..reasons import Target
from ..table.wording import Wording
from ..text import html_of_ladder, sentence_of_ladder, text_of_ladder
from .cells import pandas_for
from .explanation import Explanation

if TYPE_CHECKING:
    import pandas as pd


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
