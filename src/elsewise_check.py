"""Checks certificates of elsewise: proofs that no smaller change exists.

    python -m elsewise_check FILE [FILE ...]

One file, Python's standard library alone, no part of elsewise: copy it anywhere. Every inequality that closes a node is
evaluated in exact arithmetic (integers and fractions). The format and the formulas are explained for auditors in the
page "Proofs that anyone can check" of the documentation; the names below are those of the page.

A certificate is a text file of JSON values, one a line, possibly compressed by gzip. The first line, the header, holds
the question (row, prices, limits and rules), the model as plain numbers, the ellipsoids of the density, the answer and
the claim. Every other line is a node, in the order in which a reader meets them who looks into the first part of a
divided node before the second. A node is divided, or closed by multipliers.

The claim is: every row x that keeps the rules, that the model decides as wanted for, and that is in an ellipsoid, is at
a distance of at least ``lower_bound``. So whatever is that far does not matter: a number x_i that costs a_i a unit
stays within lower_bound / a_i of the row, and nothing here is ever infinite.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import math
import sys
from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import pairwise
from operator import mul
from typing import Any

FORMAT, VERSION = "elsewise certificate", 1
# An answer is optimal if its distance exceeds what is proven by no more than this share.
OPTIMAL_GAP = Fraction(1, 10**6)
# "Infeasible" means that there is nothing within this many times what the row's own numbers cost.
FAR = 10**6
# Distances are computed in floating point: the one that is claimed is the exact one up to this share.
SAME_DISTANCE = Fraction(1, 10**9)
# Rounding of a floating-point operation, relative to its result, and how many there are beside those of a sum.
UNIT, MORE_OPERATIONS = Fraction(1, 2**52), 16
# A logarithm of a density, and hence a squared radius r, is computed up to this share of 1 + r.
DENSITY_ROUNDING = Fraction(1, 10**9)
# Costs by which leaves are out of reach are rounded down to multiples of 2**-GRID.
GRID = 60

EVERYWHERE = [(-math.inf, math.inf, Fraction(0))]
NODES = ("close", "goals", "parts", "ellipsoids", "split", "levels", "clause")
STATUSES = ("optimal", "feasible", "infeasible", "unknown")


class RefusedError(Exception):
    """The certificate proves nothing: the line, and why."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(f"line {line}: {reason}")
        self.line, self.reason = line, reason


class WrongError(Exception):
    """Why the line at hand is wrong."""


def require(holds: bool, reason: str) -> None:
    """Refuse the line at hand unless something holds."""
    if not holds:
        raise WrongError(reason)


# ---- what a line says ----


def listed(value: object, reason: str) -> list[Any]:
    """Return a list, or refuse the line."""
    require(isinstance(value, list), reason)
    assert isinstance(value, list)
    return value


def an_object(value: object, reason: str) -> dict[str, Any]:
    """Return an object, or refuse the line."""
    require(isinstance(value, dict), reason)
    assert isinstance(value, dict)
    return value


def numbers(value: object, name: str, length: int | None = None) -> list[float]:
    """Return a list of finite numbers, of a length."""
    value = listed(value, f"{name}: expected a list of numbers")
    require(length is None or len(value) == length, f"{name}: expected {length} numbers, received {len(value)}")
    return [number(each, name) for each in value]


def number(value: object, name: str) -> float:
    """Return a finite number."""
    require(isinstance(value, (int, float)) and not isinstance(value, bool), f"{name}: expected a number")
    assert isinstance(value, (int, float))
    require(math.isfinite(value), f"{name}: expected a finite number")
    require(isinstance(value, float) or abs(value) <= 2**53, f"{name}: a whole number too large for a double")
    return float(value)


def position(value: object, name: str, count: int) -> int:
    """Return one of the numbers 0, ..., count - 1."""
    is_position = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < count
    require(is_position, f"{name}: expected a whole number from 0 to {count - 1}, received {value!r}")
    assert isinstance(value, int)
    return value


def entries(value: object, name: str, count: int) -> list[tuple[int, float]]:
    """Return pairs of a position, each once, and a number: what is not listed is zero."""
    value = listed(value, f"{name}: expected a list of pairs")
    require(all(isinstance(pair, list) and len(pair) == 2 for pair in value), f"{name}: expected pairs")
    found = [(position(pair[0], name, count), number(pair[1], name)) for pair in value]
    require(len({place for place, _ in found}) == len(found), f"{name}: a position occurs twice")
    return found


class Vector:
    """Doubles as integers with a common denominator 2**bits: sums of products are exact and fast."""

    def __init__(self, values: Iterable[float]) -> None:
        ratios = [value.as_integer_ratio() for value in values]
        self.bits = max((low.bit_length() - 1 for _, low in ratios), default=0)
        self.whole = [top << (self.bits + 1 - low.bit_length()) for top, low in ratios]

    def dot(self, other: Vector) -> Fraction:
        """Return the sum of products."""
        return Fraction(sum(map(mul, self.whole, other.whole)), 1 << (self.bits + other.bits))


def above(value: Fraction) -> float:
    """Return a double that is at least a fraction."""
    return math.nextafter(float(value), math.inf)


def below(value: Fraction) -> float:
    """Return a double that is at most a fraction."""
    return math.nextafter(float(value), -math.inf)


def add(total: list[Fraction], factor: Fraction, form: list[tuple[int, Fraction]]) -> None:
    """Add a multiple of a linear form, given by its coefficients that are not zero."""
    for place, coefficient in form:
        total[place] += factor * coefficient


# ---- the question ----


class Map:
    """The map ``z = M x + m`` from features to what a model, or a density, sees; M by rows, zeros left out."""

    def __init__(self, given: object, n: int, name: str) -> None:
        given = an_object(given, f"{name}: expected a map")
        rows = given.get("rows")
        rows = listed(rows, f"{name}: expected rows")
        self.rows = [[(j, Fraction(v)) for j, v in entries(row, name, n)] for row in rows]
        self.offset = [Fraction(v) for v in numbers(given.get("offset"), name, len(rows))]

    def pulled_back(self, normal: list[float]) -> tuple[list[tuple[int, Fraction]], Fraction]:
        """Write ``normal·z`` as ``form·x + constant``."""
        form: dict[int, Fraction] = {}
        constant = Fraction(0)
        for value, row, offset in zip(normal, self.rows, self.offset):
            if value:
                factor = Fraction(value)
                constant += factor * offset
                for j, coefficient in row:
                    form[j] = form.get(j, Fraction(0)) + factor * coefficient
        return list(form.items()), constant

    def size(self, normal: list[float], most: list[Fraction]) -> Fraction:
        """Bound the sizes of all terms of ``normal·z``, added up, where |x| is at most ``most``."""
        total = Fraction(0)
        for value, row, offset in zip(normal, self.rows, self.offset):
            if value:
                terms = abs(offset) + sum(abs(coefficient) * most[j] for j, coefficient in row)
                total += abs(Fraction(value)) * terms
        return total

    def compares(self, normal: list[float]) -> bool:
        """Whether ``normal·z`` is one feature as it is: to compare it with a number rounds nothing."""
        places = [k for k, value in enumerate(normal) if value]
        return len(places) == 1 and (
            abs(normal[places[0]]) == 1
            and self.offset[places[0]] == 0
            and [coefficient for _, coefficient in self.rows[places[0]]] == [1]
        )


class Column:
    """A column: one number, whole or not, or the indicators of the levels of a category."""

    def __init__(self, given: object, n: int) -> None:
        require(
            isinstance(given, dict) and given.get("kind") in ("number", "whole", "category"), "a column has no kind"
        )
        assert isinstance(given, dict)
        self.kind = given["kind"]
        features = given.get("features")
        require(isinstance(features, list) and len(features) > 0, "a column has no features")
        assert isinstance(features, list)
        self.features = [position(f, "features of a column", n) for f in features]
        require(self.kind == "category" or len(self.features) == 1, "a number has one feature")


class Box:
    """What a node leaves of the domain: limits of features, and which goal, part and ellipsoid it is about."""

    __slots__ = ("ellipsoid", "goal", "lower", "part", "upper")

    def __init__(
        self, lower: list[float], upper: list[float], goal: int = -1, part: int = -1, ellipsoid: int = -1
    ) -> None:
        self.lower, self.upper, self.goal, self.part, self.ellipsoid = lower, upper, goal, part, ellipsoid

    def within(self, feature: int, low: float, high: float) -> Box:
        """Return the part of the box where a feature is within further limits."""
        lower, upper = list(self.lower), list(self.upper)
        lower[feature], upper[feature] = max(lower[feature], low), min(upper[feature], high)
        return Box(lower, upper, self.goal, self.part, self.ellipsoid)


def ends(value: object, name: str, n: int, default: float) -> list[float]:
    """Return limits; null is none."""
    require(isinstance(value, list) and len(value) == n, f"{name}: expected {n} numbers or nulls")
    assert isinstance(value, list)
    return [default if each is None else number(each, name) for each in value]


class Domain:
    """What the row may become, and what that costs: ``sum_i prices_i |x_i - row_i| + per_change * changed units``."""

    def __init__(self, header: dict[str, Any], bound: Fraction) -> None:
        self.row = numbers(header.get("row"), "row")
        n = self.n = len(self.row)
        self.exact_row = [Fraction(v) for v in self.row]
        self.bound = bound
        self.price = [Fraction(v) for v in numbers(header.get("prices"), "prices", n)]
        require(all(price > 0 for price in self.price), "prices: expected positive numbers")
        given = header.get("domain")
        given = an_object(given, "domain: expected an object")
        self.per_change = Fraction(number(given.get("per_change"), "per_change"))
        require(self.per_change >= 0, "per_change is negative")
        self.columns = [Column(column, n) for column in given.get("columns", [])]
        require(sorted(f for c in self.columns for f in c.features) == list(range(n)), "a feature is not in one column")
        units = given.get("units")
        units = listed(units, "units: expected lists of columns")
        self.units = [[position(c, "units", len(self.columns)) for c in unit] for unit in units]
        require(
            sorted(c for unit in self.units for c in unit) == list(range(len(self.columns))), "units: not each once"
        )
        most = given.get("max_changes")
        self.max_changes = None if most is None else position(most, "max_changes", 2**53)
        self.lower = ends(given.get("lower"), "lower", n, -math.inf)
        self.upper = ends(given.get("upper"), "upper", n, math.inf)
        self.below, self.above = self.row, self.row
        if given.get("least_moves") is not None:
            self.below = numbers(given["least_moves"].get("below"), "least_moves", n)
            self.above = numbers(given["least_moves"].get("above"), "least_moves", n)
            moves = zip(self.below, self.row, self.above)
            require(all(low <= own <= high for low, own, high in moves), "least_moves: the row is not between the ends")
        self.clauses = [self._clause(clause) for clause in given.get("clauses", [])]
        self.is_indicator = [False] * n
        for column in self.columns:
            if column.kind == "category":
                self._read_category(column)
        self.reach = [bound / price for price in self.price]
        self.most = [abs(own) + reach for own, reach in zip(self.exact_row, self.reach)]
        self.rules: list[tuple[list[tuple[int, Fraction]], Fraction, Fraction]] = []
        identity = Map({"rows": [[[i, 1.0]] for i in range(n)], "offset": [0.0] * n}, n, "rules")
        for rule in given.get("rules", []):
            require(isinstance(rule, dict), "rules: expected objects")
            normal, offset = numbers(rule.get("normal"), "rules", n), Fraction(number(rule.get("offset"), "rules"))
            rounding = UNIT * (n + MORE_OPERATIONS) * (identity.size(normal, self.most) + abs(offset))
            self.rules.append((identity.pulled_back(normal)[0], offset, rounding))

    def _clause(self, given: object) -> list[tuple[int, float, float]]:
        given = listed(given, "clauses: expected lists of literals")
        found = []
        for literal in given:
            require(isinstance(literal, list) and len(literal) == 3, "a literal is not [feature, low, high]")
            feature, (low, high) = position(literal[0], "a literal", self.n), literal[1:]
            found.append(
                (
                    feature,
                    -math.inf if low is None else number(low, "a literal"),
                    math.inf if high is None else number(high, "a literal"),
                )
            )
        return found

    def _read_category(self, column: Column) -> None:
        for f in column.features:
            self.is_indicator[f] = True
            require(self.lower[f] in (0.0, 1.0) or self.lower[f] < 0, "an indicator has a limit between 0 and 1")
            require(self.upper[f] in (0.0, 1.0) or self.upper[f] > 1, "an indicator has a limit between 0 and 1")
        own = [self.row[f] for f in column.features]
        require(sorted(own) == [0.0] * (len(own) - 1) + [1.0], "the row has not one level of a category")

    # ---- what is in the domain ----

    def distance(self, point: list[float]) -> Fraction:
        """Return the exact distance of a point."""
        apart = [abs(Fraction(x) - own) for x, own in zip(point, self.exact_row)]
        changed = sum(any(apart[f] for c in unit for f in self.columns[c].features) for unit in self.units)
        return sum(map(mul, self.price, apart), Fraction(0)) + self.per_change * changed

    def require_point(self, point: list[float]) -> None:
        """Refuse a point that does not keep the limits and rules."""
        for f, x in enumerate(point):
            require(self.lower[f] <= x <= self.upper[f], f"the point breaks a limit of feature {f}")
            moved = x != self.row[f]
            require(not moved or x <= self.below[f] or x >= self.above[f] or self.below[f] == self.above[f],
                    f"feature {f} of the point moves too little")  # fmt: skip
        for column in self.columns:
            values = [point[f] for f in column.features]
            if column.kind == "whole":
                is_own = values[0] == self.row[column.features[0]]
                require(values[0].is_integer() or is_own, f"feature {column.features[0]} of the point is not whole")
            elif column.kind == "category":
                require(
                    sorted(values) == [0.0] * (len(values) - 1) + [1.0], "the point has not one level of a category"
                )
        changed = sum(
            any(point[f] != self.row[f] for c in unit for f in self.columns[c].features) for unit in self.units
        )
        require(self.max_changes is None or changed <= self.max_changes, "the point changes too much")
        for k, clause in enumerate(self.clauses):
            require(any(low <= point[f] <= high for f, low, high in clause), f"the point breaks clause {k}")
        exact = [Fraction(x) for x in point]
        for k, (form, offset, rounding) in enumerate(self.rules):
            require(sum(a * exact[j] for j, a in form) <= offset + rounding, f"the point breaks rule {k}")

    # ---- the least cost of a column, with a slope added ----

    def least_of_number(
        self, column: Column, box: Box, slope: Fraction, pieces: list[tuple[float, float, Fraction]]
    ) -> tuple[Fraction | None, Fraction | None]:
        """Return the least ``price |v| + slope v`` over the moves v in a box: if the number stays, if it changes.

        On each side of the row the sum is linear: its minimum is at an end. ``pieces`` are intervals with what is added
        there. None where there is no such move.
        """
        f = column.features[0]
        own, price, reach = self.exact_row[f], self.price[f], self.reach[f]
        below, above = Fraction(self.below[f]), Fraction(self.above[f])
        stays: Fraction | None = None
        changes: Fraction | None = None
        for first, last, extra in pieces:
            low, high = max(first, box.lower[f]), min(last, box.upper[f])
            if low > high:
                continue
            if low <= self.row[f] <= high:
                stays = extra
            least = own - reach if low == -math.inf else max(Fraction(low), own - reach)
            most = own + reach if high == math.inf else min(Fraction(high), own + reach)
            sides = [(least, min(most, below)), (max(least, above), most)]
            if column.kind == "whole":
                sides = [(Fraction(math.ceil(a)), Fraction(math.floor(b))) for a, b in sides]
            for a, b in sides:
                if a <= b:
                    cost = extra + min(price * abs(x - own) + slope * (x - own) for x in (a, b))
                    changes = cost if changes is None else min(changes, cost)
        return stays, changes

    def least_of_category(
        self, column: Column, box: Box, slopes: list[Fraction], extra: dict[int, Fraction]
    ) -> tuple[Fraction | None, Fraction | None]:
        """Return the same of a category: for the row's own level, and for the best of the others that are left.

        Slopes multiply ``x - row``.
        """
        features = column.features
        forced = [f for f in features if box.lower[f] > 0]
        own = next(f for f in features if self.row[f] == 1.0)
        stays: Fraction | None = None
        changes: Fraction | None = None
        for f in features:
            if box.upper[f] < 1 or any(other != f for other in forced):
                continue
            if f == own:
                stays = extra.get(f, Fraction(0))
                continue
            cost = self.price[f] + self.price[own] + slopes[f] - slopes[own] + extra.get(f, Fraction(0))
            changes = cost if changes is None else min(changes, cost)
        return stays, changes

    def least(self, box: Box, slopes: list[Fraction], extra: dict[int, Any]) -> Fraction | None:
        """Return the least ``distance + slopes·(x - row) + extra`` over the near rows of a box; None if there is none.

        ``extra`` has pieces, or levels, of some columns.
        """
        total, gains, n_forced = Fraction(0), [], 0
        for unit in self.units:
            stays: Fraction | None = Fraction(0)
            moves = self.per_change
            for c in unit:
                column = self.columns[c]
                if column.kind == "category":
                    stay, change = self.least_of_category(column, box, slopes, extra.get(c, {}))
                else:
                    pieces = extra.get(c, EVERYWHERE)
                    stay, change = self.least_of_number(column, box, slopes[column.features[0]], pieces)
                options = [each for each in (stay, change) if each is not None]
                if not options:
                    return None
                stays = None if stays is None or stay is None else stays + stay
                moves += min(options)
            if stays is None:
                n_forced += 1
                total += moves
            else:
                total += stays
                gains.append(min(moves - stays, Fraction(0)))
        if self.max_changes is None:
            return total + sum(gains, Fraction(0))
        if n_forced > self.max_changes:
            return None
        return total + sum(sorted(gains)[: self.max_changes - n_forced], Fraction(0))


# ---- what the model decides, and where data are dense ----


class Polyhedra:
    """A model whose region is a union of polyhedra: ``(N_r - s)·z <= o_r - c`` for the half-spaces r of a part.

    The model adds up its terms in floating point. A sum of k products is off by no more than (k + few) roundings of
    the sum of their sizes, which are bounded, for nothing far away matters: half-spaces are moved out by that much.
    """

    def __init__(self, given: dict[str, Any], n: int, domain: Domain) -> None:
        self.map = Map(given.get("map"), n, "map")
        width = len(self.map.rows)
        rows = given.get("normals")
        rows = listed(rows, "normals: expected a list")
        self.normals = [numbers(row, "normals", width) for row in rows]
        self.offsets = numbers(given.get("offsets"), "offsets", len(rows))
        self.parts = []
        parts = given.get("parts")
        parts = listed(parts, "parts: expected a list")
        for part in parts:
            require(isinstance(part, dict), "parts: expected objects")
            start, stop = (position(part.get(end), "parts", len(rows) + 1) for end in ("start", "stop"))
            shift = numbers(part["shift"], "shift", width) if "shift" in part else None
            self.parts.append((start, stop, shift, number(part.get("shift_offset", 0.0), "shift")))
        self.domain = domain
        self.known: dict[tuple[int, int], tuple[list[tuple[int, Fraction]], Fraction, Fraction]] = {}

    def n_halfspaces(self, part: int) -> int:
        """Count the half-spaces of a part."""
        return self.parts[part][1] - self.parts[part][0]

    def halfspace(self, part: int, place: int) -> tuple[list[tuple[int, Fraction]], Fraction, Fraction]:
        """Return ``(form, offset, rounding)`` of a half-space of a part: ``form·x <= offset + rounding``."""
        key = (part, place)
        if key not in self.known:
            start, _, shift, shift_offset = self.parts[part]
            normal, offset = self.normals[start + place], Fraction(self.offsets[start + place])
            form, constant = self.map.pulled_back(normal)
            size = self.map.size(normal, self.domain.most) + abs(offset)
            if shift is not None:
                moved, more = self.map.pulled_back(shift)
                total = dict(form)
                for j, value in moved:
                    total[j] = total.get(j, Fraction(0)) - value
                form, constant, offset = list(total.items()), constant - more, offset - Fraction(shift_offset)
                size += self.map.size(shift, self.domain.most) + abs(Fraction(shift_offset))
            rounding = UNIT * (2 * len(normal) + MORE_OPERATIONS) * size
            if shift is None and self.map.compares(normal):
                rounding = Fraction(0)
            self.known[key] = (form, offset - constant, rounding)
        return self.known[key]

    def require_point(self, point: list[Fraction]) -> None:
        """Refuse a point that no part holds, exactly or up to the model's own rounding."""
        for part in range(len(self.parts)):
            count = self.n_halfspaces(part)
            if all(self._holds(self.halfspace(part, place), point) for place in range(count)):
                return
        raise WrongError("the model, as it is read here, does not decide for the target at the point")

    @staticmethod
    def _holds(halfspace: tuple[list[tuple[int, Fraction]], Fraction, Fraction], point: list[Fraction]) -> bool:
        form, offset, _ = halfspace
        return sum(a * point[j] for j, a in form) <= offset


class Trees:
    """A model that adds up the leaves of trees: conditions ``weights·(sum of leaves) >= least``, up to rounding.

    A tree is a list of nodes: ``[z, limit, left, right]`` goes left where the number z that the model sees is at most
    the limit, ``[scores]`` is a leaf. Limits are doubles: the reader of the model has written a comparison of 32-bit
    floats as the comparison of doubles that it is. Where z is a feature as it is, nothing is rounded. Where z = M x + m
    is computed, by few roundings, a row x is treated as the trees treat some x' that is within ``near`` of it: what is
    proven of x' is proven of x, less what moving so little costs. No limit, code or row may itself be that near to
    where a tree divides; whole numbers and levels that are go both ways.

    If all scores are multiples of 2^-20 no larger than one, as votes are, sums are exact: they are multiples of the
    greatest common divisor of what leaves differ by, and a condition is met by a multiple or it is not. Otherwise a sum
    of n numbers is off by no more than (n + few) roundings of their sizes, to 24 bits where ``single``.
    """

    def __init__(self, given: dict[str, Any], n: int, domain: Domain) -> None:
        self.domain, self.map = domain, Map(given.get("map"), n, "map")
        self.column_of = {f: c for c, column in enumerate(domain.columns) for f in column.features}
        self.seen: dict[int, int | None] = {}
        rows = listed(given.get("conditions"), "conditions: expected a list")
        self.n_scores = len(listed(rows[0].get("weights"), "weights: expected a list")) if rows else 0
        weights = [numbers(row.get("weights"), "weights", self.n_scores) for row in rows]
        self.limits: list[dict[int, tuple[int, Fraction]]] = []
        self.near: dict[int, Fraction] = {}
        self.costs: dict[tuple[int, Any], int] = {}
        self.trees = [self._tree(tree) for tree in listed(given.get("trees"), "trees: expected a list")]
        leaves = [[node[0] for node in tree if len(node) == 1] for tree in self.trees]
        scores = [value for of_tree in leaves for leaf in of_tree for value in leaf]
        self.bits = max(Vector([*scores, *(w for row in weights for w in row)]).bits, 0) * 2
        self.is_exact = all(abs(v) <= 1 and (v * 2**20).is_integer() for v in scores)
        self.is_exact &= all(w in (-1.0, 0.0, 1.0) for row in weights for w in row)
        exact_weights = [[Fraction(w) for w in row] for row in weights]
        for tree in self.trees:  # leaves become what they add to the conditions, in units of 2**-bits
            for k, node in enumerate(tree):
                if len(node) == 1:
                    values = [Fraction(v) for v in node[0]]
                    tree[k] = ([int(sum(map(mul, row, values)) * 2**self.bits) for row in exact_weights],)
        size = sum(max((abs(v) for leaf in of_tree for v in leaf), default=0.0) for of_tree in leaves)
        unit = Fraction(1, 2**23) if given.get("single") is True else UNIT
        self.needed = []
        for r, row in enumerate(rows):
            least = Fraction(number(row.get("least"), "least"))
            slack = Fraction(number(row.get("slack"), "slack"))
            require(slack >= 0, "slack is negative")
            if self.is_exact:
                self.needed.append(self._next_sum(r, least, row.get("strict") is True))
            else:
                few = len(self.trees) + MORE_OPERATIONS
                own = unit * few * sum(abs(w) for w in exact_weights[r]) * Fraction(size)
                self.needed.append(math.floor((least - slack - own) * 2**self.bits))

    def _column_seen(self, row: list[tuple[int, Fraction]]) -> int | None:
        columns = {self.column_of[j] for j, _ in row}
        require(len(columns) <= 1, "a tree sees a mixture of columns")
        return columns.pop() if columns else None

    def _tree(self, given: object) -> list[Any]:
        nodes = listed(given, "trees: expected lists of nodes")
        found: list[Any] = []
        limits: dict[int, tuple[int, Fraction]] = {}
        self.limits.append(limits)
        for k, node in enumerate(nodes):
            require(isinstance(node, list) and len(node) in (1, 4), "a node of a tree is not [z, limit, left, right]")
            if len(node) == 1:
                found.append((numbers(node[0], "scores", self.n_scores),))
                continue
            z, limit = position(node[0], "a node", len(self.map.rows)), number(node[1], "a limit")
            left, right = (position(child, "a node", len(nodes)) for child in node[2:])
            require(left > k and right > k, "a tree leads back")
            limits[k] = (z, Fraction(limit))
            self.seen[z] = self._column_seen(self.map.rows[z])
            found.append((self.seen[z], self._sides(z, limit), left, right))
        require(len(found) > 0, "a tree has no nodes")
        return found

    def _sides(self, z: int, limit: float) -> tuple[Any, Any]:
        """Return where a comparison may send a row left and right: intervals of a number, or sets of levels."""
        row, offset, exact = self.map.rows[z], self.map.offset[z], Fraction(limit)
        c = self.seen[z]
        column = None if c is None else self.domain.columns[c]
        if column is None or column.kind == "category":
            value = dict.fromkeys(column.features if column else [-1], offset)
            value.update({f: offset + slope for f, slope in row})
            is_plain = offset == 0 and all(slope == 1 for _, slope in row)
            room = {f: 0 if is_plain else 8 * UNIT * (abs(v - offset) + abs(offset)) for f, v in value.items()}
            left = frozenset(f for f, v in value.items() if v <= exact + room[f])
            return left, frozenset(f for f, v in value.items() if v > exact - room[f])
        slope = row[0][1]
        if slope == 1 and offset == 0:
            return (-math.inf, limit), (math.nextafter(limit, math.inf), math.inf)
        assert c is not None
        cut = (exact - offset) / slope
        near = 8 * UNIT * (abs(cut) + abs(offset / slope))
        if column.kind == "whole":
            low_side, high_side = (-math.inf, above(cut + near)), (below(cut - near), math.inf)
            return (low_side, high_side) if slope > 0 else (high_side, low_side)
        size = self.domain.most[column.features[0]] + abs(offset / slope)
        self.near[c] = max(self.near.get(c, Fraction(0)), 16 * UNIT * size)
        for end in self._ends(c):
            require(abs(end - cut) > 16 * UNIT * size, "a limit, or the row, is as near to a tree's limit as rounding")
        last = float(cut)  # the last double on the lower side; one at the cut itself is on the side of z <= limit
        if last > cut or (last == cut and slope < 0):
            last = math.nextafter(last, -math.inf)
        low_side, high_side = (-math.inf, last), (math.nextafter(last, math.inf), math.inf)
        return (low_side, high_side) if slope > 0 else (high_side, low_side)

    def _ends(self, c: int) -> list[Fraction]:
        """Return the row's own number and all limits of a column: what keeps them keeps them if it moves a little."""
        domain, f = self.domain, self.domain.columns[c].features[0]
        found = [domain.row[f], domain.lower[f], domain.upper[f], domain.below[f], domain.above[f]]
        found += [end for clause in domain.clauses for g, *both in clause if g == f for end in both]
        return [Fraction(end) for end in found if math.isfinite(end)]

    def _next_sum(self, r: int, least: Fraction, strict: bool) -> int:
        """Return the smallest sum, of those that leaves can have, that meets a condition."""
        start: int = 0
        step: int = 0
        for tree in self.trees:
            gains: list[int] = [node[0][r] for node in tree if len(node) == 1]
            start += gains[0]
            step = math.gcd(step, *(gain - gains[0] for gain in gains))
        exact = least * 2**self.bits
        if step == 0:
            step = 1
        count = (exact - start) / step
        steps: int = math.floor(count) + 1 if strict else math.ceil(count)
        return start + step * steps

    def require_point(self, point: list[Fraction]) -> None:
        """Refuse a point at which the leaves do not add up to enough."""
        seen = [sum((a * point[j] for j, a in row), o) for row, o in zip(self.map.rows, self.map.offset)]
        total = [0] * len(self.needed)
        for tree, given in zip(self.trees, self.limits):
            k = 0
            while len(tree[k]) > 1:
                z, limit = given[k]
                k = tree[k][2] if seen[z] <= limit else tree[k][3]
            total = [a + b for a, b in zip(total, tree[k][0])]
        enough = all(a >= b for a, b in zip(total, self.needed))
        require(enough, "the model, as it is read here, does not decide for the target at the point")

    # ---- the bound ----

    def bound(self, box: Box, given: object) -> tuple[dict[int, Any], Fraction] | None:
        """Return what messages add to columns, and the least of all trees; None if a tree has no leaf left."""
        said = an_object(given, "trees: expected multipliers")
        bits = position(said.get("bits"), "bits", 2000)
        pi = [position(p, "pi", 2**400) for p in listed(said.get("pi", []), "pi: expected a list")]
        require(len(pi) == len(self.needed), "pi: one weight a condition is expected")
        messages: list[dict[int, list[tuple[Any, int]]]] = [{} for _ in self.trees]
        for each in listed(said.get("messages"), "messages: expected a list"):
            require(isinstance(each, list) and len(each) == 3, "a message is not [tree, column, values]")
            t, c = (
                position(each[0], "a message", len(messages)),
                position(each[1], "a message", len(self.domain.columns)),
            )
            require(c not in messages[t], "a message occurs twice")
            messages[t][c] = self._message(c, listed(each[2], "a message has no values"))
        unit = Fraction(1, 2**bits)
        total = sum(map(mul, pi, self.needed)) * unit / 2**self.bits
        total -= sum(self.domain.price[self.domain.columns[c].features[0]] * near for c, near in self.near.items())
        has_level = all(self._whole_side(c, box) for c in range(len(self.domain.columns)))
        if not has_level or any(low > high for low, high in zip(box.lower, box.upper)):
            return None
        spare = self._spare(box)
        for tree, own in zip(self.trees, messages):
            least = self._least_leaf(tree, box, own, pi, spare)
            if least is None:
                return None
            total += least * unit / 2**self.bits
        return {c: self._summed(c, messages, unit) for c in {c for own in messages for c in own}}, total

    def _message(self, c: int, values: list[Any]) -> list[tuple[Any, int]]:
        """Return a function of a column: ``[(last number of a piece, value), ...]``, or ``[(level, value), ...]``."""
        found, is_category = [], self.domain.columns[c].kind == "category"
        for pair in values:
            require(isinstance(pair, list) and len(pair) == 2 and type(pair[1]) is int, "a message has no whole value")
            if is_category:
                require(pair[0] in self.domain.columns[c].features, "a message is about no level")
            found.append(
                (pair[0] if is_category else math.inf if pair[0] is None else number(pair[0], "a message"), pair[1])
            )
        ends_ = [end for end, _ in found]
        if not is_category:
            require(
                ends_ == sorted(set(ends_)) and ends_[-1] == math.inf, "pieces of a message do not follow each other"
            )
        return found

    def _summed(self, c: int, messages: list[dict[int, list[tuple[Any, int]]]], unit: Fraction) -> Any:
        """Return minus the sum of all messages to a column, by pieces or levels."""
        own = [message[c] for message in messages if c in message]
        if self.domain.columns[c].kind == "category":
            levels: dict[int, Fraction] = {}
            for message in own:
                for f, value in message:
                    levels[f] = levels.get(f, Fraction(0)) - value * unit
            return levels
        steps: dict[float, int] = {}
        for message in own:
            for (end, value), (_, after) in pairwise(message):
                steps[end] = steps.get(end, 0) + after - value
        level, first, pieces = sum(message[0][1] for message in own), -math.inf, []
        for end in [*sorted(steps), math.inf]:
            pieces.append((first, end, -level * unit))
            level, first = level + steps.get(end, 0), math.nextafter(end, math.inf)
        return pieces

    def _spare(self, box: Box) -> tuple[int, dict[int, int]]:
        """Return what is left of the bound after the least cost of each column, and these; whole, rounded down."""
        least = {c: self._cost(c, self._whole_side(c, box)) for c in range(len(self.domain.columns))}
        return math.ceil(self.domain.bound * 2**GRID) - sum(least.values()), least

    def _whole_side(self, c: int, box: Box) -> Any:
        column = self.domain.columns[c]
        if column.kind != "category":
            return self._within(c, box.lower[column.features[0]], box.upper[column.features[0]])
        forced = [f for f in column.features if box.lower[f] > 0]
        return frozenset(f for f in column.features if box.upper[f] >= 1 and all(f == other for other in forced))

    def _within(self, c: int, low: float, high: float) -> tuple[float, float]:
        """Return an interval from one number that a column may have to another."""
        column, domain = self.domain.columns[c], self.domain
        own, below_, above_ = (values[column.features[0]] for values in (domain.row, domain.below, domain.above))
        if low <= own <= high:
            low, high = (own if low > below_ else low), (own if high < above_ else high)
        elif low > own:
            low = max(low, above_)
        else:
            high = min(high, below_)
        if column.kind != "whole" or low > high:
            return low, high
        first = low if low == -math.inf else float(math.ceil(low))
        last = high if high == math.inf else float(math.floor(high))
        return (min(first, own), max(last, own)) if low <= own <= high else (first, last)

    def _cost(self, c: int, side: Any) -> int:
        """Return the least distance of an interval or some levels, in units of 2**-GRID, rounded down."""
        key = (c, side)
        if key not in self.costs:
            domain, column = self.domain, self.domain.columns[c]
            f = column.features[0]
            if column.kind == "category":
                own = next(f for f in column.features if domain.row[f] == 1)
                each = [domain.price[f] + domain.price[own] if f != own else Fraction(0) for f in side]
                cost = min(each, default=Fraction(0))
            elif side[0] <= domain.row[f] <= side[1]:
                cost = Fraction(0)
            else:
                end = Fraction(side[0] if side[0] > domain.row[f] else side[1])
                cost = domain.price[f] * abs(end - domain.exact_row[f])
            self.costs[key] = math.floor(cost * 2**GRID)
        return self.costs[key]

    def _least_leaf(
        self, tree: list[Any], box: Box, own: dict[int, Any], pi: list[int], spare: tuple[int, dict[int, int]]
    ) -> int | None:
        """Return the least ``messages - pi·leaf`` over the leaves of a tree that near rows of a box reach."""
        least: int | None = None
        waiting: list[tuple[int, dict[int, Any]]] = [(0, {})]
        while waiting:
            k, sides = waiting.pop()
            node = tree[k]
            if len(node) == 1:
                if sum(self._cost(c, side) - spare[1][c] for c, side in sides.items()) >= spare[0]:
                    continue
                value = -sum(map(mul, pi, node[0]))
                for c, message in own.items():
                    value += self._least_message(c, message, sides.get(c) or self._whole_side(c, box)) << self.bits
                least = value if least is None else min(least, value)
                continue
            c, (left, right), *children = node
            if c is None:
                waiting += [(child, sides) for child, part in zip(children, (left, right)) if part]
                continue
            here = sides.get(c) or self._whole_side(c, box)
            for child, part in zip(children, (left, right)):
                if isinstance(part, frozenset):
                    kept: Any = here & part
                    is_left = bool(kept)
                else:
                    kept = self._within(c, max(here[0], part[0]), min(here[1], part[1]))
                    is_left = kept[0] <= kept[1]
                if is_left:
                    waiting.append((child, {**sides, c: kept}))
        return least

    def _least_message(self, c: int, message: list[tuple[Any, int]], side: Any) -> int:
        if self.domain.columns[c].kind == "category":
            values: dict[int, int] = dict(message)
            return min([values.get(f, 0) for f in side])
        found: list[int] = []
        first = -math.inf
        for end, value in message:
            if first <= side[1] and end >= side[0]:
                found.append(value)
            first = math.nextafter(end, math.inf)
        return min(found)


class Ellipsoids:
    """Sets ``{ x : |F (M x + m - c)|^2 + p·x <= r }`` in one of which the density is as high as asked."""

    def __init__(self, given: dict[str, Any], n: int) -> None:
        self.n = n
        self.map = Map(given.get("map"), n, "map of the density")
        q = len(self.map.rows)
        shapes = given.get("shapes")
        shapes = listed(shapes, "shapes: expected matrices")
        self.columns = []
        for shape in shapes:
            require(isinstance(shape, list), "shapes: expected matrices")
            rows = [numbers(row, "shapes", q) for row in shape]
            self.columns.append([Vector(row[j] for row in rows) for j in range(q)])
        self.sets = []
        for each in listed(given.get("ellipsoids"), "ellipsoids: expected a list"):
            require(isinstance(each, dict), "ellipsoids: expected objects")
            shape = position(each.get("shape"), "shape", len(shapes))
            centre = [Fraction(v) for v in numbers(each.get("centre"), "centre", q)]
            squared = Fraction(number(each.get("squared_radius"), "squared_radius"))
            penalties = [(j, Fraction(v)) for j, v in entries(each.get("penalties", []), "penalties", n)]
            self.sets.append((shape, centre, squared + DENSITY_ROUNDING * (1 + abs(squared)), penalties))

    def tangent(self, number_: int, kappa: float, image: list[float], slopes: list[Fraction]) -> Fraction:
        """Add what an ellipsoid says to slopes of x; return the constant.

        With u = F (M x + m - c), every y and k > 0: ``k |u|^2 >= y·u - |y|^2 / 4k``.
        """
        shape, centre, squared, penalties = self.sets[number_]
        require(kappa > 0, "the multiplier of an ellipsoid is not positive")
        columns, y, k = self.columns[shape], Vector(image), Fraction(kappa)
        require(all(len(column.whole) == len(y.whole) for column in columns), "image: wrong number of numbers")
        constant = -y.dot(y) / (4 * k) - k * squared
        for column, row, offset, middle in zip(columns, self.map.rows, self.map.offset, centre):
            weight = column.dot(y)
            constant += weight * (offset - middle)
            add(slopes, weight, row)
        add(slopes, k, penalties)
        return constant

    def require_point(self, point: list[Fraction]) -> None:
        """Refuse a point that is in no ellipsoid."""
        seen = [sum((a * point[j] for j, a in row), o) for row, o in zip(self.map.rows, self.map.offset)]
        for shape, centre, squared, penalties in self.sets:
            apart = [z - c for z, c in zip(seen, centre)]
            columns = self.columns[shape]
            length = len(columns[0].whole) if columns else 0
            image = [
                sum((Fraction(column.whole[k], 1 << column.bits) * a for column, a in zip(columns, apart)), Fraction(0))
                for k in range(length)
            ]
            if sum((u * u for u in image), Fraction(0)) + sum(v * point[j] for j, v in penalties) <= squared:
                return
        raise WrongError("the density at the point is lower than asked")


class Goal:
    """One outcome that is wanted: where the model decides so, and where data are dense; None for everywhere."""

    def __init__(self, given: object, domain: Domain) -> None:
        given = an_object(given, "goals: expected objects")
        region, density = given.get("region"), given.get("density")
        require(region is None or isinstance(region, dict), "region: expected an object or null")
        self.region: Polyhedra | Trees | None = None
        if region is not None:
            kind = region.get("kind")
            require(kind in ("polyhedra", "trees"), f"region: unknown kind {kind!r}")
            self.region = (Trees if kind == "trees" else Polyhedra)(region, domain.n, domain)
        require(density is None or isinstance(density, dict), "density: expected an object or null")
        self.density = None if density is None else Ellipsoids(density, domain.n)

    def require_point(self, point: list[Fraction]) -> None:
        """Refuse a point that is not in the region, or not dense."""
        if self.region is not None:
            self.region.require_point(point)
        if self.density is not None:
            self.density.require_point(point)


# ---- the proof ----


class Checker:
    """Checks one certificate, line by line."""

    def __init__(self, header: object) -> None:
        header = an_object(header, "the first line is not a header")
        require(header.get("format") == FORMAT, f"format: expected {FORMAT!r}")
        require(header.get("version") == VERSION, f"version: expected {VERSION}, received {header.get('version')!r}")
        claim = header.get("claim")
        claim = an_object(claim, "claim: expected an object")
        self.status = claim.get("status")
        require(self.status in STATUSES, f"status: expected one of {STATUSES}")
        self.bound = Fraction(number(claim.get("lower_bound"), "lower_bound"))
        require(self.bound >= 0, "lower_bound is negative")
        self.distance: Fraction | None = None
        self.domain = Domain(header, self.bound)
        goals = header.get("goals")
        goals = listed(goals, "goals: expected a list")
        self.goals = [Goal(goal, self.domain) for goal in goals]
        self._check_answer(header, claim)
        self.waiting = [Box(self.domain.lower, self.domain.upper)]

    def _check_answer(self, header: dict[str, Any], claim: dict[str, Any]) -> None:
        has_point = self.status in ("optimal", "feasible")
        require((header.get("point") is not None) == has_point, "point: there is one where an answer is claimed, only")
        if not has_point:
            require(claim.get("distance") is None, "a distance is claimed without a point")
            size = sum(map(mul, self.domain.price, map(abs, self.domain.exact_row)), Fraction(0))
            far = FAR * max(Fraction(1), size) * (1 - SAME_DISTANCE)
            require(self.status != "infeasible" or self.bound >= far, "infeasible is claimed, but the bound is small")
            return
        point = numbers(header["point"], "point", self.domain.n)
        distance = self.distance = Fraction(number(claim.get("distance"), "distance"))
        exact = self.domain.distance(point)
        require(abs(exact - distance) <= SAME_DISTANCE * exact, "the distance of the point is another")
        self.domain.require_point(point)
        goal = position(header.get("goal"), "goal", len(self.goals))
        self.goals[goal].require_point([Fraction(x) for x in point])
        gap = distance - self.bound
        require(self.status != "optimal" or gap <= OPTIMAL_GAP * distance, "optimal is claimed, but the gap is larger")

    def take(self, node: object) -> None:
        """Check the next node: close it, or divide it."""
        require(isinstance(node, dict) and len(node) == 1, "a node is not one of the kinds that there are")
        assert isinstance(node, dict)
        require(bool(self.waiting), "there is a node too many")
        box = self.waiting.pop()
        (kind, given), *_ = node.items()
        require(kind in NODES, f"unknown node {kind!r}")
        children: list[Box] = getattr(self, "_" + kind)(box, given)
        self.waiting += reversed(children)

    def finish(self) -> None:
        """Refuse a certificate that ends before all nodes are closed."""
        require(not self.waiting, f"the certificate ends, but {len(self.waiting)} nodes are open")

    def _goals(self, box: Box, given: object) -> list[Box]:
        require(box.goal < 0, "a node is divided by goals twice")
        require(given == len(self.goals), "not all goals are looked into")
        return [Box(box.lower, box.upper, goal) for goal in range(len(self.goals))]

    def _parts(self, box: Box, given: object) -> list[Box]:
        region = self._goal(box).region
        require(isinstance(region, Polyhedra) and box.part < 0, "a node is divided by parts that has none")
        assert isinstance(region, Polyhedra)
        require(given == len(region.parts), "not all parts of the region are looked into")
        return [Box(box.lower, box.upper, box.goal, part, box.ellipsoid) for part in range(len(region.parts))]

    def _ellipsoids(self, box: Box, given: object) -> list[Box]:
        density = self._goal(box).density
        require(density is not None and box.ellipsoid < 0, "a node is divided by ellipsoids that has none")
        assert density is not None
        require(given == len(density.sets), "not all ellipsoids are looked into")
        return [Box(box.lower, box.upper, box.goal, box.part, one) for one in range(len(density.sets))]

    def _goal(self, box: Box) -> Goal:
        require(box.goal >= 0, "a node is about no goal yet")
        return self.goals[box.goal]

    def _split(self, box: Box, given: object) -> list[Box]:
        """Divide the interval of a number: between the parts there is no number that the row may become."""
        given = an_object(given, "split: expected an object")
        domain, f = self.domain, position(given.get("feature"), "split", self.domain.n)
        require(not domain.is_indicator[f], "an indicator is not split")
        parts = given.get("intervals")
        require(isinstance(parts, list) and len(parts) > 0, "split: expected intervals")
        assert isinstance(parts, list)
        lows = ends([part[0] for part in parts], "split", len(parts), -math.inf)
        highs = ends([part[1] for part in parts], "split", len(parts), math.inf)
        require(lows[0] <= box.lower[f] and highs[-1] >= box.upper[f], "a split leaves out an end")
        for before, after in zip(highs, lows[1:]):
            require(after <= math.nextafter(before, math.inf) or self._is_gap(f, before, after), "a split leaves a gap")
        return [box.within(f, low, high) for low, high in zip(lows, highs)]

    def _is_gap(self, f: int, low: float, high: float) -> bool:
        """Whether no number that the row may become is strictly between two numbers."""
        domain = self.domain
        if low < domain.row[f] < high:
            return False
        is_whole = any(column.kind == "whole" and column.features == [f] for column in domain.columns)
        if is_whole and math.floor(low) + 1 >= high:
            return True
        below, own, above = domain.below[f], domain.row[f], domain.above[f]
        return below != above and (below <= low <= high <= own or own <= low <= high <= above)

    def _levels(self, box: Box, given: object) -> list[Box]:
        """Divide a category: every level that is left is in one of the parts."""
        given = an_object(given, "levels: expected an object")
        column = self.domain.columns[position(given.get("column"), "levels", len(self.domain.columns))]
        require(column.kind == "category", "a number has no levels")
        parts = given.get("parts")
        parts = listed(parts, "levels: expected lists of features")
        children, seen = [], set()
        for part in parts:
            kept = {position(f, "levels", self.domain.n) for f in part}
            seen |= kept
            upper = list(box.upper)
            for f in column.features:
                if f not in kept:
                    upper[f] = 0.0
            children.append(Box(box.lower, upper, box.goal, box.part, box.ellipsoid))
        require(all(f in seen or box.upper[f] < 1 for f in column.features), "a level is left out")
        return children

    def _clause(self, box: Box, given: object) -> list[Box]:
        """Divide by the alternatives of a rule: one of them holds."""
        clause = self.domain.clauses[position(given, "clause", len(self.domain.clauses))]
        children = []
        for f, low, high in clause:
            if self.domain.is_indicator[f]:
                low, high = (1.0 if low > 0 else 0.0), (0.0 if high < 1 else 1.0)
            children.append(box.within(f, low, high))
        return children

    def _close(self, box: Box, given: object) -> list[Box]:
        """Close a node: no row in it is nearer than the bound.

        For multipliers that are not negative, ``distance + multipliers · what must not be positive`` is a lower bound
        of the distance. All of it but the distance is linear, or bounded by a tangent: the least is a sum over columns.
        """
        given = an_object(given, "close: expected multipliers")
        require(set(given) <= {"parts", "rules", "ellipsoid", "trees"}, "close: unknown multipliers")
        domain, slopes, constant = self.domain, [Fraction(0)] * self.domain.n, Fraction(0)
        if "parts" in given:
            region = self._goal(box).region
            require(
                isinstance(region, Polyhedra) and box.part >= 0, "there are multipliers of half-spaces, but no part"
            )
            assert isinstance(region, Polyhedra)
            for place, value in entries(given["parts"], "parts", region.n_halfspaces(box.part)):
                require(value >= 0, "a multiplier is negative")
                form, offset, rounding = region.halfspace(box.part, place)
                add(slopes, Fraction(value), form)
                constant -= Fraction(value) * (offset + rounding)
        for place, value in entries(given.get("rules", []), "rules", len(domain.rules)):
            require(value >= 0, "a multiplier is negative")
            form, offset, rounding = domain.rules[place]
            add(slopes, Fraction(value), form)
            constant -= Fraction(value) * (offset + rounding)
        if "ellipsoid" in given:
            density, own = self._goal(box).density, given["ellipsoid"]
            require(density is not None and box.ellipsoid >= 0, "there is a multiplier of an ellipsoid, but none")
            require(isinstance(own, dict), "ellipsoid: expected multipliers")
            assert density is not None
            kappa, image = number(own.get("kappa"), "kappa"), numbers(own.get("image"), "image")
            constant += density.tangent(box.ellipsoid, kappa, image, slopes)
        extra: dict[int, Any] = {}
        if "trees" in given:
            region = self._goal(box).region
            require(isinstance(region, Trees), "there are messages of trees, but no trees")
            assert isinstance(region, Trees)
            found = region.bound(box, given["trees"])
            if found is None:
                return []
            extra, more = found
            constant += more
        least = domain.least(box, slopes, extra)
        if least is not None:
            least += constant + sum(map(mul, slopes, domain.exact_row), Fraction(0))
            require(least >= self.bound, f"the multipliers prove {float(least)!r}, not {float(self.bound)!r}")
        return []


def check_lines(lines: Iterable[str]) -> Checker:
    """Check a certificate, given by its lines.

    Raises
    ------
    RefusedError
        With the line and the reason.
    """
    checker, last = None, 0
    for last, line in enumerate(lines, 1):
        try:
            value = json.loads(line, parse_constant=_refuse_constant)
            if checker is None:
                checker = Checker(value)
            else:
                checker.take(value)
        except WrongError as wrong:
            raise RefusedError(last, str(wrong)) from None
        except (ValueError, TypeError, AttributeError, IndexError, KeyError, ArithmeticError, RecursionError) as error:
            raise RefusedError(last, f"the line cannot be read ({error})") from None
    if checker is None:
        raise RefusedError(1, "the certificate is empty")
    try:
        checker.finish()
    except WrongError as wrong:
        raise RefusedError(last, str(wrong)) from None
    return checker


def _refuse_constant(name: str) -> float:
    raise WrongError(f"{name} is no number")


def read_lines(path: str) -> Iterator[str]:
    """Read the lines of a file, compressed or not."""
    with open(path, "rb") as file:
        is_compressed = file.read(2) == b"\x1f\x8b"
    with gzip.open(path, "rt", encoding="utf-8") if is_compressed else open(path, encoding="utf-8") as text:
        yield from text


def digest(path: str) -> str:
    """Return the SHA-256 hash of the lines of a file, whether it is compressed or not."""
    found = hashlib.sha256()
    for line in read_lines(path):
        found.update(line.encode())
    return found.hexdigest()


def main(paths: list[str]) -> int:
    """Check files; return 0 if all of them hold, 1 if one is refused, 2 if there is none."""
    if not paths or any(path.startswith("-") for path in paths):
        print(__doc__)
        return 2
    refused = 0
    for path in paths:
        try:
            checker = check_lines(read_lines(path))
        except (RefusedError, OSError, EOFError, UnicodeDecodeError) as error:
            refused += 1
            print(f"{path}: REFUSED, {error}")
            continue
        print(
            f"{path}: holds ({checker.status}, nothing is nearer than {float(checker.bound)!r}), sha256 {digest(path)}"
        )
    return 1 if refused else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
