"""Dask with a scheduler and two worker processes of its own: the answers are those of one process."""

from __future__ import annotations

import os
import signal

import pytest

import elsewise as ew

pandas = pytest.importorskip("pandas")
dataframe = pytest.importorskip("dask.dataframe", reason="needs dask: pip install 'elsewise[dask]'")
distributed = pytest.importorskip("distributed", reason="needs dask: pip install 'elsewise[dask]'")
pytestmark = pytest.mark.filterwarnings("ignore")  # of the cluster, not ours


@pytest.fixture(scope="module")
def client():
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


def test_partitions_on_two_processes(client, loans):
    rows = loans.frame.iloc[:60].copy()
    rows.loc[7, "income"] = float("nan")
    rows["customer"] = range(1000, 1060)
    rules = ew.Constraints(immutable=["guarantor"])
    mapper = loans.explainer.mapper("yes", constraints=rules, id_columns={"customer": "int64"})
    parts = dataframe.from_pandas(rows, npartitions=6)
    answers = parts.map_partitions(mapper, meta=mapper.meta).compute()
    pandas.testing.assert_frame_equal(answers, mapper(rows))
    assert answers["status"].eq("error").sum() == 1


def test_a_worker_that_dies_loses_and_doubles_nothing(client, loans, tmp_path):
    rows = loans.frame.iloc[:40].copy()
    rows["customer"] = range(40)
    mapper = loans.explainer.mapper("yes", id_columns={"customer": "int64"})
    dead = tmp_path / "dead"

    def killed_once(frame):
        if 20 in frame["customer"].tolist() and not dead.exists():
            dead.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return mapper(frame)

    parts = dataframe.from_pandas(rows, npartitions=8)
    answers = parts.map_partitions(killed_once, meta=mapper.meta).compute()
    assert dead.exists()
    pandas.testing.assert_frame_equal(answers, mapper(rows))
