"""Ray Data on this machine: the answers are those of one process."""

from __future__ import annotations

import pytest

pandas = pytest.importorskip("pandas")
ray = pytest.importorskip("ray", reason="needs ray: pip install 'elsewise[ray]'")
pytestmark = pytest.mark.filterwarnings("ignore")  # of Ray, not ours


@pytest.fixture(scope="module")
def runtime():
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    yield
    ray.shutdown()


@pytest.mark.parametrize("batch_format", ["default", "pandas", "pyarrow"])
def test_map_batches(runtime, loans, batch_format):
    rows = loans.frame.iloc[:40].copy()
    rows["customer"] = range(40)
    rows.loc[3, "housing"] = "boat"
    mapper = loans.explainer.mapper("yes", id_columns={"customer": "int64"})
    data = ray.data.from_pandas(rows).repartition(4)
    found = data.map_batches(mapper, batch_format=batch_format).to_pandas().sort_values("customer")
    expected = mapper(rows).reset_index(drop=True)
    found = found.reset_index(drop=True).astype(expected.dtypes.to_dict())
    pandas.testing.assert_frame_equal(found, expected)
    assert found["error"].notna().sum() == 1
