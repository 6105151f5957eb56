"""Pipelines: what transformers do to a table, as one exact map from features to what the final estimator sees.

Transformers have one registry (:mod:`.registry`); a family of them is a module that registers its types when imported.
"""

from .affine import AffineMap
from .compile import CompiledModel, compile_model
from .registry import register, register_affine
from .steps import Step, unwrap, unwrap_or_whole
from .transformers import (  # noqa: F401 - to register their types
    bins,
    composites,
    decompositions,
    encoders,
    imputers,
    monotone,
    native_categories,
    polynomials,
    scalers,
    selectors,
)
from .transformers.native_categories import with_own_categories
from .walk import affine_map
from .whole import compile_whole

__all__ = [
    "AffineMap",
    "CompiledModel",
    "Step",
    "affine_map",
    "compile_model",
    "compile_whole",
    "register",
    "register_affine",
    "unwrap",
    "unwrap_or_whole",
    "with_own_categories",
]
