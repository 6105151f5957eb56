"""A finished certificate: its lines, compressed as they come, their hash, and how they are saved."""

from __future__ import annotations

import gzip
import hashlib
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

# Files as gzip writes them, and compressed no harder than that writing takes longer than compressing.
GZIP, LEVEL = 31, 1


@dataclass(frozen=True, slots=True)
class Proof:
    """The certificate of one answer, as ``elsewise_check`` reads it.

    Attributes
    ----------
    packed : bytes
        Its text, compressed by gzip: a tenth of it. Empty where there is no certificate.
    sha256 : str
        Hash of the text, by which audit trails and reports refer to it.
    reason : str
        Why there is none; empty where there is one.
    """

    packed: bytes = b""
    sha256: str = hashlib.sha256().hexdigest()
    reason: str = ""

    @classmethod
    def of(cls, lines: Iterable[str]) -> Proof:
        """Take JSON values as they come: the header, then one node each."""
        packer, found, parts = zlib.compressobj(LEVEL, wbits=GZIP), hashlib.sha256(), []
        for line in lines:
            data = f"{line}\n".encode()
            found.update(data)
            parts.append(packer.compress(data))
        return cls(b"".join([*parts, packer.flush()]), found.hexdigest())

    @property
    def text(self) -> str:
        """All lines, each with its end."""
        return gzip.decompress(self.packed).decode() if self.packed else ""

    @property
    def lines(self) -> tuple[str, ...]:
        """JSON values: the header, then one node each. None of them where there is no certificate."""
        return tuple(self.text.splitlines())

    def save(self, path: str | Path) -> None:
        """Write the certificate to a file, compressed if its name ends in ``.gz``."""
        Path(path).write_bytes(self.packed if str(path).endswith(".gz") else self.text.encode())
