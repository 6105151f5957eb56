"""English: the reference that every other language follows, key by key."""

from . import explorer, pictures, report, sentences

TEXTS = {**sentences.TEXTS, **explorer.TEXTS, **pictures.TEXTS, **report.TEXTS}
