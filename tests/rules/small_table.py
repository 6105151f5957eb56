"""A small table in plain Python, and a judge of rules that reads them as a person would: value by value."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from elsewise.rules import Constraints
from elsewise.table.column import Column
from elsewise.table.table import Table, lay_out

UNSEEN = "never seen in training"
Row = dict[str, Any]


def encode(row: Row) -> NDArray[np.float64]:
    """Turn a row of `CREDIT` into features, by hand."""
    e = np.zeros(CREDIT.n_features)
    for column in CREDIT.columns:
        value = row[column.name]
        if column.kind == "category":
            e[column.start + (len(column.levels) if value is UNSEEN else column.levels.index(value))] = 1
        else:
            e[column.start] = column.levels.index(value) if column.kind == "ordinal" else value
    return e


def table(*columns: tuple[Any, ...]) -> Table:
    """Make a table from (name, kind, levels, open)."""
    made = [Column(name, kind, 0, 0, (place,), *rest) for place, (name, kind, *rest) in enumerate(columns)]
    return Table(lay_out(made), tuple(column.name for column in made), True, (None,) * len(made))


CREDIT = table(
    ("age", "integer"),
    ("income", "number"),
    ("credit amount", "number"),
    ("education", "ordinal", ("none", "school", "college", "doctorate")),
    ("housing", "category", ("rent", "own", "free"), True),
    ("phone", "category", (False, True)),
)
KINDS = {column.name: column for column in CREDIT.columns}


def keeps(rules: Constraints, codes: dict[str, tuple[float, ...]], regular: Any, row: Row, answer: Row) -> bool:
    """Whether an answer keeps all rules, value by value; ``regular`` gives the regular values seen of a column."""
    return all(holds for _, holds in verdicts(rules, codes, regular, row, answer))


def verdicts(rules: Constraints, codes: dict[str, tuple[float, ...]], regular: Any, row: Row, answer: Row) -> Any:
    """Yield each kind of rule with whether it is kept."""
    coded = {name for name, mine in codes.items() if row[name] in mine}
    yield "unseen", all(value is not UNSEEN or row[name] is UNSEEN for name, value in answer.items())
    whole = ["age"] if rules.integer is None else rules.integer
    yield "whole", all(float(answer[name]).is_integer() or answer[name] == row[name] for name in whole)
    yield "immutable", all(row[name] == answer[name] for name in rules.immutable)
    for name, direction in rules.monotone.items():
        yield "monotone", _goes(direction, _order(name, row[name]), _order(name, answer[name]), row[name])
    for name, (low, high) in rules.bounds.items():
        value, own = _order(name, answer[name]), _order(name, row[name])
        if name not in coded:  # what is outside already may stay, or come nearer
            yield "bounds", low is None or value >= min(_order(name, low), own)
            yield "bounds", high is None or value <= max(_order(name, high), own)
    for name, targets in rules.allowed.items():
        if isinstance(targets, dict):
            targets = targets.get(row[name], KINDS[name].levels)
        yield "allowed", answer[name] in targets or answer[name] == row[name]
    names = {name.replace(" ", "_"): value for name, value in answer.items()}
    for text in rules.linear:
        yield "linear", bool(eval(text.replace("`credit amount`", "credit_amount"), {}, names))
    yield "max_changes", rules.max_changes is None or sum(row[n] != answer[n] for n in row) <= rules.max_changes
    for name, mine in codes.items():
        before, after, values = row[name], answer[name], regular(name)
        if before in mine or after in mine:
            yield "special", before == after
        elif after != before:
            if any(code < min(values) for code in mine):
                yield "special", after >= min(values) or after > before
            if any(code > max(values) for code in mine):
                yield "special", after <= max(values) or after < before


def _order(name: str, value: Any) -> Any:
    return KINDS[name].levels.index(value) if KINDS[name].kind == "ordinal" else value


def _goes(direction: str, before: Any, after: Any, given: Any) -> bool:
    if given is UNSEEN or before == after:
        return bool(before == after)
    way, _, most = direction.partition(" by at most ")
    gain = after - before if way == "increase" else before - after
    return bool(gain > 0) and (not most or _is_within(before, after, float(most), way))


def _is_within(before: float, after: float, most: float, way: str) -> bool:
    """Whether a value is at most so far, as the sum is rounded."""
    return bool(after <= before + most if way == "increase" else after >= before - most)
