"""Fitted explainers in files: a header that anyone may read, then the explainer.

A file is three parts: the line ``elsewise explainer <format>``, a line of JSON (see :class:`Header`), and the explainer
as joblib or skops writes it, compressed. The header tells whether the body fits this installation, and how it is
written, before anything of it is read.

.. warning::
   What joblib writes is a pickle: reading it can run any code that whoever wrote the file has put there. Load only
   files you trust, or ask for one that was saved with ``safe=True``. The checksum in the header finds damage, not
   malice: who changes the body can change the checksum.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, cast, get_args

from ...arrays import Estimator, JsonObject, UserValue
from ...density import KernelDensity
from ...errors import ElsewiseError, MissingDependencyError
from ...fitted import FittedModel
from ...pipeline import unwrap_or_whole
from .bodies import Kind, from_bytes, to_bytes, untrusted_types
from .values import MOST_NAMES, rules_as_json, to_json

if TYPE_CHECKING:
    from ...explainer import Explainer

# Number of the layout of saved explainers; a file of another one is refused before anything of it is unpickled.
EXPLAINER_FORMAT = 9
# Bytes of the line that a saved explainer begins with, at most: what a file that is something else may make us read.
LONGEST_HEADER = 1 << 25
# Libraries whose major version must be the same for a saved explainer to be read: others unpickle into something else.
DECISIVE_LIBRARIES = ("elsewise", "scikit-learn", "numpy", "python")
# Libraries whose versions a saved explainer tells besides, for whoever looks for a difference.
TOLD_LIBRARIES = ("joblib", "pandas", "pyarrow", "scipy")
# Bytes of a file that holds something else, shown in a message.
LONGEST_START = 40

# How a file of ours begins.
_MAGIC = b"elsewise explainer "


class SavedExplainerError(ElsewiseError, ValueError):
    """A file holds no explainer that can be used here: damaged, something else, or of other versions."""


@dataclass(frozen=True, slots=True)
class Header:
    """What a file says of the explainer in it.

    Attributes
    ----------
    format : int
    versions : dict of str to str
        Of elsewise, Python and the libraries at hand, where it was saved.
    made : str
        When, in UTC (ISO 8601).
    model : str
        Types of the model's steps.
    columns : list of dict
        ``name`` and ``kind`` of each column.
    classes : list of labels, or None for a regressor
        Labels that JSON does not know are text here.
    rules : dict or None
        Rules that are stored with it, as :meth:`~elsewise.Constraints.from_mapping` reads them.
    training_rows : list of str
        What of it is made of training rows, in words; empty if nothing is.
    body : "pickle" or "skops"
        How the explainer is written.
    body_bytes : int
    body_sha256 : str
    """

    format: int
    versions: dict[str, str]
    made: str
    model: str
    columns: list[dict[str, str]]
    classes: list[UserValue] | None
    rules: JsonObject | None
    training_rows: list[str]
    body: Kind
    body_bytes: int
    body_sha256: str


def save(explainer: Explainer, path: str | os.PathLike[str], *, safe: bool = False) -> None:
    """Write a fitted explainer to a file; undone by :func:`load`.

    The file is complete or not there: it is written under another name beside ``path`` and renamed. A warning says
    which training rows are in it, if any.

    Parameters
    ----------
    explainer : fitted Explainer
    path : path of the file
        ``.ew`` is the custom. A file that is there already is replaced.
    safe : bool, default=False
        True writes no pickle, but a skops archive (needs skops): reading it runs no code.
    """
    held = held_rows(explainer.require_fitted(), explainer.density)
    kind: Kind = "skops" if safe else "pickle"
    try:
        data = to_bytes(explainer, kind)
    except MissingDependencyError:
        raise
    except Exception as error:  # writing runs code of all objects in the model, which may raise anything
        raise SavedExplainerError(
            f"The explainer cannot be saved ({type(error).__name__}: {error}). Some part of it or of the model cannot "
            "be written. If the model has lambdas or functions written inside of others, put these into a module."
        ) from error
    header = Header(
        format=EXPLAINER_FORMAT,
        versions=installed_versions(),
        made=datetime.now(UTC).isoformat(timespec="seconds"),
        model=model_in_words(explainer.model),
        columns=[{"name": column.name, "kind": column.kind} for column in explainer.table_.columns],
        classes=None if explainer.classes_ is None else [to_json(label) for label in explainer.classes_.tolist()],
        rules=rules_as_json(explainer.fitted_.constraints),
        training_rows=held,
        body=kind,
        body_bytes=len(data),
        body_sha256=hashlib.sha256(data).hexdigest(),
    )
    with replacing(Path(path)) as file:
        file.write(_MAGIC + b"%d\n" % EXPLAINER_FORMAT)
        file.write(json.dumps(asdict(header)).encode() + b"\n")
        file.write(data)
    if held:
        warnings.warn(
            f"{Path(path).name} holds training rows: {'; '.join(held)}. Treat the file as you treat the data.",
            UserWarning,
            stacklevel=3,
        )


def load(path: str | os.PathLike[str], *, safe: bool = False, trusted: Sequence[str] = ()) -> Explainer:
    """Read an explainer that :meth:`Explainer.save` has written.

    .. warning::
       The file holds a pickle unless it was saved with ``safe=True``, and reading a pickle can run any code. Load only
       files you trust; of others ask for ``safe=True``, which refuses pickles.

    Parameters
    ----------
    path : path of the file
    safe : bool, default=False
        True refuses a file that holds a pickle, before anything of it is read.
    trusted : sequence of str
        Types in a file without a pickle that you know to be harmless, besides those that skops and elsewise know. The
        message of a file that needs some names them.

    Returns
    -------
    Explainer
        It answers as the saved one did, bit for bit where the libraries are the same.

    Raises
    ------
    SavedExplainerError
        The file is damaged, something else, or was saved under other major versions.
    """
    with Path(path).open("rb") as file:
        header = _header(file, path)
        _check_versions(header, path)
        if safe and header.body != "skops":
            raise SavedExplainerError(
                f"{path} holds a pickle, which can run any code when it is read. Ask for a file that was saved with "
                "explainer.save(path, safe=True), or, if you trust whoever made it, read it without safe=True."
            )
        body = file.read(header.body_bytes + 1)
    if len(body) != header.body_bytes:
        there = "less" if len(body) < header.body_bytes else "more"
        raise SavedExplainerError(
            f"{path} is damaged: expected {header.body_bytes} bytes after its header, there are {there}. Copy it "
            "again, or fit and save anew."
        )
    if hashlib.sha256(body).hexdigest() != header.body_sha256:
        raise SavedExplainerError(
            f"{path} is damaged: its content does not have the checksum that its header tells. Copy it again, or fit "
            "and save anew."
        )
    try:
        unknown = untrusted_types(body, trusted) if header.body == "skops" else []
        explainer = None if unknown else from_bytes(body, header.body, trusted)
    except MissingDependencyError:
        raise
    except Exception as error:  # reading runs code of all classes in the file, which may raise anything
        raise SavedExplainerError(
            f"{path} cannot be read here ({type(error).__name__}: {error}). {_differences(header)}"
        ) from error
    if unknown:
        raise SavedExplainerError(
            f"{path} holds types that are not known to be harmless: {', '.join(unknown)}. If you know them and trust "
            f"who made the file, say so: trusted={unknown}"
        )
    if not isinstance(getattr(explainer, "fitted_", None), FittedModel):
        raise SavedExplainerError(f"{path} holds a {type(explainer).__name__}, no explainer.")
    return cast("Explainer", explainer)


def read_header(path: str | os.PathLike[str]) -> Header:
    """Read what a file says of its explainer, and nothing of the explainer.

    Parameters
    ----------
    path : path of the file
    """
    with Path(path).open("rb") as file:
        return _header(file, path)


def model_in_words(model: Estimator) -> str:
    """Name the types of a model's steps: ``"StandardScaler + LogisticRegression"``."""
    steps, estimator = unwrap_or_whole(model)
    return " + ".join(type(step).__name__ for step in [*(transformer for _, transformer in steps), estimator])


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """Open a file that takes the place of ``path`` once it is complete; whatever fails leaves ``path`` as it was."""
    beside = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with beside.open("wb") as file:
            yield file
        os.replace(beside, path)
    finally:
        beside.unlink(missing_ok=True)


def _header(file: BinaryIO, path: Any) -> Header:
    first = file.read(len(_MAGIC))
    if first != _MAGIC:
        raise SavedExplainerError(
            f"{path} holds no saved explainer. Expected a file by explainer.save(path) or `elsewise fit`, received "
            f"{_in_words(first + file.read(LONGEST_START))}."
        )
    number = file.readline(20).strip()
    if not number.isdigit() or int(number) != EXPLAINER_FORMAT:
        stated = number.decode("ascii", "replace")
        raise SavedExplainerError(
            f"{path} is written in format {stated!r}; this elsewise reads format {EXPLAINER_FORMAT}. Use the "
            "elsewise that wrote it, or fit and save anew."
        )
    line = file.readline(LONGEST_HEADER)
    try:
        stated = json.loads(line)
        header = Header(**{item.name: stated[item.name] for item in fields(Header)})
        if not isinstance(header.body_bytes, int) or header.body_bytes < 0 or not isinstance(header.versions, Mapping):
            raise ValueError("body_bytes or versions")
        if header.body not in get_args(Kind):
            raise ValueError("body")
    except (ValueError, KeyError, TypeError) as error:
        raise SavedExplainerError(f"{path} is damaged: its header cannot be read. Fit and save anew.") from error
    return header


def _in_words(start: bytes) -> str:
    """Describe what a file that begins so looks like."""
    if not start:
        return "an empty file"
    if _is_pickle(start):
        return "what looks like a pickle: a model, perhaps, for --model or Explainer(model)"
    line = start.splitlines()[0][:LONGEST_START]
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError as error:
        text = line[: error.start].decode("utf-8") if len(line) - error.start < 4 else ""  # cut off within a letter
    if text and text.isprintable():
        return f"text that begins with {text!r}: rows, perhaps, for --data or --train"
    return f"something else, which begins with the bytes {start[:8].hex(' ')}"


def _is_pickle(start: bytes) -> bool:
    # a pickle of protocol 2 and later; what joblib compresses starts as zlib does
    return start[:1] == b"\x80" or start[:2] in (b"\x78\x9c", b"\x78\x5e", b"\x78\xda", b"\x78\x01")


def installed_versions() -> dict[str, str]:
    """Versions of elsewise, Python and the libraries at hand, by name."""
    found = {"python": platform.python_version(), "elsewise": _own_version()}
    for name in (*DECISIVE_LIBRARIES, *TOLD_LIBRARIES):
        if name not in found:
            try:
                found[name] = version(name)
            except PackageNotFoundError:
                continue
    return found


def _own_version() -> str:
    from ... import __version__

    return __version__


def _check_versions(header: Header, path: Any) -> None:
    installed = installed_versions()
    for name in DECISIVE_LIBRARIES:
        saved = str(header.versions.get(name, "an unknown version"))
        if _major(saved) != _major(installed[name]):
            raise SavedExplainerError(
                f"{path} was saved with {name} {saved}, here is {installed[name]}: such a file may mean something else "
                f"here. Use {name} {saved}, or fit and save anew."
            )


def _major(number: str) -> tuple[str, ...]:
    """Part of a version that must agree; before 1.0 every minor version may break with the past."""
    parts = number.split(".")
    return tuple(parts[:2]) if parts[0] == "0" else (parts[0],)


def _differences(header: Header) -> str:
    installed = installed_versions()
    other = [
        f"{name} {saved} (here {installed.get(name, 'none')})"
        for name, saved in header.versions.items()
        if installed.get(name) != saved
    ]
    if not other:
        return "It may need a module that is not installed here."
    return f"It was saved with {', '.join(other)}; use the same, or fit and save anew."


# Attributes in which scikit-learn's estimators keep rows they were fitted to: neighbours and imputers by them, support
# vectors, Gaussian processes, kernel ridges.
ROWS_OF_MODELS = ("_fit_X", "support_vectors_", "X_train_", "X_fit_")


def held_rows(fitted: FittedModel, density: Any) -> list[str]:
    """List in words what of a fitted model is made of training rows, and what to do about it; empty if nothing is.

    Parameters
    ----------
    fitted : FittedModel
    density : the explainer's parameter
    """
    held = []
    if fitted.references:
        # Quantiles of scores given fixed columns: which columns these are only a question tells, and the score of a
        # row given any of them takes all of the row. No smaller statistic gives the same thresholds for every question.
        count = sum(len(rows) for rows in fitted.references.values())
        held.append(f"{count:,} for thresholds given what cannot change (condition_on_fixed=False keeps none)")
    given = density if isinstance(density, Mapping) else dict.fromkeys(fitted.densities, density)
    kernels = [label for label, each in given.items() if _is_kernel(each)]
    if kernels:
        count = sum(len(fitted.densities[label].mixture_.means_) for label in kernels)
        held.append(f"{count:,} of the kernel density, which is made of them (a mixture keeps none)")
    if fitted.training is not None:
        count = len(fitted.training.anchors)
        held.append(f"{count:,} near which answers of a black box are looked for (a model that is read needs none)")
    names = list(dict.fromkeys(_keepers(fitted.model, set())))
    if names:
        listed = ", ".join(names[:MOST_NAMES]) + (", ..." if len(names) > MOST_NAMES else "")
        held.append(f"those that the model itself keeps ({listed})")
    return held


def _is_kernel(density: object) -> bool:
    return isinstance(density, KernelDensity) or (isinstance(density, str) and density == "kernel")


def _keepers(value: UserValue, seen: set[int]) -> Iterator[str]:
    """Names of the estimators in a model that keep the rows they were fitted to."""
    if id(value) in seen:
        return
    seen.add(id(value))
    if isinstance(value, (list, tuple)):
        for part in value:
            yield from _keepers(part, seen)
    elif isinstance(value, Mapping):
        for part in value.values():
            yield from _keepers(part, seen)
    elif hasattr(value, "get_params") and not isinstance(value, type):
        if any(name in vars(value) for name in ROWS_OF_MODELS):
            yield type(value).__name__
        for part in vars(value).values():
            yield from _keepers(part, seen)
