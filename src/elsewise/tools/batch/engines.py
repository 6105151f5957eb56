"""Who answers for the partitions: this process, or the workers of a Dask cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from typing import Any

from ...errors import MissingDependencyError
from .mapper import Mapper
from .partitions import Partition, PartitionAnswers, answer_partition

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
