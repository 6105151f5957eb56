"""All folds of all data sets, in parallel; finished ones are kept."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path

import sklearn
from joblib import Parallel, delayed
from threadpoolctl import threadpool_limits

from .data import DataSet
from .fold_result import FoldResult
from .protocol import Protocol, prepare_fold, run_model

# Results of a data set and model, fold by fold.
Results = dict[tuple[str, str], list[FoldResult]]


def run(
    data_sets: Sequence[DataSet],
    models: Sequence[str],
    protocol: Protocol,
    *,
    cache: Path,
    n_jobs: int = 1,
    progress: Callable[[str], None] = lambda done: None,
) -> Results:
    """Run what is not in the cache yet, and return everything.

    Parameters
    ----------
    data_sets : sequence of DataSet
    models : sequence of str
    protocol : Protocol
    cache : Path
        Folder of finished folds. They are found again by data, seed and all else that decides them.
    n_jobs : int
        Processes. The answers do not depend on it.
    progress : function of str
        Told the name of each finished fold.
    """
    # Large ones first, so that no process is left alone with them in the end.
    tasks = [(data, fold) for data in sorted(data_sets, key=lambda data: -data.X.size) for fold in protocol.folds]
    finished = Parallel(n_jobs=n_jobs, return_as="generator_unordered")(
        delayed(_run_fold)(data, fold, list(models), protocol, cache) for data, fold in tasks
    )
    for done in finished:
        progress(done)
    results: Results = {}
    for data in data_sets:
        for model in models:
            folds = [FoldResult.load(_file(cache, data, protocol, fold, model)) for fold in protocol.folds]
            results[data.name, model] = [fold for fold in folds if fold is not None]
            assert len(results[data.name, model]) == len(protocol.folds)
    return results


def _run_fold(data: DataSet, fold: int, models: list[str], protocol: Protocol, cache: Path) -> str:
    """Run the models that have no file yet; the densities of a fold are fitted once for all of them."""
    files = {model: _file(cache, data, protocol, fold, model) for model in models}
    missing = [model for model in models if FoldResult.load(files[model]) is None]
    if missing:
        train, test = protocol.split(data, fold)
        with threadpool_limits(limits=1):  # sums have the same bits whatever the number of processes
            prepared = prepare_fold(data, protocol, train)
            for model in missing:
                run_model(data, protocol, prepared, test, model).save(files[model])
    return f"{data.name} {fold + 1}"


def _file(cache: Path, data: DataSet, protocol: Protocol, fold: int, model: str) -> Path:
    """File of one fold and model; its folder is named for all that decides the result but the model."""
    from ... import __version__

    decides = {**asdict(protocol), "elsewise": __version__, "scikit-learn": sklearn.__version__}
    digest = hashlib.sha256(json.dumps(decides, sort_keys=True).encode())
    digest.update(data.X.tobytes() + data.y.tobytes())
    return cache / f"{data.name}-{digest.hexdigest()[:12]}" / f"{model}-fold{fold + 1}.npz"
