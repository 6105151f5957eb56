"""Fill the measured parts of a page, between markers, and leave its prose alone."""

from __future__ import annotations

import re
from pathlib import Path

from ...errors import InvalidInputError


def fill(path: Path, name: str, content: str) -> None:
    """Replace what stands between ``<!-- name: begin -->`` and ``<!-- name: end -->``."""
    begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
    text = path.read_text(encoding="utf-8")
    pattern = re.compile(re.escape(begin) + ".*?" + re.escape(end), flags=re.DOTALL)
    filled, count = pattern.subn(lambda _: f"{begin}\n\n{content.strip()}\n\n{end}", text)
    if count != 1:
        raise InvalidInputError(f"{path}: expected the markers {begin} and {end} once each, found {count} such pairs.")
    path.write_text(filled, encoding="utf-8")
