"""Finished rows of work that may be interrupted, in a file beside the output.

The file is text: a line that says what was asked, then a line a row, in the rows' order. A line is JSON, a tab, and a
checksum over this JSON and the checksum of the line before it. A line that was edited, doubled, left out or moved is
thus found, and rows after it are not taken for answers. (Checksums find accidents; who wants to forge answers can
compute them.) A last line that is cut off, by a full disk or a power failure, is left out and its row done again.

Ctrl-C and SIGTERM as an exception, so that what is finished can be put away.
"""

from __future__ import annotations

import hashlib
import json
import os
import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType, TracebackType
from typing import NoReturn

from ...arrays import JsonObject, ReadObject, UserValue
from ...errors import InvalidInputError
from ..files.answers import Record

# Number of the layout of .partial files; those of another one are not gone on with.
PARTIAL_FORMAT = 2

# How a file of ours begins, whatever was asked.
_START = b'{"elsewise_partial": '
_HOW_TO_GO_ON = "Begin anew with --fresh, or give another --out."


class Partial:
    """Rows finished so far, of one question.

    Parameters
    ----------
    out : path of the output
        The file is called so, with ``.partial`` added.
    question : mapping of option to what was asked with it
        Rows finished under another question are not taken for answers to this one.
    fresh : bool
        Begin anew, whatever is there.
    """

    def __init__(self, out: Path, question: ReadObject, *, fresh: bool = False) -> None:
        self.path = out.with_name(out.name + ".partial")
        self.question: JsonObject = json.loads(json.dumps(question))
        self._texts: list[str] = []  # the JSON of each finished row
        self._checksum = ""  # of the last line
        self._file = self._open()
        try:
            _lock(self._file, self.path)
            if fresh or not self._take_over():
                self._begin()
        except BaseException:
            os.close(self._file)
            raise

    def __enter__(self) -> Partial:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.close(self._file)

    @property
    def n_finished(self) -> int:
        """Number of rows finished."""
        return len(self._texts)

    def append(self, records: Iterable[Record]) -> None:
        """Put away rows that are finished, in order."""
        texts = [json.dumps(record, separators=(",", ":")) for record in records]
        self._write(texts)
        self._texts += texts

    def records(self) -> list[Record]:
        """All rows finished, as they would be read by a later call: the output is made of these alone."""
        return [json.loads(text) for text in self._texts]

    def remove(self) -> None:
        """Remove the file: the output is complete."""
        self.path.unlink(missing_ok=True)

    def _open(self) -> int:
        if self.path.is_symlink() or (self.path.exists() and not self.path.is_file()):
            raise InvalidInputError(f"{self.path} is no plain file. Remove it, or give another --out.")
        return os.open(self.path, os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o666)

    def _begin(self) -> None:
        os.ftruncate(self._file, 0)
        os.lseek(self._file, 0, os.SEEK_SET)
        self._write([json.dumps({"elsewise_partial": PARTIAL_FORMAT, "question": self.question})])

    def _take_over(self) -> bool:
        """Read what an earlier call has finished; False if there is nothing."""
        with os.fdopen(os.dup(self._file), "rb") as file:
            content = file.read()
        whole = content[: content.rfind(b"\n") + 1]  # without a last line that was cut off
        if not whole:
            if content and not content.startswith(_START[: len(content)]):
                self._refuse_foreign()
            return False
        first, *lines = whole[:-1].split(b"\n")
        self._check_first(first)
        for row, line in enumerate(lines):
            self._texts.append(self._checked(line, row))
        os.ftruncate(self._file, len(whole))
        os.lseek(self._file, 0, os.SEEK_END)
        return True

    def _check_first(self, line: bytes) -> None:
        """Check that the file is ours, unchanged, and about the same question."""
        try:
            stated = json.loads(line.partition(b"\t")[0])
            number, asked = stated["elsewise_partial"], stated["question"]
        except (ValueError, KeyError, TypeError):
            self._refuse_foreign()
        if number != PARTIAL_FORMAT or not isinstance(asked, dict):
            raise InvalidInputError(f"{self.path} is written by another version of elsewise. {_HOW_TO_GO_ON}")
        self._checked(line, None)
        differences = [
            f"{name} was {_shown(asked.get(name))}, now it is {_shown(self.question.get(name))}"
            for name in dict.fromkeys([*asked, *self.question])
            if asked.get(name) != self.question.get(name)
        ]
        if differences:
            raise InvalidInputError(
                f"{self.path} holds finished rows of another question: {'; '.join(differences)}. Ask as before to go "
                "on from there, give another --out, or begin anew with --fresh."
            )

    def _checked(self, line: bytes, row: int | None) -> str:
        """Return the JSON of a line that follows those before it; ``row`` is None for the first line."""
        text, _, checksum = line.decode("utf-8", "replace").rpartition("\t")
        expected = _chained(self._checksum, text)
        if checksum != expected:
            number, about = (1, "the question") if row is None else (row + 2, f"row {row}")
            raise InvalidInputError(
                f"{self.path}: line {number}, {about}, was changed after it was written, or lines before it were left "
                f"out, doubled or moved: its checksum does not fit. {_HOW_TO_GO_ON}"
            )
        self._checksum = expected
        return text

    def _refuse_foreign(self) -> NoReturn:
        raise InvalidInputError(
            f"{self.path} is no list of finished rows. Remove it, give another --out, or begin anew with --fresh."
        )

    def _write(self, texts: Iterable[str]) -> None:
        checksum, lines = self._checksum, []
        for text in texts:
            checksum = _chained(checksum, text)
            lines.append(f"{text}\t{checksum}\n")
        data = memoryview("".join(lines).encode())
        while data:
            data = data[os.write(self._file, data) :]
        os.fsync(self._file)
        self._checksum = checksum


def _chained(checksum: str, text: str) -> str:
    """Checksum of a line's JSON and all lines before it."""
    return hashlib.sha256(f"{checksum}\n{text}".encode()).hexdigest()


def _shown(value: UserValue) -> str:
    return "not given" if value is None else value if isinstance(value, str) else json.dumps(value)


def _lock(file: int, path: Path) -> None:
    """Refuse to work on the same output twice at a time, where the system can tell."""
    try:
        import fcntl
    except ImportError:  # not on Windows
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        raise InvalidInputError(
            f"{path} is in use: another process is working on the same output. Wait for it, or give another --out."
        ) from error


_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Interrupted(KeyboardInterrupt):
    """Somebody asked to stop.

    Attributes
    ----------
    signal_number : int
    """

    def __init__(self, signal_number: int) -> None:
        super().__init__()
        self.signal_number = signal_number

    @property
    def exit_code(self) -> int:
        """What a shell expects of a process that a signal ended: 130 for Ctrl-C, 143 for SIGTERM."""
        return 128 + self.signal_number


class Stop:
    """Remembers that somebody asked to stop, also where an exception was swallowed on its way."""

    def __init__(self) -> None:
        self.asked: int | None = None

    def check(self) -> None:
        """Raise if somebody has asked to stop."""
        if self.asked is not None:
            raise Interrupted(self.asked)

    @contextmanager
    def put_off(self) -> Iterator[None]:
        """Remember what comes while something is written that must not be cut in two; :meth:`check` raises it."""

        def remember(signal_number: int, frame: FrameType | None) -> None:
            self.asked = signal_number

        with _handled(remember):
            yield

    def interrupt(self, signal_number: int, frame: FrameType | None) -> None:
        """Handle a signal: remember it, and raise."""
        self.asked = signal_number
        raise Interrupted(signal_number)


@contextmanager
def interruptible() -> Iterator[Stop]:
    """Raise :class:`Interrupted` on Ctrl-C and SIGTERM; only the main thread can."""
    stop = Stop()
    with _handled(stop.interrupt):
        yield stop


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Put Ctrl-C and SIGTERM off while a file is being finished, which takes a moment at most."""
    late: list[int] = []
    with _handled(lambda signal_number, frame: late.append(signal_number)):
        yield


@contextmanager
def _handled(handler: Callable[[int, FrameType | None], object]) -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, handler) for number in _SIGNALS}
    try:
        yield
    finally:
        for number, old in before.items():
            signal.signal(number, signal.SIG_DFL if old is None else old)
