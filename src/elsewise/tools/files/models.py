"""Models in files: joblib and pickle, which must be trusted, and skops, which tells what it holds."""

from __future__ import annotations

import pickle
import warnings
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import joblib

from ...errors import InvalidInputError, MissingDependencyError

PICKLES, SKOPS = (".joblib", ".pkl", ".pickle"), (".skops",)


def is_pickle(path: Path) -> bool:
    """Whether a model's file is a pickle, by its name: reading it can run any code."""
    return path.suffix.lower() not in SKOPS


def read_model(path: Path, trusted: Sequence[str] = ()) -> Any:
    """Read a fitted model.

    .. warning::
       ``.joblib``, ``.pkl`` and ``.pickle`` are pickles: reading one can run any code. Read only files you trust.

    Parameters
    ----------
    path : path of a file written by joblib.dump, pickle.dump or skops.io.dump
        Its ending says which: ``.skops`` for the last.
    trusted : sequence of str
        Types in a skops file that are known to be harmless, besides those that skops itself knows.
    """
    if path.suffix.lower() not in PICKLES + SKOPS:
        raise InvalidInputError(f"{path}: expected a model in a file ending in {', '.join(PICKLES + SKOPS)}.")
    if path.suffix.lower() in SKOPS:
        model = _read_skops(path, trusted)
    elif trusted:
        raise InvalidInputError(f"{path}: trusted types are for .skops files; a pickle is trusted altogether or not.")
    else:
        model = _read_pickle(path)
    if not hasattr(model, "predict"):
        raise InvalidInputError(f"{path} holds a {type(model).__name__}, no model: it cannot predict.")
    return model


def _read_pickle(path: Path) -> Any:
    try:
        return joblib.load(path)
    except OSError:
        raise
    except Exception as error:  # unpickling runs code of all classes in the file, which may raise anything
        kinds = (pickle.UnpicklingError, EOFError, KeyError, IndexError, ValueError)
        what = "It is damaged or no pickle" if isinstance(error, kinds) else "It needs what is not installed here"
        raise InvalidInputError(f"{path} cannot be read as a model. {what}: {type(error).__name__}: {error}") from error


def _read_skops(path: Path, trusted: Sequence[str]) -> Any:
    try:
        skops = import_module("skops.io")
    except ImportError as error:
        raise MissingDependencyError(
            f"{path}: models in .skops files need skops. Install it with: pip install 'elsewise[skops]'"
        ) from error
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ResourceWarning)
            unknown = [name for name in skops.get_untrusted_types(file=path) if name not in trusted]
            if not unknown:
                return skops.load(path, trusted=list(trusted))
    except OSError:
        raise
    except Exception as error:  # a damaged archive or a schema that does not fit, in whatever way it shows
        raise InvalidInputError(f"{path} cannot be read as a skops file: {type(error).__name__}: {error}") from error
    raise InvalidInputError(
        f"{path} holds types that are not known to be harmless: {', '.join(unknown)}. If you know them and trust who "
        f"made the file, say so: --trust {' '.join(unknown)}"
    )
