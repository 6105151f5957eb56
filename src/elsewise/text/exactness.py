"""How well a model is known, in words: what its answers can be expected to be."""

from __future__ import annotations

_WORDS = {
    "exact": "exact: every answer is proven the nearest, unless a limit ends the proof",
    "bounded": "bounded: every answer comes with a proven gap, which may stay open",
    "black box": "black box: the model is only asked; an answer is proven the nearest where the model does not matter",
}


def exactness_in_words(exactness: str) -> str:
    """Say what answers can be expected to be, beginning with the word itself."""
    return _WORDS[exactness]
