"""The search in regions that can only be asked: the model-free point first, then good points and an honest bound."""

from .requests import BlackBoxCover
from .search import search_black_boxes

__all__ = ["BlackBoxCover", "search_black_boxes"]
