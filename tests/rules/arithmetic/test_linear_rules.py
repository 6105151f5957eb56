"""Linear rules: formulas are read as Python would compute them, and what is not linear is refused and shown."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from elsewise import InvalidInputError
from elsewise.rules.arithmetic.linear import LinearRule, read_rule

NAMES = ["a", "b", "income"]
numbers = st.sampled_from(["0", "1", "2", "7", "0.5", "0.25", "12.5", "1e3", "3.125"])
divisors = st.sampled_from(["1", "2", "4", "-8", "(1 + 3)", "0.5"])


def combined(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.one_of(
        st.builds("({} + {})".format, inner, inner),
        st.builds("{} - {}".format, inner, inner).map(lambda text: f"({text})"),
        st.builds("-{}".format, inner),
        st.builds("+{}".format, inner),
        st.builds("{} * ({})".format, numbers, inner),
        st.builds("({}) * -{}".format, inner, numbers),
        st.builds("({}) / {}".format, inner, divisors),
    )


expressions = st.recursive(st.one_of(numbers, st.sampled_from(NAMES)), combined, max_leaves=12)
values = st.fixed_dictionaries({name: st.integers(-40, 40).map(lambda n: n / 8) for name in NAMES})
signs = st.sampled_from(["<=", ">="])


def slacks(rule: LinearRule, point: dict[str, float]) -> list[Fraction]:
    """Bound minus value of every half-space, exactly."""
    return [
        Fraction(side.bound) - sum(Fraction(factor) * Fraction(point[name]) for name, factor in side.coefficients)
        for side in rule.half_spaces
    ]


@settings(max_examples=300, deadline=None, derandomize=True)
@given(expressions, signs, expressions, values)
def test_formulas_mean_what_python_computes(left, sign, right, point):
    rule = read_rule(f"{left} {sign} {right}")
    difference = eval(f"({right}) - ({left})", {}, dict(point)) * (1 if sign == "<=" else -1)
    (slack,) = slacks(rule, point)
    assert float(slack) == pytest.approx(difference, rel=1e-12, abs=1e-9)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.lists(expressions, min_size=2, max_size=4), st.lists(signs, min_size=3, max_size=3), values)
def test_chains_hold_where_python_says_so(parts, between, point):
    text = parts[0] + "".join(f" {sign} {part}" for sign, part in zip(between, parts[1:]))
    margins = [eval(f"({a}) - ({b})", {}, dict(point)) for a, b in pairwise(parts)]
    assume(all(abs(margin) > 1e-6 for margin in margins))  # decided by rounding otherwise
    rule = read_rule(text)
    assert len(rule.half_spaces) == len(parts) - 1
    assert all(slack >= 0 for slack in slacks(rule, point)) == eval(text, {}, dict(point))


decimals = st.sampled_from([0.1, 0.2, 0.3, 0.7, -0.1, 1 / 3, 3.0, 1e17])


@settings(max_examples=300, deadline=None, derandomize=True)
@given(
    st.lists(expressions, min_size=2, max_size=4),
    st.lists(signs, min_size=3, max_size=3),
    st.fixed_dictionaries({name: st.lists(decimals, min_size=3, max_size=3) for name in NAMES}),
)
def test_comparisons_hold_where_python_says_so_to_the_last_bit(parts, between, columns):
    text = parts[0] + "".join(f" {sign} {part}" for sign, part in zip(between, parts[1:]))
    values = {name: np.array(column) for name, column in columns.items()}
    held = np.ones(3, dtype=bool)
    for comparison in read_rule(text).comparisons:
        held &= comparison.holds(values)
    rows = [{name: columns[name][i] for name in NAMES} for i in range(3)]
    assert held.tolist() == [eval(text, {}, row) for row in rows]


def test_a_triple_is_the_formula_it_stands_for():
    triple = read_rule(({"installments": 1, "income": -0.5}, "<=", 0))
    assert triple.text == "installments - 0.5 * income <= 0"
    half_spaces = triple.half_spaces
    assert half_spaces == read_rule("installments <= 0.5 * income").half_spaces == read_rule(triple.text).half_spaces
    other = read_rule([{"a b": -2, "class": 1, "c": 0}, ">=", 1.5])
    assert other.text == "-2 * `a b` + `class` >= 1.5"
    half_spaces = other.half_spaces
    assert half_spaces == read_rule(other.text).half_spaces == read_rule("2 * `a b` - `class` <= -1.5").half_spaces


def test_names_in_backticks_are_taken_as_they_are():
    rule = read_rule("`credit amount` + `class`*2 <= `a<=b` - _quoted0_")
    assert rule.columns == ("credit amount", "class", "a<=b", "_quoted0_")
    assert read_rule("`a` <= 1").half_spaces == read_rule("a <= 1").half_spaces
    assert read_rule("`ﬁ` <= 1").columns == ("ﬁ",)  # Python itself would read the ligature as two letters


def test_decimals_are_what_they_are_written_as():
    assert read_rule("0.1 * a + 0.2 * a - 0.3 * a + b <= 1").columns == ("b",)
    assert read_rule("a / 3 * 3 <= 0.1 + 0.2").half_spaces == read_rule("a <= 0.3").half_spaces


def test_layout_does_not_matter():
    assert read_rule("  a\n  + `b c`\n <= 1 ").half_spaces == read_rule("a+`b c`<=1").half_spaces
    assert read_rule("0 ≤ a ≥ b").half_spaces == read_rule("0 <= a >= b").half_spaces


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a < b", r"'<' is strict.*Write 'a <= b', or with a margin 'a <= b - 1'"),
        ("`c d` + 1 > 2 * b", r"'>' is strict.*Write '`c d` \+ 1 >= 2 \* b'"),
        ("a == 2 * b", r"'2 \* b - 0\.5 <= a <= 2 \* b \+ 0\.5'"),
        ("a = b", "'=' compares nothing"),
        ("a =< b", "write <= or >=, in this order"),
        ("a != b", "only <= and >= can be kept exactly"),
        ("a in b", "only <= and >= can be kept exactly"),
        ("a * b <= 1", r"'a \* b' is not linear: it multiplies columns"),
        ("2 + a * (`c d` - 1) <= 1", r"'a \* \(`c d` - 1\)' is not linear"),
        ("1 / a <= 1", "'1 / a' is not linear: it divides by a column"),
        ("a / (b - b) <= 1", r"'a / \(b - b\)' divides by zero"),
        ("a ** 2 <= 1", r"'a \*\* 2' is not linear"),
        ("a // 2 <= 1", "'a // 2' is not linear"),
        ("log(a) <= 1", r"'log\(a\)' is not linear"),
        ("a.b <= 1", r"'a\.b' is not linear"),
        ("a[0] <= 1", r"'a\[0\]' is not linear"),
        ("a <= 'own'", "is not linear"),
        ("a <= True", "'True' is not linear"),
        ("a <= 1j", "'1j' is not linear"),
        ("(lambda: 1)() <= a", "is not linear"),
        ("__import__('os').system('true') <= a", "is not linear"),
        ("(a <= b) <= 1", "is not linear"),
        ("a + b", "it compares nothing"),
        ("a <= 1 and b <= 2", "joins several"),
        ("", "does not parse"),
        ("credit amount <= 1", "does not parse.*backticks"),
        ("class <= 1", "does not parse.*backticks"),
        ("a <= 1 +", "does not parse"),
        ("a <= \0", "does not parse"),
        ("`a <= 1", "a backtick stands alone"),
        ("`` <= 1", "a backtick stands alone"),
        ("a <= 1e999", "must be finite"),
        ("1e300 * 1e300 * a <= 1", "too large"),
        ("a <= " + "9" * 400, "too large"),
        ("+".join(["a"] * 20_000) + " <= 1", "nested too deeply"),
        ("(" * 5_000 + "a" + ")" * 5_000 + " <= 1", "does not parse"),
        ("-" * 50_000 + "a <= 1", "nested too deeply"),
    ],
)
def test_what_is_no_linear_rule_is_refused_with_the_reason(text, message):
    with pytest.raises(InvalidInputError, match=f"(?s)^The linear rule .* cannot be read: .*{message}"):
        read_rule(text)


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        (({"a": 1}, "<", 0), "expected '<=' or '>=' between factors and number, received '<'"),
        (({"a": "1"}, "<=", 0), "finite number as the factor of 'a', received '1'"),
        (({"a": float("nan")}, "<=", 0), "finite number as the factor of 'a', received nan"),
        (({"a": True}, "<=", 0), "finite number as the factor of 'a', received True"),
        (({"a": 1}, "<=", None), "finite number as the number at the end, received None"),
        (({1: 1}, "<=", 0), "names of columns as keys, received 1"),
        (("a", "<=", 0), "expected rules such as"),
        (({"a": 1}, 0), "expected rules such as"),
        (7, "expected rules such as .* received 7"),
    ],
)
def test_malformed_triples_are_refused(rule, message):
    with pytest.raises(InvalidInputError, match=message):
        read_rule(rule)
