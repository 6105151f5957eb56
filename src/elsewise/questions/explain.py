"""From what the user asks to what the user gets: rows and targets in, explanations, frontiers and reasons out."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..answers.explanation import Explanation
from ..answers.explanations import Explanations, concatenate
from ..answers.frontier import ChangesFrontier, Frontier
from ..answers.why_not import WhyNot
from ..arrays import BoolArray, FloatArray, IntArray
from ..density import at_threshold
from ..errors import InvalidInputError
from ..fitted import FittedModel
from ..models import Outcome
from ..rules import Constraints, Rules
from ..rules.relaxing import by_derived_ranges
from ..table.frames import as_table, rows_of, without_na
from ..text.languages import speaking
from .budget import answers_within, check_budget
from .conflicts.inquiry import Inquiry
from .frontier import SAME_DISTANCE, walk
from .one_row import RowQuestion
from .options import Options
from .presentation import explanations_of, in_turn
from .progress import ProgressOption, reporter
from .solving.becoming_missing import nearest_variants, refuse_options, refuse_rules, variants_of
from .solving.chunks import in_chunks
from .solving.deadline import Deadline
from .solving.infeasibility import with_bounds_of
from .solving.other_models import with_other_models, with_robust_radius
from .solving.question import pose
from .solving.row_errors import CheckedRows, checked_rows, encoded_rows, with_wrong_rows
from .solving.several_answers import answers_of, nearest_first
from .targets import outcomes_of_rows, with_confidence
from .thresholds.fixed_columns import may_hold_columns
from .thresholds.highest_quantile import settle_for_densest

# Share of a time limit for the nearest answer of all, where answers with fewer changes are asked for, too.
SHARE_OF_NEAREST = 0.4


def explain_rows(
    fitted: FittedModel,
    X: ArrayLike,
    target: Any,
    options: Options,
    *,
    checked: CheckedRows | None = None,
    n_jobs: int | None = None,
    progress: ProgressOption = False,
    use_model: bool = True,
    budget: float | None = None,
) -> Explanations:
    """Check what is asked, compile what is new, and answer chunk by chunk; see :meth:`elsewise.Explainer.explain`.

    ``checked`` are the rows in features, if they are at hand.
    Without ``use_model`` the answers are the nearest points that are dense enough, whatever the model says of them
    (Theorem 2). A ``budget`` is in seconds, for all rows together.
    """
    check_budget(budget, options)
    options = with_confidence(fitted, options)
    given = without_na(fitted.table.own_columns(X))
    plain = with_other_models(fitted, options.other_models, given)
    fitted = with_robust_radius(plain, options.robust_radius)
    rules = fitted.rules(options.constraints)  # but for directions, which depend on a row's outcome
    missing = fitted.table.missing(given)
    if checked is None and options.errors == "row":
        checked = checked_rows(fitted, rules, given)
    elif checked is None:
        checked = CheckedRows(encoded_rows(fitted, rules, given, missing=missing), {})
    wrong = checked.wrong
    numbers = np.arange(len(given))  # of the rows that are right
    numbers = np.setdiff1d(numbers, list(wrong)) if wrong else numbers
    every, given = given, rows_of(given, numbers) if wrong else given
    rows, missing = (checked.features[numbers], missing[numbers]) if wrong else (checked.features, missing)
    wanted = outcomes_of_rows(target, len(every), fitted.classes, options.min_probability).among(fitted)
    is_exact = fitted.is_exactly_robust(wanted.outcomes)
    if not is_exact and options.time_limit is not None:  # bounds take another search
        options = replace(options, time_limit=options.time_limit / 2)

    proven = None
    if not is_exact:  # what is proven of all answers is proven of those that last
        of_all = replace(options, robust_radius=0.0, n_counterfactuals=1, on_infeasible="none", certificate=False)
        budget = None if budget is None else budget / 2
        proven = explain_rows(plain, every, target, of_all, checked=checked, n_jobs=n_jobs, budget=budget)

    goal = _with_other_of_two(fitted, wanted.goal[numbers], given, rows, always=bool(rules.may_become_missing))
    present, present_numbers, variants = given, numbers, None
    if rules.may_become_missing:
        refuse_options(options, fitted.distance, goal)
        variants = variants_of(fitted.table, rules, given, missing)
        given, goal, missing = variants.given, goal[variants.source], missing[variants.source] | variants.lost
        rows, numbers, options = fitted.table.encode(given), np.arange(len(given)), variants.shared(options)

    def answers_where(places: IntArray, own: FittedModel, rules: Rules, options: Options) -> list[Explanations]:
        n_lost = 0 if variants is None or len(places) == 0 else int(variants.n_lost[places[0]])
        own_rules = rules if own.missing is None else rules.where_missing(own.missing)
        own_rules = own_rules.after_changes(n_lost)
        has_own = may_hold_columns(own, own_rules)
        own_options = replace(options, on_satisfied="move") if n_lost else options  # such a row is no answer as it is
        question = pose(
            own, wanted.outcomes, own_rules, options=own_options, use_model=use_model, own_thresholds=has_own
        )

        def run(span: slice) -> Explanations:
            chosen = places[span]
            goals = goal[chosen]
            is_all = len(chosen) == len(given)
            found = answers_of(question, given if is_all else rows_of(given, chosen), rows[chosen], goals)
            if options.on_infeasible == "densest":
                has_none = None if proven is None else proven.statuses[numbers[chosen]] == "infeasible"
                settle_for_densest(found[0], goals, has_none)
            part = in_turn(found, goals, numbers[chosen])
            if budget is None:
                report(len(chosen), part.statuses.tolist())
            return part

        return in_chunks(question, len(places), n_jobs, run)

    with reporter(progress, len(rows)) as report:
        groups = [
            (alike[places][inside], own, inner)
            for kind, own in fitted.by_missing(missing)
            for alike in ([kind] if variants is None else variants.by_number(kind))
            for places, own_rules in _by_rules(fitted, options.constraints, wanted.outcomes, goal[alike])
            for inside, inner in by_derived_ranges(own_rules, rows[alike[places]])
        ]

        def ask(chosen: BoolArray, limit: float | None) -> Explanations:
            asked = options if limit is None else replace(options, time_limit=limit)
            some = [(places[chosen[places]], own, own_rules) for places, own, own_rules in groups]
            some = [group for group in some if len(group[0])] or some[:1]
            found = concatenate([part for group in some for part in answers_where(*group, asked)])
            return found if len(some) == 1 else found.take(np.argsort(found.rows, kind="stable"))

        if budget is None:
            joined = ask(np.ones(len(rows), dtype=np.bool_), None)
        else:
            joined = answers_within(ask, numbers, budget, options.time_limit, report)
    if variants is not None:
        joined = nearest_variants(joined, variants, rules, fitted.distance, present, present_numbers)
    if options.n_counterfactuals > 1:
        joined = nearest_first(joined)
    if proven is not None:
        joined = with_bounds_of(joined, proven)
    targets = [wanted.target(goal, fitted.classes) for goal in wanted.goal.tolist()] if wrong else []
    return with_wrong_rows(joined, every, wrong, targets, is_regressor=fitted.classes is None)


def _with_other_of_two(fitted: FittedModel, goal: IntArray, given: Any, rows: FloatArray, *, always: bool) -> IntArray:
    """Return the goals of rows; the other one of two classes is found at once where directions depend on it."""
    is_open = goal < 0
    if not ((always or fitted.follows_directions) and is_open.any() and len(fitted.labels) == 2):
        return goal
    assert fitted.classes is not None
    return np.where(is_open, (fitted.predict(rows, given) == fitted.classes[0]).astype(np.int64), goal)


def _by_rules(
    fitted: FittedModel, constraints: Constraints | None, outcomes: Sequence[Outcome], goal: IntArray
) -> list[tuple[IntArray, Rules]]:
    """Return the places of rows that have the same rules, and these rules; the outcome of a row decides."""
    if constraints is not None or not fitted.follows_directions or len(goal) == 0:
        return [(np.arange(len(goal)), fitted.rules(constraints))]
    goals_under: dict[int, tuple[Rules, list[int]]] = {}
    for number in np.unique(goal).tolist():
        rules = fitted.rules(None, None if number < 0 else outcomes[number])
        goals_under.setdefault(id(rules), (rules, []))[1].append(number)
    return [(np.flatnonzero(np.isin(goal, goals)), rules) for rules, goals in goals_under.values()]


def for_one_row(fitted: FittedModel, rules: Rules, row: FloatArray, missing: BoolArray) -> tuple[FittedModel, Rules]:
    """Return model and rules for a row and its missing features, both of shape (1, n_features)."""
    if missing.any():
        with speaking(fitted.table.wording):
            fitted, rules = fitted.where_missing(missing[0]), rules.where_missing(missing[0])
    [(_, rules)] = by_derived_ranges(rules, row)
    return fitted, rules


def explain_row(
    fitted: FittedModel,
    x: ArrayLike,
    target: Any,
    options: Options,
    *,
    is_single: bool,
) -> Explanation | Explanations:
    """Explain one row, and find out why where rules leave no answer; see :meth:`elsewise.Explainer.explain_one`.

    A single explanation is wanted, or a list of them.
    """
    started = time.perf_counter()
    options = with_confidence(fitted, options)
    row = _one_row(fitted, x, "explain_one takes one row", " Use explain for many.")
    if fitted.classes is None and target is not None and np.ndim(np.asarray(target, dtype=object)) == 2:
        raise InvalidInputError("explain_one takes one target=(low, high).")
    answers = explain_rows(fitted, row, target, options)
    if not is_single:
        return answers
    first = answers[0]
    if first.status != "infeasible" or target is None:
        return first
    given, _, outcome = one_question(fitted, row, target, options)
    if (
        fitted.constraints_of(options.constraints, outcome) is None
        or fitted.rules(options.constraints, outcome).may_become_missing
    ):
        return first
    if not with_robust_radius(
        with_other_models(fitted, options.other_models, given), options.robust_radius
    ).is_exactly_robust([outcome]):
        options = replace(options, robust_radius=0.0)  # there is no answer at all, whether or not it lasts
    left = None if options.time_limit is None else options.time_limit - (time.perf_counter() - started)
    if left is not None and left <= 0:
        return first
    why = find_why_not(fitted, row, target, replace(options, time_limit=left))
    return first if why.reason == "unknown" else replace(first, cause=why)


def find_frontier(
    fitted: FittedModel,
    x: ArrayLike,
    target: Any,
    quantiles: Sequence[float],
    options: Options,
) -> Frontier:
    """Answer for one row at several density thresholds; see :meth:`elsewise.Explainer.frontier`."""
    options = with_confidence(fitted, options)
    given, row, outcome = one_question(fitted, x, target, options)
    fitted = with_other_models(fitted, options.other_models, given)
    rules, missing = fitted.rules(options.constraints, outcome), fitted.table.missing(given)
    refuse_rules(rules)
    rules.check_rows(row, given, missing)
    fitted, rules = for_one_row(fitted, rules, row, missing)
    density = fitted.density_of(outcome)
    if density is None:
        raise InvalidInputError("The frontier is over densities, but the explainer was made with density=None.")
    levels = np.unique(np.asarray(quantiles, dtype=np.float64))
    if levels.ndim != 1 or len(levels) == 0:
        raise InvalidInputError(f"quantiles: expected numbers between 0 and 1, received {quantiles!r}.")
    densities = [at_threshold(density, float(level)) for level in levels]
    has_own = may_hold_columns(fitted, rules)
    question = pose(
        fitted, [outcome] * len(levels), rules, options=options, densities=densities, own_thresholds=has_own
    )
    parts = [
        explanations_of(answers, np.array([goal]), np.array([0]))
        for goal, answers in enumerate(walk(question, given, row))
    ]
    explanations = concatenate(parts)
    return Frontier(levels, explanations.log_thresholds, explanations)


def find_why_not(fitted: FittedModel, x: ArrayLike, target: Any, options: Options) -> WhyNot:
    """Find out why a row has no answer; see :meth:`elsewise.Explainer.why_not`."""
    asked = row_question(fitted, x, target, options)
    return Inquiry(asked.fitted, asked.outcome, asked.given, asked.row, asked.rules, options).result()


def row_question(fitted: FittedModel, x: ArrayLike, target: Any, options: Options) -> RowQuestion:
    """Return the question about one row and one outcome, after all checks of what the user gave."""
    options = with_confidence(fitted, options)
    given, row, outcome = one_question(fitted, x, target, options)
    fitted = with_robust_radius(with_other_models(fitted, options.other_models, given), options.robust_radius)
    rules, missing = fitted.rules(options.constraints, outcome), fitted.table.missing(given)
    refuse_rules(rules)
    rules.check_rows(row, given, missing)
    own, own_rules = for_one_row(fitted, rules, row, missing)
    return RowQuestion(own, given, row, outcome, own_rules, options)


def _one_row(fitted: FittedModel, x: ArrayLike, expected: str = "Expected one row", hint: str = "") -> Any:
    """Return one row as a table of one, or say that it is not one."""
    x = as_table([x]) if isinstance(x, Mapping) else x
    row: Any = fitted.table.one_row(x) if np.ndim(x) == 1 else x
    if np.ndim(row) != 2 or len(row) != 1:
        raise InvalidInputError(f"{expected}, received shape {np.shape(x)}.{hint}")
    return row


def one_question(fitted: FittedModel, x: ArrayLike, target: Any, options: Options) -> tuple[Any, FloatArray, Outcome]:
    """One row as given and in features, and the one outcome wanted of it."""
    given = without_na(fitted.table.own_columns(_one_row(fitted, x)))
    if target is None:
        raise InvalidInputError("Expected a target: this is about one wanted outcome.")
    row = fitted.table.encode(given)
    return given, row, outcomes_of_rows(target, 1, fitted.classes, options.min_probability).outcomes[0]


def find_changes_frontier(fitted: FittedModel, x: ArrayLike, target: Any, options: Options) -> ChangesFrontier:
    """Answer for one row with ever more changes; see :meth:`elsewise.Explainer.frontier`.

    The nearest answer of all, with m changed columns, is the nearest with at most m changes as well: only smaller
    numbers are searched.
    """
    options = with_confidence(fitted, options)
    given, _, outcome = one_question(fitted, x, target, options)
    options, deadline = replace(options, n_counterfactuals=1), Deadline(options.time_limit)
    stated = fitted.constraints_of(options.constraints, outcome) or Constraints()
    nearest = explain_rows(fitted, given, target, replace(options, time_limit=deadline.limit(SHARE_OF_NEAREST)))
    found = nearest[0].found
    most = len(nearest[0].changes) if found else len(fitted.table.columns)
    if not found and nearest[0].status == "infeasible":
        return ChangesFrontier(np.array([most]), nearest)
    parts: list[Explanations] = []
    for count in range(1, most):
        rules = stated & Constraints(max_changes=count)
        limit = deadline.limit(1.0 / (most - count))
        part = explain_rows(fitted, given, target, replace(options, constraints=rules, time_limit=limit))
        if found and _is_as_near(part, nearest):
            nearest, most = part, count
            break
        parts.append(part)
    counts = np.append(np.arange(1, len(parts) + 1), most)
    return ChangesFrontier(counts, concatenate([*parts, nearest]))


def _is_as_near(part: Explanations, nearest: Explanations) -> bool:
    """Whether fewer changes lead to an answer that is no farther away."""
    return part[0].found and part[0].distance <= nearest[0].distance * (1 + SAME_DISTANCE)
