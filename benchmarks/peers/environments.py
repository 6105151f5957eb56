"""A virtual environment for every peer, because some pin old releases."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

REQUIREMENTS = Path(__file__).parent / "requirements"


@dataclass(frozen=True, slots=True)
class Environment:
    """What a peer needs.

    Attributes
    ----------
    name : str
        Also the name of its requirements file.
    pythons : tuple of str
        Versions of Python it runs on, best first.
    packages : tuple of str
        Distributions whose versions are reported.
    """

    name: str
    pythons: tuple[str, ...]
    packages: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Made:
    """An environment that is there (``python`` is its interpreter), or the reason why it is not."""

    python: Path | None
    problem: str
    versions: dict[str, str]


ENVIRONMENTS = {
    "ceml": Environment("ceml", ("3.8",), ("ceml", "scikit-learn", "cvxpy", "scs", "numpy")),
    "dice": Environment("dice", ("3.11", "3.12", "3.10"), ("dice-ml", "scikit-learn", "pandas", "numpy")),
    "ocean": Environment("ocean", ("3.12", "3.13"), ("oceanpy", "ortools", "scikit-learn", "numpy")),
}


def default_directory() -> Path:
    """Where environments are kept unless told otherwise: the user's cache."""
    cache = os.environ.get("XDG_CACHE_HOME")
    return (Path(cache) if cache else Path.home() / ".cache") / "elsewise" / "benchmark-peers"


def make(environment: Environment, directory: Path) -> Made:
    """Make the environment unless it is there already, with the same requirements."""
    requirements = REQUIREMENTS / f"{environment.name}.txt"
    wanted = hashlib.sha256(requirements.read_bytes()).hexdigest()
    home = directory / environment.name
    stamp, python = home / "requirements.sha256", home / ("Scripts" if os.name == "nt" else "bin") / "python"
    if not (stamp.exists() and stamp.read_text() == wanted):
        base = next((found for version in environment.pythons for found in interpreters(version)), None)
        if base is None:
            return Made(None, f"no Python {' or '.join(environment.pythons)} found", {})
        if home.exists():
            shutil.rmtree(home)
        home.parent.mkdir(parents=True, exist_ok=True)
        for command in ([base, "-m", "venv", home], [python, "-m", "pip", "install", "-q", "-r", requirements]):
            done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False)
            if done.returncode:
                return Made(None, _last_error(done.stderr or done.stdout), {})
        stamp.write_text(wanted)
    return Made(python, "", versions(python, environment.packages))


def interpreters(version: str) -> Iterator[str]:
    """Interpreters of a version, such as "3.8": this one, those on the path, those that pyenv keeps."""
    name = f"python{version}"
    candidates = [sys.executable, shutil.which(name)]
    kept = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    candidates += [str(path / "bin" / name) for path in sorted(kept.glob(f"{version}.*"), reverse=True)]
    for candidate in candidates:
        if candidate is None or not Path(candidate).exists():
            continue
        code = "import sys, venv, ensurepip; print('%d.%d' % sys.version_info[:2])"
        done = subprocess.run([candidate, "-c", code], capture_output=True, text=True, check=False)
        if done.returncode == 0 and done.stdout.strip() == version:
            yield candidate


def versions(python: Path, packages: tuple[str, ...]) -> dict[str, str]:
    """Return the versions of Python and of the packages in an environment."""
    code = (
        "import sys; from importlib.metadata import version\n"
        "print('python ' + '.'.join(map(str, sys.version_info[:3])))\n"
        "for name in sys.argv[1:]: print(name + ' ' + version(name))"
    )
    done = subprocess.run([str(python), "-c", code, *packages], capture_output=True, text=True, check=True)
    return dict(line.split(" ", 1) for line in done.stdout.splitlines())


def _last_error(output: str) -> str:
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    marked = [line for line in lines if line.startswith("ERROR")]
    return (marked or lines or ["failed without a message"])[-1]
