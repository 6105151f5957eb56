"""The cost of recourse by group: how far, how many changes, for how many there is no way, and how plausible it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ...answers import Explanations
from ...answers.records import pandas_for
from ...arrays import AnyArray, BoolArray, FloatArray, JsonObject
from ...errors import InvalidInputError
from ...table.wording import PLAIN, Wording
from .answers_table import AnswersTable, groups_of, table_of
from .reason_counts import ReasonCount, count_reasons
from .statistics import corrected, mean_interval, median_interval, share_interval
from .words import MEASURES, SIGNIFICANCE, audit_in_words

if TYPE_CHECKING:
    import pandas as pd

# Rows that a group needs to be listed: with fewer, intervals mean little, and persons show through.
FEWEST_ROWS = 5
# Groups an audit tells apart at most: a column with more is a number, or an id.
MOST_GROUPS = 50

# Measures whose median is stated; of others it is the mean.
_MEDIANS = ("distance", "plausibility")


@dataclass(frozen=True, slots=True)
class GroupMeasure:
    """One measure of one group.

    Attributes
    ----------
    group, measure : str
    n : int
        Rows it is measured on.
    value, low, high : float
        With its 95 % interval, of shares by Wilson, else by the bootstrap; NaN where there is nothing to measure.
    """

    group: str
    measure: str
    n: int
    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Difference:
    """A group against all others, in one measure.

    Attributes
    ----------
    group, measure : str
    value, others : float
        The measure of the group, and of all other groups together.
    p_value : float
        Of Fisher's exact test for shares, of the Mann-Whitney test otherwise.
    adjusted : float
        Holm's correction for all differences of the audit.
    significant : bool
    """

    group: str
    measure: str
    value: float
    others: float
    p_value: float
    adjusted: float
    significant: bool


@dataclass(frozen=True, slots=True)
class Audit:
    """What recourse costs each group.

    Rows that are wrong, and rows for which nothing has to change, are counted and left out: they need none.

    Attributes
    ----------
    by : str
        What groups are distinguished by.
    groups : tuple of str
    counts : dict of str to int
        Rows of each group that need an answer.
    n_unchanged, n_wrong : int
    measures : tuple of GroupMeasure
    differences : tuple of Difference
        Most certain first.
    small : tuple of str
        Groups with too few rows, left out.
    without_recourse : dict of str to int
        Rows of each group that are proven to have no answer.
    reasons : tuple of ReasonCount
        How often each reason is named in each group; empty if reasons were not given.
    wording : Wording
        How the explainer calls columns and values, and in which language.
    """

    by: str
    groups: tuple[str, ...]
    counts: dict[str, int]
    n_unchanged: int
    n_wrong: int
    measures: tuple[GroupMeasure, ...]
    differences: tuple[Difference, ...]
    small: tuple[str, ...]
    without_recourse: dict[str, int]
    reasons: tuple[ReasonCount, ...] = ()
    wording: Wording = PLAIN

    @property
    def significant(self) -> tuple[Difference, ...]:
        """Differences that are significant after correction."""
        return tuple(each for each in self.differences if each.significant)

    def value(self, group: str, measure: str) -> GroupMeasure:
        """Return one measure of one group."""
        return next(each for each in self.measures if (each.group, each.measure) == (group, measure))

    def to_frame(self) -> pd.DataFrame:
        """Table with a line a group and measure: value, interval, p-value against all others, corrected."""
        pandas = pandas_for("to_frame")
        known = {(each.group, each.measure): each for each in self.differences}
        lines = []
        for each in self.measures:
            other = known.get((each.group, each.measure))
            lines.append(
                {
                    "group": each.group,
                    "measure": each.measure,
                    "n": each.n,
                    "value": each.value,
                    "low": each.low,
                    "high": each.high,
                    "others": np.nan if other is None else other.others,
                    "p_value": np.nan if other is None else other.p_value,
                    "adjusted": np.nan if other is None else other.adjusted,
                    "significant": bool(other is not None and other.significant),
                }
            )
        return pandas.DataFrame(lines)

    def to_mapping(self) -> JsonObject:
        """Return all of it as plain values, None for what is not known."""
        lines = self.to_frame().astype(object).to_dict("records")
        measures = [{name: None if value != value else value for name, value in line.items()} for line in lines]
        return {
            "by": self.by,
            "rows": dict(self.counts),
            "unchanged": self.n_unchanged,
            "wrong": self.n_wrong,
            "small": list(self.small),
            "without_recourse": dict(self.without_recourse),
            "reasons": [asdict(each) for each in self.reasons],
            "measures": measures,
        }

    def __str__(self) -> str:
        return audit_in_words(self)


def audit(answers: Any, by: Any, *, reasons: Sequence[Any] | None = None, seed: int = 0) -> Audit:
    """Compare what recourse costs groups of rows.

    Parameters
    ----------
    answers : Explanations, or data frame of answers
        What ``explainer.explain`` gave, or a mapper, or ``elsewise explain``. Of several answers a row the nearest
        counts.
    by : str, or sequence of length n_rows
        A column of the rows, or a group for each row: the column need not be one the model sees.
    reasons : sequence of PrincipalReasons, or None, of length n_rows; optional
        The :meth:`~elsewise.Explainer.reasons` of each row, to be counted by group.
    seed : int, default=0
        Of the bootstrap.

    Returns
    -------
    Audit

    Examples
    --------
    >>> import elsewise as ew
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import LogisticRegression
    >>> X, y = load_iris(return_X_y=True)
    >>> explainer = ew.Explainer(LogisticRegression(max_iter=1000).fit(X, y)).fit(X, y)
    >>> answers = explainer.explain(X[:40], target=2)
    >>> result = ew.audit(answers, by=["left", "right"] * 20)
    >>> result.groups
    ('left', 'right')
    """
    table = table_of(answers)
    name, every = groups_of(answers, by, table)
    in_need = table.in_need
    counts = {str(group): int((every[in_need] == group).sum()) for group in sorted(set(every.tolist()))}
    groups = tuple(group for group, count in counts.items() if count >= FEWEST_ROWS)
    if len(groups) > MOST_GROUPS:
        raise InvalidInputError(
            f"by: {name!r} has {len(groups)} groups, at most {MOST_GROUPS} can be told apart. Put values into bands "
            "first (pandas.cut)."
        )
    if not groups:
        raise InvalidInputError(f"by: no group of {name!r} has {FEWEST_ROWS} rows that need an answer.")
    counted = () if reasons is None else count_reasons(reasons, every, in_need, groups)
    has_none = in_need & (table.statuses == "infeasible")
    rng = np.random.default_rng(seed)
    measures = tuple(_measured(table, every == group, group, rng) for group in groups)
    differences = _corrected([each for group in groups for each in _differences(table, every, group, groups)])
    return Audit(
        by=name,
        groups=groups,
        counts={group: counts[group] for group in groups},
        n_unchanged=int((table.found & (table.n_changes == 0)).sum()),
        n_wrong=int((table.statuses == "error").sum()),
        measures=tuple(each for of_group in measures for each in of_group),
        differences=differences,
        small=tuple(group for group in counts if group not in groups),
        without_recourse={group: int((has_none & (every == group)).sum()) for group in groups},
        reasons=counted,
        wording=answers.table.wording if isinstance(answers, Explanations) else PLAIN,
    )


def _values(table: AnswersTable, chosen: BoolArray, measure: str) -> FloatArray:
    """Values of a measure for some rows, those that have one."""
    rows = chosen & table.in_need
    if measure == "infeasible_share":
        return np.asarray(~table.found[rows], dtype=np.float64)
    values = {"distance": table.distances, "n_changes": table.n_changes, "plausibility": table.plausibilities}[measure]
    own = np.asarray(values[rows & table.found], dtype=np.float64)
    return own[np.isfinite(own)]


def _measured(table: AnswersTable, chosen: BoolArray, group: str, rng: np.random.Generator) -> list[GroupMeasure]:
    found = []
    for measure in MEASURES:
        values = _values(table, chosen, measure)
        if len(values) == 0:
            found.append(GroupMeasure(group, measure, 0, np.nan, np.nan, np.nan))
            continue
        ends = _interval(values, measure, rng)
        found.append(GroupMeasure(group, measure, len(values), _centre(values, measure), *ends))
    return found


def _interval(values: FloatArray, measure: str, rng: np.random.Generator) -> tuple[float, float]:
    if measure == "infeasible_share":
        return share_interval(int(values.sum()), len(values))
    return median_interval(values, rng) if measure in _MEDIANS else mean_interval(values, rng)


def _centre(values: FloatArray, measure: str) -> float:
    return float(np.median(values) if measure in _MEDIANS else np.mean(values))


def _differences(
    table: AnswersTable, every: AnyArray, group: str, groups: tuple[str, ...]
) -> list[tuple[str, str, float, float, float]]:
    """Test a group against all others that are audited: group, measure, both values, p-value."""
    if len(groups) < 2 or (len(groups) == 2 and group == groups[1]):
        return []  # of two groups one test says it all
    own = np.asarray(every == group)
    rest = np.isin(every.astype(np.str_), np.array([other for other in groups if other != group]))
    tests = []
    for measure in MEASURES:
        a, b = _values(table, own, measure), _values(table, rest, measure)
        if len(a) and len(b):
            tests.append((group, measure, _centre(a, measure), _centre(b, measure), _p_value(a, b, measure)))
    return tests


def _p_value(a: FloatArray, b: FloatArray, measure: str) -> float:
    from scipy.stats import fisher_exact, mannwhitneyu  # takes as long to import as all the rest

    if measure == "infeasible_share":
        counts = [[int(a.sum()), int(len(a) - a.sum())], [int(b.sum()), int(len(b) - b.sum())]]
        return float(fisher_exact(np.array(counts))[1])
    if np.ptp(np.concatenate([a, b])) == 0:
        return 1.0
    return float(mannwhitneyu(a, b, alternative="two-sided").pvalue)


def _corrected(tests: list[tuple[str, str, float, float, float]]) -> tuple[Difference, ...]:
    """Correct for the number of tests; most certain first."""
    adjusted = corrected([test[4] for test in tests])
    found = [Difference(*test, each, each < SIGNIFICANCE) for test, each in zip(tests, adjusted)]
    return tuple(sorted(found, key=lambda each: each.p_value))
