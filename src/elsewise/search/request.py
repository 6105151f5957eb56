"""What is asked of a search: rows, their goals and domains, and how far and how long to look."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..arrays import BoolArray, FloatArray, IntArray, distinct_lines
from .constants import MARGINS
from .domains.domain import Domain
from .domains.earlier_answers import History
from .domains.lattice import Lattice
from .problem import SearchProblem


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """The nearest point of its goal within its domain is searched for every row.

    Attributes
    ----------
    problem : SearchProblem
    rows : array of shape (n_samples, n_features)
    goals : int array of shape (n_samples,)
    domain : Domain
        Of the same rows.
    history : History
        Of the same rows.
    cutoff : array of shape (n_samples,)
        Only points nearer than this are wanted; infinite for any.
    banned : bool array of shape (n_samples, most parts of a goal), or None
        Parts not to look into.
    margin : float
        Relative distance to keep from the boundary of cells.
    use_region : bool
        False leaves the model out.
    seconds : array of shape (n_samples,)
        What a row may take; infinite without a limit.
    is_eager : bool
        Send many nodes at once: for searches that end with the first point, or look into everything.
    any_point : bool
        The first point of a row ends its search.
    work : float
        What ends a proof whatever the clock says: counted work, as a multiple of the usual amount, which takes about
        ten seconds. A row without a point may take the usual amount at least.
    """

    problem: SearchProblem
    rows: FloatArray
    goals: IntArray
    domain: Domain
    history: History
    cutoff: FloatArray
    banned: BoolArray | None
    margin: float
    use_region: bool
    seconds: FloatArray
    is_eager: bool = False
    any_point: bool = False
    work: float = np.inf

    @classmethod
    def plain(cls, problem: SearchProblem, rows: FloatArray, goals: IntArray, domain: Domain) -> SearchRequest:
        """Ask for the nearest points, however far and without a limit, of rows that were never answered."""
        endless = np.full(len(rows), np.inf)
        history = History(problem, rows, domain.layout, None, None)
        return cls(problem, rows, goals, domain, history, endless, None, MARGINS[0], True, endless)

    def in_steps(self, lattice: Lattice) -> SearchRequest:
        """Ask the same of rows in counts of steps, as the problem has them; points of answers are counts, too."""
        rows, domain, history = lattice.counts(self.rows), lattice.domain(self.domain, self.rows), self.history
        refused = [[lattice.counts(point) for point in points] for points in history.refused]
        earlier = [[replace(each, point=lattice.counts(each.point)) for each in answers] for answers in history.earlier]
        counted = History(self.problem, rows, domain.layout, refused, earlier, history.solved)
        return replace(self, rows=rows, domain=domain, history=counted)

    def of_rows(self, rows: IntArray) -> SearchRequest:
        """Ask the same of some of the rows."""
        return replace(
            self,
            rows=self.rows[rows],
            goals=self.goals[rows],
            domain=self.domain.of_rows(rows),
            history=self.history.of_rows(rows),
            cutoff=self.cutoff[rows],
            banned=None if self.banned is None else self.banned[rows],
            seconds=self.seconds[rows],
        )

    def distinct(self) -> tuple[IntArray, IntArray]:
        """Find rows of which the same is asked.

        Returns
        -------
        first : int array of shape (n_distinct,)
            The first row of each kind.
        kind : int array of shape (n_samples,)
        """
        domain = self.domain
        asked: list[FloatArray | IntArray | BoolArray] = [
            self.rows,
            domain.lower,
            domain.upper,
            self.goals[:, None],
            self.cutoff[:, None],
        ]
        if self.banned is not None:
            asked.append(self.banned)
        if domain.widening is not None:
            asked.append(domain.widening[:, None])
        if domain.clauses is not None:
            asked += [domain.clauses.low, domain.clauses.high, domain.clauses.binds]
        if domain.least_moves is not None:
            asked += [domain.least_moves.below, domain.least_moves.above]
        return distinct_lines(np.concatenate(asked, axis=1, dtype=np.float64))

    def without_model(self) -> SearchRequest:
        """Ask for the nearest point of the domain and the density, however far, whatever the model says of it."""
        anywhere = np.full(len(self.rows), np.inf)
        return replace(self, use_region=False, banned=None, cutoff=anywhere, is_eager=False, any_point=False)
