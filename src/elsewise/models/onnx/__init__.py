"""Models in ONNX files: read where their graph is a known model, asked through onnxruntime elsewhere."""

from . import families  # noqa: F401 - it registers the model families
from .reading import OnnxClassifier, OnnxModel, OnnxRegressor, read_onnx

__all__ = ["OnnxClassifier", "OnnxModel", "OnnxRegressor", "read_onnx"]
