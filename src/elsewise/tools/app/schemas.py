"""Bodies of requests, checked in full before anything is computed, and of answers, described."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StrictBool, StrictFloat, StrictInt, create_model

from ...arrays import JsonObject, UserTarget, UserValue
from ...questions.options import Effort, OnInfeasible, Options, describe_option
from ..files.answers import shown_fields

# Largest number in a request: beyond it floats are no longer exact for whole numbers, and no person types it.
LARGEST_NUMBER = 1e15
# Columns, rules and levels in a request, at most.
MOST_COLUMNS = 20_000
# Characters of a name or a text in a request, at most.
LONGEST_TEXT = 1000
# Quantiles of a frontier if none are given: enough to draw a line, few enough to follow the slider.
FRONTIER_QUANTILES = (0.05, 0.2, 0.35, 0.5, 0.65, 0.8, 0.95)
# Quantiles in one question for a frontier, at most.
MOST_QUANTILES = 25
# Rows in one answer to GET /api/rows.
MOST_ROWS_LISTED = 500
# Answers side by side, at most: more are not compared at a glance.
MOST_ANSWERS = 5
# Bands in one question, at most.
MOST_BANDS = 12

Number = (
    Annotated[StrictInt, Field(ge=-LARGEST_NUMBER, le=LARGEST_NUMBER)]
    | Annotated[StrictFloat, Field(ge=-LARGEST_NUMBER, le=LARGEST_NUMBER, allow_inf_nan=False)]
)
Text = Annotated[str, Field(max_length=LONGEST_TEXT, strict=True)]
Name = Annotated[str, Field(max_length=LONGEST_TEXT, strict=True)]
Quantile = Annotated[StrictFloat, Field(gt=0.0, lt=1.0, allow_inf_nan=False)]
Value = StrictBool | Number | Text | None


class _Request(BaseModel):
    model_config = ConfigDict(extra="forbid")


class IntervalBody(_Request):
    """Wanted values of a regressor; null leaves an end open."""

    low: Number | None = None
    high: Number | None = None


class RulesBody(_Request):
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


class QuestionBody(_Request):
    """One row and the outcome wanted of it."""

    row: dict[Name, Value] = Field(max_length=MOST_COLUMNS, description="Value of every column, by name.")
    target: IntervalBody | Value = Field(description="A class, or {low, high} for a regressor.")
    quantile: Quantile | None = Field(
        default=None,
        description="How plausible: the answer is at least as dense as this share of the target's training rows. "
        "Null takes the threshold the explainer was fitted with.",
    )
    rules: RulesBody = RulesBody()
    effort: Effort = Field(default=Options().effort, description=describe_option("effort"))
    on_infeasible: OnInfeasible = Field(default=Options().on_infeasible, description=describe_option("on_infeasible"))


class FrontierQuestionBody(QuestionBody):
    """A question at several quantiles; its own ``quantile`` is not used."""

    quantiles: Annotated[list[Quantile], Field(min_length=1, max_length=MOST_QUANTILES)] = list(FRONTIER_QUANTILES)


class SeveralQuestionBody(QuestionBody):
    """A question with several answers: each changes a set of columns that contains no earlier one."""

    n_counterfactuals: Annotated[StrictInt, Field(ge=1, le=MOST_ANSWERS)] = MOST_ANSWERS


class ChosenQuestionBody(QuestionBody):
    """A question with several answers, of which one is taken away."""

    n_counterfactuals: Annotated[StrictInt, Field(ge=1, le=MOST_ANSWERS)] = 1
    answer: Annotated[StrictInt, Field(ge=1, le=MOST_ANSWERS)] = Field(
        default=1, description="Number of the answer, nearest first."
    )


class MapQuestionBody(QuestionBody):
    """A question whose answer is drawn in a plane of two columns."""

    columns: Annotated[list[Name], Field(min_length=2, max_length=2)] | None = Field(
        default=None, description="Two columns of numbers, across and up; null takes the two most costly changes."
    )


class LadderQuestionBody(QuestionBody):
    """A question about bands of outcomes."""

    bands: Annotated[list[Number], Field(min_length=1, max_length=MOST_BANDS)] = Field(
        description="From the worst to the best: least probabilities of the target, rising; of a regressor the numbers "
        "at which bands begin, rising or falling."
    )


class RowsQuery(_Request):
    """Which of the known rows to list."""

    offset: Annotated[int, Field(ge=0, le=10**9)] = 0
    limit: Annotated[int, Field(ge=1, le=MOST_ROWS_LISTED)] = 100
    search: Annotated[str, Field(max_length=LONGEST_TEXT)] = Field(default="", description="Words that a row holds.")
    prediction: Annotated[int, Field(ge=0, le=10**6)] | None = Field(
        default=None, description="Position of the class that is predicted."
    )
    other_than: Annotated[int, Field(ge=0, le=10**6)] | None = Field(
        default=None, description="Position of a class that is not predicted."
    )
    sort: Annotated[str, Field(max_length=LONGEST_TEXT + 1)] = Field(
        default="", description="Column to sort by; a minus before its name begins with the largest."
    )


class ColumnBody(BaseModel):
    """One column of the table."""

    name: str
    kind: Literal["number", "integer", "ordinal", "category"]
    levels: list[UserValue] = Field(description="Of ordered levels and categories; empty for numbers.")
    low: float | None = Field(description="Smallest number in the training data.")
    high: float | None = Field(description="Largest number in the training data.")
    open: bool = Field(description="Values never seen in training are accepted.")
    optional: bool = Field(description="A number may be missing (null).")
    label: str = Field(description="What people call it.")
    unit: str = Field(description="Unit of its numbers; empty for none.")
    value_names: list[list[Any]] = Field(description="Values that have names of their own: [value, name].")
    fixed: str | None = Field(description="Why it stays as it is, whatever is asked; null if it may change.")


class ImageBody(BaseModel):
    """Columns are the pixels of an image, line by line."""

    height: int
    width: int
    low: float
    high: float


class AboutBody(BaseModel):
    """What can be asked."""

    title: str
    version: str
    columns: list[ColumnBody]
    classes: list[UserValue] | None = Field(description="Null for a regressor.")
    outcome_names: list[str | None] = Field(description="What people call the classes; null where the label says it.")
    target: UserTarget = Field(description="Class to ask for first; null for a regressor.")
    language: str
    texts: dict[str, str] = Field(description="Text of the page, in this language.")
    exactness_in_words: str
    exactness: str = Field(description="What answers can be expected to be: exact, bounded or black box.")
    outcomes: list[float] | None = Field(description="Smallest, middle and largest prediction for known rows.")
    has_density: bool = Field(description="Whether answers have a plausibility, and questions a quantile.")
    quantile: float | None = Field(description="Threshold the explainer was fitted with, if it is a quantile.")
    image: ImageBody | None
    n_rows: int
    typical: JsonObject = Field(description="A row in the middle of the training data.")
    has_report: bool
    has_ways: bool = Field(description="Whether ways through dense data can be asked for.")
    bands: list[float] = Field(description="Bands to begin with; empty where the model has none.")
    rules: list[str] = Field(description="Rules that every answer keeps, whatever is asked, in words.")
    never_together: list[str] = Field(description="What no training row has both of, and no answer brings together.")


class KnownRowBody(BaseModel):
    """A row to pick."""

    number: int
    prediction: UserValue
    row: JsonObject


class RowsBody(BaseModel):
    """Some of the rows to pick from."""

    total: int
    rows: list[KnownRowBody]


class ScaleBody(BaseModel):
    """Numbers are drawn at asinh((x - middle) / unit): evenly near the middle, by their logarithm far from it."""

    middle: float
    unit: float


class ProfileBody(BaseModel):
    """How a column is distributed."""

    column: str
    counts: list[int] = Field(description="Of bins that are equally wide on the column's scale, or of the levels.")
    low: float | None = Field(description="Where the first bin begins; null for levels.")
    high: float | None = Field(description="Where the last bin ends; null for levels.")
    scale: ScaleBody | None = Field(description="Of a skewed column; null for an even one, and for levels.")


class ProfilesBody(BaseModel):
    """Distributions of all columns among the training rows of a class."""

    target: UserTarget
    profiles: list[ProfileBody]


class ChangeBody(BaseModel):
    """One column that changes."""

    column: str
    before: UserValue
    after: UserValue
    difference: float | None = Field(description="Null for levels.")
    cost: float = Field(description="What the change adds to the distance.")


class PositionBody(BaseModel):
    """Where a column's value stands among the target's training rows.

    For numbers the share of rows with at most this value, for levels the share of rows with this level.
    """

    before: float | None
    after: float | None


class _AnswerParts(BaseModel):
    """The nearest plausible counterfactual, or the reason why there is none."""

    sentence: str
    changes: list[ChangeBody] = Field(description="Most costly first.")
    probability_before: float | None = Field(description="Of the target, by the model; null if it gives none.")
    probability_after: float | None = Field(description="The same at the answer.")
    counterfactual: JsonObject | None
    positions: dict[str, PositionBody]


# What is stated of an answer by its name, described where answers are; null where there is no finite number.
_KINDS: dict[type | None, Any] = {float: float | None, int: int, bool: bool, str: str, None: Any}
_STATUSES = Literal["optimal", "feasible", "densest", "infeasible", "unknown", "timeout"]
_DESCRIPTIONS = {
    "lower_bound": "Proven: no valid and plausible row is nearer.",
    "plausibility": "Share of the target's training rows that are no denser; at least the quantile that was asked for.",
}
_TOLD: JsonObject = {
    name: (_STATUSES if name == "status" else _KINDS[kind], Field(description=_DESCRIPTIONS.get(name)))
    for name, kind in shown_fields().items()
}
AnswerBody = create_model("AnswerBody", __base__=_AnswerParts, __doc__=_AnswerParts.__doc__, **_TOLD)


class AnswersBody(BaseModel):
    """Several answers, best first."""

    answers: list[AnswerBody]  # type: ignore[valid-type]


class FrontierPointBody(BaseModel):
    """The nearest answer at one quantile."""

    quantile: float
    status: _STATUSES
    distance: float | None
    n_changes: int | None


class FrontierAnswerBody(BaseModel):
    """Distance against plausibility."""

    points: list[FrontierPointBody]


class PlanStepBody(BaseModel):
    """One step of a plan, and the stage it leads to."""

    sentence: str = Field(description="What to do.")
    columns: list[str]
    share: float | None = Field(description="Share of all training rows that are no denser than the stage.")
    probability: float | None = Field(description="Of the target, if the model gives one.")
    prediction: UserValue
    is_as_wanted: bool


class PlanBody(BaseModel):
    """In which order to make the changes of the answer."""

    status: _STATUSES
    sentence: str
    remark: str = Field(description="The sentence without the steps: where the model turns, and the sparsest stage.")
    turn: int | None = Field(description="Number of steps after which the model decides as wanted, and keeps to it.")
    steps: list[PlanStepBody]


class PathBody(BaseModel):
    """The shortest way from the row to an answer that stays in dense data all along."""

    status: _STATUSES
    sentence: str
    length: float | None
    level: float | None = Field(description="Share of the training rows that are no denser than any place of the way.")
    enters: bool = Field(description="The row itself is sparser: the first step leads to where data are dense.")
    steps: list[str] = Field(description="What to do, corner by corner.")
    positions: list[float] = Field(description="Places along the way, from 0 to 1.")
    shares: list[float] = Field(description="Share of the training rows that are no denser, at each place.")
    probabilities: list[float | None] | None = Field(description="Of the target, at each place; null if there is none.")
    rows: list[JsonObject] = Field(description="The row and its stages, corner by corner.")


class _StepBody(BaseModel):
    """What an answer takes."""

    status: _STATUSES
    distance: float | None
    plausibility: float | None
    changes: list[ChangeBody]


class LeverBody(_StepBody):
    """A few columns that are enough by themselves."""

    columns: list[str]


class LeversBody(BaseModel):
    """Which sets of at most two columns are enough by themselves, nearest first, and which are proven not to be."""

    sentence: str
    levers: list[LeverBody]
    n_not_enough: int = Field(description="Sets that are proven not to be enough.")
    n_unknown: int = Field(description="Sets of which neither is known.")


class LadderStepBody(_StepBody):
    """What it takes to reach a band or a better one."""

    band: str


class LadderBody(BaseModel):
    """What each better band takes."""

    sentence: str
    current: str | None = Field(description="The best band that the row is in already.")
    steps: list[LadderStepBody]


class MapBody(BaseModel):
    """A plane of two columns through an answer: all other columns are as in the answer. Empty without an answer."""

    columns: list[str] = Field(description="Across and up.")
    across: list[float] = Field(description="First and last number of the grid.")
    up: list[float]
    lines: list[str] = Field(
        description="Lines of the grid from the lowest up, a digit a point: the sum of 1 where the model decides as "
        "wanted, 2 where the row is realistic, and 4 where the change is smaller than that of the answer."
    )
    accepted: str = Field(
        description="SVG path, to be filled, of where the model decides as wanted; a unit is a step of the grid."
    )
    realistic: str = Field(description="The same of where rows are realistic.")
    smaller: str = Field(description="SVG path of the edge of all smaller changes.")
    now: list[float | None] = Field(description="The row.")
    then: list[float | None] = Field(description="The answer.")
    n_other_changes: int = Field(description="Further columns that change: with any, the row lies off the plane.")


class ReliefBody(BaseModel):
    """A rule whose absence allows an answer."""

    rule: str
    distance: float
    rules: RulesBody = Field(description="All rules but this one, ready to be asked with.")


class WhyNotBody(BaseModel):
    """Why there is no answer, and what would help."""

    reason: Literal["none", "rules", "density", "model", "timeout"]
    sentence: str
    conflict: list[str]
    highest_quantile: float | None
    reliefs: list[ReliefBody]


class ProblemBody(BaseModel):
    """What is wrong with a request, or why it cannot be answered."""

    detail: str
