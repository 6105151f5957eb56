r"""Paths: the shortest path from a point through a given sequence of ellipsoids to a set of answers.

Let :math:`E_1, \dots, E_t` be ellipsoids and T a terminal set, a polyhedron within an ellipsoid. A path has corners
:math:`p_1 \in E_1 \cap E_2, \dots, p_{t-1} \in E_{t-1} \cap E_t` and an end :math:`p_t \in T`, all within a box and
linear rules, and some coordinates never fall (or never rise) from one corner to the next. Its length is
:math:`\sum_k \lVert p_k - p_{k-1} \rVert`, in plain coordinates (:mod:`elsewise.projection.distance`): the sum of
absolute differences for norm 1, the Euclidean length for norm 2.

**The proof.** Corner k has multipliers :math:`(\zeta_0, \zeta)` with :math:`\lVert\zeta\rVert \le \zeta_0` for each
ellipsoid :math:`\lVert F p - g \rVert \le r` it lies in, and :math:`\xi \ge 0` for the half-spaces :math:`A p \le b`.
Let :math:`w_k = \sum F^\top \zeta - A^\top \xi` and :math:`u_k = u_{k+1} + w_k`, from :math:`u_{t+1} = 0` on. If every
:math:`u_k` is in the unit ball of the dual norm, every such path is at least as long as

.. math:: \beta = -u_1^\top p_0 + \sum_k \sum (\zeta^\top g - \zeta_0 r) - \xi^\top b,

for :math:`\sum_k \lVert p_k - p_{k-1}\rVert \ge \sum_k u_k^\top (p_k - p_{k-1})` and the products of multipliers and
slacks are not negative. Multipliers are divided by the largest norm of the :math:`u_k`: if it is above 1 they must be,
below 1 they prove more. Where there is no path at all, they prove that it is longer than anything. Where a coordinate
never falls, :math:`u_k` may be as negative there as it likes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from ....arrays import FloatArray, IntArray
from .conic import ConeShape, ConicSolution, Scaling, Solver, solve_conic
from .sets import Ellipsoids, Ground, Terminal

# Relative spacing of doubles; a term of a bound, a product or a root of a sum of some hundred, is off by no more than
# so many of it.
EPS, ROUNDINGS_A_TERM = 2.0**-52, 256
# Stands for nothing where something is divided by it.
TINY = 1e-300
# Coordinates that sets hardly see, or that hardly move, have no size of their own: if it differs by more than this
# factor from the usual one, it is the usual one.
WIDEST_UNITS = 1e5


@dataclass(frozen=True, slots=True, eq=False)
class SequencePath:
    """Corners of a path and what is proven of paths through the same sequence.

    Attributes
    ----------
    corners : array of shape (n_segments, n)
        Without the start. NaN where none were found.
    length : float
        Infinite without corners.
    bound : float
        No path through this sequence is shorter.
    """

    corners: FloatArray
    length: float
    bound: float


def shortest_path(
    ground: Ground,
    start: FloatArray,
    sets: Ellipsoids,
    sequence: IntArray,
    terminal: Terminal,
    margin: float,
    cutoff: float = np.inf,
) -> SequencePath:
    """Solve for the corners of a given sequence.

    Parameters
    ----------
    ground : Ground
    start : array of shape (n,)
    sets : Ellipsoids
    sequence : int array of shape (t,)
        Which sets the path goes through, in order.
    terminal : Terminal
    margin : float
        Share of radii, and of the sizes of half-spaces, by which corners stay inside. The bound does not count it.
    cutoff : float
        Paths longer than this are of no interest; their corners need not be good ones.
    """
    if terminal.point is not None and len(sequence) == 1:  # nothing to choose
        corners = terminal.point[None]
        turns = bool((ground.direction * (terminal.point - start) < 0.0).any())
        length = np.inf if turns else path_length(ground.norm, start, corners)
        return SequencePath(np.full_like(corners, np.nan) if turns else corners, length, length)
    problem = _Problem(ground, start, sets, sequence, terminal)
    solution = problem.solve(margin, cutoff)
    bound = max(problem.bound(solution.z), 0.0)
    if solution.status == "infeasible":
        return SequencePath(np.full((problem.n_segments, len(start)), np.nan), np.inf, bound)
    corners = problem.corners(solution.x)
    return SequencePath(corners, path_length(ground.norm, start, corners), bound)


def _unit_rows(normals: FloatArray) -> FloatArray:
    unit: FloatArray = normals / np.maximum(np.abs(normals).max(axis=1, keepdims=True, initial=0.0), TINY)
    return unit


def path_length(norm: int, start: FloatArray, corners: FloatArray) -> float:
    """Length of a polygon in plain coordinates."""
    apart = np.diff(corners, axis=0, prepend=start[None])
    return float(np.abs(apart).sum() if norm == 1 else np.sqrt(np.square(apart).sum(axis=1)).sum())


def path_lengths(norm: int, start: FloatArray, points: FloatArray) -> FloatArray:
    """Straight distances from a point to others of shape (n_points, n), array of shape (n_points,)."""
    apart = points - start
    return np.asarray(np.abs(apart).sum(axis=1) if norm == 1 else np.sqrt(np.square(apart).sum(axis=1)))


class _Problem:
    """One sequence as a conic problem: corners first, then what bounds the length of each segment.

    ``lines`` are the half-lines of the cone in order: for norm 1 the two sides of every segment, then bounds, rules and
    the terminal's half-spaces, then one-way coordinates. ``members`` are (corner, factor, gram, centre, radius) of the
    ellipsoids that corners lie in.
    """

    def __init__(
        self, ground: Ground, start: FloatArray, sets: Ellipsoids, sequence: IntArray, terminal: Terminal
    ) -> None:
        self.ground, self.start, self.terminal, self.n = ground, start, terminal, len(start)
        self.is_fixed = terminal.point is not None
        self.n_overlaps = len(sequence) - 1
        self.n_corners = self.n_overlaps + (0 if self.is_fixed else 1)
        self.n_segments = self.n_overlaps + 1
        self.members = [
            (corner, sets.factors[j], sets.grams[j], sets.centres[j], float(sets.radii[j]))
            for corner in range(self.n_overlaps)
            for j in sequence[corner : corner + 2].tolist()
        ]
        if not self.is_fixed:
            self.members.append((self.n_overlaps, terminal.factor, terminal.gram, terminal.centre, terminal.radius))
        if not self.is_fixed and not terminal.is_within and sequence[-1] == terminal.component:
            j = terminal.component
            self.members.append(
                (self.n_overlaps, sets.factors[j], sets.grams[j], sets.centres[j], float(sets.radii[j]))
            )
        self.halfspaces = self._halfspaces()
        self.one_way = np.flatnonzero(ground.direction)
        self.units = self._units()
        each = self.units / np.array([[member[4]] for member in self.members])
        self.scaled_members = [
            (corner, factor * unit, gram * np.outer(unit, unit))
            for (corner, factor, gram, _, _), unit in zip(self.members, each)
        ]
        self.scaled_halfspaces = [(_unit_rows(normals * self.units), offsets) for normals, offsets in self.halfspaces]

    def _halfspaces(self) -> list[tuple[FloatArray, FloatArray]]:
        """Half-spaces of each corner."""
        ground, each = self.ground, np.eye(self.n)
        high, low = np.isfinite(ground.upper), np.isfinite(ground.lower)
        normals = np.concatenate([each[high], -each[low], ground.normals])
        offsets = np.concatenate([ground.upper[high], -ground.lower[low], ground.offsets])
        parts = [(normals, offsets)] * self.n_corners
        if not self.is_fixed:
            last = np.concatenate([normals, self.terminal.normals]), np.concatenate([offsets, self.terminal.offsets])
            parts[-1] = last
        return parts

    def corners(self, x: FloatArray) -> FloatArray:
        """Return the corners, and the end if it is fixed, array of shape (n_segments, n)."""
        corners = x[: self.n_corners * self.n].reshape(self.n_corners, self.n)
        if self.terminal.point is None:
            return corners.copy()
        return np.concatenate([corners, self.terminal.point[None]])

    # The bound: nothing here is used by the solver, and nothing of the solver is used here but its multipliers.

    def bound(self, z: FloatArray) -> float:
        """Evaluate the length that multipliers prove; see the module docstring."""
        n, K, direction = self.n, self.n_segments, self.ground.direction
        n_sides = 2 * K * n if self.ground.norm == 1 else 0
        u, terms = np.zeros((K + 1, n)), [0.0]
        if self.is_fixed:  # the dual of the last segment is free: that of its two sides
            u[K - 1] = self._last_segment(z, n_sides)
            assert self.terminal.point is not None
            terms += (u[K - 1] * self.terminal.point).tolist()
        place, w = n_sides, np.zeros((self.n_corners, n))
        for corner, (normals, offsets) in enumerate(self.halfspaces):
            xi = np.maximum(z[place : place + len(offsets)], 0.0)
            w[corner] -= xi @ normals
            terms += (-xi * offsets).tolist()
            place += len(offsets)
        place += K * len(self.one_way)
        for corner, factor, _, centre, radius in self.members:
            zeta = z[place + 1 : place + 1 + len(centre)]
            w[corner] += zeta @ factor
            terms += [*(zeta * centre).tolist(), -float(np.sqrt(zeta @ zeta)) * radius]
            place += 1 + len(centre)
        for k in range(self.n_corners - 1, -1, -1):
            u[k] = u[k + 1] + w[k]
        terms += (-u[0] * self.start).tolist()
        counted = np.where(direction * u[:K] < 0.0, 0.0, u[:K])  # against the only direction there is nothing to pay
        sizes = np.abs(counted).max(axis=1) if self.ground.norm == 1 else np.sqrt(np.square(counted).sum(axis=1))
        beta = math.fsum(terms) - ROUNDINGS_A_TERM * EPS * math.fsum(map(abs, terms))
        largest = float(sizes.max(initial=0.0))
        return beta / largest if largest > 0.0 else (np.inf if beta > 0.0 else 0.0)

    def _last_segment(self, z: FloatArray, n_sides: int) -> FloatArray:
        """Multipliers of the last difference: of its two sides, or of its length, and of what never turns."""
        if self.ground.norm == 1:
            half, first = n_sides // 2, n_sides // 2 - self.n
            u = z[first:half] - z[half + first : n_sides]
        else:
            u = -z[len(z) - self.n :]
        if len(self.one_way):
            n_halfspaces = sum(len(offsets) for _, offsets in self.halfspaces)
            place = n_sides + n_halfspaces + (self.n_segments - 1) * len(self.one_way)
            turned = np.maximum(z[place : place + len(self.one_way)], 0.0)
            u[self.one_way] -= self.ground.direction[self.one_way] * turned
        return u

    # The conic problem, in units in which the sets have a size of one: y = (p - start) / units, and rows likewise.

    def solve(self, margin: float, cutoff: float = np.inf) -> ConicSolution:
        """Solve it with corners a margin inside of their sets; the multipliers are those of the problem as it is."""
        n, K, N, norm = self.n, self.n_segments, self.n_corners, self.ground.norm
        n_lengths = K * n if norm == 1 else K
        G, h, scale, shape = self._rows(margin, n_lengths)
        c = np.concatenate([np.zeros(N * n), np.ones(n_lengths)])
        of_lengths = np.tile(self.units, K) if norm == 1 else self.units[:1].repeat(K)
        units = np.concatenate([np.tile(self.units, N), of_lengths])
        origin = np.concatenate([np.tile(self.start, N), np.zeros(n_lengths)])
        size = float(np.median(self.units))
        with np.errstate(all="ignore"):  # what overflows or is not a number ends the iterations
            solved = solve_conic(
                units * c / size,
                scale[:, None] * G * units,
                scale * (h - G @ origin),
                shape,
                self._factorise,
                units / size,
                cutoff / size,
            )
        return ConicSolution(solved.status, origin + units * solved.x, scale * solved.z * size)

    def _rows(self, margin: float, n_lengths: int) -> tuple[FloatArray, FloatArray, FloatArray, ConeShape]:
        """Constraints ``G x + s = h`` in order, what each row is multiplied with, and the cone of ``s``."""
        n, K, n_corners = self.n, self.n_segments, self.n_corners * self.n
        difference, constant = self._differences()
        blocks: list[FloatArray] = []
        right: list[FloatArray] = []
        scale: list[FloatArray] = []

        def add(block: FloatArray, offsets: FloatArray, sizes: FloatArray, first: int = 0) -> None:
            """Add rows about the variables from ``first`` on."""
            rows = np.zeros((len(offsets), n_corners + n_lengths))
            rows[:, first : first + block.shape[1]] = block
            blocks.append(rows)
            right.append(offsets)
            scale.append(sizes)

        if self.ground.norm == 1:  # v - t <= 0, -v - t <= 0
            for sign in (1.0, -1.0):
                sides = np.hstack([sign * difference, -np.eye(n_lengths)])
                add(sides, -sign * constant, np.tile(1.0 / self.units, K))
        for corner, (normals, offsets) in enumerate(self.halfspaces):
            inside = offsets - margin * np.abs(offsets - normals @ self.start)
            largest = np.maximum(np.abs(normals * self.units).max(axis=1, initial=0.0), TINY)
            add(normals, inside, 1.0 / largest, corner * n)
        if len(self.one_way):
            sign_of = np.tile(self.ground.direction[self.one_way], K)
            which = (np.arange(K)[:, None] * n + self.one_way).ravel()
            sizes = np.tile(1.0 / self.units[self.one_way], K)
            add(-sign_of[:, None] * difference[which], sign_of * constant[which], sizes)
        n_lines = sum(len(offsets) for offsets in right)
        for corner, factor, _, centre, radius in self.members:
            top = np.vstack([np.zeros((1, n)), -factor])
            inside = np.concatenate([[radius * (1.0 - margin)], -centre])
            add(top, inside, np.full(len(inside), 1.0 / radius), corner * n)
        groups = [(len(self.members), 1 + self.terminal.factor.shape[0])] if self.members else []
        if self.ground.norm == 2:
            for k in range(K):
                block = np.zeros((1 + n, n_corners + n_lengths))
                block[0, n_corners + k] = -1.0
                block[1:, :n_corners] = -difference[k * n : (k + 1) * n]
                offsets = np.concatenate([[0.0], constant[k * n : (k + 1) * n]])
                add(block, offsets, np.full(1 + n, 1.0 / self.units[0]))
            groups.append((K, 1 + n))
        shape = ConeShape(n_lines, tuple(groups))
        return np.concatenate(blocks), np.concatenate(right), np.concatenate(scale), shape

    def _differences(self) -> tuple[FloatArray, FloatArray]:
        """Differences of consecutive points as a matrix of the corners, and what fixed ends add to them."""
        n, K, N = self.n, self.n_segments, self.n_corners
        difference, constant, identity = np.zeros((K * n, N * n)), np.zeros(K * n), np.eye(n)
        for k in range(K):
            here, before = slice(k * n, (k + 1) * n), slice((k - 1) * n, k * n)
            if k < N:
                difference[here, here] = identity
            elif self.terminal.point is not None:
                constant[here] += self.terminal.point
            if k > 0:
                difference[here, before] = -identity
            else:
                constant[here] -= self.start
        return difference, constant

    def _units(self) -> FloatArray:
        """Size of the sets along each coordinate; one for all where the length is Euclidean."""
        sizes = [radius / np.sqrt(np.maximum(np.diag(gram), TINY)) for _, _, gram, _, radius in self.members]
        units = np.median(sizes, axis=0) if sizes else np.ones(self.n)
        typical = float(np.median(units))
        units = np.where((units < typical / WIDEST_UNITS) | (units > typical * WIDEST_UNITS), typical, units)
        return units if self.ground.norm == 1 else np.full(self.n, typical)

    def _factorise(self, scaling: Scaling) -> Solver:
        """Factorise ``G' W^-2 G``, lengths eliminated: a matrix with a block a corner, and beside the diagonal."""
        n, K, N, norm = self.n, self.n_segments, self.n_corners, self.ground.norm
        weights = scaling.lines**-2
        H = np.zeros((N, n, N, n))
        place = 2 * K * n if norm == 1 else 0
        for corner, (normals, offsets) in enumerate(self.scaled_halfspaces):
            if len(offsets):
                H[corner, :, corner] += (normals.T * weights[place : place + len(offsets)]) @ normals
            place += len(offsets)
        if self.members:
            eta, w = scaling.cones[0]
            for (corner, factor, gram), size, vector in zip(self.scaled_members, eta.tolist(), w):
                image = vector[1:] @ factor
                H[corner, :, corner] += (gram + np.outer(2.0 * image, image)) / size**2
        one_way = np.zeros((K, n))
        if len(self.one_way):
            one_way[:, self.one_way] = weights[place:].reshape(K, -1)
        if norm == 1:
            up, down = weights[: K * n].reshape(K, n), weights[K * n : 2 * K * n].reshape(K, n)
            both, tilt = up + down, (down - up) / (up + down)
            stiff = 4.0 * up * down / both + one_way
            segments = [np.diag(line) for line in stiff]
        else:
            eta, w = scaling.cones[-1]
            flat = 2.0 * w[:, 0] ** 2 - 1.0
            both, tilt = flat / eta**2, -2.0 * w[:, :1] * w[:, 1:] / flat[:, None]
            segments = [
                (np.eye(n) - np.outer(2.0 / flat[k] * w[k, 1:], w[k, 1:])) / eta[k] ** 2 + np.diag(one_way[k])
                for k in range(K)
            ]
        for k, block in enumerate(segments):
            if k < N:
                H[k, :, k] += block
            if k > 0:
                H[k - 1, :, k - 1] += block
                if k < N:
                    H[k, :, k - 1] -= block
                    H[k - 1, :, k] -= block
        factor = cho_factor(H.reshape(N * n, N * n), lower=True, overwrite_a=True, check_finite=False)

        def solve(rhs: FloatArray) -> FloatArray:
            p, t = rhs[: N * n].reshape(N, n), rhs[N * n :]
            # p -= D'(tilt t): what lengths hand on to the corners
            pushed = tilt * (t.reshape(K, n) if norm == 1 else t[:, None])
            p = p - pushed[:N]
            if K > 1:
                p[: K - 1] += pushed[1:]
            corners = cho_solve(factor, p.reshape(-1), check_finite=False)
            moved = np.zeros((K, n))
            moved[:N] += corners.reshape(N, n)
            if K > 1:
                moved[1:] -= corners.reshape(N, n)[: K - 1]
            if norm == 1:
                lengths = t / both.reshape(-1) - (tilt * moved).reshape(-1)
            else:
                lengths = t / both - (tilt * moved).sum(axis=1)
            return np.concatenate([corners, lengths])

        return solve
