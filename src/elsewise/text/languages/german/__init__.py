"""Deutsch."""

from . import explorer, sentences

TEXTS = {**sentences.TEXTS, **explorer.TEXTS}
