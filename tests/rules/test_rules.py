"""Resolved rules: limits, levels and rows let through exactly what a value-by-value reading of the rules does."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from elsewise import InvalidInputError
from elsewise.rules import Constraints, Rules, resolve
from rules.small_table import CREDIT, UNSEEN, encode, keeps, table

# Some values lie beyond all regular ones seen in training, on the way to the codes.
AGES, INCOMES = [-9, -8, -5, -3, 0, 18, 19, 30, 31, 50], [-9.0, -4.5, 0.0, 10.5, 11.0, 20.25, 100.0, 200.0, 999.0]
AMOUNTS, EDUCATION = [1.0, 2.5, 4.0], ["none", "school", "college", "doctorate"]
POOLS: dict[str, list[Any]] = {
    "age": [*AGES, 30.5],
    "income": INCOMES,
    "credit amount": AMOUNTS,
    "education": EDUCATION,
    "housing": ["rent", "own", "free", UNSEEN],
    "phone": [False, True],
}
REGULAR = {"age": [0, 18, 19, 30, 31, 50], "income": [0.0, 10.5, 11.0, 20.25]}
TYPICAL = {
    "age": 30,
    "income": 10.5,
    "credit amount": 2.5,
    "education": "school",
    "housing": "rent",
    "phone": False,
}
TRAINING = np.array(
    [
        encode(TYPICAL | {"age": age, "income": income})
        for age in [-9, -8, *REGULAR["age"]]
        for income in [-9.0, 999.0, *REGULAR["income"]]
    ]
)
CODES = {"age": (-9, -8), "income": (-9, 999)}
# With a whole number between any two, since columns may be declared whole.
ENDS = {"age": [-9, 17.5, 30, 31], "income": [-9, 0, 11, 998.5], "credit amount": [1, 2.4, 4], "education": EDUCATION}
LINEAR = [
    "age <= 2 * income",
    "`credit amount` - 3 * phone >= -0.5",
    "0 <= income + `credit amount` <= 20",
    "age + income >= 15 + 4 * phone",
]


def bounds_of(pool: list[Any]) -> st.SearchStrategy[Any]:
    ends = st.lists(st.sampled_from(range(len(pool))), min_size=2, max_size=2, unique=True).map(sorted)
    open_ends = st.tuples(st.booleans(), st.booleans())
    return st.tuples(ends, open_ends).map(
        lambda drawn: tuple(None if is_open else pool[i] for i, is_open in zip(*drawn))
    )


@st.composite
def constraints(draw: Any) -> Constraints:
    columns = list(POOLS)
    immutable = draw(st.lists(st.sampled_from(columns), max_size=2, unique=True))
    free = [name for name in columns if name not in immutable]
    direction = st.sampled_from(["increase", "decrease", "increase by at most 2", "decrease by at most 1"])
    ordered = st.sampled_from([name for name in free if name != "housing"])
    targets = st.lists(st.sampled_from(["rent", "own", "free"]), unique=True)
    transitions = st.one_of(targets, st.dictionaries(st.sampled_from(["rent", "own", "free"]), targets, max_size=2))
    levels = st.lists(st.sampled_from(EDUCATION), unique=True)
    allowed = {"housing": transitions, "education": st.dictionaries(st.sampled_from(EDUCATION), levels, max_size=2)}
    return Constraints(
        immutable=immutable,
        monotone=draw(st.dictionaries(ordered, direction, max_size=2)),
        bounds={
            name: draw(bounds_of(ENDS[name]))
            for name in draw(st.lists(st.sampled_from(sorted(ENDS)), max_size=2, unique=True))
        },
        integer=draw(st.sampled_from([None, (), ("age",), ("income",), ("age", "credit amount")])),
        allowed={name: draw(allowed[name]) for name in allowed if name in free and draw(st.booleans())},
        linear=draw(st.lists(st.sampled_from(LINEAR), max_size=2, unique=True)),
        max_changes=draw(st.sampled_from([None, None, 0, 1, 2, 3])),
        special=draw(st.sampled_from([None, (-9, -8, 999), {"age": (-9, -8)}, CODES])),
        codes="stay",
    )


def codes_of(rules: Constraints) -> dict[str, tuple[float, ...]]:
    if rules.special is None:
        return {}
    if isinstance(rules.special, dict):
        return rules.special
    return {name: tuple(rules.special) for name in CODES}


def let_through(rules: Rules, E0: Any, E1: Any) -> Any:
    """Whether the search could go from each row to the other: what it is told, and nothing else."""
    lower, upper = rules.limits(E0)
    within = ((lower <= E1) & (upper >= E1)).all(axis=1)
    levels = (rules.reachable(E0) | (E1 == 0)).all(axis=1)
    whole = (~rules.integer | (np.round(E1) == E1) | (E1 == E0)).all(axis=1)
    rows = (rules.offsets >= E1 @ rules.normals.T).all(axis=1)
    n_changed = np.stack([(E0 != E1)[:, c.start : c.stop].any(axis=1) for c in CREDIT.columns]).sum(axis=0)
    few = np.full(len(E0), True) if rules.max_changes is None else n_changed <= rules.max_changes
    return within & levels & whole & rows & few


def answers_near(row: dict[str, Any], rng: np.random.Generator, n: int) -> list[dict[str, Any]]:
    """Draw answers that differ from a row in none to all columns."""
    answers = []
    for _ in range(n):
        changed = rng.permutation(list(POOLS))[: rng.integers(0, 4) if rng.random() < 0.8 else 6]
        answers.append(row | {name: POOLS[name][rng.integers(len(POOLS[name]))] for name in changed.tolist()})
    return answers


@settings(max_examples=300, deadline=None, derandomize=True)
@given(constraints(), st.integers(0, 2**32 - 1))
def test_what_the_search_is_told_and_the_last_check_are_the_rules_as_a_person_reads_them(asked, seed):
    rules = resolve(asked, CREDIT, TRAINING)
    codes = codes_of(asked)
    rng = np.random.default_rng(seed)
    pairs = []
    for _ in range(4):
        row = {name: pool[rng.integers(len(pool))] for name, pool in POOLS.items()}
        try:
            rules.check_rows(encode(row)[None])
        except InvalidInputError:
            continue
        pairs += [(row, answer) for answer in [row, *answers_near(row, rng, 25)]]
    if not pairs:
        return
    E0, E1 = (np.array([encode(pair[side]) for pair in pairs]) for side in (0, 1))
    expected = np.array([keeps(asked, codes, REGULAR.get, row, answer) for row, answer in pairs])
    is_broken = np.zeros(len(pairs), dtype=bool)
    is_broken[[row for row, _ in rules.broken(E0, E1)]] = True
    np.testing.assert_array_equal(~is_broken, expected)
    np.testing.assert_array_equal(let_through(rules, E0, E1), expected)


@settings(max_examples=100, deadline=None, derandomize=True)
@given(constraints(), st.integers(0, 2**32 - 1))
def test_rows_are_refused_exactly_when_a_rule_makes_no_sense_for_them(asked, seed):
    rules = resolve(asked, CREDIT, TRAINING)
    rng = np.random.default_rng(seed)
    for _ in range(20):
        row = {name: pool[rng.integers(len(pool))] for name, pool in POOLS.items()}
        reached = asked.allowed.get("education", {}).get(row["education"], EDUCATION)
        ranks = sorted({EDUCATION.index(level) for level in [*reached, row["education"]]})
        has_gap = ranks != list(range(ranks[0], ranks[-1] + 1))
        E = encode(row)[None]
        if has_gap:
            with pytest.raises(InvalidInputError, match="Row 0: "):
                rules.check_rows(E)
        else:
            rules.check_rows(E)
            lower, upper = rules.limits(E)
            assert ((lower <= E) & (upper >= E)).all()
            assert rules.reachable(E)[E == 1].all()


@settings(max_examples=50, deadline=None, derandomize=True)
@given(constraints(), st.integers(0, 2**32 - 1), st.data())
def test_a_dropped_rule_is_no_longer_broken_and_the_others_still_are(asked, seed, data):
    rules = resolve(asked, CREDIT, TRAINING)
    if not rules.names:
        return
    index = data.draw(st.integers(0, len(rules.names) - 1))
    rng = np.random.default_rng(seed)
    row = {name: pool[rng.integers(len(pool))] for name, pool in POOLS.items()}
    E1 = np.array([encode(answer) for answer in answers_near(row, rng, 30)])
    E0 = np.repeat(encode(row)[None], len(E1), axis=0)
    left = rules.without([index])
    assert left.names == rules.names[:index] + rules.names[index + 1 :]
    dropped = rules.names[index] + ": "
    assert left.broken(E0, E1) == [item for item in rules.broken(E0, E1) if not item[1].startswith(dropped)]
    kept = np.array([name not in dropped[:-2] for name in rules.names])[rules.rule_of_half_space]
    np.testing.assert_array_equal(left.normals, rules.normals[kept])
    for before, after in zip(rules.limits(E0), left.limits(E0)):
        assert before.shape == after.shape
    nothing = rules.without(range(len(rules.names)))
    assert nothing.names == ()
    assert nothing.max_changes is None
    assert len(nothing.normals) == len(nothing.offsets) == 0


def one(asked: Constraints, **values: Any) -> tuple[Rules, Any]:
    return resolve(asked, CREDIT, TRAINING), encode(TYPICAL | values)[None]


def test_each_rule_has_its_words():
    rules, _ = one(
        Constraints(
            immutable=["housing"],
            monotone={"age": "increase"},
            bounds={"credit amount": (1, 20_000), "income": (None, 2.5), "education": ("school", None)},
            integer=["age"],
            allowed={"phone": [False]},
            linear=["age <= 3 * income", ({"age": 1, "credit amount": -0.5}, ">=", 0)],
            max_changes=3,
            special={"age": [-9, -8]},
            codes="stay",
        )
    )
    assert rules.names == (
        "housing stays as it is",
        "age may only increase",
        "credit amount between 1 and 20,000",
        "income at most 2.5",
        "education at least school",
        "age is a whole number",
        "phone: only to no",
        "age <= 3 * income",
        "age - 0.5 * `credit amount` >= 0",
        "age does not move to or from -9 or -8",
        "at most 3 columns change",
    )
    assert one(Constraints(allowed={"housing": {"rent": ["own", "free"], "own": []}}, max_changes=1))[0].names == (
        "housing: from rent only to own or free",
        "housing: from own to no other level",
        "at most 1 column changes",
    )


def test_every_half_space_of_a_linear_rule_knows_its_rule():
    rules, E = one(Constraints(immutable=["age"], linear=["0 <= income <= 20", "0 <= 1", "age <= income + 4 * phone"]))
    np.testing.assert_array_equal(rules.rule_of_half_space, [1, 1, 3])
    # On the row itself: income 10.5 and age 30, so that the rows leave 10.5, 9.5 and -19.5.
    np.testing.assert_allclose(rules.offsets - rules.normals @ E[0], [10.5, 9.5, -19.5])
    with_phone = one(Constraints(), phone=True)[1]
    np.testing.assert_allclose(rules.offsets - rules.normals @ with_phone[0], [10.5, 9.5, -15.5])


def test_limits_of_whole_numbers_are_rounded_inwards():
    rules, E = one(Constraints(bounds={"age": (17.5, 40.5), "income": (0.5, 20.5)}))
    lower, upper = rules.limits(E)
    assert (lower[0, 0], upper[0, 0]) == (18, 40)
    assert (lower[0, 1], upper[0, 1]) == (0.5, 20.5)
    assert (lower[0, 3], upper[0, 3]) == (0, 3)
    assert np.isinf([lower[0, 2], upper[0, 2]]).all()


def test_a_number_that_is_not_whole_may_stay_but_moves_to_whole_ones_only():
    rules, E = one(Constraints(immutable=["age"]), age=30.5)
    np.testing.assert_array_equal(np.array(rules.limits(E))[:, 0, 0], [30.5, 30.5])
    assert rules.broken(E, E) == []
    rules, E = one(Constraints(), age=30.5)
    moved = E.copy()
    moved[0, 0] = 31.5
    assert [row for row, _ in rules.broken(E, moved)] == [0]
    moved[0, 0] = 31
    assert rules.broken(E, moved) == []


def test_declared_integers_override_those_of_the_data():
    assert resolve(None, CREDIT).integer.tolist() == [True, False, False, True] + [False] * 6
    assert resolve(Constraints(integer=[]), CREDIT).integer.tolist() == [False, False, False, True] + [False] * 6
    declared = resolve(Constraints(integer=["income"]), CREDIT)
    assert declared.integer.tolist() == [False, True, False, True] + [False] * 6
    assert declared.without([0]).integer.tolist() == [False, False, False, True] + [False] * 6


def test_nothing_restricts_a_table_of_numbers():
    numbers = table(("a", "number"), ("b", "number"))
    rules = resolve(None, numbers)
    assert rules.is_empty
    assert rules.max_changes is None
    E = np.zeros((3, 2))
    assert np.isinf(rules.limits(E)).all()
    assert rules.reachable(E).all()
    assert not resolve(Constraints(max_changes=1), numbers).is_empty
    assert not resolve(None, CREDIT).is_empty  # ages are whole


@pytest.mark.parametrize(
    ("feature", "values"),
    [
        (0, [np.nan]),
        (1, [np.inf]),
        (3, [4.0]),
        (3, [0.5]),
        (3, [-1.0]),
        (4, [0.4, 0.6, 0, 0]),
        (4, [1, 1, 0, 0]),
        (4, [0, 0, 0, 0]),
        (4, [0, 0, 0, 1]),
        (4, [np.nan, 1, 0, 0]),
        (8, [2.0, -1.0]),
    ],
)
def test_what_is_no_value_of_its_column_never_passes(feature, values):
    rules, E = one(Constraints())
    answer = E.copy()
    answer[0, feature : feature + len(values)] = values
    ((row, sentence),) = rules.broken(E, answer)
    assert row == 0
    assert "has no value of its kind" in sentence


def test_a_broken_rule_is_told_with_values():
    rules, E = one(Constraints(monotone={"age": "increase"}, max_changes=1, linear=["income <= 20"]))
    answer = encode(TYPICAL | {"age": 19, "income": 21.5, "housing": "own"})
    assert rules.broken(np.repeat(E, 2, axis=0), np.array([E[0], answer])) == [
        (1, "age may only increase: 30 -> 19"),
        (1, "income <= 20: missed by 1.5"),
        (1, "at most 1 column changes: changed are age, income, housing"),
    ]


def test_linear_rules_are_judged_to_the_last_bit():
    rules, E = one(Constraints(linear=["income + `credit amount` <= 0.3"]))
    answer = E.copy()
    answer[0, 1:3] = 0.1, 0.2  # adds up to 0.30000000000000004
    assert len(rules.broken(E, answer)) == 1
    answer[0, 2] = 0.19999999999999998
    assert rules.broken(E, answer) == []


def test_a_value_outside_of_its_bounds_may_stay_or_come_nearer():
    rules, E = one(Constraints(bounds={"age": (18, 65)}))
    rows = np.repeat(E, 4, axis=0)
    rows[:, 0] = 16
    answers = rows.copy()
    answers[:, 0] = [16, 17, 40, 15]
    rules.check_rows(rows)
    assert [row for row, _ in rules.broken(rows, answers)] == [3]
    lower, upper = rules.limits(rows)
    assert (lower[:, 0] == 16).all()
    assert (upper[:, 0] == 65).all()
    ordered, E = one(Constraints(bounds={"education": ("college", None)}))
    ordered.check_rows(E)
    assert ordered.broken(E, E) == []


def test_a_rule_that_makes_no_sense_for_a_row_is_told_with_row_column_and_value():
    rules, E = one(Constraints(special={"income": [-9, 999]}, codes="stay"))
    rows = np.repeat(E, 3, axis=0)
    rows[1:, 1] = 1000
    with pytest.raises(InvalidInputError, match=r"Row 1: 'income' is 1000, .*1 more row"):
        rules.check_rows(rows)
    pandas = pytest.importorskip("pandas")
    with pytest.raises(InvalidInputError, match=r"Row 1 \(labelled 'B'\): 'income' is 1000"):
        rules.check_rows(rows, pandas.DataFrame({"income": [30, 1000, 1000]}, index=["A", "B", "C"]))


def test_a_regular_value_beyond_the_codes_is_refused():
    rules, E = one(Constraints(special={"income": [-9, 999]}, codes="stay"), income=1000.0)
    with pytest.raises(InvalidInputError, match=r"'income' is 1000, but the special codes -9 or 999 lie between"):
        rules.check_rows(E)
    E[0, 1] = -10
    with pytest.raises(InvalidInputError, match="'income' is -10"):
        rules.check_rows(E)
    E[0, 1] = -8.5  # further out than any regular value in training, but before the codes
    rules.check_rows(E)
    assert rules.limits(E)[0][0, 1] == -8.5


def test_bounds_do_not_apply_to_special_codes():
    rules, E = one(Constraints(bounds={"age": (18, 65)}, special=[-9, -8], codes="stay"), age=-9)
    rules.check_rows(E)
    np.testing.assert_array_equal(np.array(rules.limits(E))[:, 0, 0], [-9, -9])
    assert rules.broken(E, E) == []


def test_the_last_check_is_fast():
    rules, E = one(
        Constraints(
            immutable=["housing"],
            monotone={"age": "increase", "phone": "decrease"},
            bounds={"income": (0, 100)},
            allowed={"education": {"none": ["school"]}},
            linear=LINEAR[1:3],
            max_changes=2,
            special=[-9, 999],
            codes="stay",
        )
    )
    rows = np.repeat(E, 10_000, axis=0)
    start = time.perf_counter()
    assert rules.broken(rows, rows) == []
    assert time.perf_counter() - start < 0.5  # about 5 ms
