"""English: the reference that every other language follows, key by key."""

from . import explorer, report, sentences

TEXTS = {**sentences.TEXTS, **explorer.TEXTS, **report.TEXTS}
