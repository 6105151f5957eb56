"""``elsewise monitor``: the baseline, comparisons, and worth an alert."""

from __future__ import annotations

import json

import numpy as np
import pytest

import elsewise as ew
from elsewise.tools.cli import main
from elsewise.tools.files.explainers import read_header

pandas = pytest.importorskip("pandas")
RULES = 'immutable = ["guarantor"]\n'


@pytest.fixture(scope="module")
def folder(loans, tmp_path_factory):
    """Files: an explainer that remembers nothing, held-out rows, rows like them, and rows that moved."""
    place = tmp_path_factory.mktemp("monitor")
    loans.explainer.save(place / "explainer.ew")
    (place / "rules.toml").write_text(RULES)
    loans.frame.iloc[::2].to_csv(place / "held_out.csv", index=False)
    rows = loans.frame.iloc[1::2]
    rows.assign(client=range(len(rows))).to_csv(place / "like.csv", index=False)
    rows.assign(income=rows["income"] - 4.0).to_csv(place / "moved.csv", index=False)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(place)
        asked = ["--target", "yes", "--rules", "rules.toml", "--set-baseline", "watched.ew", "--jobs", "2", "--quiet"]
        assert main(["monitor", "--explainer", "explainer.ew", "--data", "held_out.csv", *asked]) == 0
    return place


@pytest.fixture
def monitor(folder, monkeypatch, capsys):
    """The command in the folder: its exit code, and what it prints."""
    monkeypatch.chdir(folder)

    def run(*arguments):
        code = main(["monitor", *arguments])
        return code, capsys.readouterr()

    return run


def test_the_baseline_is_that_of_python(folder, loans):
    ours = ew.load(folder / "watched.ew")
    theirs = ew.load(folder / "explainer.ew").set_baseline(
        loans.frame.iloc[::2], "yes", constraints=ew.Constraints(immutable=["guarantor"])
    )
    assert ours.n_jobs == theirs.n_jobs
    assert ours.baseline_.target == "yes"
    assert ours.baseline_.observed.n_infeasible == theirs.baseline_.observed.n_infeasible
    np.testing.assert_array_equal(ours.baseline_.observed.distances, theirs.baseline_.observed.distances)


def test_rows_like_those_at_fit_are_no_alert(monitor):
    code, printed = monitor("--explainer", "watched.ew", "--data", "like.csv", "--alert", "--json")
    assert code == 0
    found = json.loads(printed.out)
    assert (found["data"], found["rows"], found["alerts"]) == ("like.csv", 120, [])
    assert {"infeasible_share", "distance", "plausibility"} <= {each["name"] for each in found["readings"]}
    assert "client" in printed.err


def test_rows_that_moved_are_an_alert(monitor, loans):
    code, printed = monitor("--explainer", "watched.ew", "--data", "moved.csv", "--alert", "--json", "--quiet")
    assert code == 4
    assert printed.err == ""
    found = json.loads(printed.out)
    assert {"distance", "plausibility"} <= set(found["alerts"])
    rows = loans.frame.iloc[1::2]
    wanted = ew.load("watched.ew").monitor(rows.assign(income=rows["income"] - 4.0)).to_mapping()
    assert [each["name"] for each in found["readings"]] == [each["name"] for each in wanted["readings"]]
    for ours, theirs in zip(found["readings"], wanted["readings"]):
        assert ours["now"] == pytest.approx(theirs["now"], rel=1e-9)


def test_without_alert_the_code_is_zero_and_the_words_say_it(monitor):
    code, printed = monitor("--explainer", "watched.ew", "--data", "moved.csv", "--quiet")
    assert code == 0
    assert "ALERT  plausibility" in printed.out


def test_a_file_without_a_pickle_stays_one(monitor, loans):
    pytest.importorskip("skops")
    loans.explainer.save("safe.ew", safe=True)
    arguments = ("--data", "held_out.csv", "--target", "yes", "--set-baseline", "safe_watched.ew", "--json", "--quiet")
    code, printed = monitor("--explainer", "safe.ew", *arguments)
    assert code == 0
    assert json.loads(printed.out)["rows"] == 120
    assert read_header("safe_watched.ew").body == "skops"
    assert monitor("--explainer", "safe_watched.ew", "--data", "moved.csv", "--alert", "--quiet")[0] == 4


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--explainer", "explainer.ew"), "nothing to compare with"),
        (("--explainer", "watched.ew", "--target", "yes"), "--target belongs to --set-baseline"),
        (("--explainer", "watched.ew", "--time-limit", "3"), "--time-limit belongs to --set-baseline"),
        (("--explainer", "watched.ew", "--overwrite"), "--overwrite belongs to --set-baseline"),
        (("--explainer", "explainer.ew", "--set-baseline", "watched.ew"), "exists already"),
        (("--explainer", "explainer.ew", "--set-baseline", "other.ew", "--alert"), "nothing is compared"),
        (("--explainer", "explainer.ew", "--set-baseline", "other.ew", "--target", "perhaps"), "no label 'perhaps'"),
    ],
)
def test_what_does_not_go_together_is_refused(monitor, folder, arguments, message):
    code, printed = monitor("--data", "like.csv", "--quiet", *arguments)
    assert code == 1
    assert message in printed.err
    assert not (folder / "other.ew").exists()
