"""How well a model is known, in words: what its answers can be expected to be."""

from __future__ import annotations

_WORDS = {
    "exact": "exact: every answer is proven the smallest change, unless a limit ends the proof",
    "bounded": "bounded: of every answer it is proven how much smaller a change could be at most",
    "black box": "black box: the model can only be queried; few answers are proven the smallest change",
}


def exactness_in_words(exactness: str) -> str:
    """Say what answers can be expected to be, beginning with the word itself."""
    return _WORDS[exactness]
