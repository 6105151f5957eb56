"""The fitted model as questions see it."""
