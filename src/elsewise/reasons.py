"""Reasons: why a row has no answer, or what is to be said of the one it has. Data; `text` makes sentences of them.

What becomes of a row, in a word: the words that answers, files, pages and programs use.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Literal, TypeVar

from .arrays import UserValue


@dataclass(frozen=True, slots=True)
class Target:
    """What was asked of the model.

    Attributes
    ----------
    value : label, or (low, high) for a regressor
    min_probability : float or None
        Least probability of the label.
    """

    value: UserValue
    min_probability: float | None = None


@dataclass(frozen=True, slots=True)
class NoOtherClass:
    """Any other class would do, and the model has none."""

    kind: ClassVar[str] = "no other class"


@dataclass(frozen=True, slots=True)
class NothingToChange:
    """The row is its own answer.

    Attributes
    ----------
    target : Target
    is_dense : bool
        A density was asked for, and the row has it.
    """

    kind: ClassVar[str] = "nothing to change"
    target: Target
    is_dense: bool


@dataclass(frozen=True, slots=True)
class ProofUnfinished:
    """There is an answer, but not the proof that no nearer one exists.

    Attributes
    ----------
    cause : "rounding", "size", "time", "end", "black box" or "lasting"
        What ended the proof: digits, the number of nodes, the user's time limit; of a way, that only one end was tried;
        that the model can only be asked; of an answer that lasts, that nearer ones may last, too, though it is not
        known.
    """

    kind: ClassVar[str] = "proof unfinished"
    cause: Literal["rounding", "size", "time", "end", "black box", "lasting"]


@dataclass(frozen=True, slots=True)
class Unconfirmed:
    """Every point that was found failed the last check; that there is no other is not proven."""

    kind: ClassVar[str] = "unconfirmed"
    target: Target


@dataclass(frozen=True, slots=True)
class OutOfTime:
    """No answer was found before the search ended; that there is none is not proven.

    Attributes
    ----------
    target : Target
    lower_bound : float
        Nothing nearer is an answer.
    cause : "size" or "time"
        What ended the search: the number of nodes, the user's time limit.
    """

    kind: ClassVar[str] = "out of time"
    target: Target
    lower_bound: float
    cause: Literal["size", "time"]


@dataclass(frozen=True, slots=True)
class NoneThatLasts:
    """No answer was found that is valid for all rows near it, too; that there is none is not proven.

    Attributes
    ----------
    target : Target
    lower_bound : float
        Nothing nearer is an answer at all.
    """

    kind: ClassVar[str] = "none that lasts"
    target: Target
    lower_bound: float


@dataclass(frozen=True, slots=True)
class NeverPredicted:
    """No input at all makes the model decide so."""

    kind: ClassVar[str] = "never predicted"
    target: Target


@dataclass(frozen=True, slots=True)
class TooSparse:
    """The model decides so only where data are too sparse.

    Attributes
    ----------
    target : Target
    log_threshold : float
        What was asked for.
    log_density : float
        The highest that any such point has.
    quantile : float or None
        The highest quantile of the training rows that works; None if none does.
    has_rules : bool
        Rules were left out of this: with them, less may work.
    """

    kind: ClassVar[str] = "too sparse"
    target: Target
    log_threshold: float
    log_density: float
    quantile: float | None
    has_rules: bool = False


@dataclass(frozen=True, slots=True)
class LessDense:
    """Nothing is as dense as asked; the answer is the nearest one at the highest quantile that works.

    Attributes
    ----------
    target : Target
    quantile : float
        The highest that works, to three digits, rounded down.
    asked : float or None
        The one that was asked for, if a quantile was.
    """

    kind: ClassVar[str] = "less dense"
    target: Target
    quantile: float
    asked: float | None


@dataclass(frozen=True, slots=True)
class NotFound:
    """Nothing was found although nothing forbids it."""

    kind: ClassVar[str] = "not found"
    target: Target


@dataclass(frozen=True, slots=True)
class NothingWithin:
    """No row that keeps the rules, and is dense enough, makes the model decide so.

    Attributes
    ----------
    target : Target
    has_rules : bool
        The user gave rules; else it is the kinds of the columns that leave nothing.
    has_density : bool
    to_programmer : bool
        Whoever reads it can call the explainer, and learns what to call next.
    has_found_rules : bool
        Answers keep what all training rows keep.
    """

    kind: ClassVar[str] = "nothing within the rules"
    target: Target
    has_rules: bool
    has_density: bool
    to_programmer: bool = True
    has_found_rules: bool = False


@dataclass(frozen=True, slots=True)
class NoDenseWay:
    """Row and answers are not connected through dense data.

    Attributes
    ----------
    target : Target
    share_denser : float
        Share of the training rows that are denser than the sparsest place of the best way, or than the level.
    has_rules : bool
        The user gave rules.
    is_best : bool
        ``share_denser`` is about the best way, which is not dense enough; else about the level that was asked for, at
        which none keeps the rules.
    """

    kind: ClassVar[str] = "no dense way"
    target: Target
    share_denser: float
    has_rules: bool
    is_best: bool


@dataclass(frozen=True, slots=True)
class NoOrder:
    """No order of changes keeps the rules at every stage.

    Attributes
    ----------
    n_moves : int
    is_proven : bool
        Every order was considered.
    """

    kind: ClassVar[str] = "no order"
    n_moves: int
    is_proven: bool


@dataclass(frozen=True, slots=True)
class Told:
    """A sentence that was read from a file of answers."""

    kind: ClassVar[str] = "told"
    sentence: str


@dataclass(frozen=True, slots=True)
class WrongRow:
    """The row itself is wrong: nothing was asked of it.

    Attributes
    ----------
    message : str
        What is wrong with it.
    """

    kind: ClassVar[str] = "wrong row"
    message: str


@dataclass(frozen=True, slots=True)
class NoClassReachable:
    """Any other class would have done, and none can be reached; of the last one that was tried it is stated why."""

    kind: ClassVar[str] = "no class reachable"
    last: NeverPredicted | TooSparse | NotFound | NothingWithin


@dataclass(frozen=True, slots=True)
class NoFurther:
    """More answers were asked for than were found; said of the last one.

    Attributes
    ----------
    n_found, n_asked : int
    is_proven : bool
        There is no other.
    own : ProofUnfinished, LessDense or None
        What else is to be said of the answer.
    """

    kind: ClassVar[str] = "no further"
    n_found: int
    n_asked: int
    is_proven: bool
    own: ProofUnfinished | LessDense | None = None


Reason = (
    NoOtherClass
    | NothingToChange
    | ProofUnfinished
    | Unconfirmed
    | OutOfTime
    | NoneThatLasts
    | NeverPredicted
    | TooSparse
    | LessDense
    | NotFound
    | NothingWithin
    | NoClassReachable
    | NoDenseWay
    | NoFurther
    | NoOrder
    | Told
    | WrongRow
)

AnyReason = TypeVar("AnyReason")


def for_everyone(reason: AnyReason) -> AnyReason:
    """Return the reason without advice for people who write Python."""
    if isinstance(reason, NothingWithin):
        return replace(reason, to_programmer=False)
    if isinstance(reason, NoClassReachable) and isinstance(reason.last, NothingWithin):
        return replace(reason, last=replace(reason.last, to_programmer=False))
    return reason


# "optimal": the nearest, proven. "feasible": valid and dense enough, proof not finished. "densest": nothing is as dense
# as asked, this is the nearest that is as dense as can be. "infeasible": proven that there is no answer.
# "unknown": none found, nothing proven. "error": the row is wrong, and nothing was asked of it.
STATUSES = ("optimal", "feasible", "densest", "infeasible", "unknown", "error")
# Rows of these have no counterfactual.
WITHOUT_ANSWER = ("infeasible", "unknown", "error")


def has_answer(status: str) -> bool:
    """Whether a row of this status has a counterfactual."""
    return status not in WITHOUT_ANSWER
