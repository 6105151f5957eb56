"""Faults planted in certificates, each of which makes the claim false or leaves it without a proof."""

from __future__ import annotations

import copy
import json
import math
from fractions import Fraction


def planted(lines, other, rng):
    """Yield ``(name, lines)`` of faulty certificates made of one that holds and of that of another row.

    Parameters
    ----------
    lines : tuple of str
    other : tuple of str
    rng : numpy.random.Generator
    """
    header, nodes = json.loads(lines[0]), list(lines[1:])
    yield "header left out", nodes
    place = int(rng.choice([k for k, node in enumerate(nodes) if "close" in json.loads(node)]))
    yield "node left out", [lines[0], *nodes[:place], *nodes[place + 1 :]]
    yield "end left out", [lines[0], *nodes[:-1]]
    yield "node twice", [lines[0], *nodes[: place + 1], *nodes[place:]]
    for name, changed in _headers(header, json.loads(other[0]), rng):
        yield name, [json.dumps(changed), *nodes]
    yield from _nodes(lines[0], nodes, rng)


def _headers(header, other, rng):
    """Headers whose claim is false."""

    def changed(change):
        copied = copy.deepcopy(header)
        change(copied)
        return copied

    claim, distance = header["claim"], header["claim"]["distance"]
    if distance:
        yield "bound raised", changed(lambda h: h["claim"].update(lower_bound=distance * (1 + 1e-7)))
        yield "bound far too high", changed(lambda h: h["claim"].update(lower_bound=distance * 3))
        yield "distance changed", changed(lambda h: h["claim"].update(distance=distance * 1.001))
        yield "gap hidden", changed(lambda h: h["claim"].update(status="optimal", lower_bound=distance * 0.999))
        yield "no answer", changed(lambda h: h.update(point=None))
        yield "infeasible", changed(lambda h: h.update(point=None, claim={**claim, "status": "infeasible"}))
        silent = {**claim, "status": "infeasible", "distance": None}
        yield "infeasible, no distance", changed(lambda h: h.update(point=None, claim=silent))
        moved = [f for f, (a, b) in enumerate(zip(header["row"], header["point"])) if a != b]
        f = moved[int(rng.integers(len(moved)))]
        nearer = copy.deepcopy(header)
        nearer["point"][f] = header["row"][f]
        yield "point without a change", nearer
        if other["row"] != header["row"]:
            yield "another row", changed(lambda h: h.update(row=other["row"]))
        yield "cheaper", changed(lambda h: h["prices"].__setitem__(f, h["prices"][f] / 2))
        yield from _nearer_regions(header)
    yield "not a number", changed(lambda h: h["claim"].update(lower_bound="1"))
    yield "another version", changed(lambda h: h.update(version=0))


def _nearer_regions(header):
    """Headers in which limits, model and density leave a point that is nearer than claimed; numbers alone move."""
    row, point = header["row"], header["point"]
    is_number = {c["features"][0] for c in header["domain"]["columns"] if c["kind"] == "number"}
    goal = header["goals"][header["goal"]]
    if len(is_number) < len(row) or header["domain"]["per_change"] or header["domain"].get("least_moves"):
        return
    if header["domain"]["rules"] or header["domain"]["clauses"] or goal["region"] is None:
        return
    if goal["region"]["kind"] != "polyhedra":
        return
    nearer = [a + (b - a) * 0.95 for a, b in zip(row, point)]
    wide = copy.deepcopy(header)
    chosen = wide["goals"][header["goal"]]
    _widen_density(chosen["density"], nearer)
    _widen_region(chosen["region"], nearer)
    yield "another model", wide
    if goal["density"] is None:
        across = _across(header, goal["region"])
        if across is not None:
            yield "point across the boundary", across


def _seen(map_, x):
    return [sum(v * x[j] for j, v in row) + o for row, o in zip(map_["rows"], map_["offset"])]


def _widen_density(density, x):
    if density is None:
        return
    z = _seen(density["map"], x)
    for each in density["ellipsoids"]:
        apart = [a - c for a, c in zip(z, each["centre"])]
        squared = sum(sum(f * a for f, a in zip(line, apart)) ** 2 for line in density["shapes"][each["shape"]])
        each["squared_radius"] = max(each["squared_radius"], squared * 1.001)


def _widen_region(region, x):
    z = _seen(region["map"], x)
    for r, normal in enumerate(region["normals"]):
        value = sum(a * b for a, b in zip(normal, z))
        shifts = [
            sum(s * b for s, b in zip(p["shift"], z)) - p["shift_offset"] for p in region["parts"] if "shift" in p
        ]
        least = value + max([0.0, *(-each for each in shifts)])
        region["offsets"][r] = max(region["offsets"][r], least + 1e-6 * abs(least) + 1e-9)


def _across(header, region):
    """Move the point to the boundary and an ulp across, if the region is one half-space; the claim follows it."""
    if len(region["parts"]) != 1 or len(region["normals"]) != 1 or "shift" in region["parts"][0]:
        return None
    moved = [f for f, (a, b) in enumerate(zip(header["row"], header["point"])) if a != b]
    x, f = list(header["point"]), moved[0]
    exact = [[(j, Fraction(v)) for j, v in row] for row in region["map"]["rows"]]

    def slack():
        z = [sum(v * Fraction(x[j]) for j, v in row) + Fraction(o) for row, o in zip(exact, region["map"]["offset"])]
        return Fraction(region["offsets"][0]) - sum(Fraction(a) * b for a, b in zip(region["normals"][0], z))

    inside, outside = x[f], header["row"][f]
    for _ in range(2000):
        x[f] = inside / 2 + outside / 2
        if x[f] in (inside, outside):
            break
        inside, outside = (x[f], outside) if slack() >= 0 else (inside, x[f])
    x[f] = outside
    assert slack() < 0
    assert abs(outside - inside) <= 2 * math.ulp(max(abs(inside), abs(outside)))
    found = copy.deepcopy(header)
    found["point"] = x
    apart = sum(p * abs(a - b) for p, a, b in zip(header["prices"], x, header["row"]))
    found["claim"]["distance"] = apart
    return found


def _nodes(first, nodes, rng):
    """Nodes that prove nothing."""
    read = [json.loads(line) for line in nodes]
    leaves = [k for k, node in enumerate(read) if node.get("close")]
    if leaves:
        k = leaves[int(rng.integers(len(leaves)))]
        for name, change in (("multipliers negative", _negative), ("multiplier is not a number", _text)):
            changed = copy.deepcopy(read)
            change(changed[k]["close"])
            yield name, [first, *map(json.dumps, changed)]
    for kind in ("parts", "goals", "ellipsoids"):
        for k in [k for k, node in enumerate(read) if kind in node][:1]:
            changed = copy.deepcopy(read)
            changed[k][kind] -= 1
            yield f"{kind} left out", [first, *map(json.dumps, changed)]
    for k in [k for k, node in enumerate(read) if "split" in node][:1]:
        changed = copy.deepcopy(read)
        changed[k]["split"]["intervals"].pop()
        yield "interval left out", [first, *map(json.dumps, changed)]
    for k in [k for k, node in enumerate(read) if "levels" in node][:1]:
        changed = copy.deepcopy(read)
        changed[k]["levels"]["parts"].pop()
        yield "level left out", [first, *map(json.dumps, changed)]
    changed = [*copy.deepcopy(read), {"close": {}}]
    yield "node too many", [first, *map(json.dumps, changed)]
    yield "unknown node", [first, json.dumps({"trust me": 1}), *nodes]


def _negative(close):
    for name in ("parts", "rules"):
        for pair in close.get(name, []):
            pair[1] = -abs(pair[1]) - 1e-9
    if "ellipsoid" in close:
        close["ellipsoid"]["kappa"] *= -1


def _text(close):
    for name in ("parts", "rules"):
        for pair in close.get(name, []):
            pair[1] = "0"
    if "ellipsoid" in close:
        close["ellipsoid"]["kappa"] = None
