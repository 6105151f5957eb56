"""Rules that are inequalities between sums of columns."""
