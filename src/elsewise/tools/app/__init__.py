"""The explorer: a page on localhost, and the JSON interface behind it."""

from .application import create_app

__all__ = ["create_app"]
