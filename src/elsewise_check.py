"""Checks certificates of elsewise: proofs that no smaller change exists.

    python -m elsewise_check FILE [FILE ...] [--model FILE]

One file, Python's standard library alone, no part of elsewise: copy it anywhere. Inequalities are evaluated in exact
arithmetic. Format, formulas and names are explained in the page "Proofs that anyone can check" of the documentation.

A certificate has a JSON value a line, possibly compressed by gzip: a header (the question, the model as plain numbers,
the ellipsoids of the density, the answer, the claim), then nodes, divided or closed, the first part before the second.

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
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import pairwise
from operator import itemgetter, mul
from typing import Any

FORMAT, VERSION = "elsewise certificate", 1
OPTIMAL_GAP = Fraction(1, 10**6)  # the most by which the distance of an optimal answer exceeds what is proven, relative
FAR = 10**6  # "infeasible": there is nothing within so many times what the row's own numbers cost
SAME_DISTANCE = Fraction(1, 10**9)  # distances are computed in floating point: a claimed one is exact up to this share
UNIT, MORE_OPERATIONS = Fraction(1, 2**52), 16  # rounding of an operation, and how many there are beside those of a sum
DENSITY_ROUNDING = Fraction(1, 10**9)  # a log density, hence a squared radius r, is computed up to this share of 1 + r
GRID = 60  # costs are rounded down to multiples of 2**-GRID, of the bound where that is less than one
MOST_REMAINDERS = 300  # of sums of leaves, beyond which nothing is said of them
FINE = 128  # what units are applied to, and their values, are rounded outwards to multiples of 2**-FINE

Form = list[tuple[int, Fraction]]  # a linear form by its coefficients that are not zero
Away = list[tuple[Fraction, list[Fraction]]]  # factors of distances to other points
Bound = (
    tuple[dict[int, Any], Fraction] | None
)  # what a region adds to columns, and a constant; None if none of it is left
EVERYWHERE = [(-math.inf, math.inf, 0)]
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
    require(known is None or value.keys() <= set((known or "").split()), f"unknown names, expected: {known}")
    return value


def objects(value: object, name: str, known: str) -> list[dict[str, Any]]:
    """Return a list of objects with known names."""
    return [an_object(each, f"{name}: expected objects", known) for each in listed(value, f"{name}: expected a list")]


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
        used = [(Fraction(v), row, o) for v, row, o in zip(normal, self.rows, self.offset) if v]
        for j, value in [(j, factor * coefficient) for factor, row, _ in used for j, coefficient in row]:
            form[j] = form.get(j, Fraction(0)) + value
        return list(form.items()), sum((factor * offset for factor, _, offset in used), Fraction(0))

    def at(self, point: list[Fraction]) -> list[Fraction]:
        """Return z at a point."""
        return [sum((a * point[j] for j, a in row), o) for row, o in zip(self.rows, self.offset)]

    def size(self, normal: list[float], most: list[Fraction]) -> Fraction:
        """Bound the sizes of all terms of ``normal·z``, added up, where |x| is at most ``most``."""
        used = [(Fraction(abs(v)), row, abs(o)) for v, row, o in zip(normal, self.rows, self.offset) if v]
        return sum((v * (o + sum(abs(a) * most[j] for j, a in row)) for v, row, o in used), Fraction(0))


class Column:
    """A column: one number, whole or not, or the indicators of the levels of a category."""

    def __init__(self, given: dict[str, Any], n: int) -> None:
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
    left: Any = None  # of trees: their leaves

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
        names = "columns units lower upper per_change max_changes rules clauses least_moves apart"
        given = an_object(header.get("domain"), "domain: expected an object", names)
        self.per_change = Fraction(number(given.get("per_change"), "per_change"))
        require(self.per_change >= 0, "per_change is negative")
        self.unit = 2 ** (GRID - min(math.frexp(float(bound))[1], 0))  # costs are counted in 1 / unit, rounded down
        self.limit = math.ceil(bound * self.unit)
        self.change_cost = math.floor(self.per_change * self.unit)
        self.costs: dict[tuple[int, Any], int] = {}
        self.columns = [Column(column, n) for column in objects(given.get("columns"), "columns", "kind features")]
        require(sorted(f for c in self.columns for f in c.features) == list(range(n)), "a feature is not in one column")
        count, units = len(self.columns), listed(given.get("units"), "units: expected lists of columns")
        self.units = [[position(c, "units", count) for c in unit] for unit in units]
        require(sorted(c for unit in self.units for c in unit) == list(range(count)), "units: not each once")
        most = given.get("max_changes")
        self.max_changes = None if most is None else position(most, "max_changes", 2**53)
        self.lower = ends(given.get("lower"), "lower", n, -math.inf)
        self.upper = ends(given.get("upper"), "upper", n, math.inf)
        moves = given.get("least_moves") or {"below": self.row, "above": self.row}
        self.below, self.above = (numbers(moves.get(end), "least_moves", n) for end in ("below", "above"))
        is_between = all(low <= own <= high for low, own, high in zip(self.below, self.row, self.above))
        require(is_between, "least_moves: the row is not between the ends")
        clauses = listed(given.get("clauses", []), "clauses: expected a list")
        self.clauses = [[self._literal(each) for each in listed(one, "clauses: expected lists")] for one in clauses]
        self.indicators = {f for column in self.columns if column.kind == "category" for f in column.features}
        between = any(0 < self.lower[f] != 1 or 0 != self.upper[f] < 1 for f in self.indicators)
        require(not between, "an indicator has a limit between 0 and 1")
        self._require_levels(self.row, "row")
        self.apart = []
        for each in objects(given.get("apart", []), "apart", "point distance"):
            other, least = numbers(each.get("point"), "apart", n), Fraction(number(each.get("distance"), "apart"))
            self._require_levels(other, "point that is kept away from")
            self.apart.append((list(map(Fraction, other)), least * (1 - SAME_DISTANCE)))
        self.reach = [bound / price for price in self.price]
        self.most = [abs(own) + reach for own, reach in zip(self.exact_row, self.reach)]
        self.rules: list[tuple[Form, Fraction, Fraction]] = []
        for rule in objects(given.get("rules", []), "rules", "normal offset"):
            form = [(j, Fraction(v)) for j, v in enumerate(numbers(rule.get("normal"), "rules", n)) if v]
            offset = Fraction(number(rule.get("offset"), "rules"))
            size = sum((abs(v) * self.most[j] for j, v in form), abs(offset))
            self.rules.append((form, offset, UNIT * (n + MORE_OPERATIONS) * size))

    def _literal(self, given: Any) -> tuple[int, float, float]:
        require(isinstance(given, list) and len(given) == 3, "a literal is not [feature, low, high]")
        low, high = ends(given[1:2], "low", 1, -math.inf), ends(given[2:], "high", 1, math.inf)
        return position(given[0], "a literal", self.n), low[0], high[0]

    def _require_levels(self, values: list[float], name: str) -> None:
        for column in self.columns:
            own = sorted(values[f] for f in column.features)
            is_one = own == [0.0] * (len(own) - 1) + [1.0]
            require(is_one or column.kind != "category", f"the {name} has not one level of a category")

    def levels(self, column: Column, box: Box) -> list[int]:
        """Return the levels of a category that a box leaves."""
        forced = [f for f in column.features if box.lower[f] > 0]
        return [f for f in column.features if box.upper[f] >= 1 and all(f == other for other in forced)]

    def distance(self, point: list[float]) -> tuple[Fraction, int]:
        """Return the exact distance of a point, and how many units it changes."""
        features = [[f for c in unit for f in self.columns[c].features] for unit in self.units]
        n_changed = sum(any(point[f] != self.row[f] for f in own) for own in features)
        moved = (abs(Fraction(x) - own) * price for x, own, price in zip(point, self.exact_row, self.price))
        return sum(moved, self.per_change * n_changed), n_changed

    def require_point(self, point: list[float]) -> None:
        """Refuse a point that does not keep the limits and rules."""
        for f, x in enumerate(point):
            require(self.lower[f] <= x <= self.upper[f], f"the point breaks a limit of feature {f}")
            moves = x <= self.below[f] or x >= self.above[f] or self.below[f] == self.above[f]
            require(moves or x == self.row[f], f"feature {f} of the point moves too little")
        self._require_levels(point, "point")
        for f in [column.features[0] for column in self.columns if column.kind == "whole"]:
            require(point[f].is_integer() or point[f] == self.row[f], f"feature {f} of the point is not whole")
        require(self.max_changes is None or self.distance(point)[1] <= self.max_changes, "the point changes too much")
        for k, clause in enumerate(self.clauses):
            require(any(low <= point[f] <= high for f, low, high in clause), f"the point breaks clause {k}")
        exact = [Fraction(x) for x in point]
        for k, (form, offset, rounding) in enumerate(self.rules):
            require(sum(a * exact[j] for j, a in form) <= offset + rounding, f"the point breaks rule {k}")
        for other, least in self.apart:
            away = sum(map(mul, self.price, (abs(x - y) for x, y in zip(exact, other))), Fraction(0))
            require(away >= least, "the point is too near to another one")

    def cost(self, f: int, x: Any) -> int:
        """Return what a number costs, or a level that is entered, in 1 / unit, rounded down."""
        if (f, x) not in self.costs:
            moved = 1 + self.price[x] / self.price[f] if f in self.indicators else abs(Fraction(x) - self.exact_row[f])
            self.costs[f, x] = math.floor(moved * self.price[f] * self.unit)
        return self.costs[f, x]

    def _least_of_column(self, column: Column, box: Box, slopes: list[Fraction], extra: Any, away: Away) -> list[Any]:
        """Return the least ``distance + slopes·(x - row) + extra - away`` of a column that stays, and that changes."""
        if column.kind == "category":
            here, left = next(f for f in column.features if self.row[f] == 1), self.levels(column, box)
            more = {f: (extra or {}).get(f, 0) + (self.cost(f, here) if f != here else 0) for f in left}
            if away or any(slopes[f] for f in column.features):
                more = {f: value + (slopes[f] - slopes[here]) * self.unit for f, value in more.items()}
            for k, point in away:
                other = next(f for f in column.features if point[f] == 1)
                taken = {f: (self.price[f] + self.price[other]) * k * self.unit for f in left if f != other}
                more = {f: value - taken.get(f, 0) for f, value in more.items()}
            return [more.get(here), min((value for f, value in more.items() if f != here), default=None)]
        f = column.features[0]
        if not (extra or slopes[f] or away) and box.lower[f] <= self.row[f] <= box.upper[f]:
            return [0, 0]  # a change gains nothing
        each = [self._least_of_piece(column, box, *piece, slopes[f], away) for piece in extra or EVERYWHERE]
        stays, changes = ([value for value in values if value is not None] for values in zip(*each))
        return [min(stays, default=None), min(changes, default=None)]

    def sides(self, column: Column, low: float, high: float) -> list[tuple[float, float]]:
        """Return what an interval leaves on both sides of the row, from one number that there may be to another."""
        f = column.features[0]
        found = [(low, min(high, self.below[f])), (max(low, self.above[f]), high)]
        if column.kind == "whole":
            found = [(a if math.isinf(a) else math.ceil(a), b if math.isinf(b) else math.floor(b)) for a, b in found]
        return [(float(a), float(b)) for a, b in found if a <= b]

    def _least_of_piece(self, column: Column, box: Box, *given: Any) -> tuple[Any, Any]:
        """Return the least of an interval: on each side of the row costs are linear, or concave, so least at an end."""
        (first, last, added, slope, away), f, is_whole = given, column.features[0], column.kind == "whole"
        low, high, own = max(first, box.lower[f]), min(last, box.upper[f]), self.exact_row[f]

        def at(x: Any) -> Any:
            if not (slope or away):
                return added + self.cost(f, x)
            taken = sum(k * self.price[f] * abs(Fraction(x) - y[f]) for k, y in away)
            return added + self.cost(f, x) + (slope * (Fraction(x) - own) - taken) * self.unit

        changes = []
        for a, b in self.sides(column, low, high):
            is_left = b <= self.row[f]
            if self.cost(f, b if is_left else a) < self.limit:  # else all of it is beyond reach
                changes.append(at(b if is_left else a))
                if slope or away:
                    far: Any = max(a, own - self.reach[f]) if is_left else min(b, own + self.reach[f])
                    changes.append(at((math.ceil(far) if is_left else math.floor(far)) if is_whole else far))
        return at(self.row[f]) if low <= self.row[f] <= high else None, min(changes, default=None)

    def least(self, box: Box, slopes: list[Fraction], extra: dict[int, Any], away: Away) -> Fraction | None:
        """Return the least ``distance + slopes·(x - row) + extra - away`` over near rows of a box; None for none."""
        total, gains, n_forced = Fraction(0), list[Any](), 0
        for unit in self.units:
            both = [self._least_of_column(self.columns[c], box, slopes, extra.get(c), away) for c in unit]
            options = [[each for each in pair if each is not None] for pair in both]
            if not all(options):
                return None
            stays = [stay for stay, _ in both if stay is not None]
            moves = sum(map(min, options), self.change_cost)
            if len(stays) < len(both):
                n_forced, total = n_forced + 1, total + moves
            else:
                total += sum(stays)
                gains.append(min(moves - sum(stays), 0))
        left = len(gains) if self.max_changes is None else self.max_changes - n_forced
        return None if left < 0 else (total + sum(sorted(gains)[:left])) / self.unit


def outward(low: float | Fraction, high: float | Fraction) -> tuple[Any, Any]:
    """Round an interval outwards to multiples of 2**-FINE; ends that are infinite stay."""
    least = low if low == -math.inf else math.floor(Fraction(low) * 2**FINE)
    return least, high if high == math.inf else math.ceil(Fraction(high) * 2**FINE)


def exp_between(x: Fraction) -> tuple[int, int]:
    """Bound exp(-x) for x >= 0, in units of 2**-FINE: the alternating series at x / 2^k <= 1, squared k times."""
    one, k = 1 << FINE, math.ceil(x).bit_length()
    y, term, total, n = math.floor(x * one) >> k, one, one, 0
    while term:
        n += 1
        term = term * y // (n * one)
        total += -term if n % 2 else term
    low, high = max(total - 256, 0), total + 256  # each of less than 60 terms was rounded down by less than 3 units
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
        forms = [([(k, Fraction(w)) for k, w in enumerate(row) if w], Fraction(0)) for row in self.weights]
        if map_ is not None:  # the first layer sees features
            width, forms = domain.n, [map_.pulled_back(row) for row in self.weights]
        exact = [Fraction(b) + more for b, (_, more) in zip(self.offsets, forms)]
        dense = [[dict(form).get(k, Fraction(0)) for k in range(width)] for form, _ in forms]
        self.rows, self.columns = [Vector(row) for row in dense], [Vector(column) for column in zip(*dense)]
        self.shift = Vector(exact)
        self.constant = [outward(b, b) for b in exact]
        self.balls = []
        for (form, _), b in zip(forms, exact) if map_ is not None else []:  # a unit of distance: by the largest ratio
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
    the part hold together: for the slacks v of all of them, ``sum exp(-v_r) <= exp(L)``. A sum of k products is off by
    (k + few) roundings of the sum of their sizes: half-spaces are moved out by that much. Through a unit errors grow as
    sizes do, and twice as much where it is a square.
    """

    def __init__(self, given: dict[str, Any], n: int, domain: Domain) -> None:
        an_object(given, "", "kind map normals offsets parts layers units log_odds")
        self.map = Map(given.get("map"), n, "map")
        width = len(self.map.rows)
        rows = listed(given.get("normals"), "normals: expected a list")
        self.normals = [numbers(row, "normals", width) for row in rows]
        self.offsets = numbers(given.get("offsets"), "offsets", len(rows))
        self.parts = []
        for part in objects(given.get("parts"), "parts", "start stop shift shift_offset"):
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
            size = self.map.size(normal, self.domain.most) + self.map.size(shift, self.domain.most)
            size += sum(map(Fraction, (abs(offset), abs(shift_offset), sum(map(mul, map(abs, own), self.sizes)))))
            rounding = UNIT * (self.n_operations + 2 * len(own)) * size
            seen: list[Any] = [
                (abs(v), o, [a for _, a in z]) for v, z, o in zip(normal, self.map.rows, self.map.offset) if v
            ]
            if not any(shift) and not own and seen == [(1, 0, [1])]:
                rounding = Fraction(0)  # one feature is compared with a number, as it is
            self.known[key] = form, Fraction(offset) - Fraction(shift_offset) - constant, rounding
        return self.known[key]

    def spans(self, box: Box) -> list[list[tuple[int, int]]] | None:
        """Bound what units are applied to, layer by layer, in units of 2**-FINE; None if nothing is left."""
        first, found = 0, list[list[tuple[int, int]]]()
        if not self.layers:
            return found
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
        """Add what multipliers make of the region to slopes: ``w phi(t) = (w phi(t) - m t) + m t``; return the rest."""
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
        form, offset, _ = self.halfspace(part, place)
        weights = map(Fraction, self.of_units[self.parts[part][0][place]])
        most = sum((w * (b if w > 0 else a) for w, (a, b) in zip(weights, values)), Fraction(0))
        left: Fraction = offset - sum((a * point[j] for j, a in form), Fraction(0)) - most / 2**FINE
        return left


# A leaf: what it costs beyond a box, adds to each condition, whether that is exact, and the sides of columns it is on.
Leaf = tuple[int, list[int], list[bool], dict[int, Any]]


class Trees:
    """A model that adds up the leaves of trees: conditions ``weights·(sum of leaves) >= least``, up to rounding.

    A tree is a list of nodes: ``[z, limit, left, right]`` goes left where the number z that the model sees is at most
    the limit, ``[levels, null, left, right]`` where a category has one of these, ``[scores]`` is a leaf. Limits are
    doubles. Where z = M x + m is computed, by few roundings, a row x is treated as some x' that is within ``near`` of
    it: what is proven of x' is proven of x, less what moving so little costs. Neither limits, codes and the row nor two
    places where trees divide may be that near to each other; whole numbers and levels that are near go both ways.

    A sum of n numbers is off by n u / (1 - n u) times their sizes at most, u = 2^-53, or 2^-24 where ``single``. Scores
    that are multiples of 2^-20 up to one, as votes are, add up exactly: what is ``strict`` is not met at a tie.
    """

    def __init__(self, given: dict[str, Any], n: int, domain: Domain) -> None:
        an_object(given, "", "kind map single conditions trees")
        self.domain, self.map = domain, Map(given.get("map"), n, "map")
        self.column_of = {f: c for c, column in enumerate(domain.columns) for f in column.features}
        self.seen: dict[int, int | None] = {}
        rows = objects(given.get("conditions"), "conditions", "weights least slack strict")
        self.n_scores = len(listed(rows[0].get("weights"), "weights: expected a list")) if rows else 0
        self.near: dict[int, Fraction] = {}
        self.cuts: dict[int, set[tuple[Any, int, float]]] = {}
        self.views: dict[Any, int] = {}
        self.known: dict[tuple[int, float], Any] = {}
        self.trees = [self._tree(tree) for tree in listed(given.get("trees"), "trees: expected a list")]
        for c, cuts in self.cuts.items():
            for (cut, z, last), (other, y, after) in pairwise(sorted(cuts)):
                is_apart = last < after if z == y else Fraction(other) - Fraction(cut) > 2 * self.near[c]
                require(is_apart, "two limits of trees are as near to each other as rounding")
        scores = [[node[0] for node in tree if len(node) == 1] for tree in self.trees]
        self.weights = [numbers(row.get("weights"), "weights", self.n_scores) for row in rows]
        self.bits = 2 * Vector([v for tree in [*scores, self.weights] for leaf in tree for v in leaf]).bits
        is_single, unit = given.get("single") is True, 2**self.bits
        terms = Fraction(len(self.trees) + MORE_OPERATIONS, 2**24 if is_single else 2**53)
        require(terms < 1, "too many trees for a bound of the rounding of their sum")
        size = sum(max((abs(v) for leaf in of_tree for v in leaf), default=0.0) for of_tree in scores)
        self.conditions: list[Any] = []  # the least sum that may meet each, and that of exact leaves if there are any
        self.leaves = [self._leaves_of(tree, 0, {}) for tree in self.trees]
        for r, (row, weights) in enumerate(zip(rows, self.weights)):
            least, slack = (Fraction(number(row.get(name), name)) for name in ("least", "slack"))
            require(slack >= 0, "slack is negative")
            off = terms / (1 - terms) * Fraction(size) * sum(map(abs, map(Fraction, weights)))
            is_strict = row.get("strict") is True
            exact = math.floor(least * unit) + 1 if is_strict else math.ceil((least - slack) * unit)
            adds_up = is_strict or all(are_exact[r] for tree in self.leaves for _, _, are_exact, _ in tree)
            adds_up &= not is_single and all(w in (-1, 0, 1) for w in weights)
            self.conditions.append((math.floor((least - slack - off) * unit), exact if adds_up else None))
        domain.limit = max(domain.limit, math.ceil((domain.bound + self.slip([Fraction(0)] * n, 1)) * domain.unit))
        self.changed = [domain.change_cost * ([c] in domain.units) for c in range(len(domain.columns))]

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
                levels = frozenset(position(f, "levels of a node", self.domain.n) for f in node[0])
                columns = {self.column_of[f] for f in levels}
                require(len(columns) == 1, "a tree divides no category, or several, by levels")
                column = self.domain.columns[c := columns.pop()]
                require(column.kind == "category", "a tree divides a number by levels")
                found.append((c, (levels, frozenset(column.features) - levels), left, right, None))
                continue
            z, limit = position(node[0], "a node", len(self.map.rows)), number(node[1], "a limit")
            columns = {self.column_of[j] for j, _ in self.map.rows[z]}
            require(len(columns) <= 1, "a tree sees a mixture of columns")
            self.seen[z] = columns.pop() if columns else None
            if (z, limit) not in self.known:
                sides: Any = self._sides(z, limit)
                if isinstance(sides[0], tuple):
                    sides = [self._within(self.column_of[self.map.rows[z][0][0]], *side) for side in sides]
                self.known[z, limit] = sides
            found.append((self.seen[z], self.known[z, limit], left, right, (z, limit)))
        require(len(found) > 0, "a tree has no nodes")
        return found

    def _sides(self, z: int, limit: float) -> tuple[Any, Any]:
        """Return where a comparison may send a row left and right: intervals of a number, or sets of levels."""
        row, offset, c = self.map.rows[z], self.map.offset[z], self.seen[z]
        exact = Fraction(limit)
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
            cuts.add((limit, view, limit))
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

    def _leaves_of(self, tree: list[Any], k: int, sides: dict[int, Any]) -> list[Leaf]:
        """List the leaves below a node that some row of the domain reaches."""
        if len(node := tree[k]) == 1:
            return [(0, *self._gains(node[0]), sides)]
        c, parts, *children, _ = node
        here = None if c is None else sides.get(c) or self._side(c, self.domain.lower, self.domain.upper)
        kept = [(child, part if c is None else self._both(part, here)) for child, part in zip(children, parts)]
        below = ((child, sides if c is None else {**sides, c: part}) for child, part in kept if part)
        return [leaf for child, own in below for leaf in self._leaves_of(tree, child, own)]

    def _gains(self, scores: list[float]) -> tuple[list[int], list[bool]]:
        exact, weights = Vector(scores), map(Vector, self.weights)
        gains = [sum(map(mul, own.whole, exact.whole)) << self.bits - own.bits - exact.bits for own in weights]
        votes = [abs(v) <= 1 and (v * 2**20).is_integer() for v in scores]
        return gains, [all(v or not w for v, w in zip(votes, own)) for own in self.weights]

    def _needed(self, r: int, leaves: list[list[Leaf]]) -> Any:
        """Return the least sum that is enough with one of these leaves of each tree, found by remainders."""
        lowest, lowest_exact = self.conditions[r]
        known = [[gain[r] for _, gain, exact, _ in tree if exact[r]] for tree in leaves]
        if lowest_exact is None:
            return lowest
        g = (
            math.gcd(*(gain - tree[0] for tree in known for gain in tree)) or 1 << self.bits + 24
        )  # exact ones differ by it
        blur, remainders = max(self.bits - 48, 0), {(0, True)}
        near = (
            len(leaves) << blur
        )  # others are rounded down by less, and once more where some are as near to each other
        for tree in leaves:
            own = {(gain[r] % g if exact[r] else gain[r] >> blur << blur, exact[r]) for _, gain, exact, _ in tree}
            sums, last = sorted({((a + b) % g, e and f) for a, e in remainders for b, f in own}), -g
            remainders = set()
            for value, is_exact in sums:
                if is_exact or value - last > near:
                    remainders.add((value, is_exact))
                    last = last if is_exact else value
            if len(remainders) > MOST_REMAINDERS:
                return lowest
        starts = ((lowest_exact if e else lowest - near * (len(leaves) + 1), rest) for rest, e in remainders)
        return max(lowest, min(start + (rest - start) % g for start, rest in starts))

    def require_point(self, point: list[Fraction]) -> None:
        """Refuse a point at which the leaves do not add up to enough."""
        seen, leaves = self.map.at(point), list[list[Leaf]]()
        for tree in self.trees:
            node = tree[0]
            while len(node) > 1:
                _, (levels, _), left, right, test = node
                is_left = seen[test[0]] <= test[1] if test else any(point[f] == 1 for f in levels)
                node = tree[left if is_left else right]
            leaves.append([(0, *self._gains(node[0]), {})])
        for r in range(len(self.conditions)):
            total = sum(gains[r] for [(_, gains, *_)] in leaves)
            enough = total >= self._needed(r, leaves)
            require(enough, "the model, as it is read here, does not decide for the target at the point")

    def slip(self, slopes: list[Fraction], times: Fraction | int) -> Fraction:
        """Return by how much some distances and ``slopes·x`` may differ between a row and what trees treat it as."""
        moved = [(self.domain.columns[c].features[0], near) for c, near in self.near.items()]
        return sum(((times * self.domain.price[f] + abs(slopes[f])) * near for f, near in moved), Fraction(0))

    def bound(self, box: Box, given: dict[str, Any], slopes: list[Fraction]) -> Bound:
        """Return what messages add to columns, and the least of all trees; None if a tree has no leaf left."""
        said = an_object(given["trees"], "trees: expected multipliers")
        bits = position(said.get("bits"), "bits", 2000)
        pi = [position(p, "pi", 2**400) for p in listed(said.get("pi", []), "pi: expected a list")]
        require(len(pi) == len(self.conditions), "pi: one weight a condition is expected")
        left = self.left(box)
        if left is None:
            return None
        sides, leaves = left
        messages: list[dict[int, list[tuple[Any, int]]]] = [{} for _ in self.trees]
        for each in listed(said.get("messages"), "messages: expected a list"):
            require(isinstance(each, list) and len(each) == 3, "a message is not [tree, column, values]")
            t, c = (position(k, "a message", count) for k, count in zip(each, (len(messages), len(sides))))
            require(c not in messages[t], "a message occurs twice")
            messages[t][c] = self._message(c, listed(each[2], "a message has no values"))
        total = sum(p * self._needed(r, leaves) for r, p in enumerate(pi) if p)
        for tree, own in zip(leaves, messages):
            whole = {c: self._least_message(c, message, sides[c]) for c, message in own.items()}
            values = []
            for _, gains, _, of_leaf in tree:
                value = -sum(map(mul, pi, gains))
                for c in own.keys() & of_leaf.keys():
                    value += self._least_message(c, own[c], self._both(of_leaf[c], sides[c])) - whole[c] << self.bits
                values.append(value)
            total += min(values) + (sum(whole.values()) << self.bits)
        require(self.domain.unit >> bits > 0, "bits: finer than costs are counted")
        summed = {c: self._summed(c, messages, self.domain.unit >> bits) for c in {c for own in messages for c in own}}
        return summed, Fraction(total, 2 ** (self.bits + bits))

    def left(self, box: Box) -> tuple[list[Any], list[list[Leaf]]] | None:
        """Return what a box leaves of columns, and leaves of each tree in reach; None if a tree has none."""
        sides = [self._side(c, box.lower, box.upper) for c in range(len(self.domain.columns))]
        if not all(sides) or any(low > high for low, high in zip(box.lower, box.upper)):
            return None
        before, leaves = box.left or ([None] * len(sides), self.leaves)
        changed = {c for c, (side, other) in enumerate(zip(sides, before)) if side != other}
        base, kept = [self._cost(c, side) for c, side in enumerate(sides)], []
        room = self.domain.limit - sum(base)
        for tree in leaves:
            own = []
            for extra, gains, exact, of_leaf in tree:
                if not changed.isdisjoint(of_leaf):
                    both = {c: self._both(side, sides[c]) for c, side in of_leaf.items()}
                    is_in = all(both.values())
                    extra = sum(self._cost(c, side) - base[c] for c, side in both.items()) if is_in else room
                if extra < room:
                    own.append((extra, gains, exact, of_leaf))
            if not own:
                return None
            kept.append(own)
        return sides, kept

    def _message(self, c: int, values: list[Any]) -> list[tuple[Any, int]]:
        """Return a function of a column: ``[(last number of a piece, value), ...]``, or ``[(level, value), ...]``."""
        found, is_category = [], self.domain.columns[c].kind == "category"
        for pair in values:
            require(isinstance(pair, list) and len(pair) == 2 and type(pair[1]) is int, "a message has no whole value")
            end = (
                position(pair[0], "a level", self.domain.n)
                if is_category
                else ends(pair[:1], "a message", 1, math.inf)[0]
            )
            found.append((end, pair[1]))
        last = [end for end, _ in found]
        require(len(set(last)) == len(last), "a message says something twice")
        in_order = is_category or (last == sorted(last) and last[-1] == math.inf)
        require(in_order, "pieces of a message do not follow each other")
        return found

    def _summed(self, c: int, messages: list[dict[int, list[tuple[Any, int]]]], unit: int) -> Any:
        """Return minus the sum of all messages to a column, by pieces or levels, in units of costs."""
        own = [message[c] for message in messages if c in message]
        steps = Counter[Any]()
        if self.domain.columns[c].kind == "category":
            for f, value in [pair for message in own for pair in message]:
                steps[f] -= value * unit
            return steps
        for message in own:
            for (end, value), (_, after) in pairwise(message):
                steps[end] += after - value
        level, first, pieces = sum(message[0][1] for message in own), -math.inf, []
        for end in [*sorted(steps), math.inf]:
            pieces.append((first, end, -level * unit))
            level, first = level + steps[end], math.nextafter(end, math.inf)
        return pieces

    def _side(self, c: int, lower: list[float], upper: list[float]) -> Any:
        """Return what limits leave of a column: an interval from one number that it may have to another, or levels."""
        column = self.domain.columns[c]
        if column.kind == "category":
            return frozenset(self.domain.levels(column, Box(lower, upper)))
        return self._within(c, lower[column.features[0]], upper[column.features[0]])

    def _both(self, side: Any, other: Any) -> Any:
        """Return what two sides have in common, None or no levels if nothing."""
        if isinstance(side, frozenset):
            return side & other
        if side is None or other is None:
            return None
        low, high = max(side[0], other[0]), min(side[1], other[1])
        return (low, high) if low <= high else None

    def _within(self, c: int, low: float, high: float) -> tuple[float, float] | None:
        """Return an interval from one number that a column may have to another; None if there is none in it."""
        own = self.domain.row[self.domain.columns[c].features[0]]
        found = [own] * (low <= own <= high)
        found += [x for side in self.domain.sides(self.domain.columns[c], low, high) for x in side]
        return (min(found), max(found)) if found else None

    def _cost(self, c: int, side: Any) -> int:
        """Return the least cost of an interval or some levels."""
        domain, f = self.domain, self.domain.columns[c].features[0]
        if isinstance(side, frozenset):
            f = next(f for f in self.domain.columns[c].features if domain.row[f] == 1)
            return 0 if f in side else self.changed[c] + min(domain.cost(level, f) for level in side)
        nearest = min(max(domain.row[f], side[0]), side[1])
        return 0 if nearest == domain.row[f] else self.changed[c] + domain.cost(f, nearest)

    def _least_message(self, c: int, message: list[tuple[Any, int]], side: Any) -> Any:
        if self.domain.columns[c].kind == "category":
            known = dict(message)
            return min(known.get(f, 0) for f in side)
        first, last = (bisect_left(message, end, key=itemgetter(0)) for end in side)
        return min(value for _, value in message[first : last + 1])


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
        for each in objects(given.get("ellipsoids"), "ellipsoids", "shape centre squared_radius penalties"):
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
        for weight, row, offset, middle in zip(
            [each.dot(y) for each in columns], self.map.rows, self.map.offset, centre
        ):
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
        exact = self.domain.distance(point)[0]
        require(abs(exact - distance) <= SAME_DISTANCE * exact, "the distance of the point is another")
        self.domain.require_point(point)
        goal = position(header.get("goal"), "goal", len(self.goals))
        for each in (self.goals[goal].region, self.goals[goal].density):
            if each is not None:
                each.require_point([Fraction(x) for x in point])
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
        region = self.goals[box.goal].region if box.goal >= 0 else None
        if kind != "close" and isinstance(region, Trees):
            box = replace(box, left=region.left(box) or box.left)
        is_list = kind in ("goals", "parts", "ellipsoids")
        self.waiting += reversed(self._all_of(box, kind, given) if is_list else getattr(self, "_" + kind)(box, given))

    def _all_of(self, box: Box, kind: str, given: object) -> list[Box]:
        options: list[Any] | None = self.goals
        if kind != "goals":
            goal = self._goal(box)
            options = getattr(goal.region, "parts", None) if kind == "parts" else getattr(goal.density, "sets", None)
        if options is None or getattr(box, kind[:-1]) >= 0:
            raise RefusedError(f"a node that has none is divided by its {kind}")
        require(given == len(options), f"not all {kind} are looked into")
        return [replace(box, **dict[str, Any]({kind[:-1]: one})) for one in range(len(options))]

    def _goal(self, box: Box) -> Goal:
        require(box.goal >= 0, "a node is about no goal yet")
        return self.goals[box.goal]

    def _split(self, box: Box, given: object) -> list[Box]:
        """Divide the interval of a number: between the parts there is no number that the row may become."""
        given = an_object(given, "split: expected an object", "feature unit intervals")
        parts = listed(given.get("intervals"), "split: expected intervals")
        lows, highs = (ends([part[k > 0] for part in parts], "split", len(parts), k) for k in (-math.inf, math.inf))
        if "unit" in given:
            return self._split_unit(box, given["unit"], lows, highs)
        domain, f = self.domain, position(given.get("feature"), "split", self.domain.n)
        require(f not in domain.indicators, "an indicator is not split")
        require(lows[0] <= box.lower[f] and highs[-1] >= box.upper[f], "a split leaves out an end")
        column = next(column for column in domain.columns if column.features == [f])
        for before, after in zip(highs, lows[1:]):
            low, high = math.nextafter(before, math.inf), math.nextafter(after, -math.inf)
            require(not (low <= domain.row[f] <= high or domain.sides(column, low, high)), "a split leaves a gap")
        return [box.within(f, low, high) for low, high in zip(lows, highs)]

    def _split_unit(self, box: Box, given: object, lows: list[float], highs: list[float]) -> list[Box]:
        """Divide what a unit is applied to: a real number, so that intervals share their ends."""
        region = self._goal(box).region
        unit = position(given, "split", region.n_units if isinstance(region, Polyhedra) else 0)
        low, high = box.units.get(unit, (-math.inf, math.inf))
        require(lows[0] <= low and highs[-1] >= high, "a split leaves out an end")
        require(all(before >= after for before, after in zip(highs, lows[1:])), "a split leaves a gap")
        return [replace(box, units={**box.units, unit: (max(a, low), min(b, high))}) for a, b in zip(lows, highs)]

    def _levels(self, box: Box, given: object) -> list[Box]:
        """Divide a category: every level that is left is in one of the parts."""
        given = an_object(given, "levels: expected an object", "column parts")
        column = self.domain.columns[position(given.get("column"), "levels", len(self.domain.columns))]
        require(column.kind == "category", "a number has no levels")
        parts = listed(given.get("parts"), "levels: expected lists of features")
        gone = [set(column.features) - {position(f, "levels", self.domain.n) for f in part} for part in parts]
        is_kept = all(box.upper[f] < 1 or any(f not in own for own in gone) for f in column.features)
        require(is_kept, "a level is left out")
        return [replace(box, upper=[0.0 if f in own else high for f, high in enumerate(box.upper)]) for own in gone]

    def _clause(self, box: Box, given: object) -> list[Box]:
        clause = self.domain.clauses[position(given, "clause", len(self.domain.clauses))]
        known = self.domain.indicators
        each = [(f, *((float(low > 0), float(high >= 1)) if f in known else (low, high))) for f, low, high in clause]
        return [box.within(*literal) for literal in each]

    def _close(self, box: Box, given: object) -> list[Box]:
        """Close a node: ``distance + multipliers · what must not be positive`` reaches the bound."""
        given = an_object(given, "close: expected multipliers", "parts units rules apart ellipsoid trees")
        domain, slopes, constant = self.domain, [Fraction(0)] * self.domain.n, Fraction(0)
        extra, region = dict[int, Any](), None
        if given.keys() & {"parts", "units", "trees"}:
            region = self._goal(box).region
            if region is None or isinstance(region, Trees) is not ("trees" in given):
                raise RefusedError("the multipliers are of another region")
            found = region.bound(box, given, slopes)
            if found is None:
                return []
            extra, constant = found
        for place, value in entries(given.get("rules", []), "rules", len(domain.rules), 0.0):
            add(slopes, Fraction(value), domain.rules[place][0])
            constant -= Fraction(value) * sum(domain.rules[place][1:])
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
    return hashlib.sha256("".join(read_lines(path)).encode()).hexdigest()


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
            found = check_lines(read_lines(path))
            proven = f"{found.status}, nothing is nearer than {float(found.bound)!r}"
            print(f"{path}: holds ({proven}), sha256 {digest(path)}")
        except (RefusedError, OSError, EOFError, UnicodeDecodeError) as error:
            print(f"{path}: REFUSED, {error}")
            code = 1
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
