"""Numbers, names and values as they are read: short, but never misleading."""

from __future__ import annotations

import doctest
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from elsewise.text import numbers
from elsewise.text.words import (
    clean,
    column_word,
    is_missing,
    label_word,
    quoted,
    range_in_words,
    shortened,
    value_words,
)

REAL = st.floats(-1e300, 1e300)


def _read(text):
    return float(text.replace(",", ""))


def test_examples_in_the_docstrings():
    assert doctest.testmod(numbers) == doctest.TestResults(failed=0, attempted=11)


@given(REAL)
def test_a_number_is_near_what_is_written(value):
    for digits in (4, 6):
        assert _read(numbers.number(value, digits)) == pytest.approx(value, rel=0.51 * 10.0 ** (1 - digits), abs=0)


@given(st.integers(-(10**17), 10**17))
def test_whole_numbers_are_written_in_full(value):
    text = numbers.number(value)
    assert int(text.replace(",", "")) == value
    assert text.replace(",", "") == str(value)
    assert ("," in text) == (abs(value) >= 10_000)
    if abs(value) < 10**15:
        assert numbers.number(float(value)) == text


@given(REAL, REAL)
def test_two_numbers_show_how_far_they_are_apart(first, second):
    texts = [_read(text) for text in numbers.two_numbers(first, second)]
    difference = second - first
    if first == second:
        assert texts[0] == texts[1]
    elif math.isfinite(difference):
        assert abs((texts[1] - texts[0]) - difference) <= 0.1000001 * abs(difference)


@given(REAL, st.sampled_from([1e-15, 1e-12, 1e-9, 1e-6, 1e-3]))
def test_a_tiny_difference_is_seen(value, step):
    other = value * (1 + step)
    before, after = value_words(value, other)
    assert (before.text == after.text) == (value == other)


@given(st.floats(0, 1))
def test_shares_are_rounded_down(share):
    text = numbers.percent_down(share)
    if text == "less than 1 %":
        assert 0 < share < 0.01
    else:
        assert 0 <= share - int(text.split()[0]) / 100 + 1e-10 < 0.0101


@given(st.integers(0, 300), st.integers(1, 300))
def test_counts_are_rounded_to_the_nearest(n_true, n):
    n_true = min(n_true, n)
    text = numbers.percent(n_true / n)
    if text == "less than 1 %":
        assert 0 < 200 * n_true < n
    elif text == "more than 99 %":
        assert 199 * n <= 200 * n_true < 200 * n
    else:
        assert abs(100 * n_true - int(text.split()[0]) * n) * 2 <= n


@given(st.floats(0, 1))
def test_gaps_are_rounded_up(gap):
    text = numbers.gap_in_percent(gap)
    if text == "less than 0.1 %":
        assert gap < 0.001
    else:
        assert gap <= float(text.split()[0]) / 100 + 1e-9 <= gap + 0.00101


@given(st.floats(1e-200, 1e200), st.sampled_from([-1, 1]), st.sampled_from([2, 4, 6]))
def test_bounds_are_rounded_to_their_safe_side(size, sign, digits):
    bound, most = sign * size, 1.01 * size * 10.0 ** (1 - digits)
    low, high = (_read(write(bound, digits)) for write in (numbers.rounded_down, numbers.rounded_up))
    assert bound - most <= low <= bound + 1e-11 * size
    assert bound - 1e-11 * size <= high <= bound + most


@given(st.floats(-1e6, 1e6), st.integers(1, 4))
def test_what_a_reader_is_told_to_type_is_not_above_the_value(value, decimals):
    typed = float(numbers.usable(value, decimals))
    assert value - 1.01 * 10.0**-decimals <= typed <= value


@given(st.integers(0, 10_000))
def test_what_has_few_decimals_is_typed_as_it_is(ten_thousandths):
    assert float(numbers.usable(ten_thousandths / 10_000, 4)) == ten_thousandths / 10_000


@given(st.floats(0, 1), st.integers(0, 2))
def test_shares_with_decimals_are_rounded_down_too(share, decimals):
    text = numbers.percent_down(share, decimals)
    smallest = 10.0**-decimals
    if text.startswith("less than"):
        assert 0 < share < smallest / 100
    else:
        assert -1e-9 <= 100 * share - float(text.removesuffix(" %")) < 1.01 * smallest


def test_signs():
    assert numbers.signed(1.1597513) == "+1.16"
    assert numbers.signed(-24.0) == "-24"
    assert numbers.signed(12000.0) == "+12,000"


@given(st.text())
def test_cleaned_text_prints_on_a_line(text):
    shown = clean(text)
    assert shown.isprintable()
    assert "\n" not in shown
    assert "  " not in shown
    shown.encode("utf-8")
    if text.isprintable() and text == " ".join(text.split()):
        assert shown == text


def test_terminal_codes_and_turned_writing_are_spelt_out():
    assert clean("a\x1b[31mb") == "a\\x1b[31mb"
    assert clean("a\u202eb\u200b") == "a\\u202eb\\u200b"
    assert clean("a\r\n\tb\u2028c ") == "a b c"
    assert clean("\ud800") == "\\ud800"


@given(st.text(max_size=200), st.integers(10, 60))
def test_shortened_text_keeps_both_ends(text, longest):
    short = shortened(text, longest)
    assert len(short) <= longest
    assert (short == text) == (len(text) <= longest)
    if len(text) > longest:
        start, end = short.split("…")[0], short.split("…")[-1]
        assert text.startswith(start)
        assert text.endswith(end)


@given(st.text(max_size=80), st.text(max_size=80))
def test_different_levels_never_read_the_same(first, second):
    before, after = value_words(first, second, is_level=True)
    assert (str(before) == str(after)) == (first == second)


def test_long_levels_that_differ_in_the_middle():
    first, second = "x" * 100 + "a" + "x" * 100, "x" * 100 + "b" + "x" * 100
    before, after = value_words(first, second, is_level=True)
    assert before.text != after.text


def test_quotes_are_of_the_kind_the_text_has_not():
    assert quoted("a") == '"a"'
    assert quoted('a"b') == "'a\"b'"
    assert quoted("a\"b'c") == '"a\\"b\'c"'


def test_names_that_could_be_taken_for_something_else_are_quoted():
    assert str(column_word("petal length (cm)")) == "petal length (cm)"
    assert str(column_word("duration_in_month")) == "duration_in_month"
    assert str(column_word("größe")) == "größe"
    assert str(column_word("a; b")) == '"a; b"'
    assert str(column_word("")) == '""'
    assert str(column_word("<b>")) == '"<b>"'
    assert column_word("n" * 200).text == "n" * 200  # names are never cut
    assert column_word("short").whole == ""


def test_values_of_every_type():
    pandas = pytest.importorskip("pandas")

    def told(value, is_level=False):
        return str(value_words(value, value, is_level=is_level)[0])

    assert told(True) == told(np.True_) == "yes"
    assert told(False) == "no"
    assert told(None) == told(float("nan")) == told(pandas.NA) == told(pandas.NaT) == "not given"
    assert told("high") == told(np.str_("high")) == '"high"'
    assert told(24) == told(24.0) == told(np.int64(24)) == "24"
    assert told(-0.0) == "0"
    assert told(12500) == "12,500"
    assert told(10115, is_level=True) == told(10115.0, is_level=True) == "10115"
    assert told(np.float32(0.3)) == "0.3"
    assert told(pandas.Interval(0, 5)) == '"(0, 5]"'
    assert not is_missing("nan")
    assert not is_missing(0)


def test_labels_of_every_type():
    assert str(label_word("good")) == str(label_word(np.str_("good"))) == '"good"'
    assert str(label_word(True)) == str(label_word(np.True_)) == "True"
    assert str(label_word(20000)) == str(label_word(np.int64(20000))) == "20000"
    assert str(label_word(1.0)) == "1"
    assert str(label_word(199.99999999, other=200.0)) == "199.99999999"


def test_ranges():
    inf = float("inf")
    assert range_in_words(3.0, inf) == "at least 3"
    assert range_in_words(-inf, 3.5) == "at most 3.5"
    assert range_in_words(1.0, 25000.0) == "between 1 and 25,000"
    assert range_in_words(2.0, 2.0) == "exactly 2"
    assert range_in_words(-inf, inf) == "any number"
    assert range_in_words(0.1, 0.1 + 1e-9) == "between 0.1 and 0.100000001"
