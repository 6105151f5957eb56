"""Deutsch."""

from . import explorer, report, sentences

TEXTS = {**sentences.TEXTS, **explorer.TEXTS, **report.TEXTS}
