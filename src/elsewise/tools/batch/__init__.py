"""Answers where many rows are: a function of frames with a fixed schema, for any engine that maps frames."""

from .mapper import Mapper
from .schema import OutputColumn

__all__ = ["Mapper", "OutputColumn"]
