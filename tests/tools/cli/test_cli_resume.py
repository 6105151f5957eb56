"""Work that is interrupted: finished rows stay, a later call goes on, and nobody can tell from the answers."""

import argparse
import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from elsewise.tools.cli import main
from elsewise.tools.cli.commands import explain
from elsewise.tools.cli.main import parser
from elsewise.tools.cli.partial import Interrupted, Partial

pandas = pytest.importorskip("pandas")


@pytest.fixture
def folder(loans, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    loans.explainer.save("explainer.ew")
    loans.frame.to_csv("rows.csv", index=False)
    return tmp_path


def _arguments(out="answers.csv", target="yes"):
    return ["explain", "--explainer", "explainer.ew", "--data", "rows.csv", "--target", target, "--out", out, "--quiet"]


def _stop_after(monkeypatch, n_chunks, error):
    """Raise at the start of a later chunk, as a signal would."""
    real, count = explain.records_of, 0

    def counted(answers, first):
        nonlocal count
        count += 1
        if count > n_chunks:
            raise error
        return real(answers, first)

    monkeypatch.setattr(explain, "records_of", counted)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("out", ["answers.csv", "answers.parquet"])
def test_finished_rows_stay_and_a_later_call_goes_on(folder, monkeypatch, capsys, out, number):
    if out.endswith("parquet"):
        pytest.importorskip("pyarrow")
    read = pandas.read_parquet if out.endswith("parquet") else pandas.read_csv
    code = main(_arguments(f"whole.{out}"))
    with monkeypatch.context() as patched:
        _stop_after(patched, 2, Interrupted(number))
        assert main([*_arguments(out), "--json"]) == 128 + number
    printed = capsys.readouterr()
    document = json.loads(printed.out.splitlines()[-1])
    n_finished = document["finished"]
    assert not document["complete"]
    assert 0 < n_finished < 240
    assert f"interrupted; {n_finished} of 240 rows are finished, in {out}" in printed.err
    assert len(read(out)) == n_finished
    if out.endswith("csv"):
        assert (folder / f"whole.{out}").read_bytes().startswith((folder / out).read_bytes())
    else:
        assert read(out).equals(read(f"whole.{out}").head(n_finished))
    assert main(_arguments(out)) == code
    assert (folder / out).read_bytes() == (folder / f"whole.{out}").read_bytes()
    assert sorted(path.name for path in folder.glob(f"*{out}*")) == sorted([out, f"whole.{out}"])


def test_an_interrupt_before_the_first_row_leaves_nothing(folder, monkeypatch, capsys):
    _stop_after(monkeypatch, 0, Interrupted(signal.SIGINT))
    assert main(_arguments()) == 130
    assert "no row is finished" in capsys.readouterr().err
    assert not list(folder.glob("answers*"))


def test_another_question_is_refused_with_what_differs(folder, monkeypatch, capsys):
    with monkeypatch.context() as patched:
        _stop_after(patched, 1, Interrupted(signal.SIGINT))
        main(_arguments())
    before = (folder / "answers.csv.partial").read_bytes()
    assert main(_arguments(target="no")) == 1
    message = capsys.readouterr().err
    assert "answers.csv.partial holds finished rows of another question: --target was yes, now it is no." in message
    assert "--fresh" in message
    pandas.read_csv("rows.csv").head(100).to_csv("rows.csv", index=False)
    assert main(_arguments()) == 1
    assert "question: --data was a file with the SHA-256 " in capsys.readouterr().err
    assert (folder / "answers.csv.partial").read_bytes() == before
    assert main([*_arguments(), "--fresh"]) in (0, 3)
    assert len(pandas.read_csv("answers.csv")) == 100


def _interrupted(monkeypatch, *arguments):
    """Answer the first rows, and leave the others."""
    with monkeypatch.context() as patched:
        _stop_after(patched, 2, Interrupted(signal.SIGINT))
        assert main([*_arguments(), *arguments]) == 130


@pytest.mark.parametrize(
    ("before", "after", "difference"),
    [
        ([], ["--min-probability", "0.6"], "--min-probability was not given, now it is 0.6"),
        (["--min-probability", "0.6"], [], "--min-probability was 0.6, now it is not given"),
        (["--min-probability", "0.6"], ["--min-probability", "0.7"], "--min-probability was 0.6, now it is 0.7"),
        ([], ["--n-counterfactuals", "2"], "--n-counterfactuals was 1, now it is 2"),
        ([], ["--time-limit", "5"], "--time-limit was not given, now it is 5.0"),
        ([], ["--threshold", "0.4"], "--threshold was not given, now it is 0.4"),
        ([], ["--why"], "--why was not given, now it is true"),
        ([], ["--keep", "client"], '--keep was not given, now it is ["client"]'),
        ([], ["--rules", "rules.toml"], "--rules was not given, now it is a file with the SHA-256 "),
    ],
)
def test_an_option_added_dropped_or_changed_is_refused(folder, monkeypatch, capsys, before, after, difference):
    pandas.read_csv("rows.csv").assign(client="c").to_csv("rows.csv", index=False)
    (folder / "rules.toml").write_text("max_changes = 2")
    _interrupted(monkeypatch, *before)
    partial = folder / "answers.csv.partial"
    finished = partial.read_bytes()
    capsys.readouterr()
    assert main([*_arguments(), *after]) == 1
    message = capsys.readouterr().err
    assert f"holds finished rows of another question: {difference}" in message
    assert "--fresh" in message
    assert partial.read_bytes() == finished


def test_every_option_of_the_question_is_part_of_it(folder):
    """Only options that no answer depends on may change between two calls."""
    names = set(vars(parser().parse_args(_arguments()))) - {"run"}
    free = {"out", "fresh", "json", "quiet", "jobs", "trust"} | {"engine", "scheduler", "workers"}
    asked = explain.question_of(argparse.Namespace(**dict.fromkeys(names, 7)))
    assert {name.removeprefix("--").replace("-", "_") for name in asked if name.startswith("--")} == names - free


def _edited(lines):
    number = next(n for n, line in enumerate(lines) if n > 2 and b'"distance":' in line)
    head, tail = lines[number].split(b'"distance":', 1)
    lines[number] = head + b'"distance":0.5' + tail[tail.index(b",") :]
    return number


def _shuffled(lines):
    lines[3], lines[4] = lines[4], lines[3]
    return 3


def _shuffled_and_renumbered(lines):
    """Answers of two rows exchanged, each under the other's number."""
    third, fourth = (lines[n].replace(b'{"row":%d,' % (n - 1), b'{"row":%d,' % (7 - n - 1)) for n in (3, 4))
    lines[3], lines[4] = fourth, third
    return 3


def _doubled(lines):
    lines.insert(5, lines[4])
    return 5


def _dropped(lines):
    del lines[4]
    return 4


def _foreign(lines):
    lines.insert(6, b'{"row":5,"answers":[]}')
    return 6


def _without_checksum(lines):
    lines[2] = lines[2].partition(b"\t")[0]
    return 2


def _other_question(lines):
    lines[0] = lines[0].replace(b'"yes"', b'"no"')
    return 0


@pytest.mark.parametrize("change", [_edited, _shuffled, _shuffled_and_renumbered, _doubled, _dropped, _foreign,
                                    _without_checksum, _other_question])  # fmt: skip
def test_lines_that_were_changed_are_found(folder, monkeypatch, capsys, change):
    main(_arguments("whole.csv"))
    _interrupted(monkeypatch)
    partial = folder / "answers.csv.partial"
    lines = partial.read_bytes().split(b"\n")
    number = change(lines)
    partial.write_bytes(b"\n".join(lines))
    changed = partial.read_bytes()
    capsys.readouterr()
    target = "no" if change is _other_question else "yes"
    assert main(_arguments(target=target)) == 1
    message = capsys.readouterr().err
    about = f"row {number - 1}" if number else "the question"
    assert f"answers.csv.partial: line {number + 1}, {about}, was changed after it was written" in message
    assert "--fresh" in message
    assert partial.read_bytes() == changed
    assert main([*_arguments(), "--fresh"]) in (0, 3)
    assert (folder / "answers.csv").read_bytes() == (folder / "whole.csv").read_bytes()


def test_lines_left_out_at_the_end_are_done_again(folder, monkeypatch):
    main(_arguments("whole.csv"))
    _interrupted(monkeypatch)
    partial = folder / "answers.csv.partial"
    lines = partial.read_bytes().split(b"\n")
    partial.write_bytes(b"\n".join(lines[:-6]) + b"\n")
    main(_arguments())
    assert (folder / "answers.csv").read_bytes() == (folder / "whole.csv").read_bytes()


def test_a_file_of_another_version_is_refused(folder, capsys):
    (folder / "answers.csv.partial").write_text('{"elsewise_partial": 1, "question": {}}\n')
    assert main(_arguments()) == 1
    assert "written by another version of elsewise. Begin anew with --fresh" in capsys.readouterr().err


def test_jobs_are_no_part_of_the_question(folder, monkeypatch):
    main(_arguments("whole.csv"))
    with monkeypatch.context() as patched:
        _stop_after(patched, 1, Interrupted(signal.SIGINT))
        main(_arguments())
    main([*_arguments(), "--jobs", "2"])
    assert (folder / "answers.csv").read_bytes() == (folder / "whole.csv").read_bytes()


def test_an_error_in_between_keeps_what_is_finished(folder, monkeypatch, capsys):
    with monkeypatch.context() as patched:
        _stop_after(patched, 2, OSError("No space left on device"))
        assert main(_arguments()) == 1
    assert "No space left" in capsys.readouterr().err
    assert main(_arguments()[:-1]) in (0, 3)
    assert "rows are finished already, going on from there" in capsys.readouterr().err


@pytest.mark.parametrize("cut", [1, 30, 200])
def test_a_cut_off_line_is_done_again(folder, monkeypatch, cut):
    main(_arguments("whole.csv"))
    with monkeypatch.context() as patched:
        _stop_after(patched, 1, Interrupted(signal.SIGINT))
        main(_arguments())
    partial = folder / "answers.csv.partial"
    partial.write_bytes(partial.read_bytes()[:-cut])
    main(_arguments())
    assert (folder / "answers.csv").read_bytes() == (folder / "whole.csv").read_bytes()


def test_a_cut_off_line_leaves_nothing_behind_when_interrupted_again(folder, monkeypatch):
    main(_arguments("whole.csv"))
    partial = folder / "answers.csv.partial"
    _interrupted(monkeypatch)
    partial.write_bytes(partial.read_bytes()[:-30])
    _interrupted(monkeypatch)
    main(_arguments())
    assert (folder / "answers.csv").read_bytes() == (folder / "whole.csv").read_bytes()


def test_a_foreign_file_in_the_way_is_left_alone(folder, capsys):
    partial = folder / "answers.csv.partial"
    partial.write_text("my notes\n")
    assert main(_arguments()) == 1
    assert "is no list of finished rows" in capsys.readouterr().err
    assert partial.read_text() == "my notes\n"


@pytest.mark.skipif(sys.platform == "win32", reason="symbolic links need rights there")
def test_links_are_not_followed(folder, capsys):
    other = folder / "precious.txt"
    other.write_text("precious")
    (folder / "answers.csv.partial").symlink_to(other)
    assert main([*_arguments(), "--fresh"]) == 1
    assert "is no plain file" in capsys.readouterr().err
    assert other.read_text() == "precious"


@pytest.mark.skipif(sys.platform == "win32", reason="no locks there")
def test_two_at_a_time_are_refused(folder, capsys):
    with Partial(folder / "answers.csv", {"a": 1}):
        assert main([*_arguments(), "--fresh"]) == 1
    assert "another process is working on the same output" in capsys.readouterr().err


def test_partial_files_hold_numbers_to_the_last_bit(tmp_path):
    values = [float(value) for value in np.random.default_rng(0).normal(size=50)] + [np.inf, 5e-324]
    with Partial(tmp_path / "a.csv", {"q": None}) as partial:
        partial.append({"row": row, "value": value} for row, value in enumerate(values))
    with Partial(tmp_path / "a.csv", {"q": None}) as partial:
        assert [record["value"] for record in partial.records()] == values


@pytest.mark.skipif(sys.platform == "win32", reason="signals are different there")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_real_process_is_stopped_and_goes_on(folder, loans, number):
    rows = pandas.concat([loans.frame] * 12, ignore_index=True)
    rows["income"] += np.random.default_rng(0).normal(size=len(rows)) / 10
    rows.to_csv("rows.csv", index=False)
    command = [sys.executable, "-m", "elsewise", *_arguments()]
    environment = os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
    partial, deadline = folder / "answers.csv.partial", time.monotonic() + 60
    while not (partial.exists() and partial.read_bytes().count(b"\n") > 1):
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.005)
    process.send_signal(number)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 128 + number
    assert "interrupted" in errors
    assert "Traceback" not in errors
    n_finished = len(pandas.read_csv("answers.csv"))
    assert 0 < n_finished < len(rows)
    finished = partial.read_bytes()
    assert finished.count(b"\n") == n_finished + 1
    code = subprocess.run(command, capture_output=True, env=environment, timeout=120, check=False).returncode
    assert code in (0, 3)
    assert not partial.exists()
    assert main(_arguments("whole.csv")) == code
    assert (folder / "answers.csv").read_bytes() == (folder / "whole.csv").read_bytes()
