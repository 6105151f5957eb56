"""What goes over the wire: requests, checked in full before anything is computed, and answers, described."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StrictBool, StrictFloat, StrictInt

# Beyond this floats are no longer exact for whole numbers, and nothing a person would type.
LARGEST = 1e15
MOST_COLUMNS = 20_000

_Limits = Field(ge=-LARGEST, le=LARGEST)
Number = Annotated[StrictInt, _Limits] | Annotated[StrictFloat, Field(ge=-LARGEST, le=LARGEST, allow_inf_nan=False)]
Text = Annotated[str, Field(max_length=1000, strict=True)]
Name = Annotated[str, Field(max_length=1000, strict=True)]
Value = StrictBool | Number | Text | None


class _Request(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Interval(_Request):
    """Wanted values of a regressor; null leaves an end open."""

    low: Number | None = None
    high: Number | None = None


class Rules(_Request):
    """What may change, and how."""

    locked: list[Name] = Field(default=[], max_length=MOST_COLUMNS, description="Columns that stay as they are.")
    ranges: dict[Name, Annotated[list[Value], Field(min_length=2, max_length=2)]] = Field(
        default={},
        max_length=MOST_COLUMNS,
        description="[low, high] of numbers and ordered levels, both inclusive; null leaves an end open.",
    )
    allowed: dict[Name, Annotated[list[Value], Field(max_length=MOST_COLUMNS)]] = Field(
        default={}, max_length=MOST_COLUMNS, description="Levels a category may change to."
    )
    directions: dict[Name, Literal["increase", "decrease"]] = Field(
        default={}, max_length=MOST_COLUMNS, description="Columns that move one way only."
    )
    max_changes: Annotated[StrictInt, Field(ge=0, le=MOST_COLUMNS)] | None = Field(
        default=None, description="At most so many columns change."
    )


class Question(_Request):
    """One row and the outcome wanted of it."""

    row: dict[Name, Value] = Field(max_length=MOST_COLUMNS, description="Value of every column, by name.")
    target: Interval | Value = Field(description="A class, or {low, high} for a regressor.")
    quantile: Annotated[StrictFloat, Field(gt=0.0, lt=1.0, allow_inf_nan=False)] | None = Field(
        default=None,
        description="How plausible: the answer is at least as dense as this share of the target's training rows. "
        "Null takes the threshold the explainer was fitted with.",
    )
    rules: Rules = Rules()


class FrontierQuestion(Question):
    """A question at several quantiles; its own ``quantile`` is not used."""

    quantiles: Annotated[
        list[Annotated[StrictFloat, Field(gt=0.0, lt=1.0, allow_inf_nan=False)]], Field(min_length=1, max_length=25)
    ] = [0.05, 0.2, 0.35, 0.5, 0.65, 0.8, 0.95]


class Column(BaseModel):
    """One column of the table."""

    name: str
    kind: Literal["number", "integer", "ordinal", "category"]
    levels: list[Any] = Field(description="Of ordered levels and categories; empty for numbers.")
    low: float | None = Field(description="Smallest number in the training data.")
    high: float | None = Field(description="Largest number in the training data.")
    open: bool = Field(description="Values never seen in training are accepted.")
    optional: bool = Field(description="A number may be missing (null).")


class Image(BaseModel):
    """Columns are the pixels of an image, line by line."""

    height: int
    width: int
    low: float
    high: float


class About(BaseModel):
    """What can be asked."""

    title: str
    version: str
    columns: list[Column]
    classes: list[Any] | None = Field(description="Null for a regressor.")
    outcomes: list[float] | None = Field(description="Smallest, middle and largest prediction for known rows.")
    has_density: bool = Field(description="Whether answers have a plausibility, and questions a quantile.")
    quantile: float | None = Field(description="Threshold the explainer was fitted with, if it is a quantile.")
    image: Image | None
    n_rows: int
    typical: dict[str, Any] = Field(description="A row in the middle of the training data.")
    has_report: bool


class KnownRow(BaseModel):
    """A row to pick."""

    number: int
    prediction: Any
    row: dict[str, Any]


class Rows(BaseModel):
    """Some of the rows to pick from."""

    total: int
    rows: list[KnownRow]


class Profile(BaseModel):
    """How a column is distributed."""

    column: str
    counts: list[int] = Field(description="Of equally wide bins, or of the levels.")
    low: float | None = Field(description="Where the first bin begins; null for levels.")
    high: float | None = Field(description="Where the last bin ends; null for levels.")


class Profiles(BaseModel):
    """Distributions of all columns among the training rows of a class."""

    target: Any
    profiles: list[Profile]


class Change(BaseModel):
    """One column that changes."""

    column: str
    before: Any
    after: Any
    difference: float | None = Field(description="Null for levels.")
    cost: float = Field(description="What the change adds to the distance.")


class Position(BaseModel):
    """Where a column's value stands among the target's training rows.

    For numbers the share of rows with at most this value, for levels the share of rows with this level.
    """

    before: float | None
    after: float | None


class Answer(BaseModel):
    """The nearest plausible counterfactual, or the reason why there is none."""

    status: Literal["optimal", "feasible", "infeasible", "timeout"]
    prediction: Any
    target: Any
    sentence: str
    reason: str
    distance: float | None
    lower_bound: float | None = Field(description="Proven: no valid and plausible row is nearer.")
    gap: float | None
    plausibility: float | None = Field(description="Share of the target's training rows that are no denser.")
    log_density: float | None
    log_threshold: float | None
    model_free: bool
    changes: list[Change] = Field(description="Dearest first.")
    counterfactual: dict[str, Any] | None
    positions: dict[str, Position]


class FrontierPoint(BaseModel):
    """The nearest answer at one quantile."""

    quantile: float
    status: Literal["optimal", "feasible", "infeasible", "timeout"]
    distance: float | None
    n_changes: int | None


class FrontierAnswer(BaseModel):
    """Distance against plausibility."""

    points: list[FrontierPoint]


class Relief(BaseModel):
    """A rule whose absence allows an answer."""

    rule: str
    distance: float
    rules: Rules = Field(description="All rules but this one, ready to be asked with.")


class WhyNotAnswer(BaseModel):
    """Why there is no answer, and what would help."""

    reason: Literal["none", "rules", "density", "model", "timeout"]
    sentence: str
    conflict: list[str]
    highest_quantile: float | None
    reliefs: list[Relief]


class Problem(BaseModel):
    """What is wrong with a request, or why it cannot be answered."""

    detail: str
