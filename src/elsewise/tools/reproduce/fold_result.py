"""What one model gave on one fold, and its file."""

from __future__ import annotations

import os
from dataclasses import dataclass, fields
from pathlib import Path
from zipfile import BadZipFile

import numpy as np

from ...arrays import AnyArray, BoolArray, FloatArray, IntArray


@dataclass(frozen=True, slots=True, eq=False)
class JudgedPoints:
    """Points of all held-out rows under one rule, judged afresh.

    Attributes
    ----------
    points : array of shape (n_samples, n_features)
        NaN where there is none.
    distance : array of shape (n_samples,)
        Manhattan distance in the original features.
    log_density : array of shape (n_samples,)
        Under the kernel density of the target class, exact.
    found, valid, dense : bool arrays of shape (n_samples,)
        There is a point; the model's own ``predict`` gives the target there; one component of the target's mixture
        reaches delta there.
    """

    points: FloatArray
    distance: FloatArray
    log_density: FloatArray
    found: BoolArray
    valid: BoolArray
    dense: BoolArray


@dataclass(frozen=True, slots=True, eq=False)
class FoldResult:
    """Judged points of the held-out rows of one fold under one model.

    Attributes
    ----------
    rows : int array of shape (n_samples,)
        Positions in the data set.
    targets : int array of shape (n_samples,)
    asked : bool array of shape (n_samples,)
        The model does not predict the target for the row itself.
    correct : bool array of shape (n_samples,)
        The model predicts the row's label.
    model_free : bool array of shape (n_samples,)
        Theorem 2 applies to the row and its target.
    gaps : array of shape (n_samples,)
        Proven relative gap of the definition's answers, the larger one of those without and with the constraint.
    answers : dict of str to JudgedPoints
        By rule and constraint, such as ``"defined_plausible"``.
    seconds : dict of str to float
        Seconds per row, by explainer and way of calling, such as ``"closest_batch"``.
    n_components, bandwidths : arrays of shape (n_classes,)
        Of the mixture and the kernel density of each class.
    """

    rows: IntArray
    targets: IntArray
    asked: BoolArray
    correct: BoolArray
    model_free: BoolArray
    gaps: FloatArray
    answers: dict[str, JudgedPoints]
    seconds: dict[str, float]
    n_components: IntArray
    bandwidths: FloatArray

    def save(self, path: Path) -> None:
        """Write the result whole or not at all: an interrupted run leaves no half file."""
        arrays: dict[str, AnyArray] = {
            field.name: getattr(self, field.name) for field in fields(self) if field.name not in ("answers", "seconds")
        }
        for name, answers in self.answers.items():
            arrays |= {f"answers/{name}/{field.name}": getattr(answers, field.name) for field in fields(answers)}
        arrays |= {f"seconds/{name}": np.float64(value) for name, value in self.seconds.items()}  # type: ignore[misc]
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished = path.with_suffix(f".{os.getpid()}.unfinished")
        with unfinished.open("wb") as file:
            np.savez_compressed(file, **arrays)  # type: ignore[arg-type]
        unfinished.replace(path)

    @classmethod
    def load(cls, path: Path) -> FoldResult | None:
        """Read a result; None if there is none, or none that can be read."""
        try:
            with np.load(path, allow_pickle=False) as file:
                arrays = {name: file[name] for name in file.files}
        except (FileNotFoundError, BadZipFile, ValueError, EOFError):
            return None
        nested: dict[str, dict[str, AnyArray]] = {}
        seconds: dict[str, float] = {}
        for key in [key for key in arrays if "/" in key]:
            kind, name, *rest = key.split("/")
            if kind == "seconds":
                seconds[name] = float(arrays.pop(key))
            else:
                nested.setdefault(name, {})[rest[0]] = arrays.pop(key)
        answers = {name: JudgedPoints(**parts) for name, parts in nested.items()}
        return cls(answers=answers, seconds=seconds, **arrays)
