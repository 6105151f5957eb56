"""Numbers for reading: few digits, but never so few that a difference disappears or a guarantee grows."""

from __future__ import annotations

import math

# Digits of a sentence and of a table.
FEW, MANY = 4, 6
# Digits after which every pair of different doubles differs.
_ALL = 17
# A difference is shown well enough if its rounded form is within this share of it.
_SHOWN = 0.1
# Whole numbers from here on are written with commas, so years are not.
_LONG = 10_000
# Beyond these a float is written with a power of ten.
_LARGEST, _SMALLEST = 1e15, 1e-4


def number(value: float, digits: int = FEW) -> str:
    """Write a number with so many significant digits; whole numbers, and numbers that are short, are kept as they are.

    >>> number(4.6597513), number(24.0), number(1234567.891), number(17.99), number(2024)
    ('4.66', '24', '1,234,568', '17.99', '2024')
    """
    if isinstance(value, int):
        return _grouped(str(value))
    if math.isnan(value) or math.isinf(value):
        return "not a number" if math.isnan(value) else ("infinity" if value > 0 else "-infinity")
    size = abs(value)
    if size >= _LARGEST or 0 < size < _SMALLEST:
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
    """Write two numbers with as many digits as it takes to see how far they are apart.

    >>> two_numbers(0.3, 0.30000001), two_numbers(3.5, 4.6597513)
    (('0.3', '0.30000001'), ('3.5', '4.66'))
    """
    if first == second or not (math.isfinite(first) and math.isfinite(second)):
        return number(first, digits), number(second, digits)
    difference = first - second
    for more in range(digits, _ALL + 1):
        texts = number(first, more), number(second, more)
        shown = _read(texts[0]) - _read(texts[1])
        if abs(shown - difference) <= _SHOWN * abs(difference):
            return texts
    return repr(first), repr(second)


def signed(difference: float, digits: int = FEW) -> str:
    """Write a difference with its sign."""
    text = number(difference, digits)
    return text if text.startswith("-") else f"+{text}"


def rounded_down(value: float, digits: int = FEW) -> str:
    """Write a lower bound so that what is written is one, too."""
    if value == 0 or not math.isfinite(value):
        return number(value, digits)
    place = digits - 1 - math.floor(math.log10(abs(value)))
    step = 10.0 ** min(place, 300)
    down = math.floor(value * step * (1 + 1e-12)) / step  # 1.93 stored as 1.9299999... is 1.93
    return number(down, digits)


def percent(share: float) -> str:
    """Write a share in whole percent, rounded down; what is not nothing is not written as nothing.

    >>> percent(0.5), percent(0.999), percent(0.004), percent(0.0)
    ('50 %', '99 %', 'less than 1 %', '0 %')
    """
    whole = math.floor(100 * share + 1e-9)
    return "less than 1 %" if whole == 0 and share > 0 else f"{whole} %"


def gap_in_percent(gap: float) -> str:
    """Write a relative gap in percent, rounded up.

    >>> gap_in_percent(0.02), gap_in_percent(0.0203), gap_in_percent(3e-6)
    ('2 %', '2.1 %', 'below 0.1 %')
    """
    if gap < 0.001:
        return "below 0.1 %"
    up = math.ceil(1000 * gap - 1e-9) / 10
    return f"{up:g} %"


def _grouped(text: str) -> str:
    """Put commas between the thousands of a decimal number that is long before its point."""
    whole, point, rest = text.partition(".")
    digits = whole.lstrip("-")
    if len(digits) < len(str(_LONG)):
        return text
    groups = [digits[max(end - 3, 0) : end] for end in range(len(digits), 0, -3)]
    return ("-" if whole.startswith("-") else "") + ",".join(reversed(groups)) + point + rest


def _read(text: str) -> float:
    return float(text.replace(",", ""))
