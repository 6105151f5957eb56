"""A million rows on two worker processes: throughput against one process, memory, and a worker killed in the middle.

The rows are like those of HELOC as numbers: 23 correlated columns, a logistic regression behind a scaler, a Gaussian
mixture for each class. They are written as Parquet files, and answered by what ``elsewise explain --engine dask`` runs.
"""

from __future__ import annotations

import argparse
import os
import signal
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from .measure import RESULTS, write
from .memory import peak_megabytes

N_COLUMNS = 23
N_TRAIN = 5_000
# Shares of the goals: of twice the rate of one process, and bytes of a worker.
LEAST_SHARE, MOST_MEGABYTES = 0.85, 1024.0


def main() -> None:
    import distributed

    import elsewise as ew
    from elsewise.production.engines import answer_here, answer_on_dask
    from elsewise.production.partitions import partitions_of

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--parts", type=int, default=40, help="files of rows")
    parser.add_argument("--alone", type=int, default=4, help="files that one process answers for its rate")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--out", type=Path, default=RESULTS)
    options = parser.parse_args()
    X, y = applications(N_TRAIN, seed=0)
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(X, y)
    explainer = ew.Explainer(model, distance="scaled").fit(X, y)
    mapper = explainer.mapper("Good", id_columns={"applicant": "int64"})
    with tempfile.TemporaryDirectory() as folder:
        files = written(Path(folder), options.rows, options.parts)
        one, two, killed = (Path(folder) / name for name in ("one", "two", "killed"))
        for path in (one, two, killed):
            path.mkdir()
        list(answer_here(mapper, partitions_of(files[:1], one, "warm")))
        alone = partitions_of(files[: options.alone], one, "q")
        started = time.perf_counter()
        n_alone = sum(part.n_rows for part in answer_here(mapper, alone))
        rate = n_alone / (time.perf_counter() - started)
        peaks, elapsed = [], []
        for out, kill in ((two, False), (killed, True)):
            with (
                distributed.LocalCluster(
                    n_workers=options.workers, threads_per_worker=1, processes=True, dashboard_address=None
                ) as cluster,
                distributed.Client(cluster) as client,
            ):
                client.wait_for_workers(options.workers)
                parts = answer_on_dask(mapper, partitions_of(files, out, "q"), cluster.scheduler_address)
                started = time.perf_counter()
                for number, _ in enumerate(parts):
                    if kill and number == options.parts // 3:
                        victim = next(iter(client.run(os.getpid).values()))
                        os.kill(victim, signal.SIGKILL)
                elapsed.append(time.perf_counter() - started)
                peaks.append(max(client.run(peak_megabytes).values()))
        row = {
            "rows": options.rows,
            "files": options.parts,
            "one process, rows/s": rate,
            "workers": options.workers,
            "workers, rows/s": options.rows / elapsed[0],
            "share of that many times one process": options.rows / elapsed[0] / (options.workers * rate),
            "peak of a worker, MB": peaks[0],
            "seconds": elapsed[0],
            "seconds with a worker killed": elapsed[1],
            "rows lost or doubled": lost_or_doubled(two, options.rows) + lost_or_doubled(killed, options.rows),
        }
    notes = [
        f"Wanted: a share of at least {LEAST_SHARE}, at most {MOST_MEGABYTES:.0f} MB a worker, no row lost or doubled.",
        "Time includes reading and writing the files, and sending the mapper to the workers.",
    ]
    write("millions", "Millions of rows", {"Two workers": [row]}, notes, options.out)


def applications(n: int, seed: int) -> tuple[Any, Any]:
    """Make up rows of 23 correlated numbers, and whether each was good."""
    import pandas

    rng = np.random.default_rng(seed)
    mixing = np.random.default_rng(23).normal(size=(6, N_COLUMNS))
    hidden = rng.normal(size=(n, 6))
    values = hidden @ mixing + rng.normal(size=(n, N_COLUMNS))
    score = values @ np.random.default_rng(24).normal(size=N_COLUMNS) / 6 + rng.logistic(size=n)
    frame = pandas.DataFrame(50 + 10 * values, columns=[f"column_{place:02}" for place in range(N_COLUMNS)])
    return frame, np.where(score > 0, "Good", "Bad")


def written(folder: Path, n_rows: int, n_parts: int) -> list[Path]:
    """Write rows to files, each with the applicants' numbers."""
    files, first = [], 0
    for part, size in enumerate(len(each) for each in np.array_split(np.arange(n_rows), n_parts)):
        path = folder / f"part-{part:04}.parquet"
        frame, _ = applications(size, seed=1000 + part)
        frame.assign(applicant=np.arange(first, first + size)).to_parquet(path, index=False)
        files.append(path)
        first += size
    return files


def lost_or_doubled(folder: Path, n_rows: int) -> int:
    """Count the applicants that are not there exactly once."""
    from pyarrow import parquet

    tables = [parquet.read_table(path, columns=["applicant"]) for path in folder.glob("*.parquet")]
    columns = [table["applicant"].to_numpy() for table in tables]
    return int((np.bincount(np.concatenate(columns), minlength=n_rows) != 1).sum())


if __name__ == "__main__":
    main()
