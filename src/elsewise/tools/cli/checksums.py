"""Checksums of files, under the name commands know them by."""

from ..files.checksums import sha256_of as checksum

__all__ = ["checksum"]
