"""Sums of functions of linear forms: half-spaces from chords and tangents on intervals of units."""
