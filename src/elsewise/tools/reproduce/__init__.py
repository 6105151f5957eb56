"""The experiments of the paper's section 3, and what their figures depend on."""

from .data import DataSet, Skipped, load
from .digits_panel import digits_panel
from .images_panel import Images, images_panel, read_images
from .protocol import MODELS, Protocol
from .published_rule import RULES
from .runner import run
from .summary import Line, Overlap, summarise

__all__ = [
    "DataSet",
    "Images",
    "Line",
    "MODELS",
    "Overlap",
    "Protocol",
    "RULES",
    "Skipped",
    "digits_panel",
    "images_panel",
    "load",
    "read_images",
    "run",
    "summarise",
]
