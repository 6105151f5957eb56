"""Numbers for reading: few digits, but never so few that a difference disappears or a guarantee grows.

All numbers for people are written here, with the decimal and thousands marks of the language that is spoken.
"""

from __future__ import annotations

import math

from .languages import say, template

# Significant digits in running text and in tables.
FEW, MANY = 4, 6

# Characters of a level or label in running text; of the whole one, where that is shown. Names of columns are never cut.
LONGEST_LEVEL, LONGEST_WHOLE = 120, 1000

# Changes that a line names in a table of many answers before it counts the others. Sentences name all.
MOST_IN_LINE = 3
# Lines of tables in plain text and in HTML before the others are counted.
MOST_ROWS_OF_TEXT, MOST_COLUMNS_OF_TEXT = 5, 8
MOST_CHANGES_OF_HTML, MOST_ROWS_OF_HTML, MOST_COLUMNS_OF_HTML = 50, 10, 12
# Quantiles of a frontier that are shown, evenly picked.
MOST_QUANTILES = 21


# Significant digits after which every pair of different doubles differs.
ALL_DIGITS = 17
# Two numbers have digits enough if their difference, as read, is within this share of the true one.
DIFFERENCE_ACCURACY = 0.1
# The first whole number with commas; years have none.
FIRST_WITH_COMMAS = 10_000
# Sizes from which, and under which, a number is written with a power of ten.
LARGEST_WRITTEN_OUT, SMALLEST_WRITTEN_OUT = 1e15, 1e-4
# Relative; what binary fractions lack to decimal ones, a thousand times over: it is not rounded away from.
NOISE = 1e-12
# A relative gap under this is "less than 0.1 %".
SMALLEST_GAP = 1e-3


def number(value: float, digits: int = FEW) -> str:
    """Write a number with so many significant digits; whole numbers, and numbers that are short, are kept as they are.

    >>> number(4.6597513), number(24.0), number(1234567.891), number(17.99), number(2024)
    ('4.66', '24', '1,234,568', '17.99', '2024')
    """
    if isinstance(value, float) and not math.isfinite(value):
        return say("not a number") if math.isnan(value) else f"{'-' * (value < 0)}{say('infinity')}"
    return _in_language(_number(value, digits))


def _number(value: float, digits: int) -> str:
    """Write a finite number with a decimal point and commas between thousands."""
    if isinstance(value, int):
        return _grouped(str(value))
    size = abs(value)
    if size >= LARGEST_WRITTEN_OUT or 0 < size < SMALLEST_WRITTEN_OUT:
        return f"{value:.{digits}g}"
    if value.is_integer():
        return _grouped(str(int(value)))
    as_it_is = f"{value:.{max(digits, MANY)}g}"
    if float(as_it_is) == value and "e" not in as_it_is:  # short, as a person would type it
        return _grouped(as_it_is)
    decimals = max(digits - 1 - math.floor(math.log10(size)), 0)
    text = f"{value:.{decimals}f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return _grouped("0" if text == "-0" else text)


def two_numbers(first: float, second: float, digits: int = FEW) -> tuple[str, str]:
    """Write two numbers with as many digits as it takes to see how far they are apart, and both with commas or none.

    >>> two_numbers(0.3, 0.30000001), two_numbers(3.5, 4.6597513), two_numbers(8914, 14782)
    (('0.3', '0.30000001'), ('3.5', '4.66'), ('8,914', '14,782'))
    """
    if not (math.isfinite(first) and math.isfinite(second)):
        return number(first, digits), number(second, digits)
    texts = _two_numbers(first, second, digits)
    return _in_language(texts[0]), _in_language(texts[1])


def _two_numbers(first: float, second: float, digits: int) -> tuple[str, str]:
    if first == second:
        return _alike(_number(first, digits), _number(second, digits))
    difference = first - second
    for more in range(digits, ALL_DIGITS + 1):
        texts = _number(first, more), _number(second, more)
        shown = _read(texts[0]) - _read(texts[1])
        if abs(shown - difference) <= DIFFERENCE_ACCURACY * abs(difference):
            return _alike(*texts)
    return repr(first), repr(second)


def shows_all_of(text: str, value: float) -> bool:
    """Whether a number is written without rounding."""
    written = text.replace(template("thousands"), "").replace(template("decimal"), ".")
    return written in (str(value), f"{value:g}")


def signed(difference: float, digits: int = FEW) -> str:
    """Write a difference with its sign."""
    text = number(difference, digits)
    return text if text.startswith("-") else f"+{text}"


def rounded_down(value: float, digits: int = FEW) -> str:
    """Write a lower bound so that what is written is one, too.

    >>> rounded_down(1.99996), rounded_down(1.93), rounded_down(-2.00004)
    ('1.999', '1.93', '-2.001')
    """
    if value == 0 or not math.isfinite(value):
        return number(value, digits)
    step = _step(value, digits)
    # 1.93 stored as 1.9299999... is 1.93
    return number(math.floor(value * step + NOISE * abs(value * step)) / step, digits)


def rounded_up(value: float, digits: int = FEW) -> str:
    """Write an upper bound so that what is written is one, too.

    >>> rounded_up(2.00004), rounded_up(1.2e-9, 1)
    ('2.001', '2e-09')
    """
    if value == 0 or not math.isfinite(value):
        return number(value, digits)
    step = _step(value, digits)
    return number(math.ceil(value * step - NOISE * abs(value * step)) / step, digits)


def usable(value: float, decimals: int) -> str:
    """Write a number to be typed in by the reader: with so many decimals, without commas, and never above the value.

    >>> usable(0.29, 4), usable(-15.63331, 3)
    ('0.29', '-15.634')
    """
    step = 10.0**decimals
    whole = math.floor(value * step)
    if (whole + 1) / step <= value:  # the product was rounded
        whole += 1
    elif whole / step > value:
        whole -= 1
    return repr(whole / step)


def percent(share: float, decimals: int = 0) -> str:
    """Write a share in percent, rounded to the nearest; some is never written as nothing, nor most as all.

    >>> percent(7 / 15), percent(0.999), percent(0.004), percent(0.0), percent(0.999, 1)
    ('47 %', 'more than 99 %', 'less than 1 %', '0 %', '99.9 %')
    """
    step = 10**decimals
    whole = math.floor(100 * share * step + 0.5 + NOISE * 100 * step)
    if whole == 0 and share > 0:
        return say("less than", number=_percent(1 / step))
    if whole == 100 * step and share < 1:
        return say("more than", number=_percent((whole - 1) / step))
    return _percent(whole / step)


def percent_down(share: float, decimals: int = 0) -> str:
    """Write a share that something reaches at least in percent, rounded down.

    >>> percent_down(0.5), percent_down(0.999), percent_down(0.004), percent_down(0.0), percent_down(0.999, 1)
    ('50 %', '99 %', 'less than 1 %', '0 %', '99.9 %')
    """
    step = 10**decimals
    whole = math.floor(100 * share * step + NOISE * 100 * step)
    if whole == 0 and share > 0:
        return say("less than", number=_percent(1 / step))
    return _percent(whole / step)


def percent_up(share: float) -> str:
    """Write a share in percent, rounded up.

    >>> percent_up(0.301), percent_up(0.5), percent_up(1.0)
    ('31 %', '50 %', '100 %')
    """
    return _percent(math.ceil(100 * share - NOISE * 100))


def percentile(share: float) -> str:
    """Write the share of cases that are no larger as a whole percentile, rounded down.

    >>> percentile(0.699), percentile(1.0)
    ('69', '100')
    """
    return str(math.floor(100 * share + NOISE * 100))


def gap_in_percent(gap: float) -> str:
    """Write a relative gap in percent, rounded up.

    >>> gap_in_percent(0.02), gap_in_percent(0.0203), gap_in_percent(3e-6)
    ('2 %', '2.1 %', 'less than 0.1 %')
    """
    if gap < SMALLEST_GAP:
        return say("less than", number=_percent(100 * SMALLEST_GAP))
    return _percent(math.ceil(gap / SMALLEST_GAP - NOISE * 1000) / 10)


def at_most(gap: float) -> str:
    """Write a relative gap as the most that could be saved.

    >>> at_most(0.02), at_most(3e-6)
    ('at most 2 %', 'less than 0.1 %')
    """
    text = gap_in_percent(gap)
    return text if gap < SMALLEST_GAP else say("at most", number=text)


def _percent(value: float) -> str:
    return say("percent", number=number(value, MANY))


def _in_language(text: str) -> str:
    """Put the marks of the language into a number with a decimal point and commas."""
    return text.translate(str.maketrans(",.", template("thousands") + template("decimal")))


def _step(value: float, digits: int) -> float:
    """Return what a number is multiplied with so that its last digit is that of the ones."""
    return 10.0 ** min(digits - 1 - math.floor(math.log10(abs(value))), 300)


def _grouped(text: str) -> str:
    """Put commas between the thousands of a decimal number that is long before its point."""
    whole, point, decimals = text.partition(".")
    return text if len(whole.lstrip("-")) < len(str(FIRST_WITH_COMMAS)) else f"{int(whole):,}{point}{decimals}"


def _alike(first: str, second: str) -> tuple[str, str]:
    """Put commas into both of two numbers if one has them: 8,914 beside 14,782."""
    if ("," in first) == ("," in second):
        return first, second
    return _with_commas(first), _with_commas(second)


def _with_commas(text: str) -> str:
    whole, point, decimals = text.partition(".")
    digits = whole.lstrip("-")
    return f"{int(whole):,}{point}{decimals}" if digits.isdigit() and len(digits) > 3 else text


def _read(text: str) -> float:
    return float(text.replace(",", ""))
