"""Paths from a row to its counterfactual, and the order of the changes."""
