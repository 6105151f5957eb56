"""Numbers for reading."""

from __future__ import annotations

import pytest

from elsewise.text.numbers import two_numbers


@pytest.mark.parametrize(
    ("pair", "texts"),
    [
        ((8914, 14782), ("8,914", "14,782")),
        ((14782.0, 8914.0), ("14,782", "8,914")),
        ((-0.5, 20000.0), ("-0.5", "20,000")),
        ((-1234, 56789), ("-1,234", "56,789")),
        ((2024, 2031), ("2024", "2031")),
        ((500, 12000), ("500", "12,000")),
        ((1e20, 12000.0), ("1e+20", "12,000")),
    ],
)
def test_two_numbers_are_grouped_alike(pair, texts):
    assert two_numbers(*pair) == texts
