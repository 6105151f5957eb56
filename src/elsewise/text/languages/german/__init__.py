"""Deutsch."""

from . import explorer, pictures, report, sentences

TEXTS = {**sentences.TEXTS, **explorer.TEXTS, **pictures.TEXTS, **report.TEXTS}
