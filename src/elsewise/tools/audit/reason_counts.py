"""How often each reason is named, by group."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...answers import PrincipalReasons
from ...answers.records import record_of_reasons
from ...arrays import AnyArray, BoolArray
from ...errors import InvalidInputError


@dataclass(frozen=True, slots=True)
class ReasonCount:
    """One reason in one group.

    Attributes
    ----------
    group : str
    reason : str
        Its code, or column and direction.
    n : int
        Rows of the group that have this reason.
    share : float
        Of the group's rows that need an answer.
    """

    group: str
    reason: str
    n: int
    share: float


def count_reasons(
    reasons: Sequence[Any], every: AnyArray, in_need: BoolArray, groups: Sequence[str]
) -> tuple[ReasonCount, ...]:
    """Count reasons by group, the most frequent first.

    Parameters
    ----------
    reasons : sequence of PrincipalReasons, of records of them, or None, one a row
    every : array of groups of shape (n_rows,)
    in_need : bool array of shape (n_rows,)
    groups : sequence of str
    """
    if len(reasons) != len(every):
        raise InvalidInputError(
            f"reasons: expected one for each of {len(every)} rows (None for a row without), received {len(reasons)}."
        )
    named = [_names(one) for one in reasons]
    everywhere = Counter(name for names, needs in zip(named, in_need.tolist()) if needs for name in names)
    counts = []
    for group in groups:
        rows = [place for place in range(len(every)) if in_need[place] and every[place] == group]
        own = Counter(name for place in rows for name in named[place])
        counts += [ReasonCount(group, name, own[name], own[name] / len(rows)) for name, _ in everywhere.most_common()]
    return tuple(counts)


def _names(reasons: Any) -> list[str]:
    if reasons is None:
        return []
    record = record_of_reasons(reasons) if isinstance(reasons, PrincipalReasons) else reasons
    if not isinstance(record, Mapping) or "reasons" not in record:
        raise InvalidInputError(
            f"reasons: expected what explainer.reasons returns, or None; received {type(reasons).__name__}."
        )
    return [each["code"] or f"{each['column']} {each['direction']}" for each in record["reasons"]]
