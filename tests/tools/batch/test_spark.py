"""Spark in local mode: the answers are those of one process."""

from __future__ import annotations

import os
import shutil
import sys

import pytest

pandas = pytest.importorskip("pandas")
sql = pytest.importorskip("pyspark.sql", reason="needs pyspark: pip install 'elsewise[spark]'")
pytestmark = [
    pytest.mark.filterwarnings("ignore"),  # of Spark, not ours
    pytest.mark.skipif(shutil.which("java") is None and "JAVA_HOME" not in os.environ, reason="Spark needs a JRE"),
]


@pytest.fixture(scope="module")
def session(monkeypatch_module):
    monkeypatch_module.setenv("PYSPARK_PYTHON", sys.executable)
    session = (
        sql.SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.host", "127.0.0.1")
        .getOrCreate()
    )
    yield session
    session.stop()


@pytest.fixture(scope="module")
def monkeypatch_module():
    with pytest.MonkeyPatch.context() as patch:
        yield patch


def test_map_in_pandas(session, loans):
    rows = loans.frame.iloc[:40].copy()
    rows["customer"] = range(40)
    rows.loc[3, "housing"] = "boat"
    mapper = loans.explainer.mapper("yes", id_columns={"customer": "int64"}, n_counterfactuals=2)
    records = [tuple(value.item() if hasattr(value, "item") else value for value in row) for row in rows.to_numpy()]
    table = session.createDataFrame(records, schema=list(rows.columns)).repartition(4)
    found = table.mapInPandas(mapper.batches, mapper.spark_schema).toPandas()
    expected = mapper(rows).reset_index(drop=True)
    found = found.sort_values(["customer", "answer"]).reset_index(drop=True)
    found = found.astype(expected.dtypes.to_dict())
    pandas.testing.assert_frame_equal(found, expected)
    assert found["error"].notna().sum() == 1
