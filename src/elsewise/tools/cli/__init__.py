"""The command line: ``elsewise demo`` and what comes after it."""

from .main import main

__all__ = ["main"]
