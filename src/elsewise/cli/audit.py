"""Placeholder."""


def add_to(commands: object) -> None:
    """Nothing yet."""
