"""Numbers with codes, many columns at once, do to limits and clauses what each rule does by itself."""

from __future__ import annotations

import numpy as np
import pytest

from elsewise.rules.atomic import Whole
from elsewise.rules.learned.found_rules import NumberOrCode
from elsewise.rules.learned.special_values import NumbersOrCodes, joined
from elsewise.search.domains.clauses import Clauses
from elsewise.table.column import Column

N_FEATURES = 6


def rule(feature: int, codes: list[float], least: float, most: float, **ends: float | bool) -> NumberOrCode:
    column = Column(f"x{feature}", "number", feature, feature + 1, (feature,))
    given = {"low": -np.inf, "high": np.inf, "stays": False, **ends}
    return NumberOrCode(
        f"rule {feature}", column, np.array(codes, dtype=np.float64), least, most, suggested=True, **given
    )


RULES = [
    rule(0, [-9.0, -8.0], 0.0, 10.0),
    rule(2, [], -3.0, 3.0),
    rule(3, [-9.0, 99.0], 1.0, 5.0, low=-1.0),  # the bound keeps answers from entering -9
    rule(5, [5.0, 6.0], 0.0, 10.0),  # codes among the regular numbers
]


def rows(seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.choice(
        [-20.0, -9.0, -8.5, -8.0, -0.0, 0.0, 2.5, 3.0, 5.0, 10.0, 11.0, 99.0, 120.0], size=(40, N_FEATURES)
    )


@pytest.mark.parametrize("seed", range(5))
def test_limits_and_clauses_are_those_of_single_rules(seed):
    E, together = rows(seed), NumbersOrCodes.of(RULES)
    narrowed = np.full((2, *E.shape), np.inf) * np.array([-1, 1])[:, None, None]
    expected = narrowed.copy()
    together.narrow(E, *narrowed)
    for single in RULES:
        single.narrow(E, *expected)
    assert narrowed.tobytes() == expected.tobytes()
    found, parts = together.clauses(E), Clauses.join([single.clauses(E) for single in RULES])
    for name in ("feature", "first", "low", "high", "binds"):
        np.testing.assert_array_equal(getattr(found, name), getattr(parts, name), strict=True)


def test_other_rules_stay_where_they_are():
    column = Column("x1", "number", 1, 2, (1,))
    staying = rule(4, [-9.0], 0.0, 1.0, stays=True)
    every = [Whole("whole", column), RULES[0], RULES[1], staying, RULES[2]]
    found = joined(every)
    assert [type(each) for each in found] == [Whole, NumbersOrCodes, NumberOrCode, NumbersOrCodes]
    assert found[0] is every[0]
    assert found[2] is staying
    assert [each.features.tolist() for each in found if isinstance(each, NumbersOrCodes)] == [[0, 2], [3]]
