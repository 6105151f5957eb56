"""Plausible counterfactual explanations with proofs."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.2.0"

if TYPE_CHECKING:
    from .exported import *  # noqa: F403
else:

    def __getattr__(name: str) -> Any:
        """Load the library when something of it is first used: scikit-learn alone takes a second."""
        try:
            value = getattr(import_module(".exported", __name__), name)
        except AttributeError:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}") from None
        globals()[name] = value
        return value

    def __dir__() -> list[str]:
        return sorted({*globals(), *import_module(".exported", __name__).__all__})
