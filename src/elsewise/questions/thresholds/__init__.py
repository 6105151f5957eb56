"""Density thresholds of single rows: fixed columns, and the highest threshold that still has an answer."""
