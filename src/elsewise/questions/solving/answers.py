"""From rows to verified answers: search, check what was found as it will be returned, and widen where needed.

The search works in exact arithmetic's name; the model and the density have the last word. A point counts only after it
is written in the user's own columns and dtypes, the model's own ``predict`` decides for the outcome there, its density,
evaluated afresh, reaches the threshold, and every rule is kept. Where the model disagrees by rounding, the search is
repeated with a wider margin, and without the point itself.
"""

from __future__ import annotations

import time
from collections import defaultdict
from dataclasses import replace
from typing import Any

import numpy as np

from ...arrays import AnyArray, BoolArray, FloatArray, IntArray, UserData
from ...search import (
    Domain,
    EarlierAnswer,
    History,
    Ledger,
    SearchRequest,
    distinct,
    search_cells,
    search_tree,
)
from ...search.constants import MARGINS
from ...search.ledger import is_late
from ...table.frames import rows_of
from ..thresholds.fixed_columns import FixedPart
from ..verification import LogDensities, Verification
from .deadline import RowSeconds
from .infeasibility import is_empty_for_all
from .question import Question

# Where to begin in MARGINS if columns hold floats of fewer bits (1e-6): what is written there is rounded, and so is the
# model's own arithmetic, differently in different batches.
FIRST_MARGIN_OF_SHORT_FLOATS = MARGINS.index(1e-6)

# Parts of a region given up for a row before the row is: each costs a search with all margins.
MOST_BANNED_PARTS = 20
# Boxes of trees whose sums lie on an end of the target, looked into one after the other; and the factor between an
# answer and its bound from which on that is worth a search.
MOST_LOOKS_BEYOND, NOTICEABLE = 5, 1.001

# Share of a time limit that is kept for ranges, where they are asked for.
SHARE_FOR_RANGES = 0.25


class Answers:
    """Answers under construction; arrays over the rows of a chunk.

    Parameters
    ----------
    question : Question
    given : data frame or array of shape (n_samples, n_columns)
        The rows as they came.
    rows : array of shape (n_samples, n_features)
        The same in features.
    predictions : array of shape (n_samples,), optional
        What the model says of the rows, if it was asked before.
    seconds : RowSeconds, optional
        What each row may still take, shared with answers that follow; the question's time limit unless given.
    log_thresholds : array of shape (n_samples, n_goals), optional
        What rows ask of the density of each goal; by default what the question asks of all of them.
    domain : Domain, optional
        What rows may become; by default what the question says of them.

    Attributes
    ----------
    goal : int array of shape (n_samples,)
        The goal that each answer reaches, or the first that was tried; -1 for none.
    ledger : Ledger
        Verified points, distances as the search counts them, what is proven, and what it took; goals are its nodes.
    log_density, log_mixture : arrays of shape (n_samples,)
    component : int array of shape (n_samples,)
    already : bool array of shape (n_samples,)
        The row is its own answer.
    log_thresholds : array of shape (n_samples, n_goals)
        What rows ask of the density of each goal.
    fixed_parts : list of lists of FixedPart or None
        What cannot change in each row, one list a goal; None where thresholds are those of the densities.
    highest_quantile : array of shape (n_samples,)
        The quantile of answers that are less dense than asked; NaN for all others.
    """

    def __init__(
        self,
        question: Question,
        given: UserData,
        rows: FloatArray,
        predictions: AnyArray | None = None,
        seconds: RowSeconds | None = None,
        log_thresholds: FloatArray | None = None,
        domain: Domain | None = None,
    ) -> None:
        n = len(rows)
        share = 1.0 - SHARE_FOR_RANGES if question.options.ranges else 1.0
        self.seconds = RowSeconds(question.options.time_limit, n, share) if seconds is None else seconds
        self.question, self.given, self.rows = question, given, rows
        self.domain = question.domain(rows) if domain is None else domain
        self._fixed_parts: list[list[FixedPart | None]] | None = None
        if log_thresholds is None:
            log_thresholds = np.repeat(question.log_thresholds[None], n, axis=0)
            for goal, density in enumerate(question.densities if question.cones_at is not None else ()):
                for row, part in enumerate(self.fixed_parts[goal]):
                    if part is not None and density is not None and density.quantile_ is not None:
                        log_thresholds[row, goal] = part.log_threshold(density.quantile_)
        self.log_thresholds = log_thresholds
        self.verification = Verification(question, given, rows, predictions, log_thresholds)
        if self.domain is not None and self.domain.least_moves is not None and self.verification.rounds:
            self.domain = replace(self.domain, least_moves=self.domain.least_moves.for_short_floats())
        self.goal = np.full(n, -1)
        self.ledger = Ledger(rows)
        self.ledger.close(np.inf)  # no goal is open yet
        self.log_density = np.full(n, np.nan)
        self.log_mixture = np.full(n, np.nan)
        self.component = np.full(n, -1)
        self.already = np.zeros(n, dtype=np.bool_)
        self.highest_quantile = np.full(n, np.nan)
        self.refused: defaultdict[int, list[FloatArray]] = defaultdict(list)
        self.earlier: list[tuple[EarlierAnswer, ...]] = [()] * n
        self.solved: defaultdict[int, dict[Any, Any]] = defaultdict(dict)

    @property
    def points(self) -> FloatArray:
        """Answers in features, array of shape (n_samples, n_features); NaN without one."""
        return self.ledger.points

    @property
    def value(self) -> FloatArray:
        """Distances of the answers as the search counts them, shape (n_samples,); infinite without one."""
        return self.ledger.value

    @property
    def lower_bound(self) -> FloatArray:
        """Distances that no answer is nearer than, shape (n_samples,); infinite where there is provably none."""
        return self.ledger.lower_bound

    @property
    def model_free(self) -> BoolArray:
        """Answers that are the nearest dense points, whatever the model says; shape (n_samples,)."""
        return self.ledger.model_free

    @property
    def timed_out(self) -> BoolArray:
        """Rows whose proof was given up, shape (n_samples,)."""
        return self.ledger.timed_out

    @property
    def n_projections(self) -> IntArray:
        """Projections that rows took, shape (n_samples,)."""
        return self.ledger.n_projections

    @property
    def fixed_parts(self) -> list[list[FixedPart | None]]:
        """What cannot change in each row, one list a goal; looked for when first needed."""
        if self._fixed_parts is None:
            self._fixed_parts = self.question.fixed_parts(self.rows, self.domain)
        return self._fixed_parts

    @property
    def keeps_satisfied(self) -> bool:
        """Whether rows that have the outcome stay as they are; without a model, none has it."""
        return self.question.use_model and self.question.options.on_satisfied == "keep"

    @property
    def predictions(self) -> AnyArray:
        """What the model says of the rows themselves."""
        return self.verification.predictions

    def of_rows(self, places: IntArray) -> Answers:
        """Return the answers of some of the rows, to be presented: what was refused on the way is left behind."""
        domain = None if self.domain is None else self.domain.of_rows(places)
        of_goals, own = self.log_thresholds[places], self.predictions[places]
        given, rows = rows_of(self.given, places), self.rows[places]
        some = Answers(self.question, given, rows, own, log_thresholds=of_goals, domain=domain)
        some.domain, some.ledger = domain, self.ledger.of_rows(places)
        for name in ("goal", "log_density", "log_mixture", "component", "already", "highest_quantile"):
            setattr(some, name, getattr(self, name)[places])
        return some

    def is_unknown(self, row: int) -> bool:
        """Whether a row has no answer for want of time, and it is not proven that there is none."""
        return bool(np.isinf(self.value[row]) and self.timed_out[row] and np.isfinite(self.lower_bound[row]))

    def widening(self, places: IntArray, goals: IntArray) -> FloatArray | None:
        """Describe what rows add to the squared radii of their goals' cones, array of shape (n,); None for nothing."""
        if self.question.cones_at is None:
            return None
        return np.asarray(2.0 * (self.question.cones_at[goals] - self.log_thresholds[places, goals]))

    def reach(self, places: IntArray, goals: IntArray, share: float = 1.0) -> None:
        """Search goals for the rows at ``places``; keep what is verified and nearer than what they hold.

        Margins widen as long as some row's point is not confirmed; after the widest, the part of the region that
        deceives is left out. All of it may take no more than a share of the seconds that rows have left.
        """
        if self.keeps_satisfied and self._may_stay(goals):
            moves = ~self._leave_as_is(places, goals)
            places, goals = places[moves], goals[moves]
        asked, asked_goals, started = places, goals, time.perf_counter()
        kept_back = self.seconds.kept_back(share)
        new = self.goal[places] < 0
        self.goal[places[new]] = goals[new]
        most_parts = max((goal.n_parts for goal in self.question.problem.goals), default=0)
        banned = np.zeros((len(places), most_parts), dtype=np.bool_)
        banned_bound = np.full(len(places), np.inf)
        first = step = FIRST_MARGIN_OF_SHORT_FLOATS if self.verification.rounds else 0
        while len(places):
            seconds = self.seconds.left[places] - kept_back[places]
            if step == first:  # a first look is taken even if the model itself took all the time there was
                seconds[new] = np.maximum(seconds[new], 0.0)
            found = self._search(places, goals, MARGINS[step], banned if banned.any() else None, seconds)
            self.ledger.n_projections[places] += found.n_projections
            self.ledger.timed_out[places] |= found.timed_out
            failed = self._take(places, goals, found, banned_bound)
            if step == first:
                failed &= ~self._leave_as_is(places, goals)
            started = self.seconds.spend(places, found.seconds, started)
            if not failed.any():
                break
            late = failed & is_late(self.seconds.left[places] - kept_back[places], np.isfinite(self.value[places]))
            if late.any():
                self.ledger.timed_out[places[late]] = True
                self.ledger.settle(places[late], np.minimum(found.lower_bound, banned_bound)[late])
                failed &= ~late
            if step + 1 < len(MARGINS):
                step += 1
            elif not self.question.use_model:  # one convex set a cone: nothing else to look into
                self.ledger.settle(places[failed], found.lower_bound[failed])
                failed[:] = False
            else:
                banned[failed, found.part[failed]] = True
                banned_bound[failed] = np.minimum(banned_bound[failed], found.lower_bound[failed])
                given_up = failed & (banned.sum(axis=1) > MOST_BANNED_PARTS)
                self.ledger.settle(places[given_up], banned_bound[given_up])
                failed &= ~given_up
            places, goals, banned, banned_bound = places[failed], goals[failed], banned[failed], banned_bound[failed]
        self._look_beyond_refused(asked, asked_goals, MARGINS[first], kept_back)
        self._take_back_doubtful_proofs(asked, asked_goals)
        self.seconds.spend(asked, np.zeros(len(asked)), started)

    def _look_beyond_refused(self, places: IntArray, goals: IntArray, margin: float, kept_back: FloatArray) -> None:
        """Search rows once more at the first margin, without the points that were refused, where a gap is left.

        A wider margin leaves out all boxes of trees whose sums lie on an end of the target. `predict` may refuse one of
        them, in the last bits, and accept another.
        """
        if not (self.refused and all(goal.cover.searches_boxes for goal in self.question.searched.goals)):
            return
        for _ in range(MOST_LOOKS_BEYOND):
            seconds, proven = self.seconds.left[places] - kept_back[places], self.lower_bound[places]
            is_open = np.isfinite(proven) & (self.value[places] > proven * NOTICEABLE) & (seconds > 0)
            is_open &= np.array([bool(self.refused.get(place)) for place in places.tolist()], dtype=np.bool_)
            places, goals, seconds = places[is_open], goals[is_open], seconds[is_open]
            if len(places) == 0:
                return
            found = self._search(places, goals, margin, None, seconds)
            self.ledger.n_projections[places] += found.n_projections
            failed = self._take(places, goals, found, np.full(len(places), np.inf))
            places, goals = places[failed], goals[failed]

    def ask_first(self) -> None:
        """Ask the model about the rows beforehand: where time is short, some is kept for it to judge the answers."""
        started = time.perf_counter()
        assert len(self.predictions) == len(self.rows)
        now = self.seconds.spend(np.arange(len(self.rows)), np.zeros(len(self.rows)), started)
        self.seconds.to_verify = (now - started) / max(len(self.rows), 1)

    def _take_back_doubtful_proofs(self, places: IntArray, goals: IntArray) -> None:
        """Without rules a goal is empty for every row or for none: else "empty" is rounding, and nothing is proven."""
        if self.domain is not None or not self.question.use_model:
            return
        empty = np.isinf(self.lower_bound[places])
        if not empty.any():
            return
        late = empty & (self.seconds.left[places] < 0)  # the proof stays unchecked
        self.ledger.settle(places[late], 0.0)
        self.ledger.timed_out[places[late]] = True
        empty &= ~late
        for goal in distinct(goals[empty]):
            if not is_empty_for_all(self.question, goal):
                self.ledger.settle(places[empty & (goals == goal)], 0.0)

    def _search(
        self, places: IntArray, goals: IntArray, margin: float, banned: BoolArray | None, seconds: FloatArray
    ) -> Ledger:
        question = self.question
        if self.domain is None or question.relaxes_first:
            found = search_cells(
                question.problem,
                self.rows[places],
                goals,
                cutoff=self.value[places],
                margin=margin,
                banned=banned,
                use_region=question.use_model,
                time_limit=seconds,
            )
            if self.domain is None:
                return found
            return self._within_found_rules(found, places, goals, margin, banned, seconds)
        return self._search_tree(places, goals, margin, banned, seconds)

    def _within_found_rules(
        self,
        found: Ledger,
        places: IntArray,
        goals: IntArray,
        margin: float,
        banned: BoolArray | None,
        seconds: FloatArray,
    ) -> Ledger:
        """Search rows again whose points break a rule that the cells know nothing of, or that have none at all."""
        again = ~np.isfinite(found.value) & ~np.isfinite(self.value[places])
        with_point = np.flatnonzero(np.isfinite(found.value))
        for row, _ in self.question.rules.broken(self.rows[places[with_point]], found.points[with_point]):
            again[with_point[row]] = True
        if again.any():
            some = None if banned is None else banned[again]
            left = seconds[again] - found.seconds[again]
            found.adopt(again, self._search_tree(places[again], goals[again], margin, some, left))
        return found

    def _search_tree(
        self, places: IntArray, goals: IntArray, margin: float, banned: BoolArray | None, seconds: FloatArray
    ) -> Ledger:
        question = self.question
        assert self.domain is not None
        problem, rows, of_rows = question.searched, self.rows[places], places.tolist()
        domain = replace(self.domain.of_rows(places), widening=self.widening(places, goals))
        refused, earlier = [self.refused[row] for row in of_rows], [self.earlier[row] for row in of_rows]
        request = SearchRequest(
            problem=problem,
            rows=rows,
            goals=goals,
            domain=domain,
            history=History(problem, rows, domain.layout, refused, earlier, [self.solved[row] for row in of_rows]),
            cutoff=self.value[places],
            margin=margin,
            banned=banned,
            use_region=question.use_model,
            seconds=seconds,
            is_eager=question.is_tentative,
            any_point=question.any_point,
            work=question.options.work,
        )
        if question.lattice is None:
            return search_tree(request)
        found = search_tree(request.in_steps(question.lattice))
        found.points[:] = question.lattice.points(found.points, rows)
        return found

    def _take(self, places: IntArray, goals: IntArray, found: Ledger, banned_bound: FloatArray) -> BoolArray:
        """Verify what the search found and keep it; tell which rows have to be searched again."""
        verification = self.verification
        has_point = np.isfinite(found.value)
        points = verification.as_returned(found.points, places, has_point)
        logs = verification.densities(points, goals, places)
        good = has_point & logs.is_dense
        if (has_point & ~good).any() and (self.domain is None or self.question.relaxes_first):
            self._refine(places, goals, found, points, has_point & ~good)
            points = verification.as_returned(points, places, has_point)
            logs = verification.densities(points, goals, places)
            good = has_point & logs.is_dense
        if self.question.is_tentative:
            good[good] = verification.keeps_rules(points[good], places[good])
        elif good.any() or not verification.knows_predictions:
            predictions = verification.predict(points[good], places[good])
            good[good] = verification.holds(points[good], goals[good], places[good], predictions)
        settled = good | ~has_point
        for k in np.flatnonzero(~settled).tolist():
            self.refused[int(places[k])].append(points[k].copy())
        self.ledger.settle(places[settled], np.minimum(found.lower_bound, banned_bound)[settled])
        good[good] = self.ledger.offer(places[good], found.value[good], points[good], found.part[good])
        better = places[good]
        self.goal[better], self.ledger.model_free[better] = goals[good], found.model_free[good]
        self._note(better, logs, good)
        return np.asarray(~settled)

    def _refine(self, places: IntArray, goals: IntArray, found: Ledger, points: FloatArray, short: BoolArray) -> None:
        """Project once more from points far from their rows that rounding left short of the density."""
        question, coordinates = self.question, self.question.problem.coordinates
        again = search_cells(
            question.problem, points[short], goals[short], margin=MARGINS[0], use_region=question.use_model
        )
        has_point = np.isfinite(again.value)
        better = np.flatnonzero(short)[has_point]
        points[better] = again.points[has_point]
        found.value[better] = coordinates.distances(self.rows[places[better]], points[better])

    def _may_stay(self, goals: IntArray) -> bool:
        """Whether to ask the model about rows before a search: its region may say that a single one does not stay.

        A call costs more than its rows; otherwise the model is asked about rows and answers together.
        """
        if self.verification.knows_predictions or len(self.rows) != 1:
            return True
        return any(self.question.may_have(goal, self.rows) is not False for goal in distinct(goals))

    def _leave_as_is(self, places: IntArray, goals: IntArray) -> BoolArray:
        """Answer rows by themselves for which the model decides so already and which are dense enough; tell which.

        Where rows with the outcome are to stay, they need not be dense. Without a model, every row must be.
        """
        rows = self.rows[places]
        stay = self.verification.holds(rows, goals, places, self.predictions[places])
        if not stay.any():
            return stay
        stay &= np.array([not self.earlier[place] for place in places.tolist()])
        logs = self.verification.densities(rows, goals, places)
        if not self.keeps_satisfied:
            stay &= logs.is_dense
        staying = places[stay]
        self.goal[staying] = goals[stay]
        self.ledger.offer(staying, np.zeros(len(staying)), self.rows[staying])
        self.ledger.settle(staying, 0.0)
        self._note(staying, logs, stay)
        self.already[staying] = True
        self.ledger.model_free[staying] = (self.component[staying] >= 0) & logs.is_dense[stay]
        return stay

    def _note(self, places: IntArray, logs: LogDensities, chosen: BoolArray) -> None:
        self.log_density[places], self.log_mixture[places] = logs.largest[chosen], logs.mixture[chosen]
        self.component[places] = logs.component[chosen]

    def start_from(self, other: Answers, goal: int) -> None:
        """Take over the answers to a harder goal: they answer this one too, and only nearer ones are of interest."""
        found = np.flatnonzero(np.isfinite(other.value))
        self.goal[found] = goal
        self.ledger.offer(found, other.value[found], other.points[found])
        self.ledger.model_free[found] = other.model_free[found]
        for name in ("log_density", "log_mixture", "component", "already"):
            getattr(self, name)[found] = getattr(other, name)[found]

    def differ_from(self, others: list[Answers], share: float = 1.0) -> None:
        """Look for the next best answer of every row, different from those it has already; see `reach`."""
        last = others[-1]
        self.solved = last.solved
        found = np.flatnonzero(np.isfinite(last.value))
        self.goal[:] = last.goal
        assert self.domain is not None
        for row in found.tolist():
            self.earlier[row] = tuple(
                EarlierAnswer.of(
                    self.domain.layout, self.rows[row], before.points[row], self.question.options.least_distance
                )
                for before in others
            )
        if len(found):
            self.reach(found, last.goal[found], share)
