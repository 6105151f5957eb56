"""What the numbers were measured on, in general terms."""

from __future__ import annotations

import os
import platform
from pathlib import Path


def describe() -> dict[str, str]:
    """Processor, cores, memory and system; what cannot be found out is left out."""
    found = {"processor": _processor(), "cores": str(os.cpu_count() or "")}
    if hasattr(os, "sysconf") and "SC_PHYS_PAGES" in os.sysconf_names:
        size = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        found["memory"] = f"{size / 2**30:.0f} GB"
    found["system"] = platform.system()
    return {key: value for key, value in found.items() if value}


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text().splitlines():
            if line.startswith("model name"):
                return " ".join(line.split(":", 1)[1].split())
    return platform.processor() or platform.machine()
