"""Checks certificates of elsewise: proofs that no smaller change exists.

    python -m elsewise_check FILE [FILE ...] [--model FILE]

One file, Python's standard library alone, no part of elsewise: copy it anywhere. Every inequality that closes a node is
evaluated in exact arithmetic (integers and fractions). The format and the formulas are explained for auditors in the
page "Proofs that anyone can check" of the documentation; the names below are those of the page.

A certificate is a text file of JSON values, one a line, possibly compressed by gzip: a header (the question, the model
as plain numbers, the ellipsoids of the density, the answer, the claim), then nodes, in the order in which a reader
meets them who looks into the first part of a divided node before the second. A node is divided, or closed.

The claim is: every row x that keeps the rules, that the model decides as wanted for, and that is in an ellipsoid, is at
a distance of at least ``lower_bound``. So a number x_i that costs a_i a unit stays within lower_bound / a_i of the row.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import math
import runpy
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
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
# What units are applied to, and their values, are rounded outwards to multiples of 2**-FINE.
FINE = 128

# A linear form by its coefficients that are not zero; factors of distances to other points; and what a region adds to
# the costs of columns, and a constant, None if nothing of it is in a node.
Form = list[tuple[int, Fraction]]
Away = list[tuple[Fraction, list[Fraction]]]
Bound = tuple[dict[int, Any], Fraction] | None
EVERYWHERE = [(-math.inf, math.inf, Fraction(0))]
FUNCTIONS = ("relu", "identity", "square", "tanh", "logistic")
NODES = ("close", "goals", "parts", "ellipsoids", "split", "levels", "clause")
STATUSES = ("optimal", "feasible", "infeasible", "unknown")


class RefusedError(Exception):
    """The certificate proves nothing: why, and at which line."""

    line = 0

    def __str__(self) -> str:
        return f"line {self.line}: {self.args[0]}"


def require(holds: bool, reason: str) -> None:
    """Refuse the line at hand unless something holds."""
    if not holds:
        raise RefusedError(reason)


def listed(value: object, reason: str) -> list[Any]:
    """Return a list, or refuse the line."""
    if not isinstance(value, list):
        raise RefusedError(reason)
    return value


def an_object(value: object, reason: str, known: str | None = None) -> dict[str, Any]:
    """Return an object, or refuse the line; of names that are not known it is not known what they would change."""
    if not isinstance(value, dict):
        raise RefusedError(reason)
    require(known is None or value.keys() <= set((known or "").split()), f"unknown names, expected some of: {known}")
    return value


def numbers(value: object, name: str, length: int | None = None) -> list[float]:
    """Return a list of finite numbers, of a length."""
    found = [number(each, name) for each in listed(value, f"{name}: expected a list of numbers")]
    require(length is None or len(found) == length, f"{name}: expected {length} numbers, received {len(found)}")
    return found


def number(value: object, name: str) -> float:
    """Return a finite number."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise RefusedError(f"{name}: expected a finite number")
    require(isinstance(value, float) or abs(value) <= 2**53, f"{name}: a whole number too large for a double")
    return float(value)


def position(value: object, name: str, count: int) -> int:
    """Return one of the numbers 0, ..., count - 1."""
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < count:
        raise RefusedError(f"{name}: expected a whole number from 0 to {count - 1}, received {value!r}")
    return value


def entries(value: object, name: str, count: int, least: float = -math.inf) -> list[tuple[int, float]]:
    """Return pairs of a position, each once, and a number: what is not listed is zero."""
    pairs = [listed(pair, f"{name}: expected pairs") for pair in listed(value, f"{name}: expected a list of pairs")]
    require(all(len(pair) == 2 for pair in pairs), f"{name}: expected pairs")
    found = {position(pair[0], name, count): number(pair[1], name) for pair in pairs}
    require(len(found) == len(pairs), f"{name}: a position occurs twice")
    require(min(found.values(), default=0.0) >= least, f"{name}: a multiplier is negative")
    return list(found.items())


class Vector:
    """Doubles as integers with a common denominator 2**bits: sums of products are exact and fast."""

    def __init__(self, values: Iterable[float | Fraction]) -> None:
        ratios = [value.as_integer_ratio() for value in values]
        self.bits = max((low.bit_length() - 1 for _, low in ratios), default=0)
        self.whole = [top << (self.bits + 1 - low.bit_length()) for top, low in ratios]

    def dot(self, other: Vector) -> Fraction:
        """Return the sum of products."""
        return Fraction(sum(map(mul, self.whole, other.whole)), 1 << (self.bits + other.bits))


def add(total: list[Fraction], factor: Fraction, form: Form) -> None:
    """Add a multiple of a linear form."""
    for place, coefficient in form:
        total[place] += factor * coefficient


class Map:
    """The map ``z = M x + m`` from features to what a model, or a density, sees; M by rows, zeros left out."""

    def __init__(self, given: object, n: int, name: str) -> None:
        given = an_object(given, f"{name}: expected a map", "rows offset")
        rows = listed(given.get("rows"), f"{name}: expected rows")
        self.rows = [[(j, Fraction(v)) for j, v in entries(row, name, n)] for row in rows]
        self.offset = [Fraction(v) for v in numbers(given.get("offset"), name, len(rows))]

    def pulled_back(self, normal: Sequence[float | Fraction]) -> tuple[Form, Fraction]:
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

    def at(self, point: list[Fraction]) -> list[Fraction]:
        """Return z at a point."""
        return [sum((a * point[j] for j, a in row), o) for row, o in zip(self.rows, self.offset)]

    def size(self, normal: list[float], most: list[Fraction]) -> Fraction:
        """Bound the sizes of all terms of ``normal·z``, added up, where |x| is at most ``most``."""
        used = [(Fraction(v), row, o) for v, row, o in zip(normal, self.rows, self.offset) if v]
        terms = (abs(v) * (abs(o) + sum(abs(a) * most[j] for j, a in row)) for v, row, o in used)
        return sum(terms, Fraction(0))

    def compares(self, normal: list[float]) -> bool:
        """Whether ``normal·z`` is one feature as it is: to compare it with a number rounds nothing."""
        used = [(abs(v), o, [a for _, a in row]) for v, row, o in zip(normal, self.rows, self.offset) if v]
        return [*map(list, used)] == [[1, 0, [1]]]


class Column:
    """A column: one number, whole or not, or the indicators of the levels of a category."""

    def __init__(self, given: object, n: int) -> None:
        given = an_object(given, "a column is no object", "kind features")
        self.kind = given.get("kind")
        require(self.kind in ("number", "whole", "category"), "a column has no kind")
        features = listed(given.get("features"), "a column has no features")
        self.features = [position(f, "features of a column", n) for f in features]
        require(len(features) == 1 or (self.kind == "category" and bool(features)), "a number has one feature")


@dataclass(frozen=True)
class Box:
    """What a node leaves of the domain: limits of features and units, which goal, part and ellipsoid it is about."""

    lower: list[float]
    upper: list[float]
    goal: int = -1
    part: int = -1
    ellipsoid: int = -1
    units: dict[int, tuple[float, float]] = field(default_factory=dict)

    def within(self, feature: int, low: float, high: float) -> Box:
        """Return the part of the box where a feature is within further limits."""
        lower, upper = list(self.lower), list(self.upper)
        lower[feature], upper[feature] = max(lower[feature], low), min(upper[feature], high)
        return replace(self, lower=lower, upper=upper)


def ends(value: object, name: str, n: int, default: float) -> list[float]:
    """Return limits; null is none."""
    value = listed(value, f"{name}: expected numbers or nulls")
    require(len(value) == n, f"{name}: expected {n} numbers or nulls")
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
        known = "columns units lower upper per_change max_changes rules clauses least_moves apart"
        given = an_object(header.get("domain"), "domain: expected an object", known)
        self.per_change = Fraction(number(given.get("per_change"), "per_change"))
        require(self.per_change >= 0, "per_change is negative")
        self.columns = [Column(column, n) for column in listed(given.get("columns"), "columns: expected a list")]
        require(sorted(f for c in self.columns for f in c.features) == list(range(n)), "a feature is not in one column")
        units = listed(given.get("units"), "units: expected lists of columns")
        self.units = [[position(c, "units", len(self.columns)) for c in unit] for unit in units]
        every = sorted(c for unit in self.units for c in unit)
        require(every == list(range(len(self.columns))), "units: not each once")
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
        self.clauses = [self._clause(clause) for clause in listed(given.get("clauses", []), "clauses: expected a list")]
        self.indicators = {f for column in self.columns if column.kind == "category" for f in column.features}
        for f in self.indicators:
            between = 0 < self.lower[f] != 1 or 0 != self.upper[f] < 1
            require(not between, "an indicator has a limit between 0 and 1")
        self._require_levels(self.row, "row")
        self.apart = []
        for each in listed(given.get("apart", []), "apart: expected a list"):
            each = an_object(each, "apart: expected objects", "point distance")
            other, least = numbers(each.get("point"), "apart", n), Fraction(number(each.get("distance"), "apart"))
            self._require_levels(other, "point that is kept away from")
            self.apart.append((list(map(Fraction, other)), least * (1 - SAME_DISTANCE)))
        self.reach = [bound / price for price in self.price]
        self.most = [abs(own) + reach for own, reach in zip(self.exact_row, self.reach)]
        self.rules: list[tuple[Form, Fraction, Fraction]] = []
        for rule in listed(given.get("rules", []), "rules: expected a list"):
            rule = an_object(rule, "rules: expected objects", "normal offset")
            form = [(j, Fraction(v)) for j, v in enumerate(numbers(rule.get("normal"), "rules", n)) if v]
            offset = Fraction(number(rule.get("offset"), "rules"))
            size = sum((abs(v) * self.most[j] for j, v in form), abs(offset))
            self.rules.append((form, offset, UNIT * (n + MORE_OPERATIONS) * size))

    def _clause(self, given: object) -> list[tuple[int, float, float]]:
        found = []
        for literal in listed(given, "clauses: expected lists of literals"):
            require(isinstance(literal, list) and len(literal) == 3, "a literal is not [feature, low, high]")
            low, high = ends(literal[1:2], "low", 1, -math.inf), ends(literal[2:], "high", 1, math.inf)
            found.append((position(literal[0], "a literal", self.n), low[0], high[0]))
        return found

    def _require_levels(self, values: list[float], name: str) -> None:
        for column in self.columns:
            own = sorted(values[f] for f in column.features)
            is_one = own == [0.0] * (len(own) - 1) + [1.0]
            require(is_one or column.kind != "category", f"the {name} has not one level of a category")

    def levels(self, column: Column, box: Box) -> list[int]:
        """Return the levels of a category that a box leaves."""
        forced = [f for f in column.features if box.lower[f] > 0]
        return [f for f in column.features if box.upper[f] >= 1 and all(f == other for other in forced)]

    def distance(self, point: list[float]) -> Fraction:
        """Return the exact distance of a point."""
        apart = [abs(Fraction(x) - own) for x, own in zip(point, self.exact_row)]
        return sum(map(mul, self.price, apart), Fraction(0)) + self.per_change * self._n_changed(point)

    def _n_changed(self, point: list[float]) -> int:
        return sum(any(point[f] != self.row[f] for c in unit for f in self.columns[c].features) for unit in self.units)

    def require_point(self, point: list[float]) -> None:
        """Refuse a point that does not keep the limits and rules."""
        for f, x in enumerate(point):
            require(self.lower[f] <= x <= self.upper[f], f"the point breaks a limit of feature {f}")
            moves = x <= self.below[f] or x >= self.above[f] or self.below[f] == self.above[f]
            require(moves or x == self.row[f], f"feature {f} of the point moves too little")
        self._require_levels(point, "point")
        for f in [column.features[0] for column in self.columns if column.kind == "whole"]:
            require(point[f].is_integer() or point[f] == self.row[f], f"feature {f} of the point is not whole")
        require(self.max_changes is None or self._n_changed(point) <= self.max_changes, "the point changes too much")
        for k, clause in enumerate(self.clauses):
            require(any(low <= point[f] <= high for f, low, high in clause), f"the point breaks clause {k}")
        exact = [Fraction(x) for x in point]
        for k, (form, offset, rounding) in enumerate(self.rules):
            require(sum(a * exact[j] for j, a in form) <= offset + rounding, f"the point breaks rule {k}")
        for other, least in self.apart:
            away = sum(map(mul, self.price, (abs(x - y) for x, y in zip(exact, other))), Fraction(0))
            require(away >= least, "the point is too near to another one")

    def _least_of_column(self, column: Column, box: Box, slopes: list[Fraction], extra: Any, away: Away) -> list[Any]:
        """Return the least ``distance + slopes·(x - row) + extra - away`` of a column: if it stays, if it changes.

        On each side of the row that of a number is linear, or concave where distances to other points are taken away:
        its least is at an end. ``extra`` has pieces of a number, intervals with what is added there, or levels. None
        where there is nothing in the box.
        """
        if column.kind == "category":
            here, left = next(f for f in column.features if self.row[f] == 1), self.levels(column, box)
            more = {f: (extra or {}).get(f, Fraction(0)) + self.price[f] + slopes[f] for f in left}
            for k, point in away:
                other = next(f for f in column.features if point[f] == 1)
                more = {f: v - k * (self.price[f] + self.price[other]) * (f != other) for f, v in more.items()}
            costs = [more[f] + self.price[here] - slopes[here] for f in left if f != here]
            return [more[here] - self.price[here] - slopes[here] if here in left else None, min(costs, default=None)]
        f = column.features[0]
        slope, own, price, reach = slopes[f], self.exact_row[f], self.price[f], self.reach[f]
        below, above = Fraction(self.below[f]), Fraction(self.above[f])
        stays, changes = None, []
        for first, last, added in extra or EVERYWHERE:
            low, high = max(first, box.lower[f]), min(last, box.upper[f])
            stays = added - sum(k * price * abs(own - y[f]) for k, y in away) if low <= own <= high else stays
            least = own - reach if low == -math.inf else max(Fraction(low), own - reach)
            most = own + reach if high == math.inf else min(Fraction(high), own + reach)
            sides = [(least, min(most, below)), (max(least, above), most)]
            if column.kind == "whole":
                sides = [(Fraction(math.ceil(a)), Fraction(math.floor(b))) for a, b in sides]
            for x in [x for a, b in sides if a <= b for x in (a, b)]:
                taken = sum(k * abs(x - y[f]) for k, y in away)
                changes.append(added + price * (abs(x - own) - taken) + slope * (x - own))
        return [stays, min(changes, default=None)]

    def least(self, box: Box, slopes: list[Fraction], extra: dict[int, Any], away: Away) -> Fraction | None:
        """Return the least ``distance + slopes·(x - row) + extra - away`` over the near rows of a box; None for none.

        ``extra`` has pieces, or levels, of some columns, ``away`` factors of distances to other points.
        """
        total, gains, n_forced = Fraction(0), [], 0
        for unit in self.units:
            both = [self._least_of_column(self.columns[c], box, slopes, extra.get(c), away) for c in unit]
            options = [[each for each in pair if each is not None] for pair in both]
            if not all(options):
                return None
            stays = [stay for stay, _ in both if stay is not None]
            moves = sum(map(min, options), self.per_change)
            if len(stays) < len(both):
                n_forced, total = n_forced + 1, total + moves
            else:
                total += sum(stays, Fraction(0))
                gains.append(min(moves - sum(stays, Fraction(0)), Fraction(0)))
        left = len(gains) if self.max_changes is None else self.max_changes - n_forced
        return None if left < 0 else total + sum(sorted(gains)[:left], Fraction(0))


def outward(low: float | Fraction, high: float | Fraction) -> tuple[Any, Any]:
    """Round an interval outwards to multiples of 2**-FINE; ends that are infinite stay."""
    least = low if low == -math.inf else math.floor(Fraction(low) * 2**FINE)
    return least, high if high == math.inf else math.ceil(Fraction(high) * 2**FINE)


def exp_between(x: Fraction) -> tuple[int, int]:
    """Bound exp(-x) for x >= 0, in units of 2**-FINE: the alternating series at x / 2^k <= 1, squared k times.

    Each of less than 60 terms is rounded down by less than 3 units.
    """
    one, k = 1 << FINE, math.ceil(x).bit_length()
    y, term, total, n = math.floor(x * one) >> k, one, one, 0
    while term:
        n += 1
        term = term * y // (n * one)
        total += -term if n % 2 else term
    low, high = max(total - 256, 0), total + 256
    for _ in range(k):
        low, high = low * low >> FINE, (high * high >> FINE) + 1
    return low, high


def log_below(x: Fraction) -> Fraction:
    """Return a number that is at most log(x), for x >= 1."""
    found = Fraction(max(math.log(x) * (1 - 2**-45) - 2**-45, 0.0))
    return found if exp_between(found)[0] * x >= 1 << FINE else Fraction(0)


def logistic_between(t: Fraction) -> tuple[int, int]:
    """Bound 1 / (1 + exp(-t))."""
    one = 1 << FINE
    low, high = exp_between(abs(t))
    low, high = (low << FINE) // (one + low), -(-(high << FINE) // (one + high))
    return (low, high) if t <= 0 else (one - high, one - low)


def value_between(name: str, low: int, high: int) -> tuple[int, int]:
    """Bound a function between two numbers."""
    if name in ("tanh", "logistic"):  # tanh(t) = 2 logistic(2 t) - 1
        k = 2 if name == "tanh" else 1
        first, last = (logistic_between(Fraction(k * t, 1 << FINE))[side] for side, t in enumerate((low, high)))
        return k * first - (k - 1 << FINE), k * last - (k - 1 << FINE)
    if name == "square":
        least, most = sorted((low * low, high * high))
        return (0 if low <= 0 <= high else least >> FINE), (most >> FINE) + 1
    return (max(low, 0), max(high, 0)) if name == "relu" else (low, high)


def least_of_unit(name: str, w: Fraction, m: Fraction, low: Fraction, high: Fraction) -> Fraction:
    """Bound ``w phi(t) - m t`` from below where t is between two numbers."""
    if w == 0:
        return min(-m * low, -m * high)
    if name in ("tanh", "logistic"):  # tanh(t) = 2 logistic(2 t) - 1
        k = 2 if name == "tanh" else 1
        return least_of_logistic(k * w, m / k, k * low, k * high) - (k - 1) * w
    places = [low, high, min(max(m / (2 * w) if name == "square" else Fraction(0), low), high)]  # w < 0: any will do
    values = [t * t if name == "square" else max(t, Fraction(0)) if name == "relu" else t for t in places]
    return min(w * value - m * t for t, value in zip(places, values))


def least_of_logistic(w: Fraction, m: Fraction, low: Fraction, high: Fraction) -> Fraction:
    """Bound ``w logistic(t) - m t``: at the ends where it is concave, by a tangent where it is convex."""
    if w < 0:  # logistic(-t) = 1 - logistic(t)
        return w + least_of_logistic(-w, -m, -high, -low)
    found, one = [], 1 << FINE
    if high > 0:
        found += [w * Fraction(logistic_between(t)[0], one) - m * t for t in (max(low, Fraction(0)), high)]
    if low < 0:
        last, slope = min(high, Fraction(0)), float(m / w)
        at = low if slope <= 0 else last
        if 0 < slope < 0.25:  # where the slope of the logistic function is the same
            share = (1 - math.sqrt(1 - 4 * slope)) / 2
            at = min(max(Fraction(math.log(share / (1 - share))), low), last)
        a, b = (Fraction(value, one) for value in logistic_between(at))
        steepest, flattest = b * (1 - b) if 2 * b < 1 else Fraction(1, 4), min(a * (1 - a), b * (1 - b))
        found += [w * (a + steepest * (low - at)) - m * low, w * (a + flattest * (last - at)) - m * last]
    return min(found)


class Layer:
    """Units ``function(W z + b)`` of the map's z, or of the values of the layer before."""

    def __init__(self, given: object, width: int, map_: Map | None, domain: Domain) -> None:
        given = an_object(given, "layers: expected objects", "weights offsets functions")
        self.offsets = numbers(given.get("offsets"), "offsets of a layer")
        count, rows = len(self.offsets), listed(given.get("weights"), "weights: expected lists of numbers")
        self.functions = listed(given.get("functions"), "functions: expected a list")
        require(len(rows) == len(self.functions) == count, "a layer has other numbers of weights and functions")
        require(all(name in FUNCTIONS for name in self.functions), f"functions: expected some of {FUNCTIONS}")
        self.weights = [numbers(row, "weights", width) for row in rows]
        forms = [[(k, Fraction(w)) for k, w in enumerate(row) if w] for row in self.weights]
        exact = [Fraction(offset) for offset in self.offsets]
        if map_ is not None:  # the first layer sees features
            width, pulled = domain.n, [map_.pulled_back(row) for row in self.weights]
            forms, exact = [form for form, _ in pulled], [b + more for b, (_, more) in zip(exact, pulled)]
        dense = [[dict(form).get(k, Fraction(0)) for k in range(width)] for form in forms]
        self.rows, self.columns = [Vector(row) for row in dense], [Vector(column) for column in zip(*dense)]
        self.shift = Vector(exact)
        self.constant = [outward(b, b) for b in exact]
        self.balls = []
        for form, b in zip(forms, exact) if map_ is not None else []:  # a unit of distance: by the largest ratio
            middle = b + sum((a * domain.exact_row[j] for j, a in form), Fraction(0))
            room = domain.bound * max((abs(a) / domain.price[j] for j, a in form), default=Fraction(0))
            self.balls.append(outward(middle - room, middle + room))

    def spans(self, values: list[tuple[int, int]]) -> list[tuple[int, int]]:
        """Bound what units are applied to, by what is before them; all in units of 2**-FINE."""
        found = []
        for row, (first, last) in zip(self.rows, self.constant):
            least = sum(w * (a if w > 0 else b) for w, (a, b) in zip(row.whole, values))
            most = sum(w * (b if w > 0 else a) for w, (a, b) in zip(row.whole, values))
            found.append((first + (least >> row.bits), last - (-most >> row.bits)))
        return found

    def values(self, spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
        """Bound the values of units."""
        return [value_between(name, low, high) for name, (low, high) in zip(self.functions, spans)]

    def sizes(self, before: list[float]) -> list[float]:
        """Bound the sizes of all terms that the values of units are made of, by those of what is before them."""
        found = [abs(b) + sum(map(mul, map(abs, row), before)) for row, b in zip(self.weights, self.offsets)]
        return [size * size if name == "square" else size + 1 for name, size in zip(self.functions, found)]


class Polyhedra:
    """A model whose region is a union of parts: ``(N_r - s)·z + U_r·a <= o_r - c`` for the half-spaces r of a part.

    Here a are the values of the last of some layers of units, if there are any. With ``log_odds`` L the half-spaces of
    the part hold together: for the slacks v of all of them, ``sum exp(-v_r) <= exp(L)``.

    The model adds up its terms in floating point. A sum of k products is off by no more than (k + few) roundings of
    the sum of their sizes, which are bounded, for nothing far away matters: half-spaces are moved out by that much.
    Through a unit errors grow as sizes do, and twice as much where it is a square.
    """

    def __init__(self, given: dict[str, Any], n: int, domain: Domain) -> None:
        an_object(given, "", "kind map normals offsets parts layers units log_odds")
        self.map = Map(given.get("map"), n, "map")
        width = len(self.map.rows)
        rows = listed(given.get("normals"), "normals: expected a list")
        self.normals = [numbers(row, "normals", width) for row in rows]
        self.offsets = numbers(given.get("offsets"), "offsets", len(rows))
        self.parts = []
        for part in listed(given.get("parts"), "parts: expected a list"):
            part = an_object(part, "parts: expected objects", "start stop shift shift_offset")
            start, stop = (position(part.get(end), "parts", len(rows) + 1) for end in ("start", "stop"))
            shift = numbers(part.get("shift", [0.0] * width), "shift", width)
            self.parts.append((range(start, stop), shift, number(part.get("shift_offset", 0.0), "shift")))
        self.domain = domain
        self.known: dict[tuple[int, int], tuple[Form, Fraction, Fraction]] = {}
        self.layers: list[Layer] = []
        for each in listed(given.get("layers", []), "layers: expected a list"):
            before = len(self.layers[-1].offsets) if self.layers else width
            self.layers.append(Layer(each, before, None if self.layers else self.map, domain))
        self.n_units = sum(len(layer.offsets) for layer in self.layers)
        self.n_last = len(self.layers[-1].offsets) if self.layers else 0
        of_units = listed(given.get("units", [[]] * len(rows)), "units: expected a list")
        self.of_units = [numbers(row, "units", self.n_last) for row in of_units]
        require(len(self.of_units) == len(rows), "units: expected weights for each half-space")
        self.log_odds = Fraction(number(given["log_odds"], "log_odds")) if "log_odds" in given else None
        self.sizes = [float(self.map.size([float(j == k) for j in range(width)], domain.most)) for k in range(width)]
        self.n_operations = 2 * width + MORE_OPERATIONS
        for layer in self.layers:
            self.n_operations = 2 * (self.n_operations + 2 * len(self.sizes) + MORE_OPERATIONS)
            self.sizes = layer.sizes(self.sizes)

    def halfspace(self, part: int, place: int) -> tuple[Form, Fraction, Fraction]:
        """Return ``(form, offset, rounding)`` of a half-space of a part: ``form·x + U·a <= offset + rounding``."""
        key = (part, place)
        if key not in self.known:
            rows, shift, shift_offset = self.parts[part]
            normal, own, offset = self.normals[rows[place]], self.of_units[rows[place]], self.offsets[rows[place]]
            form, constant = self.map.pulled_back([Fraction(a) - Fraction(b) for a, b in zip(normal, shift)])
            size = sum(self.map.size(each, self.domain.most) for each in (normal, shift))
            size += Fraction(abs(offset)) + Fraction(abs(shift_offset))
            size += Fraction(sum(map(mul, map(abs, own), self.sizes)))
            rounding = UNIT * (self.n_operations + 2 * len(own)) * size
            if not any(shift) and not own and self.map.compares(normal):
                rounding = Fraction(0)
            self.known[key] = form, Fraction(offset) - Fraction(shift_offset) - constant, rounding
        return self.known[key]

    def spans(self, box: Box) -> list[list[tuple[int, int]]] | None:
        """Bound what units are applied to, layer by layer, in units of 2**-FINE; None if nothing is left."""
        first, found = 0, list[list[tuple[int, int]]]()
        near: Any = zip(box.lower, box.upper, self.domain.exact_row, self.domain.reach)
        values = [outward(max(low, own - reach), min(high, own + reach)) for low, high, own, reach in near]
        for layer in self.layers:
            own = layer.spans(values)
            own = [(max(a, c), min(b, d)) for (a, b), (c, d) in zip(own, layer.balls or own)]
            for unit in box.units.keys() & range(first, first + len(own)):
                (a, b), (c, d) = own[unit - first], outward(*box.units[unit])
                own[unit - first] = max(a, c), min(b, d)
            if any(a > b for a, b in own):
                return None
            found.append(own)
            values, first = layer.values(own), first + len(own)
        return found

    def bound(self, box: Box, given: dict[str, Any], slopes: list[Fraction]) -> Bound:
        """Add what multipliers of half-spaces and units make of the region to slopes of x; return the constant.

        With the weights w that multipliers give to the values of units, ``w phi(t) = (w phi(t) - m t) + m t`` for any
        m: the first is at least its minimum over the interval of the unit, the second is linear in what is before.
        """
        require(box.part >= 0, "there are multipliers of a part, but no part")
        rows, constant, total = self.parts[box.part][0], Fraction(0), Fraction(0)
        pairs, weights = entries(given.get("parts", []), "parts", len(rows), 0.0), [Fraction(0)] * self.n_last
        for place, value in pairs:
            form, offset, rounding = self.halfspace(box.part, place)
            add(slopes, Fraction(value), form)
            constant -= Fraction(value) * (offset + rounding)
            total += Fraction(value)
            add(weights, Fraction(value), list(enumerate(map(Fraction, self.of_units[rows[place]]))))
        if self.log_odds is not None:  # for all shares s: sum s v >= sum s log(1 / s) - L
            constant -= total * (self.log_odds + MORE_OPERATIONS * UNIT * (1 + abs(self.log_odds)))
            constant += sum((Fraction(v) * log_below(total / Fraction(v)) for _, v in pairs if v), Fraction(0))
        messages, last = dict(entries(given.get("units", []), "units", self.n_units)), self.n_units
        spans = self.spans(box)
        if spans is None:
            return None
        for layer, own in zip(reversed(self.layers), reversed(spans)):
            m = [messages.get(unit, 0.0) for unit in range(last - len(own), last)]
            last -= len(own)
            for name, w, slope, (low, high) in zip(layer.functions, weights, m, own):
                if w or slope:
                    least = least_of_unit(name, w, Fraction(slope), Fraction(low, 1 << FINE), Fraction(high, 1 << FINE))
                    constant += Fraction(math.floor(least * 2**FINE), 2**FINE)
            exact = Vector(m)
            constant += layer.shift.dot(exact)
            weights = [column.dot(exact) for column in layer.columns]
        add(slopes, Fraction(1), list(enumerate(weights)) if self.layers else [])
        return {}, constant

    def require_point(self, point: list[Fraction]) -> None:
        """Refuse a point that no part holds, exactly or up to the model's own rounding."""
        values = [outward(x, x) for x in point]
        for layer in self.layers:
            values = layer.values(layer.spans(values))
        for part, (rows, _, _) in enumerate(self.parts):
            slacks = [self._slack(part, place, point, values) + (self.log_odds or 0) for place in range(len(rows))]
            shares = 0 if self.log_odds is None else sum(exp_between(abs(slack))[1] for slack in slacks)
            if min(slacks, default=0) >= 0 and shares <= 1 << FINE:
                return
        raise RefusedError("the model, as it is read here, does not decide for the target at the point")

    def _slack(self, part: int, place: int, point: list[Fraction], values: list[tuple[int, int]]) -> Fraction:
        """Return the least that a half-space may leave at a point."""
        form, offset, _ = self.halfspace(part, place)
        weights = map(Fraction, self.of_units[self.parts[part][0][place]])
        most = sum((w * (b if w > 0 else a) for w, (a, b) in zip(weights, values)), Fraction(0))
        left: Fraction = offset - sum((a * point[j] for j, a in form), Fraction(0)) - most / 2**FINE
        return left


class Trees:
    """A model that adds up the leaves of trees: conditions ``weights·(sum of leaves) >= least``, up to rounding.

    A tree is a list of nodes: ``[z, limit, left, right]`` goes left where the number z that the model sees is at most
    the limit, ``[levels, null, left, right]`` where a category has one of these, ``[scores]`` is a leaf. Limits are
    doubles. Where z = M x + m is computed, by few roundings, a row x is treated as some x' that is within ``near`` of
    it: what is proven of x' is proven of x, less what moving so little costs. Neither limits, codes and the row nor two
    places where trees divide may be that near to each other; whole numbers and levels that are near go both ways.

    If all scores are multiples of 2^-20 no larger than one, as votes are, sums are exact: they are multiples of the
    greatest common divisor of what leaves differ by, and what is ``strict`` is not met at a tie. Otherwise a sum of n
    numbers is off by no more than (n + few) roundings of their sizes, to 24 bits where ``single``.
    """

    def __init__(self, given: dict[str, Any], n: int, domain: Domain) -> None:
        an_object(given, "", "kind map single conditions trees")
        self.domain, self.map = domain, Map(given.get("map"), n, "map")
        self.column_of = {f: c for c, column in enumerate(domain.columns) for f in column.features}
        self.seen: dict[int, int | None] = {}
        rows = listed(given.get("conditions"), "conditions: expected a list")
        rows = [an_object(row, "conditions: expected objects", "weights least slack strict") for row in rows]
        self.n_scores = len(listed(rows[0].get("weights"), "weights: expected a list")) if rows else 0
        weights = [numbers(row.get("weights"), "weights", self.n_scores) for row in rows]
        self.near: dict[int, Fraction] = {}
        self.cuts: dict[int, set[tuple[Fraction, int, float]]] = {}
        self.views: dict[Any, int] = {}
        self.costs: dict[tuple[int, Any], int] = {}
        self.trees = [self._tree(tree) for tree in listed(given.get("trees"), "trees: expected a list")]
        for c, cuts in self.cuts.items():
            for (cut, z, last), (other, y, after) in pairwise(sorted(cuts)):
                is_apart = last < after if z == y else other - cut > 2 * self.near[c]
                require(is_apart, "two limits of trees are as near to each other as rounding")
        leaves = [[node[0] for node in tree if len(node) == 1] for tree in self.trees]
        scores = [value for of_tree in leaves for leaf in of_tree for value in leaf]
        self.bits = max(Vector([*scores, *(w for row in weights for w in row)]).bits, 0) * 2
        each = [[leaf[k] for of_tree in leaves for leaf in of_tree] for k in range(self.n_scores)]
        are_votes = [all(abs(v) <= 1 and (v * 2**20).is_integer() for v in score) for score in each]
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
            is_exact = all(w in (-are_votes[k], 0, are_votes[k]) for k, w in enumerate(weights[r]))
            if is_exact and given.get("single") is not True:
                strict = row.get("strict") is True
                self.needed.append(self._next_sum(r, least if strict else least - slack, strict))
            else:
                few = len(self.trees) + MORE_OPERATIONS
                own = unit * few * sum(abs(w) for w in exact_weights[r]) * Fraction(size)
                self.needed.append(math.floor((least - slack - own) * 2**self.bits))

    def _tree(self, given: object) -> list[Any]:
        nodes = listed(given, "trees: expected lists of nodes")
        found: list[Any] = []
        for k, node in enumerate(nodes):
            require(isinstance(node, list) and len(node) in (1, 4), "a node of a tree is not [z, limit, left, right]")
            if len(node) == 1:
                found.append((numbers(node[0], "scores", self.n_scores),))
                continue
            left, right = (position(child, "a node", len(nodes)) for child in node[2:])
            require(left > k and right > k, "a tree leads back")
            if isinstance(node[0], list):
                found.append((*self._by_level(node[0]), left, right, None))
                continue
            z, limit = position(node[0], "a node", len(self.map.rows)), number(node[1], "a limit")
            columns = {self.column_of[j] for j, _ in self.map.rows[z]}
            require(len(columns) <= 1, "a tree sees a mixture of columns")
            self.seen[z] = columns.pop() if columns else None
            found.append((self.seen[z], self._sides(z, limit), left, right, (z, Fraction(limit))))
        require(len(found) > 0, "a tree has no nodes")
        return found

    def _by_level(self, given: list[Any]) -> tuple[int, tuple[Any, Any]]:
        """Return a category, and its levels that go left and right."""
        left = frozenset(position(f, "levels of a node", self.domain.n) for f in given)
        columns = {self.column_of[f] for f in left}
        require(len(columns) == 1, "a tree divides no category, or several, by levels")
        column = self.domain.columns[c := columns.pop()]
        require(column.kind == "category", "a tree divides a number by levels")
        return c, (left, frozenset(column.features) - left)

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
        slope, cuts = row[0][1], self.cuts.setdefault(self.column_of[row[0][0]], set())
        view = self.views.setdefault((row[0], offset), z)
        if slope == 1 and offset == 0:
            cuts.add((exact, view, limit))
            return (-math.inf, limit), (math.nextafter(limit, math.inf), math.inf)
        assert c is not None
        cut = (exact - offset) / slope
        near = 8 * UNIT * (abs(cut) + abs(offset / slope))
        if column.kind == "whole":
            low_side = (-math.inf, math.nextafter(float(cut + near), math.inf))
            high_side = (math.nextafter(float(cut - near), -math.inf), math.inf)
            return (low_side, high_side) if slope > 0 else (high_side, low_side)
        domain, f = self.domain, column.features[0]
        size = domain.most[f] + abs(offset / slope)
        self.near[c] = max(self.near.get(c, Fraction(0)), 16 * UNIT * size)
        domain.reach[f] = max(domain.reach[f], domain.bound / domain.price[f] + self.near[c])
        ends_ = [domain.row[f], domain.lower[f], domain.upper[f], domain.below[f], domain.above[f]]
        ends_ += [end for clause in domain.clauses for g, *both in clause if g == f for end in both]
        for end in [Fraction(end) for end in ends_ if math.isfinite(end)]:  # what keeps them does if it moves a little
            require(abs(end - cut) > 16 * UNIT * size, "a limit, or the row, is as near to a tree's limit as rounding")
        last = float(cut)  # the last double on the lower side; one at the cut itself is on the side of z <= limit
        if last > cut or (last == cut and slope < 0):
            last = math.nextafter(last, -math.inf)
        cuts.add((cut, view, last))
        low_side, high_side = (-math.inf, last), (math.nextafter(last, math.inf), math.inf)
        return (low_side, high_side) if slope > 0 else (high_side, low_side)

    def _next_sum(self, r: int, least: Fraction, strict: bool) -> int:
        """Return the smallest sum, of those that leaves can have, that meets a condition."""
        gains: list[list[int]] = [[node[0][r] for node in tree if len(node) == 1] for tree in self.trees]
        start: int = sum(of_tree[0] for of_tree in gains)
        step: int = math.gcd(*(gain - of_tree[0] for of_tree in gains for gain in of_tree)) or 1
        count: Fraction = (least * 2**self.bits - start) / step
        return start + step * (math.floor(count) + 1 if strict else math.ceil(count))

    def require_point(self, point: list[Fraction]) -> None:
        """Refuse a point at which the leaves do not add up to enough."""
        seen, total = self.map.at(point), [0] * len(self.needed)
        for tree in self.trees:
            node = tree[0]
            while len(node) > 1:
                _, (levels, _), left, right, test = node
                is_left = seen[test[0]] <= test[1] if test else any(point[f] == 1 for f in levels)
                node = tree[left if is_left else right]
            total = [a + b for a, b in zip(total, node[0])]
        enough = all(a >= b for a, b in zip(total, self.needed))
        require(enough, "the model, as it is read here, does not decide for the target at the point")

    def slip(self, slopes: list[Fraction], times: Fraction | int) -> Fraction:
        """Return by how much some distances and ``slopes·x`` may differ between a row and what trees treat it as."""
        first = ((self.domain.columns[c].features[0], near) for c, near in self.near.items())
        return sum(((times * self.domain.price[f] + abs(slopes[f])) * near for f, near in first), Fraction(0))

    def bound(self, box: Box, given: dict[str, Any], slopes: list[Fraction]) -> Bound:
        """Return what messages add to columns, and the least of all trees; None if a tree has no leaf left."""
        said = an_object(given["trees"], "trees: expected multipliers")
        bits = position(said.get("bits"), "bits", 2000)
        pi = [position(p, "pi", 2**400) for p in listed(said.get("pi", []), "pi: expected a list")]
        require(len(pi) == len(self.needed), "pi: one weight a condition is expected")
        messages: list[dict[int, list[tuple[Any, int]]]] = [{} for _ in self.trees]
        columns = self.domain.columns
        for each in listed(said.get("messages"), "messages: expected a list"):
            require(isinstance(each, list) and len(each) == 3, "a message is not [tree, column, values]")
            t, c = (position(k, "a message", count) for k, count in zip(each, (len(messages), len(columns))))
            require(c not in messages[t], "a message occurs twice")
            messages[t][c] = self._message(c, listed(each[2], "a message has no values"))
        unit = Fraction(1, 2**bits)
        total = sum(map(mul, pi, self.needed)) * unit / 2**self.bits
        sides = [self._whole_side(c, box) for c in range(len(columns))]
        is_empty = any(not side or (isinstance(side, tuple) and side[0] > side[1]) for side in sides)
        if is_empty or any(low > high for low, high in zip(box.lower, box.upper)):
            return None
        costs = {c: self._cost(c, side) for c, side in enumerate(sides)}
        bound = self.domain.bound + self.slip([Fraction(0)] * self.domain.n, 1)
        spare = math.ceil(bound * 2**GRID) - sum(costs.values()), costs  # what is left of the bound
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
            level = position(pair[0], "a level of a message", self.domain.n) if is_category else 0
            found.append((level if is_category else ends(pair[:1], "a message", 1, math.inf)[0], pair[1]))
        last = [end for end, _ in found]
        require(len(set(last)) == len(last), "a message says something twice")
        in_order = is_category or (last == sorted(last) and last[-1] == math.inf)
        require(in_order, "pieces of a message do not follow each other")
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

    def _whole_side(self, c: int, box: Box) -> Any:
        column = self.domain.columns[c]
        if column.kind != "category":
            return self._within(c, box.lower[column.features[0]], box.upper[column.features[0]])
        return frozenset(self.domain.levels(column, box))

    def _within(self, c: int, low: float, high: float) -> tuple[float, float]:
        """Return an interval from one number that a column may have to another."""
        column, domain = self.domain.columns[c], self.domain
        own, below_, above_ = (values[column.features[0]] for values in (domain.row, domain.below, domain.above))
        sides = [(low, min(high, below_)), (max(low, above_), high)]
        if column.kind == "whole":
            sides = [(a if math.isinf(a) else math.ceil(a), b if math.isinf(b) else math.floor(b)) for a, b in sides]
        found = [float(x) for a, b in sides if a <= b for x in (a, b)] + [own] * (low <= own <= high)
        return min(found, default=math.inf), max(found, default=-math.inf)

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
            else:
                nearest = Fraction(min(max(domain.row[f], side[0]), side[1]))
                cost = domain.price[f] * abs(nearest - domain.exact_row[f])
            self.costs[key] = math.floor(cost * 2**GRID)
        return self.costs[key]

    def _least_leaf(self, tree: list[Any], box: Box, own: dict[int, Any], pi: list[int], spare: Any) -> int | None:
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
            c, (left, right), *children, _ = node
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
            return min([value for f, value in message if f in side] + [0] * any(f not in dict(message) for f in side))
        firsts = [-math.inf, *(math.nextafter(end, math.inf) for end, _ in message)]
        return min(value for first, (end, value) in zip(firsts, message) if first <= side[1] and end >= side[0])


class Ellipsoids:
    """Sets ``{ x : |F (M x + m - c)|^2 + p·x <= r }`` in one of which the density is as high as asked."""

    def __init__(self, given: object, n: int) -> None:
        given = an_object(given, "density: expected an object or null", "map shapes ellipsoids")
        self.map = Map(given.get("map"), n, "map of the density")
        q = len(self.map.rows)
        shapes = listed(given.get("shapes"), "shapes: expected matrices")
        self.columns = []
        for shape in shapes:
            rows = [numbers(row, "shapes", q) for row in listed(shape, "shapes: expected matrices")]
            self.columns.append([Vector(row[j] for row in rows) for j in range(q)])
        self.n_image = list(map(len, shapes))
        self.sets = []
        for each in listed(given.get("ellipsoids"), "ellipsoids: expected a list"):
            an_object(each, "ellipsoids: expected objects", "shape centre squared_radius penalties")
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
        require(self.n_image[shape] == len(image), "image: wrong number of numbers")
        constant = -y.dot(y) / (4 * k) - k * squared
        for column, row, offset, middle in zip(columns, self.map.rows, self.map.offset, centre):
            weight = column.dot(y)
            constant += weight * (offset - middle)
            add(slopes, weight, row)
        add(slopes, k, penalties)
        return constant

    def require_point(self, point: list[Fraction]) -> None:
        """Refuse a point that is in no ellipsoid."""
        seen = self.map.at(point)
        for shape, centre, squared, penalties in self.sets:
            total, apart = [Fraction(0)] * self.n_image[shape], [z - c for z, c in zip(seen, centre)]
            for column, away in zip(self.columns[shape], apart):
                add(total, away / 2**column.bits, [(k, Fraction(value)) for k, value in enumerate(column.whole)])
            if sum((u * u for u in total), Fraction(0)) + sum(v * point[j] for j, v in penalties) <= squared:
                return
        raise RefusedError("the density at the point is lower than asked")


class Goal:
    """One outcome that is wanted: where the model decides so, and where data are dense; None for everywhere."""

    def __init__(self, given: object, domain: Domain) -> None:
        given = an_object(given, "goals: expected objects", "region density")
        region, density = given.get("region"), given.get("density")
        self.region: Polyhedra | Trees | None = None
        if region is not None:
            kind = an_object(region, "region: expected an object or null").get("kind")
            require(kind in ("polyhedra", "trees"), f"region: unknown kind {kind!r}")
            self.region = (Trees if kind == "trees" else Polyhedra)(region, domain.n, domain)
        self.density = None if density is None else Ellipsoids(density, domain.n)

    def require_point(self, point: list[Fraction]) -> None:
        """Refuse a point that is not in the region, or not dense."""
        for each in (self.region, self.density):
            if each is not None:
                each.require_point(point)


class Checker:
    """Checks one certificate, line by line."""

    def __init__(self, header: object) -> None:
        known = "format version claim row prices point goal domain goals notes"
        header = an_object(header, "the first line is not a header", known)
        require(header.get("format") == FORMAT, f"format: expected {FORMAT!r}")
        require(header.get("version") == VERSION, f"version: expected {VERSION}, received {header.get('version')!r}")
        claim = an_object(header.get("claim"), "claim: expected an object", "status distance lower_bound")
        self.status = claim.get("status")
        require(self.status in STATUSES, f"status: expected one of {STATUSES}")
        self.bound = Fraction(number(claim.get("lower_bound"), "lower_bound"))
        require(self.bound >= 0, "lower_bound is negative")
        self.distance: Fraction | None = None
        self.domain = Domain(header, self.bound)
        self.goals = [Goal(goal, self.domain) for goal in listed(header.get("goals"), "goals: expected a list")]
        require(bool(self.goals), "goals: no outcome is wanted")
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
        require((gap := distance - self.bound) >= 0, "the bound is larger than the distance")
        require(self.status != "optimal" or gap <= OPTIMAL_GAP * distance, "optimal is claimed, but the gap is larger")

    def take(self, node: object) -> None:
        """Check the next node: close it, or divide it."""
        node = an_object(node, "a node is no object")
        require(len(node) == 1, "a node is not one of the kinds that there are")
        require(bool(self.waiting), "there is a node too many")
        box = self.waiting.pop()
        (kind, given), *_ = node.items()
        require(kind in NODES, f"unknown node {kind!r}")
        is_list = kind in ("goals", "parts", "ellipsoids")
        self.waiting += reversed(self._all_of(box, kind, given) if is_list else getattr(self, "_" + kind)(box, given))

    def _all_of(self, box: Box, kind: str, given: object) -> list[Box]:
        """Divide a node by all goals, or by all parts or ellipsoids of its goal."""
        options: list[Any] | None = self.goals
        if kind != "goals":
            goal = self._goal(box)
            options = getattr(goal.region, "parts", None) if kind == "parts" else getattr(goal.density, "sets", None)
        if options is None or getattr(box, kind[:-1]) >= 0:
            raise RefusedError(f"a node that has none is divided by its {kind}")
        require(given == len(options), f"not all {kind} are looked into")
        each: list[dict[str, Any]] = [{kind[:-1]: one} for one in range(len(options))]
        return [replace(box, **one) for one in each]

    def _goal(self, box: Box) -> Goal:
        require(box.goal >= 0, "a node is about no goal yet")
        return self.goals[box.goal]

    def _split(self, box: Box, given: object) -> list[Box]:
        """Divide the interval of a number: between the parts there is no number that the row may become."""
        given = an_object(given, "split: expected an object", "feature unit intervals")
        parts = listed(given.get("intervals"), "split: expected intervals")
        lows = ends([part[0] for part in parts], "split", len(parts), -math.inf)
        highs = ends([part[1] for part in parts], "split", len(parts), math.inf)
        if "unit" in given:
            return self._split_unit(box, given["unit"], lows, highs)
        domain, f = self.domain, position(given.get("feature"), "split", self.domain.n)
        require(f not in domain.indicators, "an indicator is not split")
        require(lows[0] <= box.lower[f] and highs[-1] >= box.upper[f], "a split leaves out an end")
        for before, after in zip(highs, lows[1:]):
            require(after <= math.nextafter(before, math.inf) or self._is_gap(f, before, after), "a split leaves a gap")
        return [box.within(f, low, high) for low, high in zip(lows, highs)]

    def _split_unit(self, box: Box, given: object, lows: list[float], highs: list[float]) -> list[Box]:
        """Divide what a unit is applied to: a real number, so that intervals share their ends."""
        region = self._goal(box).region
        unit = position(given, "split", region.n_units if isinstance(region, Polyhedra) else 0)
        low, high = box.units.get(unit, (-math.inf, math.inf))
        require(lows[0] <= low and highs[-1] >= high, "a split leaves out an end")
        require(all(before >= after for before, after in zip(highs, lows[1:])), "a split leaves a gap")
        kept = [(max(a, low), min(b, high)) for a, b in zip(lows, highs)]
        return [replace(box, units={**box.units, unit: each}) for each in kept]

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
        given = an_object(given, "levels: expected an object", "column parts")
        column = self.domain.columns[position(given.get("column"), "levels", len(self.domain.columns))]
        require(column.kind == "category", "a number has no levels")
        parts = listed(given.get("parts"), "levels: expected lists of features")
        kept = [{position(f, "levels", self.domain.n) for f in part} for part in parts]
        require(all(box.upper[f] < 1 or any(f in own for own in kept) for f in column.features), "a level is left out")
        gone = [set(column.features) - own for own in kept]
        return [replace(box, upper=[0.0 if f in own else high for f, high in enumerate(box.upper)]) for own in gone]

    def _clause(self, box: Box, given: object) -> list[Box]:
        """Divide by the alternatives of a rule: one of them holds."""
        clause = self.domain.clauses[position(given, "clause", len(self.domain.clauses))]
        known = self.domain.indicators
        each = [(f, *((float(low > 0), float(high >= 1)) if f in known else (low, high))) for f, low, high in clause]
        return [box.within(*literal) for literal in each]

    def _close(self, box: Box, given: object) -> list[Box]:
        """Close a node: no row in it is nearer than the bound.

        For multipliers that are not negative, ``distance + multipliers · what must not be positive`` is a lower bound
        of the distance. All of it but the distance is linear, or bounded by a tangent: the least is a sum over columns.
        """
        given = an_object(given, "close: expected multipliers", "parts units rules apart ellipsoid trees")
        domain, slopes, constant = self.domain, [Fraction(0)] * self.domain.n, Fraction(0)
        extra: dict[int, Any] = {}
        region: Polyhedra | Trees | None = None
        if given.keys() & {"parts", "units", "trees"}:
            region = self._goal(box).region
            if region is None or isinstance(region, Trees) is not ("trees" in given):
                raise RefusedError("the multipliers are of another region")
            found = region.bound(box, given, slopes)
            if found is None:
                return []
            extra, constant = found
        for place, value in entries(given.get("rules", []), "rules", len(domain.rules), 0.0):
            form, offset, rounding = domain.rules[place]
            add(slopes, Fraction(value), form)
            constant -= Fraction(value) * (offset + rounding)
        if "ellipsoid" in given:
            density, own = self._goal(box).density, an_object(given["ellipsoid"], "ellipsoid: expected multipliers")
            if density is None or box.ellipsoid < 0:
                raise RefusedError("there is a multiplier of an ellipsoid, but none")
            kappa, image = number(own.get("kappa"), "kappa"), numbers(own.get("image"), "image")
            constant += density.tangent(box.ellipsoid, kappa, image, slopes)
        away = []
        for place, value in entries(given.get("apart", []), "apart", len(domain.apart), 0.0):
            away.append((Fraction(value), domain.apart[place][0]))
            constant += Fraction(value) * domain.apart[place][1]
        least = domain.least(box, slopes, extra, away)
        if least is not None:
            least -= region.slip(slopes, 1 + sum(k for k, _ in away)) if isinstance(region, Trees) else 0
            least += constant + sum(map(mul, slopes, domain.exact_row), Fraction(0))
            require(least >= self.bound, f"the multipliers prove {float(least)!r}, not {float(self.bound)!r}")
        return []


def check_lines(lines: Iterable[str]) -> Checker:
    """Check a certificate, given by its lines; raise RefusedError with the line and the reason."""
    checker, last = None, 0
    try:
        for line in lines:
            last += 1
            value = json.loads(line, object_pairs_hook=_named_once)
            if checker is None:
                checker = Checker(value)
            else:
                checker.take(value)
        if checker is None:
            raise RefusedError("the certificate is empty")
        require(not checker.waiting, f"the certificate ends, but {len(checker.waiting)} nodes are open")
    except (RefusedError, ValueError, TypeError, AttributeError, LookupError, ArithmeticError, RecursionError) as error:
        refused = error if isinstance(error, RefusedError) else RefusedError(f"the line cannot be read ({error})")
        refused.line = last
        raise refused from None
    return checker


def _named_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    require(len(dict(pairs)) == len(pairs), "a name occurs twice in an object")
    return dict(pairs)


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
    if "--model" in paths:  # whether a file holds the model is checked by another file, which may import a library
        return int(runpy.run_path(__file__.replace("elsewise_check.py", "elsewise_check_model.py"))["main"](paths))
    if not paths or any(path.startswith("-") for path in paths):
        print(__doc__)
        return 2
    code = 0
    for path in paths:
        try:
            checker = check_lines(read_lines(path))
            proven = f"{checker.status}, nothing is nearer than {float(checker.bound)!r}"
            print(f"{path}: holds ({proven}), sha256 {digest(path)}")
        except (RefusedError, OSError, EOFError, UnicodeDecodeError) as error:
            print(f"{path}: REFUSED, {error}")
            code = 1
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
