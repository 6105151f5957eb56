"""The meaning of options, written from their documentation, for every row of a finite domain.

Nothing here uses the library but for the logarithm of a fitted density. Rules are judged in plain Python.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from integration.option_models import DERIVED, GRADES

MULTIPLES = {"a": 1.0, "b": 0.5, "s": 1.0}


@dataclass
class Domain:
    """All rows that the rules may allow, and the rules.

    Attributes
    ----------
    train : data frame of training rows
    rules : dict
        Parameters of ``Constraints`` that a question has in effect.
    has_codes : bool
        The number -9 of the column ``s`` is a special code.
    distance : dict
        ``scaled``, ``weights``, ``per_change``.
    """

    train: pd.DataFrame
    rules: dict[str, Any]
    has_codes: bool
    distance: dict[str, Any]

    @cached_property
    def rows(self) -> pd.DataFrame:
        """Every row on the finest grid, before any rule but ranges."""
        names = [name for name in self.train if name not in DERIVED]
        frame = pd.DataFrame(list(itertools.product(*map(self._values, names))), columns=names)
        if "t" in self.train:
            frame["t"] = frame["a"] * frame["b"]
        frame = frame[list(self.train)]
        if "g" in frame:
            frame["g"] = pd.Categorical(frame["g"], GRADES, ordered=True)
        return frame.astype(self.train.dtypes.to_dict())

    def _values(self, name: str) -> list[Any]:
        column = self.train[name]
        if name not in MULTIPLES:
            return GRADES if name == "g" else sorted(column.unique().tolist())
        codes = [-9] if name == "s" and self.has_codes else []
        regular = column[~column.isin(codes)]
        low, high = self.rules.get("bounds", {}).get(name, (None, None))
        low, high = regular.min() if low is None else low, regular.max() if high is None else high
        grid = np.arange(round(low / MULTIPLES[name]), round(high / MULTIPLES[name]) + 1) * MULTIPLES[name]
        return [*codes, *grid.tolist()]

    def numbers(self, name: str, values: Any) -> np.ndarray:
        """Return values of a column as numbers: ranks of ordered levels, 1 for True."""
        if name == "g":
            return np.array([GRADES.index(value) for value in values], dtype=float)
        return np.asarray(values, dtype=float)

    def moved(self, row: pd.Series) -> dict[str, np.ndarray]:
        """Return whether each column of every row differs from the given row, by what counts as one change."""
        names = [name for name in self.rows if name not in DERIVED]
        changed = {name: (self.rows[name].astype(object) != row[name]).to_numpy() for name in names}
        for group in self.rules.get("together", []):
            changed["+".join(group)] = np.any([changed.pop(name) for name in group], axis=0)
        return changed

    def distances(self, row: pd.Series) -> np.ndarray:
        """Return the distance of every row from the given one, shape (n_rows,)."""
        return self.distance["per_change"] * np.sum(list(self.moved(row).values()), axis=0) + self.sizes(row)

    def sizes(self, row: pd.Series) -> np.ndarray:
        """Return the sizes of the changes from the given row, without a price for each, shape (n_rows,)."""
        total = np.zeros(len(self.rows))
        for name in self.rows.columns.difference(list(DERIVED), sort=False):
            weight = self.distance["weights"].get(name, 1.0)
            if name in "cd":
                total = total + weight * (self.rows[name] != row[name]).to_numpy()
                continue
            scale = self._scale(name) if self.distance["scaled"] else 1.0
            difference = self.numbers(name, self.rows[name]) - self.numbers(name, [row[name]])[0]
            total = total + weight / scale * np.abs(difference)
        return total

    def _scale(self, name: str) -> float:
        """Return the median absolute deviation; of the rows that differ from the median, if it is zero."""
        values = self.numbers(name, self.train[name])
        apart = np.abs(values - np.median(values))
        if np.median(apart) > 0:
            return float(np.median(apart))
        return float(np.median(apart[apart > 0])) if (apart > 0).any() else 1.0

    def keeps(self, row: pd.Series) -> np.ndarray:
        """Return whether every row keeps the rules, for the given row."""
        after = self.rows.to_dict("records")
        keeps = np.array([all(self._kept(name, rule, row, new) for name, rule in self.rules.items()) for new in after])
        if self.rules.get("max_changes") is not None:
            keeps &= np.sum(list(self.moved(row).values()), axis=0) <= self.rules["max_changes"]
        return keeps

    def _kept(self, kind: str, rule: Any, row: pd.Series, new: dict[str, Any]) -> bool:
        rank = {name: self.numbers(name, [new[name]])[0] for name in new if name != "c"}
        old = {name: self.numbers(name, [row[name]])[0] for name in rank}
        match kind:
            case "immutable":
                return all(new[name] == row[name] for name in rule)
            case "monotone":
                gains = {n: (rank[n] - old[n]) * (1 if way.startswith("increase") else -1) for n, way in rule.items()}
                most = {n: float(way.partition(" by at most ")[2] or np.inf) for n, way in rule.items()}
                return all(0 <= gains[n] <= most[n] for n in rule)
            case "bounds":
                return all(self._within(name, ends, rank[name], old[name]) for name, ends in rule.items())
            case "integer":
                return all(rank[name] == old[name] or rank[name] == round(rank[name]) for name in rule if name in rank)
            case "allowed":
                return all(self._allowed(targets, row[name], new[name]) for name, targets in rule.items())
            case "linear":
                return all(_holds_linear(one, new) for one in rule)
            case "min_change" if isinstance(rule, dict):
                return all(rank[n] == old[n] or abs(rank[n] - old[n]) >= size for n, size in rule.items())
            case "step" if isinstance(rule, dict):
                return all(self._on_step(n, step, rank[n], old[n]) for n, step in rule.items() if step)
            case "codes":
                return rule != "stay" or not self.has_codes or (new["s"] == row["s"] or -9 not in (new["s"], row["s"]))
            case "implies":
                return all(not _true(when, new) or _true(then, new) for when, then in rule.items())
        return True

    def _within(self, name: str, ends: Any, new: float, old: float) -> bool:
        if name == "s" and self.has_codes and new == -9 == old:
            return True
        low, high = (None if end is None else self.numbers(name, [end])[0] for end in ends)
        return (low is None or new >= low) and (high is None or new <= high)

    def _on_step(self, name: str, step: float, new: float, old: float) -> bool:
        is_code = name == "s" and self.has_codes and new == -9
        return new == old or is_code or (new / step) == round(new / step)

    @staticmethod
    def _allowed(targets: Any, old: Any, new: Any) -> bool:
        if isinstance(targets, dict):
            targets = targets.get(old)
        return new == old or targets is None or new in targets


def _true(condition: str, row: dict[str, Any]) -> bool:
    return bool(eval(condition, {"__builtins__": {}}, row))


def _holds_linear(rule: Any, row: dict[str, Any]) -> bool:
    if isinstance(rule, str):
        return _true(rule, row)
    factors, sign, bound = rule
    total = sum(factor * float(row[name]) for name, factor in factors.items())
    return {"<=": total <= bound, ">=": total >= bound, "==": total == bound}[sign]
