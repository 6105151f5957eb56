"""Principal reasons: why a model refuses a row, as columns that would have to be otherwise."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

from ..arrays import UserValue
from ..reasons import Target
from ..table.wording import Wording
from ..text import html_of_reasons, sentence_of_reasons, text_of_reason, text_of_reasons
from .explanation import Explanation
from .records import pandas_for

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True)
class Responsiveness:
    """How many values of a column work, all other columns being as they are.

    Attributes
    ----------
    share : float
        Of the values that the column could take instead of its own: whole numbers and steps within the rules and the
        range of the training rows, or levels; of other numbers, share of the training rows' values.
    n_working, n_possible : int or None
        Counts behind the share; None where values cannot be counted.
    """

    share: float
    n_working: int | None = None
    n_possible: int | None = None


@dataclass(frozen=True, slots=True)
class ReasonCode:
    """What a lender calls a reason.

    Attributes
    ----------
    code : str
    texts : dict of str to str
        The code in words, by language.
    """

    code: str
    texts: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.code


@dataclass(frozen=True, slots=True, eq=False)
class PrincipalReason:
    """One column that is in the way.

    Attributes
    ----------
    column : str
    direction : "too high", "too low" or "other"
        "other": its level, or special code, would have to be another one.
    now : number or level
    then : number or level
        The nearest value that works by itself if ``is_alone``; else one that works together with changes of columns
        that are no reasons, as near as little work finds it.
    is_alone : bool
        A change of this column alone is enough.
    explanation : Explanation
        The counterfactual that has the value ``then``.
    distance_without : float
        No counterfactual that leaves the column as it is is nearer than this; infinite if there is none.
    responsiveness : Responsiveness
        How many of the column's possible values would work by themselves.
    code : object
        What ``codes`` has for the column and direction; None without codes.
    """

    column: str
    direction: str
    now: UserValue
    then: UserValue
    is_alone: bool
    explanation: Explanation
    distance_without: float
    responsiveness: Responsiveness
    code: UserValue = None

    def __str__(self) -> str:
        return text_of_reason(self)


@dataclass(frozen=True, slots=True, eq=False)
class PrincipalReasons:
    """The principal reasons of a row, most important first: a sequence of :class:`PrincipalReason`.

    Attributes
    ----------
    target : Target
        What was asked of the model.
    status : "proven", "no recourse", "has outcome" or "unknown"
        "proven": no counterfactual leaves all of ``columns`` as they are, and of every smaller set some does, at the
        density asked of the row or at that given other columns. "no recourse": it is proven that there is no
        counterfactual, hence no reason. "has outcome": the model decides for the target already. "unknown": the time
        limit or the kind of the model ended the search.
    reasons : tuple of PrincipalReason
        At most as many as asked for.
    columns : tuple of str
        All columns of the smallest set, in the same order; those beyond ``reasons`` are the least important.
    wording : Wording or None
        How people call columns and outcomes; None: as they are in the data.
    """

    kind: ClassVar[str] = "principal reasons"
    target: Target
    status: str
    reasons: tuple[PrincipalReason, ...]
    columns: tuple[str, ...]
    wording: Wording | None = field(default=None, repr=False, compare=False)

    @property
    def is_complete(self) -> bool:
        """Whether it is proven that every counterfactual changes one of the ``reasons`` themselves."""
        return self.status == "proven" and len(self.reasons) == len(self.columns)

    @property
    def sentence(self) -> str:
        """All of it for people."""
        return sentence_of_reasons(self)

    def __len__(self) -> int:
        return len(self.reasons)

    def __iter__(self) -> Iterator[PrincipalReason]:
        return iter(self.reasons)

    def __getitem__(self, index: int) -> PrincipalReason:
        return self.reasons[index]

    def to_frame(self) -> pd.DataFrame:
        """Table with a line per reason."""
        names = ("column", "direction", "now", "then", "is_alone", "code")
        lines = [
            {**{name: getattr(reason, name) for name in names}, "responsiveness": reason.responsiveness.share}
            for reason in self.reasons
        ]
        return pandas_for("to_frame").DataFrame(lines, columns=[*names, "responsiveness"])

    def __repr__(self) -> str:
        return f"<PrincipalReasons: {self.status}; {', '.join(reason.column for reason in self.reasons) or 'none'}>"

    def __str__(self) -> str:
        return text_of_reasons(self)

    def _repr_html_(self) -> str:
        return html_of_reasons(self)
