r"""The projector's second entry: the largest value of a linear form over what can still be reached.

What can be reached is a cell around a point :math:`x_0` in plain coordinates (norm 1): half-spaces, bounds, a cone, and
a radius :math:`r`. For any multipliers :math:`\lambda_0 \ge 0` of :math:`w^\top x \ge t`, :math:`\lambda \ge 0` of
:math:`G x \le o` and :math:`y = (y_0, y_1)`, :math:`\lVert y_1 \rVert \le y_0`, of the cone, every
:math:`x = x_0 + v` of the cell has

.. math:: \lVert v \rVert_1 \ge \lambda_0 (t - w^\top x) + D, \qquad
          D = \beta + \sum_i \min_{l_i \le v_i \le u_i} |v_i| + \rho_i v_i

with :math:`\rho = G^\top\lambda - \lambda_0 w - h_1 y_0 - F^\top y_1` and :math:`\beta` the Lagrangian at
:math:`x_0`. So within the radius :math:`w^\top x \le t + (r - D) / \lambda_0`, whatever the multipliers: those of the
projection onto :math:`\{w^\top x \ge t\}` make it tight where its distance is :math:`r`. ``D`` is evaluated here from
the multipliers alone. A path of the kernel from the cell's nearest point on, whose trail is known, finds such a
:math:`t` by itself; without a path it is guessed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..arrays import FloatArray
from .balls import SUM_ROUNDING, Balls
from .cells import CUTOFF, INFEASIBLE, Batch, Cells, Details
from .warm_starts import MOST_ON_PATH, Trail, renumbered, trail_of

# Multipliers smaller than this, for a form whose largest weight is 1, say nothing.
SMALLEST_MULTIPLIER = 1e-9
# Larger ones (of empty cells: up to 1e300) are made smaller, lest sums and squares of them overflow.
LARGEST_MULTIPLIER = 1e60
# Multipliers of an empty cell are scaled until what they leave of a feature is 1, but no farther than this.
SMALLEST_RHO = 1e-6
# Accuracy that an inverse of a cone's factor must have, relatively, to bound features by it.
INVERSE_ACCURACY = 1e-8
# Where the first guess lies between the value at a known point and the bound, and a gain that is worth another round.
FIRST_GUESS, WORTH_A_ROUND = 0.6, 1e-6
# A form cannot be so large if that is so many radii away: what is proven of it then is off by one in so many.
FAR_BEYOND = 1e3


class Nearest(NamedTuple):
    """The nearest point of a cell: its bound, its difference ``v`` if there is one, multipliers of the half-spaces.

    ``trail`` is None where no path led there.
    """

    bound: float
    v: FloatArray | None
    multipliers: FloatArray
    trail: Trail | None = None


@dataclass(frozen=True, slots=True)
class Reachable:
    """A cone, bounds and rules around one point, all in plain coordinates of norm 1.

    Attributes
    ----------
    cells : Cells
        The table that has the cone; its polyhedra are not looked at.
    x0 : array of shape (n,)
    low, high : arrays of shape (n,)
        Bounds of the difference ``v``.
    cone : int
        -1 for none.
    normals, offsets : arrays of shape (n_rules, n), (n_rules,)
    """

    cells: Cells
    x0: FloatArray
    low: FloatArray
    high: FloatArray
    cone: int
    normals: FloatArray
    offsets: FloatArray

    def nearest(
        self, A: FloatArray, b: FloatArray, *, cutoff: float, margin: float, start: Trail | None = None
    ) -> Nearest:
        """Project onto ``{ x : A x <= b }`` within the cell; see :meth:`Cells.project`."""
        normals, offsets = np.vstack([A, self.normals]), np.concatenate([b, self.offsets])
        batch = self._project(
            normals,
            offsets,
            [(0, len(b)), (len(b), len(offsets))],
            cutoff=cutoff,
            margin=margin,
            start=start,
            trails=True,
        )
        assert batch.halfspace_multipliers is not None
        assert batch.trails is not None
        status = batch.status[0]
        has_point = status not in (INFEASIBLE, CUTOFF) and np.isfinite(batch.value[0])
        v = batch.v[0] if has_point else None
        multipliers, trail = batch.halfspace_multipliers[0], None
        if not len(self.cells.group):  # half-spaces of categories come and go
            if batch.trails[0, 0] > 0:
                trail = batch.trails[0]
            elif v is not None and self._holds(batch) and len(offsets) <= MOST_ON_PATH:
                trail = trail_of(v, multipliers, self.low, self.high)
        return Nearest(float(batch.bound[0]), v, multipliers[: len(b)], trail)

    def largest(
        self,
        W: FloatArray,
        high: FloatArray,
        A: FloatArray,
        b: FloatArray,
        *,
        radius: float,
        near: FloatArray,
        rounds: int,
        start: Trail | None = None,
    ) -> FloatArray:
        """Bound ``W x`` over the points of the cell with ``A x <= b`` that are within the radius.

        Parameters
        ----------
        W : array of shape (n_forms, n)
        high : array of shape (n_forms,)
            Bounds that are known already.
        A, b : arrays of shape (n_halfspaces, n), (n_halfspaces,)
        radius : float
        near : array of shape (n,)
            A point of the cell, or near to it: where guesses start.
        rounds : int
            Each costs a projection a form.
        start : int array, optional
            Trail of the nearest point with ``A x <= b``.
        """
        unit = np.abs(W).max(axis=1, initial=0.0)
        forms = np.flatnonzero(unit > 0)
        if len(forms) == 0 or not np.isfinite(radius):
            return high
        W = np.ascontiguousarray(W[forms] / unit[forms, None])
        best = np.minimum(high[forms] / unit[forms], self.balls(radius).largest(W)[0])
        least = W @ near
        t = np.where(best > least, least + FIRST_GUESS * (best - least), best)
        G, o = np.vstack([A, self.normals]), np.concatenate([b, self.offsets])
        is_open = best > least + WORTH_A_ROUND * (1 + np.abs(least))
        if start is not None and rounds:
            some = np.flatnonzero(is_open)
            found = self._below(W[some], best[some], G, o, radius, start)[0]
            gained = best[some] - found > WORTH_A_ROUND * (1 + np.abs(best[some]))
            t[some] = best[some] = np.minimum(best[some], found)
            is_open[some] = gained & (best[some] > least[some])
            rounds -= 1
        for _ in range(rounds):
            some = np.flatnonzero(is_open)
            if len(some) == 0:
                break
            guess = t[some]
            found, distance = self._below(W[some], guess, G, o, radius)
            gained = best[some] - found > WORTH_A_ROUND * (1 + np.abs(best[some]))
            best[some] = np.minimum(best[some], found)
            least[some] = np.where(distance <= radius, np.maximum(least[some], guess), least[some])
            # Where nothing is left beyond a guess, tangents at the bound are steep and prove little: try the middle.
            t[some] = np.where(np.isfinite(distance), best[some], (least[some] + best[some]) / 2)
            is_open[some] = (gained | (guess < best[some]) | (t[some] < best[some])) & (best[some] > least[some])
        result = high.copy()
        result[forms] = np.minimum(high[forms], best * unit[forms])
        return result

    def balls(self, radius: float) -> Balls:
        """Return what bounds and a radius leave, without half-spaces and the cone."""
        group = self.cells.group if len(self.cells.group) else np.full(len(self.x0), -1)
        return Balls(self.x0[None], self.low[None], self.high[None], np.array([radius]), group)

    def _holds(self, batch: Batch) -> bool:
        """Whether the cone is active at the only optimum: no path is without it."""
        return self.cone >= 0 and batch.cone_multipliers is not None and bool(batch.cone_multipliers[0, 0] > 0)

    def farthest(self) -> float:
        """Bound the distance of everything in the cell; infinite where the cone does not bound every feature.

        With ``G F = I``, ``x - G g = G (F x - g)``: a feature is no farther from ``G g`` than the radius times the
        length of its row of ``G``.
        """
        low, high = self.low, self.high
        if self.cone >= 0 and not len(self.cells.tilts):
            F, g = self.cells.factors[self.cells.shape[self.cone]].T, self.cells.centres[self.cone]
            G = np.linalg.pinv(F)
            if np.abs(G @ F - np.eye(len(low))).max() < INVERSE_ACCURACY:
                width = self.cells.radii[self.cone] * np.linalg.norm(G, axis=1) * (1 + INVERSE_ACCURACY)
                middle = G @ g - self.x0
                width = width + INVERSE_ACCURACY * (np.abs(G @ g) + np.abs(self.x0))
                low, high = np.maximum(low, middle - width), np.minimum(high, middle + width)
        farthest = np.maximum(np.abs(low), np.abs(high))
        if len(self.cells.group):  # a category changes once, at its price, whatever the limits of its indicators
            gains, prices = self.balls(0.0).gains_of_levels(np.eye(len(low))[None])
            prices = prices[gains.any(axis=1)]
            return float(farthest[self.cells.group < 0].sum() + prices.sum())
        return float(farthest.sum())

    def _below(
        self, W: FloatArray, t: FloatArray, G: FloatArray, o: FloatArray, radius: float, start: Trail | None = None
    ) -> tuple[FloatArray, FloatArray]:
        """Bounds of forms that the projections onto ``{ W x >= t }`` prove, and the distances of these; both (n,).

        From a trail on, a smaller ``t`` is taken where one is found on the path: where the distance is the radius.
        """
        k = len(W)
        if k == 0:
            return np.empty(0), np.empty(0)
        batch = self._project(
            np.vstack([-W, G]),
            np.concatenate([-t, o]),
            [*((i, i + 1) for i in range(k)), (k, k + len(o))],
            cutoff=np.inf if start is None else FAR_BEYOND * radius,
            start=None if start is None else renumbered(start, np.arange(1, 1 + len(o))),
            reach=0.0 if start is None else radius,
        )
        assert batch.halfspace_multipliers is not None
        own = np.maximum(batch.halfspace_multipliers[:, 0], 0.0)
        common = np.maximum(batch.halfspace_multipliers[:, 1 : 1 + len(o)], 0.0)
        return self._proven(W, t, own, G, o, common, batch.cone_multipliers, radius), batch.value

    def _proven(
        self,
        W: FloatArray,
        t: FloatArray,
        own: FloatArray,
        G: FloatArray,
        o: FloatArray,
        common: FloatArray,
        of_cone: FloatArray | None,
        radius: float,
    ) -> FloatArray:
        """Evaluate ``t + (radius - D) / own`` for each form, rounded up: infinite where nothing is proven.

        Multipliers of a cell that is empty (a ray) prove the more the larger they are: they are tried as they are, and
        as large as can be. They may be so large that their squares are no numbers: any positive multiple of them proves
        as much then.
        """
        cone = np.zeros((len(W), 1)) if of_cone is None else of_cone
        largest = np.maximum(np.maximum(own, common.max(axis=1, initial=0.0)), np.abs(cone).max(axis=1, initial=0.0))
        usual = np.where(largest > LARGEST_MULTIPLIER, 1.0 / np.maximum(largest, 1.0), 1.0)
        own, common, cone = own * usual, common * usual[:, None], cone * usual[:, None]
        x0, size0 = self.x0, np.abs(self.x0)
        rho = common @ G - own[:, None] * W
        beta = own * (t - W @ x0) + common @ (G @ x0 - o)
        size = own * (np.abs(t) + np.abs(W) @ size0) + common @ (np.abs(G) @ size0 + np.abs(o))
        if self.cone >= 0 and of_cone is not None:
            F, g = self.cells.factors[self.cells.shape[self.cone]].T, self.cells.centres[self.cone]
            tilt = self.cells.tilts[self.cone] if len(self.cells.tilts) else np.zeros(len(x0))
            y1 = cone[:, 1:]
            y0 = np.maximum(cone[:, 0], np.linalg.norm(y1, axis=1) * (1 + SUM_ROUNDING))
            right, sizes = self.cells.radii[self.cone] + tilt @ x0, np.abs(F) @ size0 + np.abs(g)
            rho -= y1 @ F + y0[:, None] * tilt
            beta -= y0 * right + y1 @ (F @ x0 - g)
            size += y0 * (self.cells.radii[self.cone] + np.abs(tilt) @ size0) + np.abs(y1) @ sizes
        caps = self._relative_to_bases(rho)
        endless = np.where(np.isinf(self.high) & np.isinf(caps), -rho, 0.0)
        endless = np.maximum(endless, np.where(np.isinf(self.low), rho, 0.0)).max(axis=1, initial=0.0)
        best = np.full(len(W), np.inf)
        for least_rho in (1.0, SMALLEST_RHO):
            scale = 1.0 / np.maximum(least_rho, endless)
            least = self._least_terms(rho * scale[:, None], caps)
            D = scale * (beta - SUM_ROUNDING * size) + least - SUM_ROUNDING * np.abs(least)
            with np.errstate(divide="ignore", invalid="ignore"):
                proven = t + (radius - D) / (own * scale)
            proven = np.where(own * scale > SMALLEST_MULTIPLIER, proven + SUM_ROUNDING * np.abs(proven), np.inf)
            best = np.minimum(best, proven)
        return best

    def _relative_to_bases(self, rho: FloatArray) -> FloatArray:
        """Substitute what a category's base loses; give how much can move to each feature, infinite for numbers."""
        group, caps = self.cells.group, np.full(len(self.x0), np.inf)
        for c in range(int(group.max(initial=-1)) + 1):
            members = np.flatnonzero(group == c)
            base = members[self.x0[members].argmax()]
            rho[:, members] -= rho[:, [base]]
            caps[members] = max(float(self.x0[base]), 0.0)
        return caps

    def _least_terms(self, rho: FloatArray, caps: FloatArray) -> FloatArray:
        """Sum of ``min |v_i| + rho_i v_i`` over the bounds; what moves within a category is shared by its levels."""
        low, high = np.maximum(self.low, -1e300), np.minimum(np.minimum(self.high, caps), 1e300)
        middle = np.clip(0.0, low, high)
        terms = np.abs(middle) + rho * middle
        with np.errstate(over="ignore"):  # ends may be infinite
            terms = np.minimum(terms, np.where(rho < -1.0, np.abs(high) + rho * high, np.inf))
            terms = np.minimum(terms, np.where(rho > 1.0, np.abs(low) + rho * low, np.inf))
        group = self.cells.group
        total = terms[:, group < 0].sum(axis=1) if len(group) else terms.sum(axis=1)
        for c in range(int(group.max(initial=-1)) + 1):
            total = total + terms[:, group == c].min(axis=1)
        return np.asarray(total)

    def _project(
        self,
        normals: FloatArray,
        offsets: FloatArray,
        spans: list[tuple[int, int]],
        *,
        cutoff: float,
        margin: float = 0.0,
        start: Trail | None = None,
        reach: float = 0.0,
        trails: bool = False,
    ) -> Batch:
        """Project onto each of the first polyhedra together with the last one."""
        k, n = len(spans) - 1, len(self.x0)
        cells = self.cells.with_halfspaces(normals, offsets, np.array(spans))
        return cells.project(
            self.x0[None],
            np.zeros(k, dtype=np.int64),
            np.column_stack([np.arange(k), np.full(k, k)]),
            np.full(k, self.cone),
            cutoff=np.full(k, cutoff),
            margin=np.full(k, margin),
            limits=(np.repeat(self.low.reshape(1, n), k, axis=0), np.repeat(self.high.reshape(1, n), k, axis=0)),
            details=Details(True, start, reach, trails),
        )
