"""Suggested rules, to be read, edited, saved and used."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any, Literal

import numpy as np

from ...errors import InvalidInputError
from ..constraints import Constraints

Certainty = Literal["certain", "likely", "guess"]
Subject = Literal[
    "who somebody is", "identity", "date", "past", "score", "request", "place", "time", "education", "direction",
    "size", "formula",
    "value",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class SuggestedRule:
    """One suggested rule.

    Attributes
    ----------
    column : str
    kind : "immutable", "monotone", "allowed", "min_change", "step" or "derive"
        The parameter of :class:`~elsewise.Constraints` it belongs to.
    value : None, "increase" or "decrease by at most 2", {from_level: (to_level, ...)}, a size or step, or a formula
    subject : str
        What the column is about: "who somebody is", "identity", "date", "past", "score", "request", "place", "time",
        "education", "direction", "size", "formula" or "value".
    reason : str
        In a sentence.
    certainty : "certain", "likely" or "guess"
    """

    column: str
    kind: str
    value: Any
    subject: Subject
    reason: str
    certainty: Certainty

    def __str__(self) -> str:
        what = {
            "immutable": "stays as it is",
            "monotone": f"may only {self.value}",
            "allowed": "may only move to some levels",
            "min_change": f"stays or moves by {self.value} or more",
            "step": f"moves to multiples of {self.value}",
            "derive": f"follows as {self.value}",
        }
        return f"{self.column}: {what[self.kind]} ({self.certainty}). {self.reason}"


@dataclass(frozen=True, slots=True)
class SuggestedRules:
    """Rules for the columns of a table, at most one of a kind for each, to be read, edited and used.

    Attributes
    ----------
    rules : tuple of SuggestedRule
    """

    rules: tuple[SuggestedRule, ...]

    @property
    def constraints(self) -> Constraints:
        """The rules as :class:`~elsewise.Constraints`."""
        kinds = ("immutable", "monotone", "allowed", "min_change", "step", "derive")
        by_kind: dict[str, dict[str, Any]] = {kind: {} for kind in kinds}
        for rule in self.rules:
            by_kind[rule.kind][rule.column] = rule.value
        return Constraints(
            immutable=list(by_kind["immutable"]),
            monotone=by_kind["monotone"],
            allowed=by_kind["allowed"],
            min_change=by_kind["min_change"] or None,
            step=by_kind["step"] or None,
            derive=by_kind["derive"] or None,
        )

    def apart_from(self, columns: Iterable[str]) -> SuggestedRules:
        """Return the rules about other columns than these."""
        left_out = set(columns)
        return replace(self, rules=tuple(rule for rule in self.rules if rule.column not in left_out))

    def about(self, subjects: Sequence[str]) -> SuggestedRules:
        """Return the rules about these subjects."""
        return replace(self, rules=tuple(rule for rule in self.rules if rule.subject in subjects))

    def __len__(self) -> int:
        return len(self.rules)

    def __str__(self) -> str:
        return "\n".join(map(str, self.rules)) or "No rules are suggested."

    def to_json(self) -> str:
        """Return the rules as JSON text, as a file of rules holds them: the keys are parameters of Constraints."""
        return json.dumps(self.constraints.to_mapping(), indent=2, ensure_ascii=False)

    def to_toml(self) -> str:
        """Return the rules as TOML text, as a file of rules holds them, with the reasons as comments."""
        lines = ["# Suggested rules: delete the lines that do not fit.", "immutable = ["]
        lines += [f"  {_quoted(r.column)},  # {r.certainty}: {r.reason}" for r in self.rules if r.kind == "immutable"]
        lines += ["]"]
        for kind in ("monotone", "min_change", "step", "derive"):
            rules = [rule for rule in self.rules if rule.kind == kind]
            lines += ["", f"[{kind}]"] if rules else []
            lines += [f"{_quoted(r.column)} = {_quoted(r.value)}  # {r.certainty}: {r.reason}" for r in rules]
        for rule in self.rules:
            if rule.kind == "allowed":
                lines += ["", f"[allowed.{_quoted(rule.column)}]  # {rule.certainty}: {rule.reason}"]
                for level, reached in rule.value.items():
                    lines.append(f"{_quoted(str(level))} = [{', '.join(map(_quoted, reached))}]")
        return "\n".join(lines) + "\n"

    def save(self, path: str | PathLike[str]) -> None:
        """Write the rules to a file that the command line reads (``--rules``), TOML with the reasons, or JSON.

        Parameters
        ----------
        path : path of the file
            Ending in ``.toml`` or ``.json``. A file that is there already is replaced.
        """
        path = Path(path)
        if path.suffix.lower() not in (".toml", ".json"):
            raise InvalidInputError(f"Expected a file of rules ending in .toml or .json, received {str(path)!r}.")
        is_json = path.suffix.lower() == ".json"
        path.write_text(self.to_json() + "\n" if is_json else self.to_toml(), encoding="utf-8")


def _quoted(value: Any) -> str:
    return json.dumps(value.item() if isinstance(value, np.generic) else value, ensure_ascii=False)
