"""Asking: one question about many rows, from targets and rules to verified answers."""
