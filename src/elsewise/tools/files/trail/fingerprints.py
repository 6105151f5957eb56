"""What an object holds, as a checksum: the same for the same model whichever file it was read from.

A pickle's bytes depend on which objects share others, which differs from one reading to the next. Here values are
walked: types by name, arrays by dtype, shape and content, other objects by the state that pickle would keep.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy.sparse import issparse

from ....arrays import UserValue

_PLAIN = (bool, int, float, complex, str, bytes, bytearray, type(None))


def fingerprint(value: UserValue) -> str:
    """SHA-256 of what an object holds, in hexadecimal digits.

    Parameters
    ----------
    value : fitted estimator, or anything that can be pickled
    """
    digest = hashlib.sha256()
    _add(digest, value, {})
    return digest.hexdigest()


def _add(digest: Any, value: UserValue, seen: dict[int, int]) -> None:
    if isinstance(value, np.generic):
        value = value.item() if not value.dtype.fields else np.asarray(value)
    if isinstance(value, _PLAIN):
        content = bytes(value) if isinstance(value, (bytes, bytearray)) else repr(value).encode()
        digest.update(f"{type(value).__name__}:{len(content)}:".encode() + content)
        return
    if id(value) in seen:  # something that holds itself
        digest.update(f"again:{seen[id(value)]}".encode())
        return
    seen[id(value)] = len(seen)
    digest.update(f"{type(value).__module__}.{type(value).__qualname__}(".encode())
    if isinstance(value, np.ndarray):
        _add_array(digest, value, seen)
    elif isinstance(value, Mapping):
        items = [(fingerprint(key), item) for key, item in value.items()]
        for key, item in sorted(items, key=lambda each: each[0]):
            digest.update(key.encode())
            _add(digest, item, seen)
    elif isinstance(value, (set, frozenset)):
        digest.update("".join(sorted(fingerprint(item) for item in value)).encode())
    elif isinstance(value, (list, tuple)):
        for item in value:
            _add(digest, item, seen)
    else:
        _add(digest, _state_of(value), seen)
    digest.update(b")")
    del seen[id(value)]


def _add_array(digest: Any, value: np.ndarray[Any, Any], seen: dict[int, int]) -> None:
    digest.update(f"{value.dtype.str}{value.shape}".encode())
    if value.dtype.fields:  # bytes between fields may be anything
        for name in value.dtype.names or ():
            digest.update(name.encode())
            _add_array(digest, np.ascontiguousarray(value[name]), seen)
    elif value.dtype.kind == "O":
        for item in value.ravel().tolist():
            _add(digest, item, seen)
    else:
        digest.update(np.ascontiguousarray(value).tobytes())


def _state_of(value: UserValue) -> Any:
    """Return what makes an object what it is, as pickle has it."""
    if issparse(value):
        sparse: Any = value
        rows = sparse.tocsr()
        return (rows.shape, rows.data, rows.indices, rows.indptr)
    if isinstance(value, type) or (callable(value) and hasattr(value, "__qualname__")):
        return f"{value.__module__}.{value.__qualname__}"
    reduced = value.__reduce_ex__(2)
    if isinstance(reduced, str):
        return reduced
    made_by, arguments, *rest = reduced
    name = f"{getattr(made_by, '__module__', '')}.{getattr(made_by, '__qualname__', '')}"
    parts = [list(part) if hasattr(part, "__next__") else part for part in rest]
    return (name, arguments, parts)
