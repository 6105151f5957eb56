"""The wording that is spoken at the moment: language, and names of columns and outcomes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from ...table.wording import PLAIN, Wording

_wording: ContextVar[Wording] = ContextVar("wording", default=PLAIN)

Answer = TypeVar("Answer")
Written = TypeVar("Written")
Rest = ParamSpec("Rest")


@contextmanager
def speaking(wording: Wording) -> Iterator[None]:
    """Speak a language, and call columns and outcomes as people do, as long as this lasts."""
    token = _wording.set(wording)
    try:
        yield
    finally:
        _wording.reset(token)


def wording() -> Wording:
    """Return how columns and outcomes are called at the moment."""
    return _wording.get()


def language() -> str:
    """Return the code of the language that is spoken at the moment."""
    return _wording.get().language


def _wording_of(answer: Any) -> Wording | None:
    """Return the wording of an answer, of answers to several questions, or of an explainer."""
    answer = getattr(answer, "explanations", answer)
    for name in ("table", "table_"):
        answer = getattr(answer, name, answer)
    return getattr(answer, "wording", None)


def in_its_wording(
    write: Callable[Concatenate[Answer, Rest], Written],
) -> Callable[Concatenate[Answer, Rest], Written]:
    """Let a function that writes an answer call things as the explainer did that made the answer."""

    @wraps(write)
    def written(answer: Answer, /, *others: Rest.args, **options: Rest.kwargs) -> Written:
        with speaking(_wording_of(answer) or _wording.get()):
            return write(answer, *others, **options)

    return written
