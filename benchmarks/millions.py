"""A million rows on two worker processes: throughput against one process, memory, and a worker killed in the middle.

The rows are like those of HELOC as numbers: 23 correlated columns, a logistic regression behind a scaler, a Gaussian
mixture for each class. They are written as Parquet files, and answered by what ``elsewise explain --engine dask`` runs.
"""

from __future__ import annotations

import argparse
import importlib
import os
import signal
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
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
    from elsewise.tools.batch.partitions import answer_here, answer_on_dask, local_cluster, partitions_of

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--parts", type=int, default=40, help="files of rows")
    parser.add_argument("--alone", type=int, default=4, help="files that one process answers for its rate")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--killed", type=int, default=10, help="files that are answered while a worker is killed")
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
        started, used = time.perf_counter(), time.process_time()
        n_alone = sum(part.n_rows for part in told("one process", answer_here(mapper, alone), len(alone)))
        rate, alone_cpu = n_alone / (time.perf_counter() - started), (time.process_time() - used) / n_alone
        peaks, elapsed, workers_cpu = [], [], 0.0
        risked = files[: options.killed]
        for out, some, kill in ((two, files, False), (killed, risked, True)):
            with (
                local_cluster(options.workers) as cluster,
                distributed.Client(cluster) as client,
            ):
                client.wait_for_workers(options.workers)
                client.run(importlib.import_module, "elsewise.tools.batch.partitions")
                client.run(importlib.import_module, "sklearn.pipeline")
                parts = answer_on_dask(mapper, partitions_of(some, out, "q"), cluster.scheduler_address)
                before = sum(client.run(time.process_time).values())
                started = time.perf_counter()
                for number, _ in enumerate(told("one is killed" if kill else "workers", parts, len(some))):
                    if kill and number == len(some) // 3:
                        victim = next(iter(client.run(os.getpid).values()))
                        os.kill(victim, signal.SIGKILL)
                elapsed.append(time.perf_counter() - started)
                if not kill:
                    workers_cpu = (sum(client.run(time.process_time).values()) - before) / options.rows
                peaks.append(max(client.run(peak_megabytes).values()))
        row = {
            "rows": options.rows,
            "files": options.parts,
            "one process, rows/s": rate,
            "workers": options.workers,
            "workers, rows/s": options.rows / elapsed[0],
            "share of that many times one process": options.rows / elapsed[0] / (options.workers * rate),
            "one process, CPU ms/row": 1e3 * alone_cpu,
            "workers, CPU ms/row": 1e3 * workers_cpu,
            "peak of a worker, MB": peaks[0],
            "seconds": elapsed[0],
            "files while a worker is killed": len(risked),
            "seconds of these": elapsed[1],
            "rows lost or doubled": lost_or_doubled(two, files) + lost_or_doubled(killed, risked),
        }
    notes = [
        f"Wanted: a share of at least {LEAST_SHARE}, at most {MOST_MEGABYTES:.0f} MB a worker, no row lost or doubled.",
        "Time includes reading and writing the files, and sending the mapper to the workers, not the start of the "
        "processes.",
        "Where other programs use the processors, only CPU times tell what the workers cost beside the answers.",
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


def told(what: str, parts: Iterable[Any], n_parts: int) -> Iterator[Any]:
    """Tell on stderr of every file that is finished."""
    started, n_rows = time.perf_counter(), 0
    for number, part in enumerate(parts, start=1):
        n_rows += part.n_rows
        rate = n_rows / (time.perf_counter() - started)
        print(f"{what}: {number} of {n_parts} files, {n_rows} rows, {rate:.0f} rows/s", file=sys.stderr, flush=True)
        yield part


def lost_or_doubled(folder: Path, files: Sequence[Path]) -> int:
    """Count the applicants in files of rows that are not there exactly once in a folder of answers."""
    from pyarrow import parquet

    def applicants(paths: Iterable[Path]) -> Any:
        tables = [parquet.read_table(path, columns=["applicant"]) for path in paths]
        return np.concatenate([table["applicant"].to_numpy() for table in tables])

    asked, answered = applicants(files), applicants(folder.glob("*.parquet"))
    n_each = np.bincount(answered, minlength=asked.max() + 1)
    return int((n_each[asked] != 1).sum() + n_each.sum() - n_each[asked].sum())


if __name__ == "__main__":
    main()
