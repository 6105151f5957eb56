"""Cases: options drawn together for a table and a model family, and the comparison with a list of all rows."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np
import pandas as pd

import elsewise as ew
import elsewise_check
from integration.option_models import (
    ATTAINED,
    DERIVED,
    FAMILIES,
    TABLES,
    attained,
    labels,
    model,
    other_model,
    table,
    target,
)
from integration.option_reference import Domain
from integration.option_table import settings

N_ROWS, N_ROWS_OF_CERTIFICATES = 5, 24
# A limit keeps the test short: what holds of unfinished answers is checked, but not proofs that would come later.
SECONDS_A_ROW = 0.1
# "densest" is only said of rows whose search for an answer was finished.
SECONDS_TO_BE_SURE = 2.0
WIDE = {"a": (-1, 6), "b": (-0.5, 3.0), "s": (-9, 3)}


@dataclass(frozen=True)
class Drawn:
    """One question: a family, a table, and options by group."""

    seed: int
    family: str
    table: str
    options: tuple[tuple[str, str, Any], ...]

    def of(self, group: str) -> dict[str, Any]:
        return {name: value for kind, name, value in self.options if kind == group}

    @property
    def n_classes(self) -> int | None:
        return FAMILIES[self.family][0]

    @property
    def is_attained(self) -> bool:
        """Whether the ends of the range are numbers that the model predicts."""
        return self.n_classes is None and self.family in ATTAINED and self.seed // len(FAMILIES) % 2 == 1

    @property
    def learns(self) -> bool:
        return bool(self.of("explainer").get("learn_rules", True))

    @property
    def has_codes(self) -> bool:
        if "s" not in TABLES[self.table]:
            return False
        special = self.of("rules").get("special")
        return self.learns if special is None else bool(special)

    @cached_property
    def rules(self) -> dict[str, Any]:
        """Rules that were drawn, and those that make the domain finite."""
        rules = self.of("rules")
        numbers = [name for name in TABLES[self.table] if name in "abs"]
        grid = {name: 0.5 if name == "b" else 1 for name in numbers if name == "b" or "integer" in rules}
        if "step" not in rules or (rules["step"] is None and not (self.learns and "integer" not in rules)):
            rules["step"] = grid
        elif rules["step"] is not None:
            rules["step"] = {**grid, **rules["step"]}
        kept = rules.get("range", "training" if self.learns else "any")
        free = [name for name in numbers if kept == "any" or (isinstance(kept, list) and name not in kept)]
        if free:
            rules["bounds"] = {**{name: WIDE[name] for name in free}, **rules.get("bounds", {})}
        if "integer" in rules:
            rules["integer"] = [name for name in rules["integer"] if name in numbers]
        return rules

    @property
    def constraints(self) -> ew.Constraints:
        return ew.Constraints(derive=DERIVED if "t" in TABLES[self.table] else None, **self.rules)

    @property
    def is_finite(self) -> bool:
        """Whether the documentation says what the range of every column is."""
        kept = self.rules.get("range", "training" if self.learns else "any")
        return not (self.has_codes and "s" in self.rules.get("bounds", {})) and not (not self.learns and kept != "any")

    def __str__(self) -> str:
        chosen = ", ".join(f"{group}.{name}={value!r}" for group, name, value in self.options)
        return f"{self.family!r} on {self.table!r} with {chosen}; check_case({self.seed})"


def draw(seed: int) -> Drawn:
    """Draw a case: two or three options, and one setting of each."""
    rng = np.random.default_rng([seed, 20])
    family = list(FAMILIES)[seed % len(FAMILIES)]
    name = str(rng.choice(list(TABLES)))
    known = list(settings(set(TABLES[name])))
    names = sorted({(group, option) for group, option, _ in known})
    chosen = [names[place] for place in rng.permutation(len(names))[: rng.integers(2, 4)]]
    options = []
    for group, option in chosen:
        values = [value for kind, other, value in known if (kind, other) == (group, option)]
        options.append((group, option, values[rng.integers(len(values))]))
    if rng.random() < 0.5 and ("explainer", "density") not in chosen:
        options.append(("explainer", "density", None))
    if any(option == "diversity" for _, option, _ in options) and ("explain", "n_counterfactuals") not in chosen:
        options.append(("explain", "n_counterfactuals", 2))
    return Drawn(seed, family, name, tuple(options))


@cache
def _explainer(family: str, name: str, chosen: tuple[tuple[str, str, Any], ...]) -> Any:
    given = {option: value for group, option, value in chosen}
    if "t" in TABLES[name]:
        given["constraints"] = ew.Constraints(derive=DERIVED)
    X, n_classes = table(name), FAMILIES[family][0]
    return ew.Explainer(model(family, name), **given).fit(X, None if n_classes is None else labels(name, n_classes))


def _fitted(case: Drawn) -> Any:
    chosen = tuple(item for item in case.options if item[0] == "explainer" and item[1] != "constraints")
    try:
        return _explainer(case.family, case.table, chosen)
    except TypeError as error:  # settings that are mappings cannot be keys of the cache
        if "unhashable" not in str(error):
            raise
        return _explainer.__wrapped__(case.family, case.table, chosen)


def check_case(seed: int) -> Counter[str]:
    """Draw a case and check it."""
    return check(draw(seed))


def check(case: Drawn) -> Counter[str]:
    """Compare the answers of one case with the list of all rows; count statuses and refusals."""
    if not case.is_finite:
        return Counter(["not finite"])
    rows = table(case.table).iloc[(case.seed * 7) % 60 :][:N_ROWS]
    options, goal = _options(case)
    options.setdefault("time_limit", SECONDS_TO_BE_SURE if "on_infeasible" in options else SECONDS_A_ROW)
    try:
        explainer = _explainer_of(case, options)
        start = time.perf_counter()
        answers = explainer.explain(rows, goal, certificate=True, **options)
        has_time_left = time.perf_counter() - start < min(options["time_limit"], options.get("budget", np.inf))
    except ew.InternalError as error:  # a search that contradicts itself
        raise AssertionError(f"{case}: {error}") from error
    except ew.ElsewiseError as error:
        return Counter([f"refused: {type(error).__name__}: {str(error)[:60]}"])
    except Exception as error:
        raise AssertionError(f"{case}: {type(error).__name__}: {error}") from error
    by_row: list[list[Any]] = [[] for _ in range(len(rows))]
    for answer in answers:
        by_row[answer.row].append(answer)
    # what a confidence means for a class is the library's to say, and tested elsewhere
    least = next(iter(answers)).min_probability if "confidence" in options else options.get("min_probability")
    reference = Reference(case, explainer, goal, has_time_left, least)
    found = check_certificates(case, answers)
    for place, of_row in enumerate(by_row):
        found.update(reference.check(rows.iloc[place], of_row, f"{case}, row {place}"))
    return found


def _options(case: Drawn) -> tuple[dict[str, Any], Any]:
    """Return options of ``explain`` but for rules, and the target."""
    options = {name: value for name, value in case.of("explain").items() if name != "constraints"}
    goal = target(case.table, case.n_classes) if not case.is_attained else attained(case.family, case.table)
    if "other_models" in options:
        options["other_models"] = [(other_model(case.table, case.n_classes), goal)]
    return options, goal


def _explainer_of(case: Drawn, options: dict[str, Any]) -> Any:
    """Return the explainer; it has the rules, or the options have them."""
    explainer, rules = _fitted(case), case.constraints
    if "constraints" in case.of("explainer"):
        return explainer.with_constraints(rules)
    options["constraints"] = rules
    return explainer


def check_many_certificates(seed: int) -> Counter[str]:
    """Draw a case, and have the certificates of many rows checked; rows are not compared with anything."""
    case = draw(seed)
    options, goal = _options(case)
    options = {**options, "time_limit": SECONDS_A_ROW, "budget": None}
    try:
        answers = _explainer_of(case, options).explain(
            table(case.table).iloc[:N_ROWS_OF_CERTIFICATES], goal, certificate=True, **options
        )
    except ew.InternalError as error:
        raise AssertionError(f"{case}: {error}") from error
    except ew.ElsewiseError as error:
        return Counter([f"refused: {type(error).__name__}"])
    return check_certificates(case, answers)


def check_certificates(case: Drawn, answers: Any) -> Counter[str]:
    """Have the certificates of answers checked by the separate program; count them, and reasons why there are none."""
    found: Counter[str] = Counter()
    for one in answers:
        if one.proof is None or one.proof.reason:
            found["not certified: " + ("wrong row" if one.proof is None else one.proof.reason)] += 1
            continue
        try:
            elsewise_check.check_lines(one.proof.lines)
        except elsewise_check.RefusedError as error:
            raise AssertionError(f"{case}, row {one.row}: the certificate is refused, {error}") from error
        found["certified"] += 1
    return found


class Reference:
    """All rows of the domain of a case, with what holds of them."""

    def __init__(self, case: Drawn, explainer: Any, goal: Any, has_time_left: bool, least: float | None) -> None:
        self.has_time_left = has_time_left  # a further answer of a row is absent, too, where its time is over
        self.case, self.explainer, self.goal, self.options = case, explainer, goal, case.of("explain")
        codes = "stay" if case.has_codes and case.of("rules").get("special") is None else "change"
        self.domain = Domain(table(case.table), {"codes": codes, **case.rules}, case.has_codes, _distance(case))
        self.label, self.least = None if case.n_classes is None else goal, least
        self.rows = self.domain.rows
        self.valid = self._decides(model(case.family, case.table), self.rows)
        if "other_models" in self.options:
            self.valid &= self._is_goal(other_model(case.table, case.n_classes).predict(self.rows))

    def _is_goal(self, predictions: Any) -> np.ndarray:
        if self.label is None:
            return (predictions >= self.goal[0]) & (predictions <= self.goal[1])
        return np.asarray(predictions) == self.goal

    def _decides(self, fitted: Any, rows: pd.DataFrame) -> np.ndarray:
        least = self.least
        if least is not None:
            return fitted.predict_proba(rows)[:, list(fitted.classes_).index(self.goal)] >= least
        return self._is_goal(fitted.predict(rows))

    def is_dense(self, log_threshold: float) -> np.ndarray:
        if not self.explainer.densities_:
            return np.ones(len(self.rows), dtype=bool)
        return np.asarray(self.explainer.log_density(self.rows, self.label)) >= log_threshold

    def check(self, row: pd.Series, answers: list[Any], where: str) -> list[str]:
        """Check the answers of one row; return their statuses."""
        distances, keeps = self.domain.distances(row), self.domain.keeps(row)
        if answers[0].status == "densest":  # nothing is as dense as asked; it is judged by the threshold it reaches
            as_asked = self.valid & keeps & self.is_dense(self._asked_threshold(row))
            assert not as_asked.any(), f"{where}: the densest, where something is as dense as asked"
        left = self.valid & keeps & self.is_dense(answers[0].log_threshold)
        keeps_own = self.options.get("on_satisfied", "keep") == "keep" and bool(keeps[distances == 0.0].any())
        # whether the row lasts, as a robust answer has to, is not known here
        stays = keeps_own and "robust_radius" not in self.options and self._own(row)
        if stays:
            assert (answers[0].status, answers[0].distance) == ("optimal", 0.0), where
            return ["stays"]
        for number, answer in enumerate(answers):
            self._check_one(answer, left, distances, f"{where}, answer {number}")
            if answer.found and number + 1 < self.options.get("n_counterfactuals", 1):
                left = left & self._differs(row, answer)
        wanted = self.options.get("n_counterfactuals", 1)
        # which rows last is not known here: what was not found of them is only wrong if it was said to be proven
        is_claimed = self.has_time_left and "robust_radius" not in self.options
        if len(answers) < wanted and answers[-1].found and is_claimed:
            assert not left.any(), f"{where}: only {len(answers)} answers, more exist"
        return [answer.status for answer in answers]

    def _asked_threshold(self, row: pd.Series) -> float:
        """Return the log density that is asked for; an answer that is the densest has a lower one of its own."""
        asked = ("min_probability", "confidence", "robust_radius")
        options = {name: self.options[name] for name in asked if name in self.options}
        return float(
            self.explainer.explain_one(
                row, self.goal, constraints=self.case.constraints, on_satisfied="move", **options
            ).log_threshold
        )

    def _own(self, row: pd.Series) -> bool:
        one = row.to_frame().T.astype(self.rows.dtypes.to_dict())
        stays = self._decides(model(self.case.family, self.case.table), one)
        if "other_models" in self.options:
            stays &= self._is_goal(other_model(self.case.table, self.case.n_classes).predict(one))
        return bool(stays[0])

    def _place(self, answer: Any) -> int:
        same = np.all([(self.rows[name].astype(object) == answer.counterfactual[name]) for name in self.rows], axis=0)
        assert same.sum() == 1, f"{answer.counterfactual.to_dict()} is not in the domain"
        return int(np.flatnonzero(same)[0])

    def _differs(self, row: pd.Series, answer: Any) -> np.ndarray:
        apart = self.options.get("diversity", "columns")
        place = self._place(answer)
        if isinstance(apart, float):
            return self.domain.sizes(self.rows.iloc[place]) >= apart
        changed = self.domain.moved(row)
        own = [name for name in changed if changed[name][place]]
        return ~np.all([changed[name] for name in own], axis=0) if own else np.zeros(len(self.rows), dtype=bool)

    def _check_one(self, answer: Any, left: np.ndarray, distances: np.ndarray, where: str) -> None:
        nearest = distances[left].min(initial=np.inf)
        said = f"{where}: {answer.status} {answer.distance} bound {answer.lower_bound}, nearest of all {nearest}"
        assert answer.status in ("optimal", "feasible", "densest", "infeasible", "unknown"), said
        if "robust_radius" in self.options:  # fewer rows are valid: the nearest of all is a bound
            assert not answer.found or answer.distance >= nearest * (1 - 1e-6) - 1e-9, said
            return
        assert answer.lower_bound <= nearest * (1 + 1e-9) + 1e-12, said
        if answer.status == "infeasible":
            assert not np.isfinite(nearest), said
        if answer.found:
            place = self._place(answer)
            assert left[place], f"{said}; {answer.counterfactual.to_dict()} is not valid"
            assert np.isclose(answer.distance, distances[place], rtol=1e-9, atol=1e-12), f"{said}; {distances[place]}"
        if answer.status == "optimal":
            assert np.isclose(answer.distance, nearest, rtol=1e-6, atol=1e-9), said


def _distance(case: Drawn) -> dict[str, Any]:
    given = case.of("explainer").get("distance", "auto")
    return {
        "scaled": given in ("auto", "scaled") if isinstance(given, str) else isinstance(given, ew.Scaled),
        "weights": getattr(given, "weights", None) or {},
        "per_change": getattr(given, "per_change", 0.0),
    }
