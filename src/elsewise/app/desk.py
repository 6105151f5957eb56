"""The desk: takes questions in JSON's terms to the engine, and its answers back."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import __version__
from ..asking.reasons import for_everyone
from ..columns.frames import rows_of
from ..constraints import Constraints
from ..errors import InvalidInputError
from ..explainer import Explainer
from ..model.profiles import ColumnProfile
from ..results import Explanation, Explanations
from .cells import Cells, to_json
from .rulebook import broken_by, constraints_of, dropped, in_words, relaxed
from .schemas import FrontierQuestion, Interval, Question, Rules
from .takeaway import has_report

# Explainers kept ready, one a target and quantile; a slider has about a hundred quantiles.
_MOST_KEPT = 256
# Rows that can be picked; more are not looked through by hand.
MOST_ROWS = 5000
# Rules restored one by one when several have to go.
_MOST_TRIES = 30


@dataclass(frozen=True, slots=True)
class Asked:
    """A question as the engine took it, and its answer.

    Attributes
    ----------
    explainer : Explainer
        At the threshold that was asked for.
    answers : Explanations
        Of one row.
    constraints : Constraints or None
    label : label of the target, None for a regressor
    """

    explainer: Explainer
    answers: Explanations
    constraints: Constraints | None
    label: Any


class Desk:
    """Answers questions about one explainer.

    Parameters
    ----------
    explainer : Explainer
        Fitted.
    rows : data frame or array of shape (n_rows, n_columns), optional
        Rows to pick from.
    title : str
    image_shape : (height, width), optional
        The columns are pixels, line by line.
    time_limit : float
        Seconds the engine may take for a proof.
    """

    def __init__(
        self,
        explainer: Explainer,
        rows: Any = None,
        *,
        title: str = "",
        image_shape: tuple[int, int] | None = None,
        time_limit: float = 2.0,
    ) -> None:
        explainer.require_fitted()
        self.explainer, self.title, self.time_limit = explainer, title, time_limit
        table = explainer.table_
        given = None if rows is None else rows_of(table.own_columns(rows, name="rows"), slice(0, MOST_ROWS))
        self.cells = Cells(table, None if given is None or len(given) == 0 else _first(given))
        self.rows = [] if given is None else self.cells.write(given)
        self.predictions = [] if not self.rows else _predictions(explainer, given)
        self.classes = None if explainer.classes_ is None else explainer.classes_.tolist()
        self.image = None if image_shape is None else self._image(image_shape)
        self._kept: OrderedDict[tuple[int | None, float], Explainer] = OrderedDict()
        self._lock = threading.Lock()
        self._shares = {
            label: tuple(_Share(profile) for profile in profiles) for label, profiles in explainer.profiles_.items()
        }

    # What can be asked

    def about(self) -> dict[str, Any]:
        """Columns, classes, and what else the page needs to draw itself; see :class:`~.schemas.About`."""
        explainer, threshold = self.explainer, self.explainer.threshold
        numbers = [float(item) for item in self.predictions] if self.classes is None else []
        return {
            "title": self.title,
            "version": __version__,
            "columns": [
                {
                    "name": column.name,
                    "kind": column.kind,
                    "levels": [to_json(level) for level in column.levels],
                    "low": float(profile.percentiles[0]) if len(profile.percentiles) else None,
                    "high": float(profile.percentiles[-1]) if len(profile.percentiles) else None,
                    "open": column.open,
                    "optional": column.fill is not None,
                }
                for column, profile in zip(explainer.table_.columns, explainer.profiles_[None])
            ],
            "classes": None if self.classes is None else [to_json(label) for label in self.classes],
            "outcomes": [min(numbers), float(np.median(numbers)), max(numbers)] if numbers else None,
            "has_density": bool(explainer.densities_),
            "quantile": float(threshold) if isinstance(threshold, float) and explainer.densities_ else None,
            "image": self.image,
            "n_rows": len(self.rows),
            "typical": self.typical(),
            "has_report": has_report(),
        }

    def typical(self) -> dict[str, Any]:
        """Make a row in the middle of the training data: medians, and the levels seen most."""
        row: dict[str, Any] = {}
        for column, profile in zip(self.explainer.table_.columns, self.explainer.profiles_[None]):
            if len(profile.levels):
                most = int(np.argmax(profile.counts))
                if column.kind == "ordinal":
                    most = int(np.searchsorted(np.cumsum(profile.counts), profile.counts.sum() / 2))
                row[column.name] = to_json(profile.levels[most])
            else:
                middle = float(profile.percentiles[50])
                row[column.name] = int(middle) if column.kind == "integer" else float(f"{middle:.6g}")
        return row

    def known_rows(self, offset: int, limit: int) -> dict[str, Any]:
        """List rows to pick from; see :class:`~.schemas.Rows`."""
        chosen = range(len(self.rows))[offset : offset + limit]
        return {
            "total": len(self.rows),
            "rows": [
                {"number": place, "prediction": self.predictions[place], "row": self.rows[place]} for place in chosen
            ],
        }

    def profiles(self, place: int | None) -> dict[str, Any]:
        """Distributions of the columns for the class at a position; see :class:`~.schemas.Profiles`."""
        label = self._label_at(place)
        return {
            "target": to_json(label),
            "profiles": [
                {
                    "column": profile.name,
                    "counts": profile.counts.tolist(),
                    "low": float(profile.edges[0]) if len(profile.edges) else None,
                    "high": float(profile.edges[-1]) if len(profile.edges) else None,
                }
                for profile in self._profiles_of(label)
            ],
        }

    def _label_at(self, place: int | None) -> Any:
        if place is None:
            return None
        if self.classes is None or not 0 <= place < len(self.classes):
            count = 0 if self.classes is None else len(self.classes)
            raise InvalidInputError(f"target: expected the position of one of {count} classes, received {place}.")
        return self.classes[place]

    def _profiles_of(self, label: Any) -> tuple[ColumnProfile, ...]:
        return self.explainer.profiles_.get(label, self.explainer.profiles_[None])

    def _image(self, shape: tuple[int, int]) -> dict[str, Any]:
        height, width = shape
        columns = self.explainer.table_.columns
        if height * width != len(columns) or any(column.kind not in ("number", "integer") for column in columns):
            raise InvalidInputError(
                f"image_shape: {height} x {width} pixels do not make {len(columns)} columns of numbers."
            )
        ends = [profile.percentiles for profile in self.explainer.profiles_[None]]
        return {
            "height": height,
            "width": width,
            "low": float(min(each[0] for each in ends)),
            "high": float(max(each[-1] for each in ends)),
        }

    # Answers

    def explain(self, question: Question) -> dict[str, Any]:
        """Answer a question; see :class:`~.schemas.Answer`."""
        asked = self.ask(question, question.quantile)
        return self._written(asked.answers[0], question, asked.label)

    def ask(self, question: Question, quantile: float | None) -> Asked:
        """Ask the engine."""
        row = self.cells.read(question.row)
        target, place = self._target(question.target)
        constraints = constraints_of(question.rules, question.row, self.cells)
        explainer = self._at(place, quantile)
        # Not explain_one: it looks into what is infeasible, which takes far longer than the answer.
        answers = explainer.explain(row, target, constraints=constraints, time_limit=self.time_limit)
        return Asked(explainer, answers, constraints, None if place is None else target)

    def frontier(self, question: FrontierQuestion) -> dict[str, Any]:
        """Answer a question at several quantiles; see :class:`~.schemas.FrontierAnswer`."""
        self._check_density()
        points = []
        for quantile in sorted(set(question.quantiles)):
            answer = self.ask(question, quantile).answers[0]
            found = answer.status != "infeasible"
            points.append(
                {
                    "quantile": quantile,
                    "status": answer.status,
                    "distance": answer.distance if found else None,
                    "n_changes": int(answer.changed.sum()) if found else None,
                }
            )
        return {"points": points}

    def why_not(self, question: Question) -> dict[str, Any]:
        """Find out what stands in the way; see :class:`~.schemas.WhyNotAnswer`."""
        row = self.cells.read(question.row)
        target, place = self._target(question.target)
        asked = constraints_of(question.rules, question.row, self.cells)
        why = self._at(place, question.quantile).why_not(row, target, asked)
        reliefs = [
            {
                "rule": relief.rule,
                "distance": relief.distance,
                "rules": relaxed(question.rules, asked, relief.constraints).model_dump(),
            }
            for relief in why.reliefs
            if asked is not None
        ]
        if why.reason == "rules" and not reliefs:
            reliefs = self._several_at_once(question)
        return {
            "reason": why.reason,
            "sentence": why.sentence,
            "conflict": list(why.conflict),
            "highest_quantile": why.highest_quantile,
            "reliefs": reliefs,
        }

    def _several_at_once(self, question: Question) -> list[dict[str, Any]]:
        """Find rules that are enough to drop where no single one is.

        The rules that the answer without any breaks are enough; of these, all are restored that can be, beginning with
        those that matter least to that answer.
        """
        answer = self._under(question, Rules())
        if answer.status == "infeasible":
            return []
        after = {change.feature: to_json(change.after) for change in answer.changes}
        broken = broken_by(question.rules, question.row, after, self.cells)
        cost = {change.feature: change.cost for change in answer.changes}
        for name in sorted(broken, key=lambda name: (name is not None, cost.get(name or "", 0.0)))[:_MOST_TRIES]:
            fewer = [other for other in broken if other != name]
            without = self._under(question, dropped(question.rules, fewer))
            if without.status != "infeasible":
                broken, answer = fewer, without
        kept = dropped(question.rules, broken)
        return [{"rule": in_words(broken), "distance": answer.distance, "rules": kept.model_dump()}]

    def _under(self, question: Question, rules: Rules) -> Explanation:
        return self.ask(question.model_copy(update={"rules": rules}), question.quantile).answers[0]

    def _target(self, target: Any) -> tuple[Any, int | None]:
        """Give a target as the explainer takes it, and its position among the classes."""
        if self.classes is None:
            if not isinstance(target, Interval):
                raise InvalidInputError(
                    "target: expected {low, high}, the range wanted of a regressor, received a class."
                )
            if target.low is None and target.high is None:
                raise InvalidInputError("target: expected a low end, a high end or both, received neither.")
            return (target.low, target.high), None
        for place, label in enumerate(self.classes):
            known = to_json(label)
            if known == target and isinstance(known, bool) == isinstance(target, bool):
                return label, place
        known = ", ".join(repr(to_json(label)) for label in self.classes[:12])
        shown = "a range" if isinstance(target, Interval) else repr(target)
        raise InvalidInputError(f"target: expected one of the classes {known}, received {shown}.")

    def _check_density(self) -> None:
        if not self.explainer.densities_:
            raise InvalidInputError("quantile: the explainer has no density, so nothing is more or less plausible.")

    def _at(self, place: int | None, quantile: float | None) -> Explainer:
        """Explainer for one target at another threshold, compiled once and kept."""
        if quantile is None:
            return self.explainer
        self._check_density()
        key = (place, quantile)
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        made = self.explainer.with_threshold(quantile)
        with self._lock:
            self._kept[key] = made
            while len(self._kept) > _MOST_KEPT:
                self._kept.popitem(last=False)
        return made

    def _written(self, answer: Explanation, question: Question, label: Any) -> dict[str, Any]:
        answer = replace(answer, cause=for_everyone(answer.cause))
        found = answer.status != "infeasible"
        changes = [
            {
                "column": change.feature,
                "before": to_json(change.before),
                "after": to_json(change.after),
                "difference": change.difference,
                "cost": change.cost,
            }
            for change in answer.changes
        ]
        after = {**question.row, **{change["column"]: change["after"] for change in changes}} if found else None
        target = answer.target
        return {
            "status": answer.status,
            "prediction": to_json(answer.prediction),
            "target": to_json(target),
            "sentence": answer.sentence,
            "reason": answer.reason,
            "distance": _finite(answer.distance),
            "lower_bound": _finite(answer.lower_bound),
            "gap": _finite(answer.gap),
            "plausibility": _finite(answer.plausibility),
            "log_density": _finite(answer.log_density),
            "log_threshold": _finite(answer.log_threshold),
            "model_free": answer.model_free,
            "changes": changes,
            "counterfactual": after,
            "positions": self._positions(label, question.row, after),
        }

    def _positions(
        self, label: Any, before: dict[str, Any], after: dict[str, Any] | None
    ) -> dict[str, dict[str, float | None]]:
        shares = self._shares.get(label, self._shares[None])
        positions = {}
        for share in shares:
            old = before[share.name]
            first = share(old)
            new = old if after is None else after[share.name]
            positions[share.name] = {
                "before": first,
                "after": None if after is None else first if new is old else share(new),
            }
        return positions


class _Share:
    """Where a value stands in a column's distribution: the share of rows at most so large, or with that level."""

    __slots__ = ("counts", "name", "percentiles", "steps")

    def __init__(self, profile: ColumnProfile) -> None:
        self.name = profile.name
        self.percentiles: NDArray[np.float64] | None = None
        self.counts: dict[Any, float] = {}
        if len(profile.levels):
            total = max(int(profile.counts.sum()), 1)
            self.counts = {to_json(level): int(n) / total for level, n in zip(profile.levels, profile.counts)}
        else:
            self.percentiles = profile.percentiles
            self.steps = np.linspace(0.0, 1.0, len(profile.percentiles))

    def __call__(self, value: Any) -> float | None:
        if self.percentiles is None:
            return self.counts.get(value, 0.0)
        if value is None:
            return None
        return float(np.interp(value, self.percentiles, self.steps, left=0.0, right=1.0))


def _predictions(explainer: Explainer, given: Any) -> list[Any]:
    rows = explainer.table_.encode(given)
    return [to_json(item) for item in explainer.fitted_.predict(rows, given).tolist()]


def _first(given: Any) -> Any:
    return given.iloc[0] if hasattr(given, "iloc") else given[0]


def _finite(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
