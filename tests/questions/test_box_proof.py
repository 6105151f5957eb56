"""Boxes of a linear model: proven exactly where the model's own score says so at every corner."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import elsewise as ew
from elsewise.questions.explain import row_question
from elsewise.questions.options import Options
from elsewise.questions.recourse.box_proof import BoxProof
from elsewise.questions.solving.answers import Answers
from elsewise.questions.solving.deadline import Deadline

pandas = pytest.importorskip("pandas")


def test_half_spaces_hold_boxes_that_the_model_holds_at_every_corner(loans):
    explainer = ew.Explainer(loans.explainer.model, density=None, learn_rules=False).fit(loans.frame, loans.label)
    fitted, table = explainer.fitted_, explainer.table_
    rng = np.random.default_rng(0)
    refused = loans.frame[explainer.model.predict(loans.frame) == "no"]
    names = {column.name: column for column in table.columns}
    years, income, housing = names["years"], names["income"], names["housing"]
    verdicts = []
    for trial in range(60):
        asked = row_question(fitted, refused.iloc[[trial % len(refused)]], "yes", Options())
        answers = Answers(asked.question(has_density=False), asked.given, asked.row, asked.predictions)
        answers.goal[0] = 0
        point = asked.row[0].copy()
        lower, upper = np.where(table.group >= 0, 0.0, point), point.copy()
        for column, ends in ((years, rng.integers(2, 14, 2)), (income, rng.uniform(1.5, 4.5, 2))):
            lower[column.start], upper[column.start] = np.sort(ends)
            point[column.start] = lower[column.start]
        levels = rng.random(housing.width) < 0.5
        levels[int(np.argmax(point[housing.features]))] = True
        upper[housing.features] = levels
        corners = []
        for a, b, level in product(
            *((lower[c.start], upper[c.start]) for c in (years, income)), np.flatnonzero(levels)
        ):
            corner = point.copy()
            corner[years.start], corner[income.start] = a, b
            corner[housing.features] = np.eye(housing.width)[level]
            corners.append(corner)
        corners = np.array(corners)
        given = pandas.concat([asked.given] * len(corners), ignore_index=True)
        rows = np.repeat(asked.row, len(corners), axis=0)
        chance = fitted.probability(corners, given, rows, index=1)
        if np.abs(chance - 0.5).min() < 1e-9:
            continue
        proof = BoxProof(answers, 0, point, Deadline(None))
        verdicts.append(proof.holds(lower, upper))
        assert verdicts[-1] == bool((chance > 0.5).all())
    assert any(verdicts)
    assert not all(verdicts)
