"""Why a row has no counterfactual, as an answer of its own."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from ..reasons import Target
from ..rules import Constraints
from ..table.wording import Wording
from ..text import html_of_why_not, why_not_in_words


@dataclass(frozen=True, slots=True)
class Relief:
    """A rule whose absence allows an answer.

    Attributes
    ----------
    rule : str
        In words.
    distance : float
        Of the nearest answer without it.
    constraints : Constraints
        The user's rules without it.
    """

    rule: str
    distance: float
    constraints: Constraints


@dataclass(frozen=True, slots=True)
class WhyNot:
    """Why a row has no counterfactual.

    Attributes
    ----------
    reason : "none", "rules", "density", "model" or "unknown"
        "none": there is an answer. "rules": the rules in ``conflict`` leave no dense enough row the model decides so
        for. "density": no row at all is dense enough where the model decides so. "model": it never does.
        "unknown": the time limit came before any of this was known.
    conflict : tuple of str
        A smallest set of rules that contradict each other; without any one of them the others do not.
    highest_quantile : float or None
        The highest threshold quantile at which there is an answer under all rules, rounded down; None if there is none
        at any, or no density is asked for.
    reliefs : tuple of Relief
        Single rules whose absence helps, cheapest first.
    target : Target
        What was asked of the model.
    has_density : bool
        A density was asked for.
    is_finished : bool
        False if the time limit ended the inquiry: what is said is true, but the conflict need not be the smallest, nor
        the quantile the highest, and further rules may help.
    is_smallest : bool
        False if the time limit came before ``conflict`` was parted from the rules that have no part in it: then
        it lists every rule.
    is_proven : bool
        False for a model that was only asked, where something was not found that may exist.
    wording : Wording or None
        How people call columns and outcomes; None: as they are in the data.
    """

    kind: ClassVar[str] = "why not"
    reason: str
    conflict: tuple[str, ...]
    highest_quantile: float | None
    reliefs: tuple[Relief, ...]
    target: Target
    has_density: bool
    is_finished: bool = True
    is_proven: bool = True
    is_smallest: bool = True
    wording: Wording | None = field(default=None, repr=False, compare=False)

    @property
    def sentence(self) -> str:
        """All of it for people."""
        return why_not_in_words(self)

    def __str__(self) -> str:
        return self.sentence

    def _repr_html_(self) -> str:
        return html_of_why_not(self)
