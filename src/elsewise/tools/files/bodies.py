"""Bodies of saved explainers: a pickle, which must be trusted, or a skops archive, whose reading runs no code."""

from __future__ import annotations

import io
import warnings
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import Any, Literal

import joblib

from ...errors import MissingDependencyError
from .harmless_types import HARMLESS_TYPES

# zlib level of saved explainers: higher ones take several times as long for a few per cent.
COMPRESSION = 3

Kind = Literal["pickle", "skops"]


def to_bytes(value: Any, kind: Kind) -> bytes:
    """Write an object; whatever its parts raise is passed on."""
    body = io.BytesIO()
    if kind == "pickle":
        joblib.dump(value, body, compress=COMPRESSION)
    else:
        skops = _skops()
        skops.dump(value, body, compression=zipfile.ZIP_DEFLATED, compresslevel=COMPRESSION)
        with _quiet():  # skops also writes what it cannot read again, as lambdas
            skops.loads(body.getvalue(), trusted=skops.get_untrusted_types(data=body.getvalue()))
    return body.getvalue()


def from_bytes(body: bytes, kind: Kind, trusted: Sequence[str] = ()) -> Any:
    """Read an object that :func:`to_bytes` wrote.

    .. warning::
       Reading a pickle can run any code. Reading a skops archive makes objects of the trusted types alone.

    Parameters
    ----------
    body : bytes
    kind : "pickle" or "skops"
    trusted : sequence of str
        Types in a skops archive that are known to be harmless, see :func:`untrusted_types`.
    """
    if kind == "pickle":
        return joblib.load(io.BytesIO(body))
    with _quiet():
        skops = _skops()
        own = [name for name in skops.get_untrusted_types(data=body) if name in HARMLESS_TYPES]
        return skops.loads(body, trusted=[*own, *trusted])


def untrusted_types(body: bytes, trusted: Sequence[str] = ()) -> list[str]:
    """List types in a skops archive that neither skops, nor elsewise, nor the user knows to be harmless."""
    with _quiet():
        found = _skops().get_untrusted_types(data=body)
    return [name for name in found if name not in trusted and name not in HARMLESS_TYPES]


@contextmanager
def _quiet() -> Iterator[None]:
    """Leave out that skops does not close what it reads."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        yield


def _skops() -> Any:
    try:
        return import_module("skops.io")
    except ImportError as error:
        raise MissingDependencyError(
            "Files without a pickle need skops. Install it with: pip install 'elsewise[skops]'"
        ) from error
