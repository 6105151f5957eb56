"""Bodies of saved explainers: a pickle, which must be trusted, or a skops archive, whose reading runs no code.

Types that a file without a pickle may hold: a fixed list, so that reading a file imports no module of its choice.

Models in files: joblib and pickle, which must be trusted, and skops, which tells what it holds.
"""

from __future__ import annotations

import io
import pickle
import warnings
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any, Literal

import joblib

from ...arrays import UserValue
from ...errors import InvalidInputError, MissingDependencyError

# Classes of elsewise that fitted explainers are made of, by module. They hold data and run nothing when made.
_OWN = {
    "elsewise.tools.audit.monitor": "Baseline Observed",
    "elsewise.table.column": "Column OneHot Ordinal",
    "elsewise.table.derived": "DerivedColumn",
    "elsewise.table.table": "Table",
    "elsewise.table.wording": "ColumnLabel Wording",
    "elsewise.rules.conditions": "Joined Test",
    "elsewise.rules.constraints": "Constraints",
    "elsewise.rules.arithmetic.expressions": "Inequality Negative Number Operation Variable",
    "elsewise.rules.arithmetic.linear": "HalfSpace LinearRule",
    "elsewise.rules.learned.never_together": "NeverTogether NeverTogetherPair Trait",
    "elsewise.rules.learned.regularities": "Regularities",
    "elsewise.density.base": "ClassDensity",
    "elsewise.density.mixtures.gaussian_mixture": "GaussianMixtureDensity",
    "elsewise.density.mixtures.kernel": "KernelDensity",
    "elsewise.density.mixtures.low_rank_mixture": "LowRankMixture",
    "elsewise.density.mixtures.mixed_mixture": "MixedMixture",
    "elsewise.density.mixtures.mixed_mixture_density": "MixedMixtureDensity",
    "elsewise.density.threshold": "LogDensity TrainingQuantile",
    "elsewise.distances.mahalanobis": "Mahalanobis",
    "elsewise.distances.manhattan": "Manhattan Scaled",
    "elsewise.explainer": "Explainer",
    "elsewise.lvq": "GeneralizedLVQ GeneralizedMatrixLVQ",
    "elsewise.fitted.black_box": "TrainingRows",
    "elsewise.fitted.fitted_model": "FittedModel",
    "elsewise.fitted.summaries": "ColumnProfile",
    "elsewise.pipeline.affine": "AffineMap",
    "elsewise.pipeline.columnwise": "Chains ColumnStep Times",
    "elsewise.questions.options": "Options",
    "elsewise.projection.distance": "ResolvedMahalanobis ResolvedManhattan",
    "elsewise.models.black_box": "BlackBox",
    "elsewise.models.refits": "LogisticRefits",
    "elsewise.rules.learned.column_facts": "ColumnFacts",
    "elsewise.search.relaxations.curves.base": "AffineCurve",
    "elsewise.search.relaxations.curves.known": "NamedCurve PiecewisePolynomial PowerCurve",
    "elsewise.search.relaxations.curves.composition": "Chained Weighted",
    "elsewise.search.relaxations.curves.tables": "PiecewiseLinear Ranks StepCurve",
    "elsewise.models.trees.boosters": "LightGBMBooster XGBoostBooster",
    "elsewise.models.trees.steps_before": "AsIs Stepped StepsBefore Warped",
    "elsewise.models.unit_sums.of_torch": "TorchNetwork",
    "elsewise.models.unit_sums.products": "BehindProducts",
    "elsewise.models.behind_derived": "BehindDerived",
    "elsewise.search.relaxations.derived": "DerivedColumns DerivedForm",
}
# Dtypes of columns, by the modules in which versions of pandas have them.
_DTYPES = {
    "numpy": "dtype",
    "pandas": (
        "ArrowDtype BooleanDtype CategoricalDtype DatetimeTZDtype Float32Dtype Float64Dtype Int8Dtype Int16Dtype "
        "Int32Dtype Int64Dtype IntervalDtype PeriodDtype SparseDtype StringDtype UInt8Dtype UInt16Dtype UInt32Dtype "
        "UInt64Dtype"
    ),
    "pandas.core.arrays.boolean": "BooleanDtype",
    "pandas.core.arrays.floating": "Float32Dtype Float64Dtype",
    "pandas.core.arrays.integer": (
        "Int8Dtype Int16Dtype Int32Dtype Int64Dtype UInt8Dtype UInt16Dtype UInt32Dtype UInt64Dtype"
    ),
    "pandas.core.arrays.string_": "StringDtype",
    "pandas.core.dtypes.dtypes": ("ArrowDtype CategoricalDtype DatetimeTZDtype IntervalDtype PeriodDtype SparseDtype"),
}

HARMLESS_TYPES = frozenset(
    f"{module}.{name}" for listed in (_OWN, _DTYPES) for module, names in listed.items() for name in names.split()
)


# zlib level of saved explainers: higher ones take several times as long for a few per cent.
COMPRESSION = 3

Kind = Literal["pickle", "skops"]


def to_bytes(value: UserValue, kind: Kind) -> bytes:
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
