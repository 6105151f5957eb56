"""``elsewise explain`` into a folder: a file a partition, complete or not there, and nothing lost or doubled."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from elsewise.tools.batch import partitions
from elsewise.tools.cli import main

pandas = pytest.importorskip("pandas")
parquet = pytest.importorskip("pyarrow.parquet")
N_PARTS = 5


@pytest.fixture
def folder(loans, tmp_path, monkeypatch):
    """An explainer, and five files of rows with the client's number in each."""
    monkeypatch.chdir(tmp_path)
    loans.explainer.save("explainer.ew")
    (tmp_path / "parts").mkdir()
    rows = loans.frame.assign(client=np.arange(len(loans.frame)))
    rows.loc[7, "income"] = np.nan
    for part in range(N_PARTS):
        rows.iloc[part::N_PARTS].to_parquet(f"parts/part-{part}.parquet", index=False)
    return tmp_path


def _arguments(*more):
    return ["explain", "--explainer", "explainer.ew", "--data", "parts/*.parquet", "--target", "yes", "--keep",
            "client", "--out", "answers", "--quiet", *more]  # fmt: skip


def _read():
    files = sorted(os.listdir("answers"))
    assert files == [f"part-{part}.parquet" for part in range(N_PARTS)]
    return pandas.concat([pandas.read_parquet(f"answers/{name}") for name in files]).sort_values("client")


def _check(loans):
    """Every client once, with the answer that the library gives."""
    read = _read()
    assert read["client"].tolist() == list(range(len(loans.frame)))
    right = np.flatnonzero(read["status"] != "error")
    assert len(right) == len(loans.frame) - 1
    expected = loans.explainer.explain(loans.frame.iloc[right], "yes")
    np.testing.assert_array_equal(read["distance"].to_numpy()[right], expected.distances)
    np.testing.assert_array_equal(read["income"].to_numpy()[right], expected.counterfactuals["income"])


def test_a_file_of_answers_for_every_file_of_rows(folder, loans, capsys, monkeypatch):
    monkeypatch.setattr(partitions.answer_partition, "__defaults__", (11,))  # several batches a file
    assert main(_arguments("--json")) == 3  # one row is wrong
    told = json.loads(capsys.readouterr().out)
    assert (told["files"], told["rows"], told["statuses"]["error"]) == (N_PARTS, len(loans.frame), 1)
    _check(loans)
    assert _read()["row"].max() == len(loans.frame) // N_PARTS - 1


def test_what_is_finished_is_not_done_again(folder, loans, capsys):
    main(_arguments())
    (folder / "answers" / "part-3.parquet").unlink()
    (folder / "answers" / ".unfinished-part-3.parquet-0").touch()
    times = {path.name: path.stat().st_mtime_ns for path in (folder / "answers").glob("part*")}
    capsys.readouterr()
    main(_arguments("--json"))
    assert json.loads(capsys.readouterr().out)["finished_before"] == N_PARTS - 1
    assert all((folder / "answers" / name).stat().st_mtime_ns == then for name, then in times.items())
    _check(loans)


def test_answers_to_another_question_or_of_other_rows_are_not_taken(folder, loans, capsys):
    main(_arguments())
    assert main(_arguments("--n-counterfactuals", "2")) == 1
    assert "another question" in capsys.readouterr().err
    rows = pandas.read_parquet("parts/part-0.parquet")
    rows.assign(income=rows["income"] + 0.1).to_parquet("parts/part-0.parquet", index=False)
    assert main(_arguments()) == 1
    assert "another question, or of other rows" in capsys.readouterr().err
    assert main(_arguments("--fresh")) == 3
    rows.to_parquet("answers/part-1.parquet", index=False)
    assert main(_arguments()) == 1
    assert "no file of answers" in capsys.readouterr().err


def _command(*more):
    return [sys.executable, "-m", "elsewise", *_arguments(*more)]


def _kill_in_the_middle(process):
    """Wait for the second file, then end the process without asking."""
    until = time.monotonic() + 120
    while len([name for name in os.listdir(".") if name == "answers"]) == 0 or len(_finished()) < 2:
        assert time.monotonic() < until
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()


def _finished():
    return [name for name in os.listdir("answers") if name.startswith("part")]


def test_a_kill_in_the_middle_loses_and_doubles_nothing(folder, loans):
    """Slowed down by sentences and small batches, so that there is a middle."""
    for part in range(N_PARTS):
        rows = pandas.read_parquet(f"parts/part-{part}.parquet")
        pandas.concat([rows] * 8).to_parquet(f"parts/part-{part}.parquet", index=False)
    process = subprocess.Popen(_command("--sentences"))
    _kill_in_the_middle(process)
    assert len(_finished()) < N_PARTS
    assert main(_arguments("--sentences")) == 3
    read = _read()
    assert read["client"].tolist() == np.repeat(np.arange(len(loans.frame)), 8).tolist()
    assert read.groupby("client")["distance"].nunique(dropna=False).eq(1).all()


@pytest.mark.filterwarnings("ignore")  # of the cluster, not ours
def test_on_a_cluster_of_two_processes(folder, loans, capsys):
    pytest.importorskip("distributed", reason="needs dask: pip install 'elsewise[dask]'")
    assert main(_arguments("--engine", "dask", "--workers", "2")) == 3
    _check(loans)


def test_csv_files_as_well(folder, loans):
    for part in range(N_PARTS):
        pandas.read_parquet(f"parts/part-{part}.parquet").to_csv(f"parts/part-{part}.csv", index=False)
        os.unlink(f"parts/part-{part}.parquet")
    arguments = _arguments()
    arguments[arguments.index("parts/*.parquet")] = "parts/*.csv"
    assert main(arguments) == 3
    read = _read()
    read["client"] = read["client"].astype(int)
    assert sorted(read["client"]) == list(range(len(loans.frame)))


def test_the_report_reads_a_partition(folder, loans):
    main(_arguments())
    assert main(["report", "--explainer", "explainer.ew", "--data", "parts/part-0.parquet", "--answers",
                 "answers/part-0.parquet", "--out", "report.html", "--quiet"]) == 0  # fmt: skip


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (["--out", "answers.csv"], "expected a folder"),
        (["--scheduler", "tcp://nowhere:1"], "--engine dask"),
        (["--why"], "--why is for answers in one file"),
        (["--errors", "raise"], "--errors raise is for"),
        (["--keep", "nobody"], "no column 'nobody'"),
        (["--data", "nothing/*.parquet"], "no file fits it"),
        (["--data", "*"], "does not end in"),
    ],
)
def test_what_does_not_go_together_is_refused(folder, more, words, capsys):
    assert main(_arguments(*more)) == 1
    assert words in capsys.readouterr().err


def test_two_files_of_the_same_name_are_refused(folder, capsys):
    pandas.read_parquet("parts/part-0.parquet").to_csv("parts/part-0.csv", index=False)
    arguments = _arguments()
    arguments[arguments.index("parts/*.parquet")] = "parts/*"
    assert main(arguments) == 1
    assert "called 'part-0'" in capsys.readouterr().err
