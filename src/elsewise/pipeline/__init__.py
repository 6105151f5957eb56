"""Pipelines: what transformers do to a table, as one exact map from features to what the final estimator sees.

Transformers have one registry (:mod:`.registry`); a family of them is a module that registers its types when imported.
"""

from .affine import AffineMap
from .compile import CompiledModel, compile_model, compile_whole
from .registry import register, register_affine
from .steps import Step, unwrap, unwrap_or_whole
from .transformers import (  # noqa: F401 - to register their types
    affine,
    bins,
    composites,
    encoders,
    functions,
    imputers,
    native_categories,
    polynomials,
)
from .transformers.derivations import AddDerived, derived
from .transformers.functions import monotone
from .transformers.native_categories import with_own_categories
from .walk import affine_map

__all__ = [
    "AddDerived",
    "AffineMap",
    "CompiledModel",
    "Step",
    "affine_map",
    "compile_model",
    "compile_whole",
    "derived",
    "monotone",
    "register",
    "register_affine",
    "unwrap",
    "unwrap_or_whole",
    "with_own_categories",
]
