"""Questions in JSON's terms to the engine, and its answers back."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from ...answers import Change, Explanation, Explanations
from ...errors import InvalidInputError
from ...explainer import Explainer
from ...questions.targets import outcome_of_target
from ...reasons import for_everyone
from ...rules import Constraints
from ...table.frames import rows_of
from ...text import reason_in_words
from ...text.languages import speaking
from ...text.steps import instruction_in_words, remark_of_plan
from ..files.settings import target_from_json, with_threshold
from ..files.values import to_json
from . import table_description
from .json_rows import JsonRows
from .recourse import LARGEST_LEVER, written_ladder, written_levers
from .rules import broken_by, constraints_from, dropped, in_words, joined_with, relaxed
from .scales import ColumnShare
from .schemas import (
    ChosenQuestionBody,
    FrontierQuestionBody,
    IntervalBody,
    LadderQuestionBody,
    MapQuestionBody,
    QuestionBody,
    RowsQuery,
    RulesBody,
    SeveralQuestionBody,
)
from .writing import written, written_map, written_way

# Explainers kept ready, one a target and quantile; a slider has about a hundred quantiles.
MOST_EXPLAINERS = 256
# Rows that can be picked; more are not looked through by hand.
MOST_ROWS = 5000
# Rules restored one by one when several have to go; each is a question of its own.
MOST_TRIES = 30


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


class ExplorerService:
    """Answers questions about one explainer.

    Parameters
    ----------
    explainer : Explainer
        Fitted.
    rows : data frame or array of shape (n_rows, n_columns), optional
        Rows to pick from.
    rows_name : str
        What errors call them.
    title : str
    image_shape : (height, width), optional
        The columns are pixels, line by line.
    time_limit : float
        Seconds the engine may take for a proof.
    target : label, optional
        What the page asks for first.
    """

    def __init__(
        self,
        explainer: Explainer,
        rows: Any = None,
        *,
        rows_name: str = "rows",
        title: str = "",
        image_shape: tuple[int, int] | None = None,
        time_limit: float,
        target: Any = None,
    ) -> None:
        fitted = explainer.require_fitted()
        self.explainer, self.title, self.image_shape, self.time_limit = explainer, title, image_shape, time_limit
        self.classes = None if fitted.classes is None else fitted.classes.tolist()
        given = None if rows is None else rows_of(fitted.table.own_columns(rows, name=rows_name), slice(0, MOST_ROWS))
        has_rows = given is not None and len(given) > 0
        self.json_rows = JsonRows(fitted.table, _first(given) if has_rows else None)
        self.rows: list[dict[str, Any]] = []
        self.predictions: list[Any] = []
        if has_rows:
            features = fitted.table.encode(given, name=rows_name)
            self.rows = self.json_rows.write(given, features)
            self.predictions = [to_json(item) for item in fitted.predict(features, given).tolist()]
        self.wording = fitted.table.wording
        if target is not None:
            target = target_from_json(target, self.classes)
        with speaking(self.wording):
            self._about = table_description.about(
                explainer, self.predictions, title=title, image_shape=image_shape, target=target
            )
        self._texts = [" ".join(str(value) for value in row.values()).casefold() for row in self.rows]
        self._explainers: OrderedDict[tuple[Any, float], Explainer] = OrderedDict()
        self._lock = threading.Lock()
        self._shares = {
            label: tuple(ColumnShare(profile) for profile in profiles) for label, profiles in fitted.profiles.items()
        }

    # What can be asked

    def about(self) -> dict[str, Any]:
        """Columns, classes, and what else the page needs to draw itself; see :class:`~.schemas.AboutBody`."""
        return self._about

    def known_rows(self, asked: RowsQuery) -> dict[str, Any]:
        """List rows to pick from; see :class:`~.schemas.RowsBody`."""
        places = [place for place in range(len(self.rows)) if self._matches(asked, place)]
        if asked.sort:
            name = self.json_rows.column(asked.sort.removeprefix("-"), "sort").name
            places.sort(key=lambda place: _sortable(self.rows[place][name]), reverse=asked.sort.startswith("-"))
        chosen = places[asked.offset : asked.offset + asked.limit]
        return {
            "total": len(places),
            "rows": [
                {"number": place, "prediction": self.predictions[place], "row": self.rows[place]} for place in chosen
            ],
        }

    def _matches(self, asked: RowsQuery, place: int) -> bool:
        prediction = self.predictions[place]
        if asked.prediction is not None and prediction != to_json(self._label_at(asked.prediction)):
            return False
        if asked.other_than is not None and prediction == to_json(self._label_at(asked.other_than)):
            return False
        return all(word in self._texts[place] for word in asked.search.casefold().split())

    def profiles(self, place: int | None) -> dict[str, Any]:
        """Distributions of the columns for the class at a position; see :class:`~.schemas.ProfilesBody`."""
        return table_description.profiles(self.explainer, self._label_at(place))

    def _label_at(self, place: int | None) -> Any:
        if place is None:
            return None
        if self.classes is None or not 0 <= place < len(self.classes):
            count = 0 if self.classes is None else len(self.classes)
            raise InvalidInputError(f"target: expected the position of one of {count} classes, received {place}.")
        return self.classes[place]

    # Answers

    def explain(self, question: QuestionBody) -> dict[str, Any]:
        """Answer a question; see :class:`~.schemas.AnswerBody`."""
        return self._written(self.ask(question, question.quantile), question)[0]

    def answers(self, question: SeveralQuestionBody) -> dict[str, Any]:
        """Answer a question in several ways; see :class:`~.schemas.AnswersBody`."""
        asked = self.ask(question, question.quantile, question.n_counterfactuals)
        return {"answers": self._written(asked, question)}

    def chosen(self, question: ChosenQuestionBody) -> dict[str, Any]:
        """Answer a question in several ways and give the one that is chosen; see :class:`~.schemas.AnswerBody`."""
        return self._written(self.ask_for_chosen(question), question)[0]

    def ask_for_chosen(self, question: ChosenQuestionBody, *, certificate: bool = False) -> Asked:
        """Ask the engine for several answers, and keep the one that is chosen; with its proof if it is asked for."""
        asked = self.ask(question, question.quantile, question.n_counterfactuals, certificate=certificate)
        if question.answer > len(asked.answers):
            raise InvalidInputError(
                f"answer: expected a number up to {len(asked.answers)}, which is how many there are, received "
                f"{question.answer}."
            )
        return replace(asked, answers=asked.answers[question.answer - 1 : question.answer])

    def _written(self, asked: Asked, question: QuestionBody) -> list[dict[str, Any]]:
        shares = self._shares.get(asked.label, self._shares[None])
        return written(
            asked.explainer.fitted_, asked.answers, question.row, shares, are_pixels=self.image_shape is not None
        )

    def ask(
        self, question: QuestionBody, quantile: float | None, n_counterfactuals: int = 1, *, certificate: bool = False
    ) -> Asked:
        """Ask the engine."""
        row = self.json_rows.read(question.row)
        target, label = self._target(question)
        constraints = self._constraints(question.rules, question.row, target)
        explainer = self._explainer_at(label, quantile)
        # Not explain_one: it looks into what is infeasible, which takes far longer than the answer.
        answers = explainer.explain(
            row,
            target,
            constraints=constraints,
            n_counterfactuals=n_counterfactuals,
            certificate=certificate,
            time_limit=self.time_limit,
            effort=question.effort,
            on_infeasible=question.on_infeasible,
        )
        return Asked(explainer, answers, constraints, label)

    def _constraints(self, rules: RulesBody, row: dict[str, Any], target: Any) -> Constraints | None:
        """Return the rules of the page, joined with those that are stored, directions toward the target among them."""
        fitted = self.explainer.fitted_
        outcome = None if target is None else outcome_of_target(target, fitted.classes)
        stored = fitted.constraints_of(None, outcome)
        return joined_with(stored, constraints_from(rules, row, self.json_rows), fitted.table)

    def frontier(self, question: FrontierQuestionBody) -> dict[str, Any]:
        """Answer a question at several quantiles; see :class:`~.schemas.FrontierAnswerBody`."""
        points = []
        for quantile in sorted(set(question.quantiles)):
            answer = self.ask(question, quantile).answers[0]
            found = answer.found
            points.append(
                {
                    "quantile": quantile,
                    "status": answer.status,
                    "distance": answer.distance if found else None,
                    "n_changes": int(answer.changed.sum()) if found else None,
                }
            )
        return {"points": points}

    def plan(self, question: QuestionBody) -> dict[str, Any]:
        """Order the changes of the answer; see :class:`~.schemas.PlanBody`."""
        asked = self.ask(question, question.quantile)
        answer = asked.answers[0]
        if not answer.found:
            with speaking(self.wording):
                why = reason_in_words(for_everyone(answer.cause))
            return {"status": answer.status, "sentence": why, "remark": "", "turn": None, "steps": []}
        plan = asked.explainer.plan(answer, constraints=asked.constraints)
        steps = [
            {
                "sentence": self._instruction(step.changes),
                "columns": [change.feature for change in step.changes],
                "share": to_json(step.share),
                "probability": to_json(step.probability),
                "prediction": to_json(step.prediction),
                "is_as_wanted": step.is_as_wanted,
            }
            for step in plan
        ]
        said = {"sentence": plan.sentence, "remark": remark_of_plan(plan)}
        return {"status": plan.status, **said, "turn": plan.turn, "steps": steps}

    def _instruction(self, changes: Sequence[Change]) -> str:
        with speaking(self.wording):
            return instruction_in_words(changes)

    def map(self, question: MapQuestionBody) -> dict[str, Any]:
        """Draw the answer in a plane of two columns; see :class:`~.schemas.MapBody`."""
        asked = self.ask(question, question.quantile)
        columns = None if question.columns is None else (question.columns[0], question.columns[1])
        return written_map(asked.explainer, asked.answers[0], columns)

    def path(self, question: QuestionBody) -> dict[str, Any]:
        """Find the way to an answer; see :class:`~.schemas.PathBody`."""
        explainer, row, target, constraints = self.posed(question)
        path = explainer.path(row, target, constraints=constraints, time_limit=self.time_limit)
        stages = self.json_rows.write(path.steps, explainer.table_.encode(path.steps)) if len(path) else []
        with speaking(self.wording):
            return written_way(path, stages)

    def levers(self, question: QuestionBody) -> dict[str, Any]:
        """Find which few columns are enough by themselves; see :class:`~.schemas.LeversBody`."""
        explainer, row, target, constraints = self.posed(question)
        seconds = self.time_limit
        return written_levers(
            explainer.levers(row, target, max_size=LARGEST_LEVER, constraints=constraints, time_limit=seconds)
        )

    def ladder(self, question: LadderQuestionBody) -> dict[str, Any]:
        """Find what each better band takes; see :class:`~.schemas.LadderBody`."""
        explainer, row, target, constraints = self.posed(question)
        label, seconds = None if self.classes is None else target, self.time_limit / len(question.bands)  # each band
        ladder = explainer.ladder(row, question.bands, target=label, constraints=constraints, time_limit=seconds)
        return written_ladder(ladder)

    def posed(self, question: QuestionBody) -> tuple[Explainer, Any, Any, Constraints | None]:
        """Return what answers a question: the explainer at its threshold, the row, the target and all rules."""
        row = self.json_rows.read(question.row)
        target, label = self._target(question)
        explainer = self._explainer_at(label, question.quantile)
        return explainer, row, target, self._constraints(question.rules, question.row, target)

    def why_not(self, question: QuestionBody) -> dict[str, Any]:
        """Find out what stands in the way; see :class:`~.schemas.WhyNotBody`."""
        row = self.json_rows.read(question.row)
        target, label = self._target(question)
        asked = constraints_from(question.rules, question.row, self.json_rows)
        everything = self._constraints(question.rules, question.row, target)
        why = self._explainer_at(label, question.quantile).why_not(row, target, everything)
        reliefs = []
        for relief in why.reliefs:
            if asked is None:
                break
            left = relaxed(question.rules, asked, relief.constraints)
            # the page can switch off neither what is stored nor what was found in the training rows
            if left != question.rules and self._constraints(left, question.row, target) == relief.constraints:
                reliefs.append({"rule": relief.rule, "distance": relief.distance, "rules": left.model_dump()})
        if why.reason == "rules" and not reliefs and asked is not None:
            reliefs = self._several_at_once(question)
        return {
            "reason": why.reason,
            "sentence": why.sentence,
            "conflict": list(why.conflict),
            "highest_quantile": why.highest_quantile,
            "reliefs": reliefs,
        }

    def _several_at_once(self, question: QuestionBody) -> list[dict[str, Any]]:
        """Find rules that are enough to drop where no single one is.

        The rules that the answer without any breaks are enough; of these, all are restored that can be, beginning with
        those that matter least to that answer.
        """
        answer = self._under(question, RulesBody())
        if not answer.found:
            return []
        after = {change.feature: to_json(change.after) for change in answer.changes}
        broken = broken_by(question.rules, question.row, after, self.json_rows)
        cost = {change.feature: change.cost for change in answer.changes}
        for name in sorted(broken, key=lambda name: (name is not None, cost.get(name or "", 0.0)))[:MOST_TRIES]:
            fewer = [other for other in broken if other != name]
            without = self._under(question, dropped(question.rules, fewer))
            if without.found:
                broken, answer = fewer, without
        kept = dropped(question.rules, broken)
        with speaking(self.wording):
            rule = in_words(broken)
        return [{"rule": rule, "distance": answer.distance, "rules": kept.model_dump()}]

    def _under(self, question: QuestionBody, rules: RulesBody) -> Explanation:
        return self.ask(question.model_copy(update={"rules": rules}), question.quantile).answers[0]

    def _target(self, question: QuestionBody) -> tuple[Any, Any]:
        """Return the target as the explainer takes it, and its label, None for a regressor."""
        wanted = question.target
        value = (wanted.low, wanted.high) if isinstance(wanted, IntervalBody) else wanted
        target = target_from_json(value, self.classes)
        return target, None if self.classes is None else target

    def _explainer_at(self, label: Any, quantile: float | None) -> Explainer:
        """Explainer for one target at another threshold, compiled once and kept."""
        if quantile is None:
            return self.explainer
        key = (label, quantile)
        with self._lock:
            if key in self._explainers:
                self._explainers.move_to_end(key)
                return self._explainers[key]
        made = with_threshold(self.explainer, quantile, "quantile")
        with self._lock:
            self._explainers[key] = made
            while len(self._explainers) > MOST_EXPLAINERS:
                self._explainers.popitem(last=False)
        return made


def _sortable(value: Any) -> tuple[int, Any]:
    """Make values of one column comparable: numbers, then texts, then what is missing."""
    return (2, 0) if value is None else (0, value) if isinstance(value, (int, float)) else (1, str(value))


def _first(given: Any) -> Any:
    return given.iloc[0] if hasattr(given, "iloc") else given[0]
