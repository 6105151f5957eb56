"""Every sentence that the library can make, in ``sentences.txt``: to be read, and to change on purpose only.

``python tests/text/test_all_sentences.py`` writes the file anew.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path as File
from typing import get_args

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression

import elsewise as ew
from elsewise import reasons
from elsewise.answers.why_not import Relief, WhyNot
from elsewise.reasons import Target
from elsewise.table.wording import Wording
from elsewise.text import reason_in_words, sentence
from elsewise.text.languages import LANGUAGES, say, speaking
from elsewise.text.reasons import conflict_in_words
from elsewise.tools.audit.words import difference_in_words

pandas = pytest.importorskip("pandas")
KEPT = File(__file__).parent / "sentences.txt"
# Words of the method that people do not have to know; "log density" is the name of a number.
UNWANTED = ("dense", "sparse", "quantile that", "as asked", "contradict", "as wanted", "told", "is wrong")


def _rows():
    rng = np.random.default_rng(0)
    X = pandas.DataFrame(
        np.round(np.concatenate([rng.normal(2.0, 1.0, (60, 3)), rng.normal(4.0, 1.0, (60, 3))]), 2),
        columns=["age", "bmi", "bp"],
    )
    return X, np.repeat(["low", "high"], 60)


def _of_answers(language: str) -> Iterator[tuple[str, str]]:
    X, y = _rows()
    explainer = ew.Explainer(LogisticRegression().fit(X, y), language=language).fit(X, y)
    one = explainer.explain_one(X.iloc[60], "low")
    assert len(one.changes) > 1
    yield "smallest change", one.sentence
    yield "pixels", sentence(one, are_pixels=True)
    yield "labels yes and no", replace(one, target="yes", prediction="no").sentence
    yield "no density", replace(one, plausibility=np.nan, log_threshold=-np.inf).sentence
    yield "no training rows of the density", replace(one, plausibility=np.nan).sentence
    yield "as typical as any", replace(one, plausibility=1.0).sentence
    yield "less typical than all", replace(one, plausibility=0.0).sentence
    yield "given fixed columns", replace(one, given=True).sentence
    yield "robust", replace(one, robust_radius=0.25).sentence
    yield "least probability", replace(one, min_probability=0.75).sentence
    yield "row misses a requirement", replace(one, prediction="low").sentence
    yield "second answer", replace(one, nearer=1).sentence
    yield "fourth answer", replace(one, nearer=3).sentence
    yield "gap left", replace(one, status="feasible", gap=0.0203, lower_bound=(1 - 0.0203) * one.distance).sentence
    yield "tiny gap left", replace(one, status="feasible", gap=1e-5, lower_bound=(1 - 1e-5) * one.distance).sentence
    yield "nothing proven", replace(one, status="feasible", gap=1.0, lower_bound=0.0).sentence
    yield "most typical there is", replace(one, status="densest", gap=0.0).sentence
    wrong = reasons.WrongRow("column 'bmi' is not a number: 'tall'.")
    yield "row that cannot be read", replace(one, status="error", cause=wrong).sentence
    nothing = {"changed": np.zeros(3, dtype=bool), "distance": 0.0, "prediction": "low"}
    yield "nothing to change", replace(one, **nothing).sentence
    yield "nothing to change, least probability", replace(one, **nothing, min_probability=0.75).sentence
    for status, cause in (("infeasible", reasons.NeverPredicted(Target("low"))), ("infeasible", None)):
        yield f"no answer, cause {cause and cause.kind}", replace(one, status=status, cause=cause).sentence
    for name, text in (
        ("smallest change", str(one)),
        ("gap left", str(replace(one, status="feasible", gap=0.1, lower_bound=0.9 * one.distance))),
    ):
        yield f"last line: {name}", text.splitlines()[-1].strip()
    model = LinearRegression().fit(X, X @ [1.0, 2.0, 0.5])
    regression = ew.Explainer(model, density=None, language=language).fit(X)
    for ends in ((20.0, None), (None, 5.0), (8.0, 9.0)):
        yield f"number in {ends}", regression.explain_one(X.iloc[60], ends).sentence
    yield from _of_steps(explainer, one, X)
    yield from _of_recourse(explainer, regression, X)


def _of_steps(explainer, one, X) -> Iterator[tuple[str, str]]:
    plan = one.plan(explainer)
    yield "plan", plan.sentence
    yield "plan, other orders open", replace(plan, status="feasible", bound=0.9).sentence
    yield "plan of one step", replace(plan, steps=plan.steps[:1], turn=1, bottleneck=None).sentence
    yield "plan that begins well", replace(plan, turn=0).sentence
    yield "plan, least probability", replace(plan, min_probability=0.75).sentence
    way = explainer.path(X.iloc[60], "low")
    yield "path", way.sentence
    yield "path, gap left", replace(way, status="feasible", lower_bound=0.98 * way.length).sentence
    yield "path, nothing proven", replace(way, status="feasible", lower_bound=0.0).sentence
    yield "path, least probability", replace(way, min_probability=0.75).sentence


def _of_recourse(explainer, regression, X) -> Iterator[tuple[str, str]]:
    levers = explainer.levers(X.iloc[60], "low", max_size=2)
    assert levers.enough
    yield "levers", levers.sentence
    yield "levers, some open", replace(levers, unknown=(("age",),), not_enough=(("bp",), ("bmi",))).sentence
    for size, proven in ((1, True), (2, False)):
        none = replace(levers, enough=(), max_size=size, unknown=() if proven else (("age",),))
        yield f"levers, none of {size}", none.sentence
    yield "levers, nothing to change", replace(levers, has_outcome=True).sentence
    reasons_ = explainer.reasons(X.iloc[60], "low")
    assert reasons_.reasons
    yield "reasons", reasons_.sentence
    more = (*reasons_.columns, "weight")
    yield "reasons, one not named", replace(reasons_, columns=more).sentence
    yield "reasons, two not named", replace(reasons_, columns=(*more, "height")).sentence
    other = replace(reasons_.reasons[0], direction="other", is_alone=False)
    yield "reasons, another value", replace(reasons_, reasons=(other,), columns=(other.column,)).sentence
    for status in ("has outcome", "no recourse", "unknown"):
        yield f"reasons, {status}", replace(reasons_, status=status).sentence
    ladder = regression.ladder(X.iloc[60], {"C": (0.0, 10.0), "B": (10.0, 14.0), "A": (14.0, 99.0)})
    step = ladder.steps[0]
    yield "bands", ladder.sentence
    yield "bands, none yet", replace(ladder, current=None).sentence
    yield "bands, the best", replace(ladder, steps=()).sentence
    for status in ("feasible", "infeasible", "unknown"):
        left = replace(step, explanation=replace(step.explanation, status=status))
        yield f"bands, {status}", replace(ladder, steps=(left,)).sentence
    for direction in ("increase", "decrease"):
        found = explainer.monotone("bp", direction, target="low")
        yield f"monotone, {direction}", found.sentence
        yield f"monotone, {direction}, unknown", replace(found, status="unknown").sentence
    yield "monotone, prediction", regression.monotone("bp", "increase").sentence
    ranges = explainer.explain_one(X.iloc[60], "low", ranges=True)
    yield "ranges", str(ranges).splitlines()[-1].strip()
    found = ew.audit(explainer.explain(X.iloc[60:], "low"), by=pandas.Series(["north", "south"] * 30, name="region"))
    yield "audit", str(replace(found, n_unchanged=2, n_wrong=1, small=("east",))).splitlines()[-1]
    yield "audit, nothing certain", str(found).splitlines()[3]
    with speaking(found.wording):
        yield "audit, a difference", difference_in_words(found.differences[0], found.by)


def _of_reasons() -> Iterator[tuple[str, str]]:
    low = Target("low")
    causes = [reasons.ProofUnfinished(cause) for cause in ("rounding", "size", "time", "end", "black box", "lasting")]
    causes += [reasons.NothingToChange(low, is_dense) for is_dense in (False, True)]
    causes += [reasons.OutOfTime(low, bound, cause) for bound, cause in ((0.0, "time"), (1.5, "size"))]
    causes += [reasons.TooSparse(low, -3.0, -4.5, quantile) for quantile in (None, 0.25, 1.0)]
    causes += [reasons.TooSparse(low, -3.0, -4.5, quantile, has_rules=True) for quantile in (None, 1.0)]
    causes += [reasons.LessDense(low, 0.25, asked) for asked in (None, 0.5)]
    causes += [reasons.NoOrder(3, is_proven) for is_proven in (True, False)]
    causes += [
        reasons.NothingWithin(low, has_rules=rules, has_density=density, has_found_rules=found, to_programmer=to_all)
        for rules, density, found, to_all in (
            (True, True, False, True), (True, False, False, False), (False, True, True, False),
            (False, True, False, False),
        )
    ]  # fmt: skip
    causes += [
        reasons.NoDenseWay(low, share, has_rules=rules, is_best=best)
        for share, rules, best in ((0.9, False, True), (1.0, False, True), (0.9, True, False), (0.0, True, False))
    ]
    causes += [reasons.NoFurther(found, 3, proven) for found in (1, 2) for proven in (True, False)]
    causes += [reasons.NoFurther(1, 3, False, reasons.ProofUnfinished("time"))]
    causes += [reasons.NoOtherClass(), reasons.Unconfirmed(low), reasons.NoneThatLasts(low, 1.5), reasons.NotFound(low)]
    causes += [reasons.NeverPredicted(target) for target in (low, Target("low", 0.75), Target((2.0, math.inf)))]
    causes += [
        reasons.NoClassReachable(reasons.NeverPredicted(low)),
        reasons.WrongRow("bmi is no number."),
        reasons.Told("As read."),
    ]
    assert {type(cause) for cause in causes} == set(get_args(reasons.Reason))
    for cause in causes:
        yield f"reason: {cause.kind}", reason_in_words(cause)


def _of_why_not() -> Iterator[tuple[str, str]]:
    stays, between = say("rule.stays", column="bmi"), "age: 20-30"
    relief = Relief(between, 13.1, ew.Constraints())
    why = WhyNot("rules", (stays,), None, (Relief(stays, 13.1, ew.Constraints()),), Target("low"), has_density=True)
    both = replace(why, conflict=(stays, between), reliefs=(relief,))
    yield "why not: a column that stays", why.sentence
    yield "why not: a rule", replace(why, conflict=(between,), reliefs=(relief,), has_density=False).sentence
    yield "why not: two rules", both.sentence
    yield "why not: two rules, lower threshold", replace(both, highest_quantile=0.123456).sentence
    yield "why not: no single rule helps", replace(both, reliefs=()).sentence
    yield "why not: time limit after the conflict", replace(both, is_finished=False).sentence
    yield "why not: time limit before", replace(both, reliefs=(), is_finished=False, is_smallest=False).sentence
    yield "why not: only queried", replace(why, is_proven=False).sentence
    for reason in ("none", "density", "model", "unknown"):
        yield f"why not: {reason}", replace(why, reason=reason, conflict=(), reliefs=()).sentence
    yield "why not: density, lower threshold", replace(why, reason="density", highest_quantile=0.25).sentence
    yield "obstacle of many rows", conflict_in_words(why)
    yield "obstacle of many rows, two rules", conflict_in_words(both)


def sentences(language: str) -> str:
    """Write all of them, a line each, after what they are about."""
    with speaking(Wording(language=language)):
        known = [("exactness", say(f"exactness.{kind}")) for kind in ("exact", "bounded", "black box")]
        made = (_of_answers(language), _of_reasons(), _of_why_not(), known)
        return f"# {language}\n" + "".join(f"{name}\n    {said}\n" for of in made for name, said in of)


def all_sentences() -> str:
    return "".join(sentences(language) for language in LANGUAGES)


def test_sentences_are_those_that_were_read():
    assert all_sentences() == KEPT.read_text(encoding="utf-8")


def test_no_word_of_the_method_reaches_people():
    said = [line for line in sentences("en").replace("log density", "").splitlines() if line.startswith("    ")]
    assert [line for line in said for word in UNWANTED if word in line] == []


if __name__ == "__main__":
    KEPT.write_text(all_sentences(), encoding="utf-8")
