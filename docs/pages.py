"""The examples on the pages: run, compared with what the pages show, or written into them.

``python docs/pages.py`` runs every page and writes what its code prints, and the pictures it saves, into the pages;
``python docs/pages.py docs/start.md`` only one. The tests run the same blocks and compare.

A page is a script. Its ``python`` blocks share one namespace and an empty working directory. A ``text`` block right
after a ``python`` block is what it prints; a block that raises an elsewise error prints its message. A block whose
first line is ``# not run by the tests: why`` is not run, and the page shows why. Pictures saved as ``name.png`` are
``docs/images/name.png``, and hold the text that is drawn, to be compared. A page that fetches a table from OpenML
gets it from :mod:`credit_table`, without a network. ``toml`` and ``json`` blocks that are introduced by a file name,
as in "`rules.toml`:", are written to that file. Lines ``$ elsewise ...`` of ``console`` blocks are run, too; those of
``sh`` blocks are parsed.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

DOCS = Path(__file__).parent
sys.path.insert(0, str(DOCS))
NOT_RUN = "# not run by the tests: "
# Where a PNG holds the text that is drawn in it.
DRAWN = "Description"
# Colours of a picture that is kept.
N_COLOURS = 128
_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", flags=re.DOTALL | re.MULTILINE)
_FILE = re.compile(r"`([\w.-]+\.(?:toml|json))`[^\n]*:\n\n$")
_NUMBER = re.compile(r"(?<![\w.])[-+]?\d[\d_]*(?:\.\d+)?(?:e[-+]?\d+)?(?!\w)")
_GAP = re.compile(r"gap \S+?(?=[)\s,;]|$)")


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block of a page.

    Attributes
    ----------
    language : str
    text : str
    start, stop : int
        Its place in the page, fences included.
    line : int
        Line of its first line.
    file : str or None
        The file it is introduced as.
    """

    language: str
    text: str
    start: int
    stop: int
    line: int
    file: str | None

    @property
    def is_run(self) -> bool:
        """Whether the tests run it."""
        return self.language in ("python", "console") and not self.text.startswith(NOT_RUN)


def pages() -> list[Path]:
    """All pages with text of their own."""
    return sorted(path for path in DOCS.rglob("*.md") if "reproduction" not in path.relative_to(DOCS).parts[:-1])


def blocks(text: str) -> list[Block]:
    """Fenced blocks of a page, in order."""
    found = []
    for match in _BLOCK.finditer(text):
        introduced = _FILE.search(text, 0, match.start())
        found.append(
            Block(
                match[1],
                match[2],
                match.start(),
                match.end(),
                text.count("\n", 0, match.start()) + 2,
                introduced[1] if introduced else None,
            )
        )
    return found


def shown(text: str, block: Block) -> Block | None:
    """Find the ``text`` block right after a block: what it prints."""
    after = [other for other in blocks(text) if other.start > block.start]
    if after and after[0].language == "text" and not text[block.stop : after[0].start].strip():
        return after[0]
    return None


@contextlib.contextmanager
def working_directory(path: Path) -> Iterator[None]:
    """Work in another directory for a while."""
    before = Path.cwd()
    os.chdir(path)
    try:
        yield
    finally:
        os.chdir(before)


def _save_with_text(figure: Any, target: Any, **options: Any) -> None:
    """Save a figure; a PNG holds the text that is drawn."""
    from matplotlib.text import Text

    if str(target).endswith(".png"):
        figure.draw_without_rendering()  # by any canvas: labels of ticks are made by drawing
        shown = [text.get_text() for text in figure.findobj(Text) if text.get_visible() and text.get_text().strip()]
        options["metadata"] = {DRAWN: "\n".join(shown)}
    figure.canvas.print_figure(target, **options)


def keep(picture: Path, place: Path) -> None:
    """Write a picture to its place, with few colours, so that pages open at once."""
    from PIL import Image
    from PIL.PngImagePlugin import PngInfo

    text = PngInfo()
    text.add_itxt(DRAWN, drawn_text(picture))
    with Image.open(picture) as image:
        image.convert("RGB").quantize(N_COLOURS).save(place, optimize=True, pnginfo=text)


def drawn_text(picture: Path) -> str:
    """Return the text that a picture says it shows."""
    from PIL import Image

    with Image.open(picture) as image:
        return str(image.info[DRAWN])


def run(path: Path, folder: Path) -> list[tuple[Block, str]]:
    """Run a page in an empty folder; give the blocks that are run and what each has printed."""
    from credit_table import fetch_openml

    from elsewise import ElsewiseError
    from elsewise.tools.cli import main

    namespace: dict[str, Any] = {"__name__": "__main__"}
    printed = []
    saving = patch("matplotlib.figure.Figure.savefig", _save_with_text)
    with working_directory(folder), patch("sklearn.datasets.fetch_openml", fetch_openml), saving:
        for block in blocks(path.read_text(encoding="utf-8")):
            if block.file is not None:
                (folder / block.file).write_text(block.text, encoding="utf-8")
            if not block.is_run:
                continue
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                if block.language == "console":
                    for arguments in _calls(block):
                        if code := main(arguments):
                            print(f"(exit code {code})")
                else:
                    try:
                        exec(compile("\n" * (block.line - 1) + block.text, str(path), "exec"), namespace)
                    except ElsewiseError as error:
                        print(f"{type(error).__name__}: {error}")
            printed.append((block, out.getvalue()))
    return printed


def differences(expected: str, received: str) -> str | None:
    """Say where what was printed differs from what is shown: words to the letter, numbers to a thousandth.

    Gaps are only compared in size, layout not at all.
    """
    wrong = [float(gap.split()[1]) for gap in _GAP.findall(received) if _is_number(gap.split()[1])]
    if any(gap > 1e-6 for gap in wrong):
        return f"a gap of {max(wrong):g}"
    left, right = (_GAP.sub("gap", text) for text in (expected, received))
    words = [" ".join(_NUMBER.sub("#", text).split()) for text in (left, right)]
    if words[0] != words[1]:
        return f"expected\n{expected}\nreceived\n{received}"
    for ours, theirs in zip(_NUMBER.findall(left), _NUMBER.findall(right), strict=True):
        a, b = float(ours.replace("_", "")), float(theirs.replace("_", ""))
        if abs(a - b) > 1e-3 * max(abs(a), abs(b)) + 1e-9:
            return f"expected {ours}, received {theirs} in\n{received}"
    return None


def _is_number(text: str) -> bool:
    return _NUMBER.fullmatch(text) is not None


def commands(text: str) -> list[list[str]]:
    """Arguments of every ``elsewise`` call in the shell blocks of a page."""
    return [call for block in blocks(text) if block.language in ("sh", "console") for call in _calls(block)]


def _calls(block: Block) -> list[list[str]]:
    """Arguments of every ``elsewise`` call in a shell block."""
    found = []
    for line in block.text.replace("\\\n", " ").splitlines():
        for part in line.removeprefix("$ ").split("&&"):
            words = shlex.split(part, comments=True)
            if words and words[0] == "elsewise":
                found.append(words[1:])
    return found


def write(path: Path) -> None:
    """Write what the blocks of a page print, and the pictures they save, into the page."""
    from credit_table import file

    text = path.read_text(encoding="utf-8")
    if "fetch_openml" in text and file() is None:
        print(f"{path}: left as it is: the real table is not here (ELSEWISE_DATA)", file=sys.stderr)
        return
    with tempfile.TemporaryDirectory() as folder:
        results = run(path, Path(folder))
        for picture in Path(folder).glob("*.png"):
            keep(picture, DOCS / "images" / picture.name)
    for block, printed in reversed(results):
        old = shown(text, block)
        end = block.stop if old is None else old.stop
        new = f"\n\n```text\n{printed.strip(chr(10))}\n```" if printed.strip() else ""
        text = text[: block.stop] + new + text[end:]
    path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    os.environ.setdefault("MPLBACKEND", "agg")
    for page in [Path(name).resolve() for name in sys.argv[1:]] or pages():
        write(page)
