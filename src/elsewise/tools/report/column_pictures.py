"""Small pictures: a column's values before and after, among real rows of the wanted outcome.

The distribution of a column in a class is drawn once, as a symbol at the top of the page; a row refers to it and adds
two marks. So a picture costs a hundred bytes, and a thousand rows stay light.

Coordinates: 120 x 30; the distribution stands on the line y = 24 and is 18 high, marks have their feet on that line.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...arrays import UserTarget, UserValue
from ...explainer import Explainer
from ...fitted.summaries import ColumnProfile
from ...table.frames import is_missing_value
from ...text.languages import say
from ...text.numbers import percent, percentile
from ..plot.pictures.arguments import label_held_against
from ..plot.pictures.distributions import place_of_level

# Levels of a column beyond which bars would be thinner than the gaps between them.
MOST_LEVELS_DRAWN = 30

_WIDTH, _GROUND, _TALL, _MARGIN = 120.0, 24.0, 18.0, 5.0


@dataclass(frozen=True, slots=True)
class Scale:
    """Where the values of a column lie in its picture.

    Attributes
    ----------
    low, high : float
        Of numbers: the range of all training rows.
    levels : tuple
        Of levels.
    """

    low: float
    high: float
    levels: tuple[UserValue, ...]

    def of_number(self, value: float) -> float:
        """Return the place of a number; those outside of the range are put at its end."""
        share = (value - self.low) / ((self.high - self.low) or 1.0)
        return _MARGIN + (_WIDTH - 2 * _MARGIN) * min(max(share, 0.0), 1.0)

    def of_level(self, place: int) -> float:
        """Return the middle of a level's bar."""
        return _MARGIN + (_WIDTH - 2 * _MARGIN) * (place + 0.5) / len(self.levels)


class ColumnPictures:
    """Draws columns of an explainer's table, and remembers which distributions the page has to hold.

    Parameters
    ----------
    explainer : fitted Explainer
    """

    def __init__(self, explainer: Explainer) -> None:
        self._explainer, self._profiles = explainer, explainer.profiles_
        self._labels = {label: number for number, label in enumerate(self._profiles)}
        self._scales = [_scale(profile) for profile in self._profiles[None]]
        self._used: dict[tuple[int, int], str] = {}

    def label_of(self, target: UserTarget) -> Any:
        """Label whose real rows an answer is held against; None for all training rows."""
        return label_held_against(self._explainer, target)

    def cell(self, target: UserTarget, place: int, before: UserValue, after: UserValue) -> str:
        """Picture and caption of a column, as HTML.

        Parameters
        ----------
        target : label, or (low, high)
        place : int
            Position of the column in the table.
        before, after : number or level
        """
        label = self.label_of(target)
        profile, scale = self._profiles[label][place], self._scales[place]
        if profile.kind in ("number", "integer"):
            marks, caption = _number_marks(scale, before, after), _percentiles(profile, before, after)
        else:
            marks, caption = _level_marks(profile, scale, before, after), _frequencies(profile, before, after)
        drawn = "" if marks is None else self._svg(label, place, profile, scale, marks)
        return f'<span class="among">{drawn}<small>{caption}</small></span>'

    def _svg(self, label: UserValue, place: int, profile: ColumnProfile, scale: Scale, marks: str) -> str:
        key = (self._labels[label], place)
        if key not in self._used:
            self._used[key] = _distribution(profile, scale)
        drawn = f'<use href="#d{key[0]}-{key[1]}"/>{marks}'
        return f'<svg class="pic" viewBox="0 0 120 26" aria-hidden="true">{drawn}</svg>'

    def definitions(self) -> str:
        """Everything that the pictures drawn so far refer to."""
        symbols = [
            f'<g id="d{label}-{place}"><path class="dist" d="{path}"/><path class="axis" d="M0 24H120"/></g>'
            for (label, place), path in sorted(self._used.items())
        ]
        marks = (
            '<circle id="b" r="3.4" cy="3.9" class="before"/><path id="bl" class="before-line" d="M0 7.5V24"/>'
            '<path id="a" class="after" d="M0 -.2 4.1 3.9 0 8 -4.1 3.9Z"/>'
            '<path id="al" class="after-line" d="M0 8V24"/>'
        )
        return f'<svg class="defs" aria-hidden="true" width="0" height="0"><defs>{marks}{"".join(symbols)}</defs></svg>'

    @staticmethod
    def key() -> str:
        """Explain the marks, as HTML."""
        before = '<svg class="sign" aria-hidden="true" viewBox="-5 -1 10 10"><use href="#b"/></svg>'
        after = '<svg class="sign" aria-hidden="true" viewBox="-5 -1 10 10"><use href="#a"/></svg>'
        return f"{before} {say('head.now')} {after} {say('head.then')}"


def _scale(profile: ColumnProfile) -> Scale:
    if len(profile.edges):
        return Scale(float(profile.edges[0]), float(profile.edges[-1]), ())
    return Scale(0.0, 1.0, profile.levels)


def _distribution(profile: ColumnProfile, scale: Scale) -> str:
    """Outline of a distribution, as the data of a path."""
    heights = _TALL * profile.counts / max(int(profile.counts.max(initial=1)), 1)
    tops = [_short(_GROUND - height) for height in heights.tolist()]
    if len(profile.edges):
        sides = [_short(scale.of_number(float(edge))) for edge in profile.edges]
        return f"M{sides[0]} 24" + "".join(f"V{top}H{right}" for top, right in zip(tops, sides[1:])) + "V24Z"
    half = 0.36 * (_WIDTH - 2 * _MARGIN) / len(scale.levels)
    bars = []
    for place, top in enumerate(tops):
        middle = scale.of_level(place)
        bars.append(f"M{_short(middle - half)} 24V{top}H{_short(middle + half)}V24Z")
    return "".join(bars)


def _number_marks(scale: Scale, before: UserValue, after: UserValue) -> str | None:
    marks = "" if is_missing_value(before) else _mark("b", scale.of_number(float(before)))
    return marks + _mark("a", scale.of_number(float(after)))


def _level_marks(profile: ColumnProfile, scale: Scale, before: UserValue, after: UserValue) -> str | None:
    if len(scale.levels) > MOST_LEVELS_DRAWN:
        return None
    first, second = place_of_level(profile.levels, before), place_of_level(profile.levels, after)
    marks = "" if first is None else _mark("b", scale.of_level(first))
    return marks + ("" if second is None else _mark("a", scale.of_level(second)))


def _mark(name: str, middle: float) -> str:
    x = _short(middle)
    return f'<use href="#{name}l" x="{x}"/><use href="#{name}" x="{x}"/>'


def _percentiles(profile: ColumnProfile, before: UserValue, after: UserValue) -> str:
    """Describe which shares of real rows have no larger number."""
    second = percentile(profile.share_at_most(float(after)))
    if is_missing_value(before):
        return say("report.percentile", then=second)
    first = percentile(profile.share_at_most(float(before)))
    return say("report.percentiles", now=first, then=second)


def _frequencies(profile: ColumnProfile, before: UserValue, after: UserValue) -> str:
    """Describe how many real rows have the level."""
    total = max(int(profile.counts.sum()), 1)
    places = (place_of_level(profile.levels, value) for value in (before, after))
    first, second = (
        say("report.found.none") if place is None else percent(float(profile.counts[place]) / total) for place in places
    )
    return say("report.had by", now=first, then=second)


def _short(value: float) -> str:
    """Write a coordinate to a tenth, for the data of a path."""
    return f"{round(value, 1):g}"
