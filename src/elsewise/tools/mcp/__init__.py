"""A server of the Model Context Protocol: assistants ask one explainer, and change nothing."""

from .server import create_server

__all__ = ["create_server"]
