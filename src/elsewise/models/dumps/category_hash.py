"""The hash by which CatBoost knows a category: the low 32 bits of a 64-bit hash of its text in UTF-8.

The hash is CityHash64 in its first version. Lengths up to 16, 32 and 64 bytes, and all others, each have a formula of
their own; all arithmetic is modulo 2^64, words are read with the least significant byte first.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...arrays import IntArray

_MASK = 2**64 - 1
_K0, _K1, _K2, _K3 = 0xC3A5C85C97CB3127, 0xB492B66FBE98F273, 0x9AE16A3B2F90404F, 0xC949D7C7509E6557
_PAIR = 0x9DDFEA08EB382D69


def category_hashes(texts: Sequence[str]) -> IntArray:
    """Hashes of texts, int array of shape (n_texts,) of numbers from 0 to 2^32 - 1."""
    return np.array([_hash(text.encode()) & 0xFFFFFFFF for text in texts], dtype=np.int64)


def _word(s: bytes, start: int, n_bytes: int = 8) -> int:
    return int.from_bytes(s[start : start + n_bytes], "little")


def _turn(v: int, n: int) -> int:
    """Rotate to the right by n bits."""
    v &= _MASK
    return (v >> n | v << (64 - n)) & _MASK


def _fold(v: int) -> int:
    v &= _MASK
    return v ^ v >> 47


def _pair(u: int, v: int) -> int:
    """Hash of two words."""
    v &= _MASK
    a = _fold((u & _MASK ^ v) * _PAIR)
    return _fold((v ^ a) * _PAIR) * _PAIR & _MASK


def _hash(s: bytes) -> int:
    if len(s) <= 16:
        return _up_to_16(s)
    if len(s) <= 32:
        return _up_to_32(s)
    return _up_to_64(s) if len(s) <= 64 else _beyond_64(s)


def _up_to_16(s: bytes) -> int:
    n = len(s)
    if n > 8:
        last = _word(s, n - 8)
        return _pair(_word(s, 0), _turn(last + n, n)) ^ last
    if n >= 4:
        return _pair(n + (_word(s, 0, 4) << 3), _word(s, n - 4, 4))
    if n > 0:
        y, z = s[0] + (s[n >> 1] << 8), n + (s[-1] << 2)
        return _fold(y * _K2 ^ z * _K3) * _K2 & _MASK
    return _K2


def _up_to_32(s: bytes) -> int:
    n = len(s)
    a, b, c, d = _word(s, 0) * _K1, _word(s, 8), _word(s, n - 8) * _K2, _word(s, n - 16) * _K0
    return _pair(_turn(a - b, 43) + _turn(c, 30) + d, a + _turn(b ^ _K3, 20) - c + n)


def _up_to_64(s: bytes) -> int:
    n = len(s)
    v0, v1 = _quarters(s, 0, _word(s, 0) + (n + _word(s, n - 16)) * _K0, _word(s, 24))
    w0, w1 = _quarters(s, n - 32, _word(s, 16) + _word(s, n - 32), _word(s, n - 8))
    r = _fold((v0 + w1) * _K2 + (w0 + v1) * _K0)
    return _fold(r * _K0 + v1) * _K2 & _MASK


def _quarters(s: bytes, start: int, a: int, z: int) -> tuple[int, int]:
    """Two words of half of a text of 33 to 64 bytes."""
    b, c = _turn(a + z, 52), _turn(a, 37)
    a += _word(s, start + 8)
    c += _turn(a, 7)
    a += _word(s, start + 16)
    return a + z, b + _turn(a, 31) + c


def _beyond_64(s: bytes) -> int:
    n = len(s)
    x, y, z = _word(s, 0), _word(s, n - 16) ^ _K1, _word(s, n - 56) ^ _K0
    v = _of_32(s, n - 64, n, y)
    w = _of_32(s, n - 32, n * _K1, _K0)
    z += _fold(v[1]) * _K1
    x, y = _turn(z + x, 39) * _K1, _turn(y, 33) * _K1
    for start in range(0, (n - 1) // 64 * 64, 64):
        x = _turn(x + y + v[0] + _word(s, start + 16), 37) * _K1
        y = _turn(y + v[1] + _word(s, start + 48), 42) * _K1
        x, y, z = (x ^ w[1]) & _MASK, (y ^ v[0]) & _MASK, _turn(z ^ w[0], 33)
        v = _of_32(s, start, v[1] * _K1, x + w[0])
        w = _of_32(s, start + 32, z + w[1], y)
        x, z = z, x
    return _pair(_pair(v[0], w[0]) + _fold(y) * _K1 + z, _pair(v[1], w[1]) + x)


def _of_32(s: bytes, start: int, a: int, b: int) -> tuple[int, int]:
    """Two words of 32 bytes of a text."""
    first, second, third, fourth = (_word(s, start + 8 * k) for k in range(4))
    a += first
    b = _turn(b + a + fourth, 21)
    total = a + second + third
    return (total + fourth) & _MASK, (b + _turn(total, 44) + a) & _MASK
