"""Files of rows answered one by one: a file of answers a partition, complete or not there.

A file of answers tells in its metadata which question it answers and which rows (by their SHA-256), and how many
rows have each status. Work that was cut short goes on with the partitions that have no file yet; a file of another
question, or of rows that have changed since, is never taken for an answer.

Who answers for the partitions: this process, or the workers of a Dask cluster.
"""

from __future__ import annotations

import json
import os
import uuid
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from ...errors import InvalidInputError, MissingDependencyError
from ..files.tables import row_batches
from ..files.values import sha256_of
from .mapper import Mapper

# Rows that are read, answered and written together: some megabytes, and enough for the engine to share work among.
ROWS_A_BATCH = 4096
# What a partition's file tells of itself is under this key of its metadata.
METADATA_KEY = "elsewise"

# How the files begin that are being written. Those that a process has left behind which was killed are removed.
_UNFINISHED = ".unfinished-"


@dataclass(frozen=True, slots=True)
class Partition:
    """A file of rows, and the file of its answers.

    Attributes
    ----------
    rows, answers : path
    question : str
        What is asked: a checksum of all of it but the rows.
    """

    rows: Path
    answers: Path
    question: str


@dataclass(frozen=True, slots=True)
class PartitionAnswers:
    """What a finished partition tells of itself.

    Attributes
    ----------
    n_rows : int
    statuses : dict of str to int
        How many rows have each status, by their first answer.
    rows_sha256 : str
        Of the file of rows.
    question : str
    """

    n_rows: int
    statuses: dict[str, int]
    rows_sha256: str
    question: str


def partitions_of(files: Sequence[Path], folder: Path, question: str) -> list[Partition]:
    """Return every file of rows its file of answers, of the same name, in a folder."""
    names = [file.stem for file in files]
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise InvalidInputError(
            f"Two files of rows are called {twice[0]!r}: their answers would be in the same file. Rename one."
        )
    return [Partition(file, folder / f"{file.stem}.parquet", question) for file in files]


def finished(partition: Partition) -> PartitionAnswers | None:
    """Read what is known of a partition that is finished; None if it is not.

    Raises
    ------
    InvalidInputError
        If its file answers another question, or other rows.
    """
    if not partition.answers.exists():
        return None
    wrong = f"{partition.answers} holds answers to another question, or of other rows, than those asked for now"
    try:
        stated = import_module("pyarrow.parquet").read_metadata(partition.answers).metadata or {}
        known = PartitionAnswers(**json.loads(stated[METADATA_KEY.encode()]))
    except (import_module("pyarrow").ArrowInvalid, KeyError, TypeError, ValueError) as error:
        raise InvalidInputError(
            f"{partition.answers} is no file of answers by this command. Give another --out, or begin anew: --fresh."
        ) from error
    if known.question != partition.question or known.rows_sha256 != sha256_of(partition.rows):
        raise InvalidInputError(f"{wrong}. Ask as before to go on, give another --out, or begin anew with --fresh.")
    return known


def answer_partition(mapper: Mapper, partition: Partition, batch: int = ROWS_A_BATCH) -> PartitionAnswers:
    """Answer for all rows of a file, batch by batch, and write the answers; memory does not grow with the file.

    Parameters
    ----------
    mapper : Mapper
    partition : Partition
    batch : int
        Rows at a time.
    """
    parquet = import_module("pyarrow.parquet")
    schema = with_row_numbers(mapper)
    statuses: Counter[str] = Counter()
    n_rows = 0
    # a name of its own: the same partition may be under way twice, where a scheduler has given up on a worker
    unfinished = partition.answers.with_name(f"{_UNFINISHED}{partition.answers.name}-{uuid.uuid4().hex}")
    try:
        with parquet.ParquetWriter(unfinished, schema) as writer:
            for table, n_more in _answered(mapper, partition, batch, schema):
                firsts = table.column("row").combine_chunks().to_numpy()
                is_first = [place == 0 or firsts[place] != firsts[place - 1] for place in range(len(firsts))]
                statuses.update(status for status, first in zip(table.column("status").to_pylist(), is_first) if first)
                n_rows += n_more
                writer.write_table(table)
            stated = PartitionAnswers(n_rows, dict(statuses), sha256_of(partition.rows), partition.question)
            writer.add_key_value_metadata({METADATA_KEY: _json(stated)})
        os.replace(unfinished, partition.answers)
    finally:
        unfinished.unlink(missing_ok=True)
    return stated


def with_row_numbers(mapper: Mapper) -> Any:
    """Return the schema of a partition's file: the number of the row in its file, then what the mapper tells."""
    pyarrow = import_module("pyarrow")
    return pyarrow.schema([("row", pyarrow.int64()), *mapper.schema])


def _answered(mapper: Mapper, partition: Partition, batch: int, schema: Any) -> Any:
    """Answers as Arrow tables, each with its number of rows."""
    pandas, pyarrow = import_module("pandas"), import_module("pyarrow")
    first = 0
    for rows in row_batches(partition.rows, mapper.fitted.table, batch):
        frame = pandas.concat([rows.columns, rows.others], axis=1)
        frame.index = pandas.RangeIndex(first, first + len(frame))
        answers = mapper(frame)
        answers.insert(0, "row", answers.index.to_numpy(), allow_duplicates=True)
        yield pyarrow.Table.from_pandas(answers, schema=schema, preserve_index=False), len(frame)
        first += len(frame)


def remove_unfinished(folder: Path) -> None:
    """Remove what killed processes have left behind."""
    for path in folder.glob(f"{_UNFINISHED}*"):
        path.unlink(missing_ok=True)


def _json(stated: PartitionAnswers) -> str:
    return json.dumps({name: getattr(stated, name) for name in ("n_rows", "statuses", "rows_sha256", "question")})


# How often a partition is begun anew after its worker was lost: more often, and the partition itself is at fault.
MOST_RETRIES = 3

ENGINES = ("dask",)
Run = Callable[[Mapper, Sequence[Partition]], Iterator[PartitionAnswers]]


def answer_here(mapper: Mapper, partitions: Sequence[Partition]) -> Iterator[PartitionAnswers]:
    """Answer for one partition after the other."""
    for partition in partitions:
        yield answer_partition(mapper, partition)


def answer_on_dask(
    mapper: Mapper, partitions: Sequence[Partition], scheduler: str | None = None, n_workers: int | None = None
) -> Iterator[PartitionAnswers]:
    """Answer for partitions on the workers of a cluster, which read and write the files themselves.

    Parameters
    ----------
    mapper : Mapper
    partitions : sequence of Partition
        Their paths have to lead to the same files on every worker.
    scheduler : str, optional
        Address of a scheduler; without one, a cluster on this machine is started and ended.
    n_workers : int, optional
        Worker processes of a cluster on this machine; as many as there are cores by default.

    Yields
    ------
    PartitionAnswers
        Of partitions as they are finished. One whose worker is lost is begun anew on another.
    """
    try:
        import distributed
    except ImportError as error:
        raise MissingDependencyError("--engine dask needs Dask: pip install 'elsewise[dask]'") from error
    with ExitStack() as stack:
        where: Any = scheduler
        if scheduler is None:
            where = stack.enter_context(local_cluster(n_workers))
        client = stack.enter_context(distributed.Client(where))
        # a task of its own: sent once to each worker that needs it, not once a partition, and made again if it is lost
        shared = client.submit(_same, mapper, pure=False)
        futures = [
            client.submit(answer_partition, shared, partition, pure=False, retries=MOST_RETRIES)
            for partition in partitions
        ]
        for future in distributed.as_completed(futures):
            result = future.result()
            future.release()  # or a worker that is lost later would have it to do again
            yield result


def local_cluster(n_workers: int | None = None) -> Any:
    """Start worker processes on this machine, as many as there are cores by default.

    Dask looks at what its workers do a hundred times a second, and the work waits meanwhile: that is switched off.
    """
    import dask
    import distributed

    with dask.config.set({"distributed.worker.profile.enabled": False}):
        return distributed.LocalCluster(
            n_workers=n_workers, threads_per_worker=1, processes=True, dashboard_address=None
        )


def _same(mapper: Mapper) -> Mapper:
    return mapper
