"""The command line, called as a function and as a process."""

import builtins
import re
import subprocess
import sys

import numpy as np
import pytest
from sklearn.model_selection import train_test_split

import elsewise as ew
from answers_in_range import watched
from elsewise.tools.cli import main
from elsewise.tools.cli.commands import demo
from elsewise.tools.cli.commands.demo import compare_row, explain_all, prepare
from elsewise.tools.cli.summary import aligned


@pytest.fixture(scope="module")
def study():
    return prepare(seed=0)


def _without(monkeypatch, library):
    """Make a library look as if it were not installed."""
    real = builtins.__import__

    def fails(name, *args, **kwargs):
        if name == library or name.startswith(f"{library}."):
            raise ImportError(name)
        return real(name, *args, **kwargs)

    for name in [name for name in sys.modules if name == library or name.startswith(f"{library}.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(builtins, "__import__", fails)


def test_demo_writes_tables_and_picture(tmp_path, capsys):
    pytest.importorskip("matplotlib")
    out = tmp_path / "picture.png"
    with watched() as outside:
        assert main(["demo", "--rows", "2", "--out", str(out), "--seed", "1"]) == 0
    assert outside == []  # but for the closest, which show what happens without rules
    printed = capsys.readouterr()
    assert printed.out.count("What would make it say benign?") == 2
    assert f"Picture of row {re.search(r'Row ([0-9]+)', printed.out)[1]}: {out}" in printed.out
    assert "\x1b" not in printed.out + printed.err
    assert "\r" not in printed.out + printed.err
    assert out.read_bytes().startswith(b"\x89PNG")
    assert out.stat().st_size < 200_000


def test_demo_of_a_forest_is_confirmed(tmp_path, monkeypatch, capsys):
    def with_fewer_rows(*arrays, **options):  # 40 instead of 171 are asked about
        return train_test_split(*arrays, **{**options, "train_size": 0.7, "test_size": 40})

    monkeypatch.setattr(demo, "train_test_split", with_fewer_rows)
    assert main(["demo", "--rows", "1", "--model", "forest", "--out", str(tmp_path / "forest.svg")]) == 0
    said = capsys.readouterr().out
    assert "RandomForestClassifier of 20 trees" in said
    for what in ("valid, by the model's own predict", "realistic, computed again"):
        line = next(line for line in said.splitlines() if what in line)
        assert line.endswith("100 %")


def test_demo_is_the_same_every_time_but_for_the_clock(tmp_path, capsys):
    runs = []
    for _ in range(2):
        assert main(["demo", "--rows", "1", "--out", str(tmp_path / "again.svg")]) == 0
        runs.append(re.sub(r"[0-9.]+ ms", "", capsys.readouterr().out))
    assert runs[0] == runs[1]


def test_demo_without_matplotlib_names_the_extra_and_goes_on(tmp_path, monkeypatch, capsys):
    _without(monkeypatch, "matplotlib")
    out = tmp_path / "picture.png"
    assert main(["demo", "--rows", "1", "--out", str(out)]) == 0
    printed = capsys.readouterr()
    assert "pip install 'elsewise[plot]'" in printed.err
    assert "held-out rows, each to the other class" in printed.out
    assert not out.exists()


def test_demo_without_tqdm_is_quiet(tmp_path, monkeypatch, capsys):
    _without(monkeypatch, "tqdm")
    assert main(["demo", "--rows", "1", "--out", str(tmp_path / "picture.svg")]) == 0
    assert capsys.readouterr().err == ""


def test_demo_shows_values_of_real_rows(study):
    row = compare_row(study, int(study.to_show(1)[0]))
    closest, plausible = row.closest, row.plausible
    np.testing.assert_array_equal(study.model.predict(np.vstack([closest.x, plausible.x])), "malignant")
    points = np.vstack([closest.counterfactual, plausible.counterfactual])
    np.testing.assert_array_equal(study.model.predict(points), "benign")
    moved = np.flatnonzero((points != closest.x).any(axis=0))
    assert sorted(row.changed) == moved.tolist()
    spread = study.train.std(axis=0)
    assert closest.distance == pytest.approx((np.abs(points[0] - closest.x) / spread).sum())
    assert closest.distance < plausible.distance
    unseen = (points < study.train.min(axis=0)) | (points > study.train.max(axis=0))
    assert row.has_unseen_values == unseen[:, moved].any()


def test_demo_batch_is_confirmed(study):
    told = []
    batch = explain_all(study, told.append)
    assert sum(told) == 2 * len(study.test)
    assert batch.all_confirmed
    assert batch.closest.dense < 1.0
    assert batch.closest.median_distance < batch.plausible.median_distance
    assert study.share_below("benign", np.inf) == 1.0
    assert study.share_below("benign", -np.inf) == 0.0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["demo", "--rows", "0"], "at least 1, received '0'"),
        (["demo", "--rows", "many"], "at least 1, received 'many'"),
        (["demo", "--seed", "-1"], "whole number from 0"),
        (["demo", "--out", "picture.doc"], r"ending in \.png, \.pdf, \.svg, received 'picture.doc'"),
        (["demo", "--out", "no-such-folder/picture.png"], "'no-such-folder' does not exist"),
        (["demo", "--out", "folder.png"], "'folder.png' is a folder"),
        (["dance"], "invalid choice: 'dance'"),
        ([], "required: COMMAND"),
    ],
)
def test_wrong_usage_ends_with_2_and_says_what_is_wrong(arguments, message, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder.png").mkdir()
    with pytest.raises(SystemExit, match="2"):
        main(arguments)
    assert re.search(message, capsys.readouterr().err)


def test_a_picture_that_cannot_be_written_ends_with_1(tmp_path, capsys):
    pytest.importorskip("matplotlib")
    picture = tmp_path / "picture.png"
    picture.symlink_to(tmp_path / "no-such-folder" / "picture.png")
    assert main(["demo", "--rows", "1", "--out", str(picture)]) == 1
    assert "picture.png" in capsys.readouterr().err


def test_an_interrupt_ends_with_130(monkeypatch, capsys):
    def interrupted(seed, kind):
        raise KeyboardInterrupt

    monkeypatch.setattr("elsewise.tools.cli.commands.demo.prepare", interrupted)
    assert main(["demo"]) == 130
    assert "interrupted" in capsys.readouterr().err


def test_version_and_module_entry():
    answer = subprocess.run([sys.executable, "-m", "elsewise", "--version"], capture_output=True, text=True, check=True)
    assert answer.stdout == f"elsewise {ew.__version__}\n"


def test_a_reader_that_leaves_early_gets_no_traceback():
    code = "from elsewise.tools.cli import main; import elsewise.tools.cli.commands.demo as d, sys; " \
        "d.prepare = lambda seed, kind: print('x' * 10**6); sys.exit(main(['demo']))"  # fmt: skip
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    process.stdout.close()
    errors = process.stderr.read()
    process.stderr.close()
    assert process.wait(timeout=60) == 1
    assert errors == ""


def test_columns_are_aligned():
    assert aligned([["a", "1"], ["long", "200"], []], indent=1, gap=2) == " a       1\n long  200\n"
