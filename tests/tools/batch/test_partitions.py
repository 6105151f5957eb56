"""What a finished partition says of itself, against the file of its answers."""

from __future__ import annotations

import json

import numpy as np
import pytest

import elsewise as ew
from elsewise.tools.batch.partitions import METADATA_KEY, answer_partition, finished, partitions_of

pandas = pytest.importorskip("pandas")
parquet = pytest.importorskip("pyarrow.parquet")


@pytest.mark.parametrize("batch", [5, 100])
def test_statuses_count_rows_and_not_their_answers(loans, tmp_path, batch):
    rows = loans.frame.iloc[100:130].copy()
    rows.loc[rows.index[[3, 17]], "income"] = np.nan
    rows.to_parquet(tmp_path / "rows.parquet", index=False)
    mapper = loans.explainer.mapper(
        "yes", n_counterfactuals=3, diversity="columns", constraints=ew.Constraints(immutable=["years"])
    )
    (tmp_path / "answers").mkdir()
    (partition,) = partitions_of([tmp_path / "rows.parquet"], tmp_path / "answers", "a question")
    told = answer_partition(mapper, partition, batch)
    answers = pandas.read_parquet(partition.answers)
    assert len(answers) > len(rows)  # several answers a row
    first = answers.groupby("row").first()
    assert first.index.tolist() == list(range(len(rows)))
    assert told.statuses == first["status"].value_counts().to_dict()
    assert told.statuses["error"] == 2
    assert sum(told.statuses.values()) == told.n_rows == len(rows)
    assert finished(partition) == told
    stored = json.loads(parquet.read_metadata(partition.answers).metadata[METADATA_KEY.encode()])
    assert stored["statuses"] == told.statuses


def test_answers_to_other_rows_are_not_taken_for_finished(loans, tmp_path):
    rows, answers = tmp_path / "rows.parquet", tmp_path / "answers"
    loans.frame.iloc[100:104].to_parquet(rows, index=False)
    answers.mkdir()
    (partition,) = partitions_of([rows], answers, "a question")
    answer_partition(loans.explainer.mapper("yes"), partition)
    assert finished(partition) is not None
    loans.frame.iloc[104:108].to_parquet(rows, index=False)
    with pytest.raises(ew.InvalidInputError, match="or of other rows, than those asked for now"):
        finished(partition)
