"""Sums of trees: intervals between thresholds, bounded by dual decomposition in C."""
