"""Rows that are images as PNG files of a few hundred bytes, inside of the page.

Written by hand: a PNG is a signature and chunks (length, type, data, checksum); the pixels are one zlib stream in which
every line begins with the number of its filter, 0 for none.
"""

from __future__ import annotations

import base64
import struct
import zlib

import numpy as np
from numpy.typing import NDArray

from ...arrays import FloatArray

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_GREY, _RGB = 0, 2
# Ends of the scale of differences, distinguished by people with any colour vision: less is purple, more is orange.
_LESS, _NONE, _MORE = (94, 60, 153), (247, 247, 247), (230, 97, 1)


def grey(pixels: FloatArray, low: float, high: float) -> str:
    """Image of shape (height, width), ``low`` white and ``high`` black, as a data URI."""
    share = np.clip((pixels - low) / ((high - low) or 1.0), 0.0, 1.0)
    return _data_uri(np.round(255.0 * (1.0 - share)).astype(np.uint8)[:, :, None])


def difference(pixels: FloatArray, most: float) -> str:
    """Differences of shape (height, width), from ``-most`` purple over nothing white to ``most`` orange."""
    share = np.clip(pixels / (most or 1.0), -1.0, 1.0)[:, :, None]
    none, less, more = (np.array(colour, dtype=np.float64) for colour in (_NONE, _LESS, _MORE))
    colours = none + np.maximum(share, 0.0) * (more - none) + np.maximum(-share, 0.0) * (less - none)
    return _data_uri(np.round(colours).astype(np.uint8))


def _data_uri(pixels: NDArray[np.uint8]) -> str:
    """Write pixels of shape (height, width, 1 or 3) as a data URI."""
    height, width, n_channels = pixels.shape
    header = struct.pack(">IIBBBBB", width, height, 8, _GREY if n_channels == 1 else _RGB, 0, 0, 0)
    lines = np.concatenate([np.zeros((height, 1), dtype=np.uint8), pixels.reshape(height, -1)], axis=1)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(lines.tobytes(), 9)), (b"IEND", b""))
    png = _SIGNATURE + b"".join(_chunk(kind, data) for kind, data in chunks)
    return "data:image/png;base64," + base64.b64encode(png).decode("ascii")


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
