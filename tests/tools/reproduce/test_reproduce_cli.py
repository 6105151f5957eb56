"""``elsewise reproduce``: files, exit codes, same seed same table."""

import urllib.error

import numpy as np
import pytest

from elsewise.tools.cli import main
from elsewise.tools.cli.commands import reproduce as command
from elsewise.tools.reproduce import data, digits_panel
from elsewise.tools.reproduce import protocol as protocol_module

FILES = {"table1.txt", "table1.md", "table1.csv", "table1.json", "timings.md"}


def _table(out, *more):
    return main(["reproduce", "table1", "--quick", "--data", "iris", "--out", str(out), *more])


@pytest.fixture(autouse=True)
def few_rows(monkeypatch):
    monkeypatch.setattr(command, "QUICK_ROWS", 10)


def test_table_is_written_and_the_same_for_the_same_seed(tmp_path, capsys):
    pytest.importorskip("matplotlib")
    contents = []
    for name, jobs in (("first", "1"), ("second", "2")):
        assert _table(tmp_path / name, "--seed", "2", "--jobs", jobs) == 0
        contents.append({file: (tmp_path / name / file).read_bytes() for file in FILES - {"timings.md"}})
    assert contents[0] == contents[1]
    printed = capsys.readouterr()
    assert printed.err == ""
    assert "With the density constraint: median Manhattan distance" in printed.out
    assert (tmp_path / "first" / "table1.png").read_bytes().startswith(b"\x89PNG")
    assert _table(tmp_path / "third", "--seed", "3") == 0
    assert (tmp_path / "third" / "table1.csv").read_bytes() != contents[0]["table1.csv"]


def test_finished_folds_are_not_run_again(tmp_path, monkeypatch):
    assert _table(tmp_path) == 0
    before = (tmp_path / "table1.json").read_bytes()

    def fails(*arguments):
        raise AssertionError("a finished fold was run again")

    monkeypatch.setattr(protocol_module, "GaussianMixtureDensity", fails)
    assert _table(tmp_path) == 0
    assert (tmp_path / "table1.json").read_bytes() == before


def test_house_prices_are_skipped_with_a_clear_line(tmp_path, monkeypatch, capsys):
    def fails(**arguments):
        raise urllib.error.URLError("no route to host")

    monkeypatch.setattr(data, "fetch_openml", fails)
    arguments = ["reproduce", "table1", "--quick", "--out", str(tmp_path), "--data"]
    assert main([*arguments, "iris", "house_prices"]) == 0
    printed = capsys.readouterr()
    assert "house_prices is skipped: OpenML cannot be reached" in printed.err
    assert "--house-prices FILE" in printed.err
    assert "Without house_prices" in (tmp_path / "table1.md").read_text(encoding="utf-8")
    assert main([*arguments, "house_prices"]) == 1


def test_a_wrong_answer_fails_the_command(tmp_path, monkeypatch, capsys):
    real = protocol_module._Judge.__call__

    def never_dense(self, points):
        judged = real(self, points)
        judged.dense[0] = False
        return judged

    monkeypatch.setattr(protocol_module._Judge, "__call__", never_dense)
    monkeypatch.setattr(protocol_module.Protocol, "targets", lambda self, data: (data.y + 1) % 3)
    assert _table(tmp_path) == 1
    assert "not valid, or not dense enough" in capsys.readouterr().err


def test_page_is_filled(tmp_path):
    page = tmp_path / "page.md"
    markers = "".join(f"<!-- {n} elsewise: begin -->\n<!-- {n} elsewise: end -->\n" for n in ("table1", "timings"))
    page.write_text(markers, encoding="utf-8")
    assert _table(tmp_path / "out", "--page", str(page)) == 0
    text = page.read_text(encoding="utf-8")
    assert (tmp_path / "out" / "table1.md").read_text(encoding="utf-8").strip() in text
    page.write_text("nothing to fill", encoding="utf-8")
    assert _table(tmp_path / "out", "--page", str(page)) == 1


@pytest.mark.parametrize(
    ("option", "value"), [("--folds", "1"), ("--jobs", "0"), ("--seed", "-1"), ("--models", "forest"), ("--data", "x")]
)
def test_wrong_usage_exits_with_2(option, value, capsys):
    with pytest.raises(SystemExit, match="2"):
        main(["reproduce", "table1", option, value])
    assert option in capsys.readouterr().err


def test_missing_house_prices_file_is_an_error(tmp_path, capsys):
    arguments = ["--data", "house_prices", "--house-prices", str(tmp_path / "none.csv"), "--out", str(tmp_path)]
    assert main(["reproduce", "table1", *arguments]) == 1
    assert "none.csv" in capsys.readouterr().err


@pytest.mark.slow
def test_digits_panel_shows_each_digit_with_valid_counterfactuals(tmp_path):
    pytest.importorskip("matplotlib")
    panel = digits_panel(seed=1)
    original, *counterfactuals = panel.blocks
    np.testing.assert_array_equal(original.labels, np.arange(10))
    assert len(counterfactuals) == 8
    for block in counterfactuals:
        assert (block.labels != original.labels).all()
        assert np.abs(block.pictures - original.pictures).sum(axis=1).min() > 0
    distances = np.array([np.abs(block.pictures - original.pictures).sum(1) for block in counterfactuals])
    closest, plausible, spherical, low_rank = np.split(distances, 4)
    assert (closest <= np.minimum(np.minimum(plausible, spherical), low_rank) + 1e-9).all()
    shares = {row[:2]: float(row[3]) for row in panel.readings.rows}
    for model in ("softmax", "tree"):
        assert shares["plausible", model] > 50.0 > 20.0 > shares["closest", model]
        assert shares["plausible, spherical mixtures", model] > 85.0
        assert shares["plausible, low-rank mixtures", model] > 85.0
    out = tmp_path / "figure1.png"
    panel.draw().savefig(out)
    assert out.read_bytes().startswith(b"\x89PNG")
