"""Pipelines: what transformers do to a table, as one exact map from features to what the final estimator sees."""

from .affine import AffineMap, affine_map, register_affine, unwrap
from .compile import CompiledModel, compile_model

__all__ = ["AffineMap", "CompiledModel", "affine_map", "compile_model", "register_affine", "unwrap"]
