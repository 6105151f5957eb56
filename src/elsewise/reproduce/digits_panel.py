"""Figure 1: digits, their closest counterfactuals and their plausible ones, under two models."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from ..plotting.canvas import INK, MUTED, new_figure
from .data import load
from .fold_result import FoldResult
from .protocol import MODELS, Protocol, prepare_fold, run_model

FloatArray = NDArray[np.float64]

_MODELS = ("softmax", "tree")
_N_COLUMNS = 10


@dataclass(frozen=True, slots=True, eq=False)
class DigitsPanel:
    """Blocks of pictures with their labels: those of the originals, of the counterfactuals the requested ones.

    Attributes
    ----------
    blocks : tuple of (title, array of shape (n_pictures, 64), int array of shape (n_pictures,))
    """

    blocks: tuple[tuple[str, FloatArray, NDArray[np.int64]], ...]

    def draw(self) -> Any:
        """Draw all pictures and return the ``matplotlib.figure.Figure``."""
        n = len(self.blocks[0][1])
        figure = new_figure(0.78 * n + 1.9, 1.04 * len(self.blocks) + 0.2)
        axes = figure.subplots(len(self.blocks), n, squeeze=False)
        for (title, pictures, labels), row in zip(self.blocks, axes):
            for picture, label, ax in zip(pictures, labels.tolist(), row):
                ax.imshow(picture.reshape(8, 8), cmap="gray_r", vmin=0.0, vmax=16.0)
                ax.set(xticks=[], yticks=[])
                ax.set_xlabel(str(label), color=INK, fontsize=11, labelpad=2)
                for spine in ax.spines.values():
                    spine.set_color(MUTED)
            row[0].set_ylabel(title, rotation=0, ha="right", va="center", color=INK, fontsize=10)
        return figure


def digits_panel(seed: int = 0) -> DigitsPanel:
    """Explain one held-out row of each digit, drawn with the seed among those both models call by their label.

    Parameters
    ----------
    seed : int
        Of the folds, the targets and the choice of rows.
    """
    (data,), _ = load(["digits"])
    protocol = Protocol(seed=seed)
    train, test = protocol.split(data, 0)
    chosen: list[int] = []
    with threadpool_limits(limits=1):
        fold = prepare_fold(data, protocol, train)
        right = np.ones(len(test), dtype=np.bool_)
        for model in _MODELS:
            fitted = MODELS[model][1]().fit(fold.Z, fold.y)
            right &= fitted.predict(fold.to_model_space(data.X[test])) == data.y[test]
        order = np.random.default_rng(seed).permutation(np.flatnonzero(right))
        for digit in range(_N_COLUMNS):
            chosen.append(int(next(i for i in order if data.y[test[i]] == digit)))
        rows = test[np.array(chosen)]
        results: dict[str, FoldResult] = {m: run_model(data, protocol, fold, rows, m) for m in _MODELS}
    targets = results["softmax"].targets
    blocks = [("original", data.X[rows], data.y[rows])]
    for name in ("closest", "plausible"):
        for model, result in results.items():
            title = f"{name},\n{MODELS[model][0].lower()}"
            blocks.append((title, result.answers[f"defined_{name}"].points, targets))
    return DigitsPanel(tuple(blocks))
