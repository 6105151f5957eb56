"""A slow and simple checker of certificates: plain loops over the definition of the bound.

It reads the model by itself (`model_reading`) and the density from its means, weights and precisions; nothing of the
search is used. A certificate says: no point that the model gives the target, and that lies in the cone if there is one,
is nearer than ``lower_bound``. What is checked:

- cells of a number are intervals that follow each other from minus to plus infinity, and no tree tells places within
  one apart; those of a category are its levels;
- the first box holds every cell that could matter, and the parts of a divided box hold all that it held;
- every cell and leaf that a step takes out of a box is bounded by the dual point of that step;
- every box that is not divided is bounded, or empty, or a single cell that is asked about, or too far from the cone.

A cell or leaf matters only where its box has points nearer than the bound: everything at least as far is left out.
Without a density a distance is a sum of what cells cost. Where few sums are possible, nothing lies between the bound
and the largest of them below it, and no more than that has to be shown (`Checker.least_to_show`).
Where leaves are votes, what a sum of those that are left can be is listed in whole numbers (`Checker.needed`).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np

from search.relaxations.tree_sums.certificate_cone import ConeBounds, level_cost
from search.relaxations.tree_sums.certificate_view import RefutedError, View, require

# Relative rounding of what is compared: the search accounts for its own, this is the checker's.
ROUNDING = 1e-9
# Projections that the search trusts are this accurate, relative to distances.
PROJECTED = 1e-6
# Scores that are multiples of this add up exactly; sums beyond so many are not listed, and are whole in this unit.
VOTE, MOST_SUMS, WHOLE = 2.0**-20, 400, 2**120
# Possible distances beyond so many are not listed.
MOST_DISTANCES = 3000
# A distance that is this much below the bound, relative to it, is another one, whatever rounding did to the sums.
CLEAR = 1e-6


def is_refuted(checker: Callable[[Any], Checker], certificate: Any) -> bool:
    """Whether a certificate does not hold, by the checker that is made for it."""
    try:
        checker(certificate).check()
    except RefutedError:
        return True
    return False


class Checker:
    """Checks one certificate.

    Parameters
    ----------
    certificate : BoxCertificate
    reading : Reading
    target : int
    predict : function of an array of shape (1, n_features)
        Whether the model's own answer there is the target.
    cone : tuple of (precision, mean, squared radius, penalties of features), or None
        Of the numbers themselves; levels are indicators, and those of a point are taken from the squared radius.
    view : View, optional
        What trees see of the certificate's features; without, the features themselves.
    """

    def __init__(
        self, certificate: Any, reading: Any, target: int, predict: Any, cone: Any = None, view: Any = None
    ) -> None:
        self.given, self.predict = certificate, predict
        self.view = view or View()
        self.columns = [
            list(range(a, b)) for a, b in zip(certificate.first_cell[:-1].tolist(), certificate.first_cell[1:].tolist())
        ]
        self.accuracy = ROUNDING if cone is None else PROJECTED
        self.bound = certificate.lower_bound
        if math.isfinite(self.bound):
            self.bound -= self.accuracy * abs(self.bound)
        first = certificate.first_cell[:-1]
        self.numbers = certificate.feature[first[certificate.is_number[first]]].tolist()
        require(certificate.is_number[first[: len(self.numbers)]].all(), "numbers are not the first columns")
        n = len(self.numbers)
        self.dense = ConeBounds(certificate, self.numbers, self.columns[n:], cone, self.bound) if cone else None
        self._read_cuts()
        self._read_cells()
        self.bound = self.least_to_show()
        self.exact: list[list[bool]] = []
        self.leaves = [self._leaves(tree, reading, target) for tree in reading.trees]
        self.whole = [
            [[int(math.ldexp(gain, 120)) for gain in gains] for gains, *_ in leaves] for leaves in self.leaves
        ]
        # the first of equal scores wins: a tie with one before the target is none
        self.strict = [False] * len(reading.least(target))
        if len(reading.base) > 1 and not any(reading.base) and reading.eps < 1e-10:
            self.strict[:target] = [True] * target
        self.least = [value / certificate.scale for value in reading.least(target)]
        self.places: list[dict] = [
            {self.finite(cells): place for place, (_, cells) in enumerate(of_tree)} for of_tree in self.leaves
        ]

    def finite(self, cells: Any) -> tuple:
        """Sets of cells without those that are out of all limits."""
        return tuple(frozenset(k for k in of_column if self.cost[k] < math.inf) for of_column in cells)

    def least_to_show(self) -> float:
        """What bounds have to reach: the bound, or a little more than the largest distance below it."""
        if self.dense is not None or not math.isfinite(self.bound):
            return self.bound
        sums = [0.0]
        for cells in self.columns:
            costs = sorted({self.cost[k] for k in cells if self.cost[k] < self.bound})
            found = sorted(a + b for a in sums for b in costs if a + b < self.bound)
            sums = []
            for each in found:  # those that are rounding apart are one
                if not sums or each - sums[-1] > ROUNDING * self.bound:
                    sums.append(each)
            if len(sums) > MOST_DISTANCES or not sums:
                return self.bound
        gap = self.bound - sums[-1]
        return sums[-1] + gap / 4 if gap > CLEAR * self.bound else self.bound

    # ---- reading ----

    def _read_cells(self) -> None:
        """Cells have no gaps between them; what each costs at least, infinite if limits leave none of it."""
        c = self.given
        self.cost: list[float] = []
        self.column_of = {int(f): i for i, cells in enumerate(self.columns) for f in c.feature[cells]}
        require(sorted(self.column_of) == list(range(len(c.row))), "a feature has no cells")
        self.seen_column = {self.view.column(f): i for f, i in self.column_of.items()}
        for i, cells in enumerate(self.columns):
            if not c.is_number[cells[0]]:
                self._read_levels(cells)
                continue
            own = self.numbers[i]
            require((c.feature[cells] == own).all(), "cells of another column")
            require(c.low[cells[0]] == -math.inf and c.high[cells[-1]] == math.inf, "cells do not reach everywhere")
            for before, after in pairwise(cells):
                require(c.low[after] == math.nextafter(c.high[before], math.inf), "there is a gap between cells")
            x, price = float(c.row[own]), float(c.price[own])
            for k in cells:
                low, high = self.ends(i, k, k)
                is_out = low > high or (self.dense is not None and not self.dense.has(i, *self.moves(i, k, k)))
                self.cost.append(math.inf if is_out else price * abs(min(max(x, low), high) - x))

    def _read_levels(self, cells: list[int]) -> None:
        """Levels are indicators of their own, one of which the row has; a change costs half of the price of both."""
        c, features = self.given, self.given.feature[cells].tolist()
        require(not c.is_number[cells].any() and len(set(features)) == len(cells), "levels are not told apart")
        own = [f for f in features if c.row[f] == 1]
        require(len(own) == 1 and c.row[features].sum() == 1, "the row has not one level")
        for k, f in zip(cells, features):
            self.cost.append(level_cost(c, features, k) if f == own[0] or c.upper[f] == 1 else math.inf)

    def _read_cuts(self) -> None:
        """Limits, less what was cut off them: too far from the cone, each in turn."""
        c = self.given
        self.lower, self.upper = np.array(c.lower, dtype=float), np.array(c.upper, dtype=float)
        for cut in c.cuts:
            ends = [self.lower.copy(), self.upper.copy()]
            ends[0 if cut.side > 0 else 1][cut.feature] = cut.end
            require(self.dense is not None, "something was cut off without a cone")
            if (ends[0] <= ends[1]).all():
                limits = [tuple(((end[f] - c.row[f]) * c.price[f]).item() for end in ends) for f in self.numbers]
                allowed = [
                    [k for k in cells if c.upper[c.feature[k]] == 1] for cells in self.columns[len(self.numbers) :]
                ]
                require(self.dense.bound_of(limits, allowed) >= self.bound, "something was cut off that is near")
            (self.upper if cut.side > 0 else self.lower)[cut.feature] = cut.end

    def _leaves(self, tree: list, reading: Any, target: int) -> list[tuple]:
        """List ``(gains, cells of each column)`` of the leaves of a tree."""
        c, found = self.given, []
        exact: list[bool] = []
        self.exact.append(exact)
        waiting = [(0, [frozenset(cells) for cells in self.columns])]
        while waiting:
            number, here = waiting.pop()
            node = tree[number]
            if node[0] == "leaf":
                gains = [gain / c.scale for gain in reading.conditions(target, node[1])]
                found.append((gains, tuple(here)))
                exact.append(all(score % VOTE == 0 and abs(score) <= 1 for score in node[1]))
                continue
            _, feature, goes_left, left, right = node
            i = self.seen_column[feature]
            goes = frozenset(k for k in self.columns[i] if self.goes_left(goes_left, feature, k))
            for child, side in ((left, here[i] & goes), (right, here[i] - goes)):
                if side:
                    waiting.append((child, [side if j == i else cells for j, cells in enumerate(here)]))
        return found

    def goes_left(self, goes_left: Any, feature: int, cell: int) -> bool:
        """Where a node that asks for a feature sends a cell."""
        c, own = self.given, int(self.given.feature[cell])
        if not c.is_number[cell]:
            return bool(goes_left(self.view.level(own, feature)))
        low, high = float(c.low[cell]), float(c.high[cell])
        if own in self.view.steps:  # only multiples are told apart
            low, high = self.ends(self.column_of[own], cell, cell)
            if low > high:
                low = high = float(c.low[cell]) if math.isfinite(c.low[cell]) else float(c.high[cell])
        first, last = (bool(goes_left(self.view.number(own, end))) for end in (low, high))
        require(first == last, "a tree tells places within a cell apart")
        return first

    # ---- boxes: one set of cells a column ----

    def reachable(self, cells: Any) -> list[list[int]]:
        """Cells of a box that a point nearer than the bound can be in."""
        box = [[k for k in column if cells[k] and self.cost[k] < math.inf] for column in self.columns]
        if not all(box):
            return [[] for _ in box]
        cheapest = [min(self.cost[k] for k in column) for column in box]
        base = math.fsum(cheapest)
        kept = [[k for k in col if base - cheap + self.cost[k] < self.bound] for col, cheap in zip(box, cheapest)]
        return kept if all(kept) else [[] for _ in box]

    def within(self, box: list[list[int]], leaf: tuple) -> list[list[int]]:
        """What a leaf leaves of a box."""
        return [[k for k in cells if k in of_leaf] for cells, of_leaf in zip(box, leaf[1])]

    def leaves_left(self, box: list[list[int]], dead: set) -> list[list[tuple[int, list[list[int]]]]]:
        """Leaves of each tree that a point of the box nearer than the bound can be in, with what they leave of it."""
        found = []
        for t, of_tree in enumerate(self.leaves):
            left = []
            for place, leaf in enumerate(of_tree):
                if (t, place) in dead:
                    continue
                part = self.within(box, leaf)
                if all(part) and math.fsum(min(self.cost[k] for k in cells) for cells in part) < self.bound:
                    left.append((place, part))
            found.append(left)
        return found

    # ---- bounds ----

    def prices(self, dual: Any) -> tuple[float, list[float]]:
        """Constant and prices of cells: what they cost, or what the cone makes of it."""
        if self.dense is None:
            return 0.0, self.cost
        constant, slope, bend = self.dense.multiplied(dual)
        prices = list(self.cost)
        for i, cells in enumerate(self.columns):
            for k in cells:
                if not self.given.is_number[k]:
                    prices[k] += dual.kappa * self.dense.penalty[k]
                elif self.cost[k] < math.inf:
                    prices[k] = self.dense.least_of(i, *self.moves(i, k, k), bend[i], slope[i])
        return constant, prices

    def moves(self, i: int, first: int, last: int) -> tuple[float, float]:
        """From and to where a number may move, in units of distance, within cells and limits."""
        c, own, (low, high) = self.given, self.numbers[i], self.ends(i, first, last)
        return (low - float(c.row[own])) * float(c.price[own]), (high - float(c.row[own])) * float(c.price[own])

    def ends(self, i: int, first: int, last: int) -> tuple[float, float]:
        """The first and last number that there may be within cells and limits."""
        c, f = self.given, self.numbers[i]
        low, high = max(float(c.low[first]), float(self.lower[f])), min(float(c.high[last]), float(self.upper[f]))
        if not c.integer[f]:
            return low, high
        own = [float(c.row[f])] if low <= c.row[f] <= high else []
        whole = [math.ceil(low) if math.isfinite(low) else low, math.floor(high) if math.isfinite(high) else high]
        places = own + (whole if whole[0] <= whole[1] else [])
        return (float(min(places)), float(max(places))) if places else (math.inf, -math.inf)

    def needed(self, left: Any) -> list[float]:
        """What the conditions must reach if these leaves are left: more than zero where sums cannot be nearly zero."""
        return [
            self._smallest(left, r) if strict else least
            for r, (strict, least) in enumerate(zip(self.strict, self.least))
        ]

    def _smallest(self, left: Any, r: int) -> float:
        """The smallest sum that may be accepted: exact ties are not, sums that rounding may take for ties are."""
        least, step = self.least[r], 0
        trees = []
        for t, of_tree in enumerate(left):
            gains = {(self.whole[t][place][r], self.exact[t][place]) for place, _ in of_tree}
            votes = [gain for gain, is_exact in gains if is_exact]
            step = math.gcd(step, *(gain - votes[0] for gain in votes))
            trees.append(gains)
        step = step or 16 * WHOLE
        sums = {(0, True)}
        for gains in trees:
            some = {(gain % step, is_exact) for gain, is_exact in gains}
            sums = {((a + b) % step, e and f) for a, e in sums for b, f in some}
            if len(sums) > MOST_SUMS:
                return least
        found = step
        for value, is_exact in sums:
            if is_exact:
                found = min(found, value or step)
            elif min(value, step - value) <= -least * WHOLE:
                return least
            else:
                found = min(found, value)
        return max(least, found / WHOLE)

    def dual_bound(self, box: list[list[int]], left: Any, dual: Any, prices: Any) -> float:
        """``constant + (pi . least - rest) / mu`` over a box and the leaves that are left."""
        if not all(box) or not all(left):
            return math.inf
        require(dual.mu > 0 and (np.asarray(dual.pi) >= 0).all(), "a price or weight has the wrong sign")
        constant, price = prices
        terms = []
        theta = dual.theta
        for cells in box:
            terms.append(max(-dual.mu * price[k] + math.fsum(theta[:, k].tolist()) for k in cells))
        for t, of_tree in enumerate(left):
            best = -math.inf
            for place, part in of_tree:
                value = math.fsum(float(p) * g for p, g in zip(dual.pi, self.leaves[t][place][0]))
                value -= math.fsum(min(float(theta[t, k]) for k in cells) for cells in part)
                best = max(best, value)
            terms.append(best)
        rest, wanted = math.fsum(terms), math.fsum(float(p) * one for p, one in zip(dual.pi, self.needed(left)))
        return constant + (wanted - rest) / dual.mu

    # ---- the tree of boxes ----

    def check(self) -> int:
        """Check everything; returns the number of boxes."""
        self.check_point()
        boxes = self.given.boxes
        everything = np.ones(len(self.cost), dtype=bool)
        if not boxes:
            require(self.is_empty(self.reachable(everything), set()), "nothing was looked into, yet something is left")
            return 0
        children: dict[int, list[int]] = {}
        for number, box in boxes.items():
            children.setdefault(box.parent, []).append(number)
        require(len(children.get(-1, [])) == 1, "there is not one first box")
        waiting = [(children[-1][0], self.reachable(everything), set(), -math.inf)]
        seen = 0
        while waiting:
            number, expected, dead, known = waiting.pop()
            seen += 1
            box = boxes[number]
            require(self.reachable_within(box.cells, expected) == expected, "a box lacks cells")
            cells, dead, known = self.narrow(box, expected, set(dead), known)
            parts = children.get(number, [])
            if not parts:
                self.check_leaf(box, cells, dead, known)
                continue
            covered = [self.reachable_within(boxes[part].cells, cells) for part in parts]
            if not all(cells):  # nothing is left to share, though the search, which rounds outwards, went on
                covered = [[[] for _ in cells] for _ in parts]
            require(not all(cells) or self.is_partition(cells, covered), "the parts of a box are not all of it")
            waiting += [(part, of_part, dead, known) for part, of_part in zip(parts, covered)]
        require(seen == len(boxes), "there are boxes outside the first one")
        return seen

    def reachable_within(self, cells: Any, box: list[list[int]]) -> list[list[int]]:
        """Cells of a box that are among others."""
        return [[k for k in column if cells[k]] for column in box]

    def is_partition(self, box: list[list[int]], parts: list[list[list[int]]]) -> bool:
        """Whether two parts differ in one column alone, and share it between them."""
        if len(parts) != 2:
            return False
        differ = [i for i, cells in enumerate(box) if parts[0][i] != cells or parts[1][i] != cells]
        return all(sorted(parts[0][i] + parts[1][i]) == box[i] for i in differ) and len(differ) <= 1

    def narrow(self, box: Any, cells: list, dead: set, known: float) -> tuple[list, set, float]:
        """Follow the steps of a box: what they leave of it, and the best bound of all of it."""
        for step in box.steps:
            prices = self.prices(step.dual)
            left = self.leaves_left(cells, dead)
            known = max(known, self.dual_bound(cells, left, step.dual, prices))
            if step.cells is None:
                continue
            after = self.reachable_within(step.cells, cells)
            for i, (old, new) in enumerate(zip(cells, after)):
                gone = [k for k in old if k not in new]
                if gone:
                    part = [gone if j == i else column for j, column in enumerate(cells)]
                    bound = self.dual_bound(part, self.leaves_left(part, dead), step.dual, prices)
                    require(bound >= self.bound, "a cell was ruled out that is not")
            if not all(after):
                return after, dead, math.inf
            alive = self.leaves_left(after, dead)
            for leaf in np.flatnonzero(step.dead).tolist():
                dead |= self.newly_dead(leaf, after, alive, dead, step.dual, prices)
            cells = after
        return cells, dead, known

    def newly_dead(self, leaf: int, box: list, alive: Any, dead: set, dual: Any, prices: Any) -> set:
        """Check that a leaf of the certificate is in no point of a box that matters."""
        c = self.given
        t = int(c.leaf_tree[leaf])
        place = self.places[t].get(self.finite([k for k in cells if c.leaf_cells[leaf, k]] for cells in self.columns))
        require(place is not None, "a leaf is not one of the model's")
        if (t, place) in dead or all(place != one for one, _ in alive[t]):
            return {(t, place)}
        part = self.within(box, self.leaves[t][place])
        left = self.leaves_left(part, dead)
        left[t] = [(one, of) for one, of in left[t] if one == place]
        require(self.dual_bound(part, left, dual, prices) >= self.bound, "a leaf was ruled out that is not")
        return {(t, place)}

    def is_empty(self, box: list, dead: set) -> bool:
        """Whether some tree has no leaf left, or the best leaves of all trees are too little for some condition."""
        left = self.leaves_left(box, dead) if all(box) else []
        if not left or not all(left):
            return True
        return any(
            math.fsum(max(self.leaves[t][place][0][r] for place, _ in of_tree) for t, of_tree in enumerate(left))
            < least
            for r, least in enumerate(self.needed(left))
        )

    def check_leaf(self, box: Any, cells: list, dead: set, known: float) -> None:
        """Check a box that was not divided, by what it was closed for."""
        if known >= self.bound or self.is_empty(cells, dead):
            return
        require(box.closed != "nothing left", "leaves are left in a box that was said to have none")
        if box.closed == "point":
            left = self.leaves_left(cells, dead)
            if not all(left):
                return
            for t, of_tree in enumerate(left):
                first = self.leaves[t][of_tree[0][0]][0]
                require(all(self.leaves[t][place][0] == first for place, _ in of_tree), "a box is not a single point")
            if not self.predict(self.some_point(cells)):
                return
        require(self.dense is not None or box.closed == "point", "a box is not bounded")
        require(self.is_too_far(cells), "a box is nearer than it was said to be")

    def is_too_far(self, box: list[list[int]]) -> bool:
        """Whether a box is beyond the bound, the model left out."""
        if self.dense is None:
            return math.fsum(min(self.cost[k] for k in cells) for cells in box) >= self.bound
        n = len(self.numbers)
        limits = [self.moves(i, min(cells), max(cells)) for i, cells in enumerate(box[:n])]
        return self.dense.is_too_far(limits, box[n:])

    def some_point(self, cells: list) -> Any:
        """The nearest point of a box that has the leaves all of it has."""
        c = self.given
        point = np.zeros(len(c.row))
        for of_column in cells:
            k = min(of_column, key=lambda one: self.cost[one])
            i = int(c.feature[k])
            low, high = self.ends(self.column_of[i], k, k) if c.is_number[k] else (1.0, 1.0)
            point[i] = min(max(float(c.row[i]), low), high) if c.is_number[k] else 1.0
        return point[None]

    def check_point(self) -> None:
        """The best point is accepted, in the cone, as far as it is said to be, and no nearer than the bound."""
        c = self.given
        if c.point is None:
            return
        require(self.predict(c.point[None]), "the model does not accept the point")
        counts = np.ones(len(c.row))
        counts[c.feature[~np.asarray(c.is_number)]] = 0.5  # one indicator goes, another comes
        distance = math.fsum((counts * c.price * np.abs(c.point - c.row)).tolist())
        require(abs(distance - c.value) <= 1e-9 * (1 + distance), "the point is elsewhere")
        require(c.lower_bound <= c.value * (1 + ROUNDING), "the bound is above the point")
        require(self.dense is None or self.dense.contains(c.point), "the point is not in the cone")
