"""Options of a question about rows: their names, types, defaults, descriptions and checks, in this place alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import Field, dataclass, field, fields
from math import inf
from numbers import Integral, Real
from typing import Any, Literal, get_args

from ..errors import InvalidInputError
from ..rules import Constraints

OnSatisfied = Literal["keep", "move"]
OnInfeasible = Literal["none", "densest"]
Errors = Literal["raise", "row"]
Effort = Literal["default", "quick", "proof"]
# Choices of the options that have a fixed set of them.
CHOICES: dict[str, tuple[str, ...]] = {
    "on_satisfied": get_args(OnSatisfied),
    "on_infeasible": get_args(OnInfeasible),
    "errors": get_args(Errors),
    "effort": get_args(Effort),
}
# Counted work of a row as a multiple of the usual amount, by its effort: the same on every machine.
WORK: dict[str, float] = {"quick": 0.02, "default": 1.0, "proof": inf}


def _described(description: str) -> dict[str, str]:
    """Return the metadata of a field."""
    return {"description": description}


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Options of a question; the fields carry their descriptions.

    :meth:`elsewise.Explainer.explain` documents them for users. Its signature and those of the other questions, the
    command line, the interface of the explorer and the audit trail use these names and defaults; a test compares them.
    """

    constraints: Constraints | None = field(default=None, metadata=_described("what may change, and how"))
    min_probability: float | None = field(
        default=None, metadata=_described("least probability that the model's predict_proba has to give the target")
    )
    confidence: float | None = field(
        default=None,
        metadata=_described(
            "the model must be as sure of an answer as it is of this share of the target's training rows"
        ),
    )
    n_counterfactuals: int = field(default=1, metadata=_described("number of answers per row, best first"))
    diversity: str | float = field(
        default="columns",
        metadata=_described(
            "how several answers differ: 'columns' (no answer changes all the columns of an earlier one), or a number: "
            "the least distance between them"
        ),
    )
    on_satisfied: OnSatisfied = field(
        default="keep",
        metadata=_described(
            "what happens to rows that have the outcome but are not typical enough: keep them, "
            "or move them until they are"
        ),
    )
    time_limit: float | None = field(default=None, metadata=_described("seconds that one row may take"))
    effort: Effort = field(
        default="default",
        metadata=_described(
            "when to give up on a proof: after a fixed amount of work, about ten seconds, or at the time limit "
            "(default); soon after a good answer is found (quick); never (proof)"
        ),
    )
    errors: Errors = field(
        default="raise",
        metadata=_described(
            "what happens if a row cannot be read: everything ends (raise), or the row gets the status error (row)"
        ),
    )
    other_models: Sequence[tuple[Any, Any]] = field(
        default=(), metadata=_described("further models and the outcome that each has to predict")
    )
    on_infeasible: OnInfeasible = field(
        default="none",
        metadata=_described(
            "what happens where nothing is as typical as requested: no answer (none), or the nearest of the most "
            "typical answers (densest)"
        ),
    )
    robust_radius: float = field(
        default=0.0, metadata=_described("answers are valid for every row within this distance of them, too")
    )
    ranges: bool = field(
        default=False, metadata=_described("find how far the changed columns of an answer may vary, all at once")
    )
    certificate: bool = field(
        default=False, metadata=_described("write the proof of every answer, for a separate program to check")
    )

    def __post_init__(self) -> None:
        for name, choices in CHOICES.items():
            value: object = getattr(self, name)
            if not isinstance(value, str) or value not in choices:
                expected = " or ".join(repr(choice) for choice in choices)
                raise InvalidInputError(f"{name} must be {expected}, received {value!r}.")
        n_answers: object = self.n_counterfactuals
        if isinstance(n_answers, bool) or not isinstance(n_answers, Integral) or n_answers < 1:
            raise InvalidInputError(f"n_counterfactuals must be a whole number >= 1, received {n_answers!r}.")
        q: object = self.confidence
        if q is not None and (isinstance(q, bool) or not isinstance(q, Real) or not 0 < float(q) < 1):
            raise InvalidInputError(f"confidence must be a number between 0 and 1, both excluded, received {q!r}.")
        if q is not None and self.min_probability is not None:
            raise InvalidInputError("confidence and min_probability say the same in two ways: give one of them.")
        diversity: object = self.diversity
        is_distance = not isinstance(diversity, bool) and isinstance(diversity, Real) and 0 < float(diversity) < inf
        if not is_distance and not (isinstance(diversity, str) and diversity == "columns"):
            raise InvalidInputError(f"diversity must be 'columns' or a positive distance, received {diversity!r}.")
        seconds: object = self.time_limit
        if seconds is not None and not (isinstance(seconds, Real) and float(seconds) > 0):
            raise InvalidInputError(f"time_limit must be a positive number of seconds or None, received {seconds!r}.")
        radius: object = self.robust_radius
        if isinstance(radius, bool) or not isinstance(radius, Real) or not 0 <= float(radius) < inf:
            raise InvalidInputError(f"robust_radius must be a distance >= 0, received {radius!r}.")
        for name in ("ranges", "certificate"):
            if not isinstance(getattr(self, name), bool):
                raise InvalidInputError(f"{name} must be True or False, received {getattr(self, name)!r}.")
        if self.ranges and self.robust_radius:
            raise InvalidInputError(
                "ranges and robust_radius are two ways to leave room around an answer: use one of them."
            )
        pairs: Any = self.other_models
        if not isinstance(pairs, (list, tuple)) or not all(isinstance(one, tuple) and len(one) == 2 for one in pairs):
            raise InvalidInputError(f"other_models: expected a list of pairs (model, outcome), received {pairs!r}.")

    @property
    def work(self) -> float:
        """Counted work of a row as a multiple of the usual amount; where there is a time limit, the clock decides."""
        return inf if self.effort == "default" and self.time_limit is not None else WORK[self.effort]

    @property
    def ended_by(self) -> Literal["size", "time"]:
        """What ends a search that is not proven: the amount of work, or the clock."""
        return "size" if self.time_limit is None or self.work < inf else "time"

    @property
    def least_distance(self) -> float | None:
        """Least distance between answers of a row, None where they differ by their columns."""
        return None if isinstance(self.diversity, str) else float(self.diversity)


# The fields of `Options` by name, each with its default and its description.
OPTIONS: dict[str, Field[Any]] = {item.name: item for item in fields(Options)}


def describe_option(name: str) -> str:
    """Return the one-line description of an option."""
    return str(OPTIONS[name].metadata["description"])
