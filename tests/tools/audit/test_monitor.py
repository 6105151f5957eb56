"""Monitoring: nothing is said of rows like those at fit, what has changed is."""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy.stats import ks_2samp

import elsewise as ew
from elsewise.tools.audit.monitor import Observed, compared

pandas = pytest.importorskip("pandas")


@pytest.fixture(scope="module")
def watched(loans, tmp_path_factory):
    """An explainer that remembers every other row, saved and loaded; and the rows it has not seen."""
    path = tmp_path_factory.mktemp("monitor") / "explainer.ew"
    ew.Explainer(**loans.explainer.get_params(deep=False)).fit(loans.frame, loans.label).set_baseline(
        loans.frame.iloc[::2], "yes"
    ).save(path)
    return ew.load(path), loans.frame.iloc[1::2]


def test_rows_like_those_at_fit_are_no_alert(watched):
    explainer, rows = watched
    found = explainer.monitor(rows)
    assert found.alerts == ()
    assert {each.name for each in found.readings} == {
        "wrong_share", "infeasible_share", "distance", "plausibility", "unusual_share"
    }  # fmt: skip
    answers = explainer.explain(rows, "yes")
    changed = answers.changed.any(axis=1)
    assert found["distance"].now == pytest.approx(np.median(answers.distances[changed & answers.found]))
    assert json.dumps(found.to_mapping(), allow_nan=False)


def test_rows_that_moved_are_an_alert(watched):
    explainer, rows = watched
    moved = rows.assign(income=rows["income"] - 4.0)
    found = explainer.monitor(moved)
    assert "plausibility" in found.alerts
    assert "distance" in found.alerts
    assert "ALERT" in str(found)
    assert found["plausibility"].now < found["plausibility"].at_fit


def test_wrong_rows_are_an_alert(watched):
    explainer, rows = watched
    broken = rows.copy()
    broken.loc[broken.index[:40], "income"] = np.nan
    found = explainer.monitor(broken)
    assert found.alerts == ("wrong_share",)
    assert found["wrong_share"].now == 40 / len(rows)


def test_a_new_fit_forgets_and_files_without_a_pickle_remember(loans, watched, tmp_path):
    pytest.importorskip("skops")
    explainer, rows = watched
    explainer.save(tmp_path / "safe.ew", safe=True)
    again = ew.load(tmp_path / "safe.ew", safe=True)
    assert again.monitor(rows).to_mapping() == explainer.monitor(rows).to_mapping()
    again.fit(loans.frame, loans.label)
    with pytest.raises(ew.InvalidInputError, match=r"explainer\.set_baseline"):
        again.monitor(rows)


def test_what_was_asked_at_fit_is_asked_again(loans):
    explainer = ew.Explainer(**loans.explainer.get_params(deep=False)).fit(loans.frame, loans.label)
    rules = ew.Constraints(immutable=["income", "years"])
    explainer.set_baseline(loans.frame.iloc[::3], "yes", constraints=rules)
    found = explainer.monitor(loans.frame.iloc[1::3])
    answers = explainer.explain(loans.frame.iloc[1::3], "yes", constraints=rules)
    needs = answers.changed.any(axis=1) | ~answers.found
    assert found["infeasible_share"].now == pytest.approx((~answers.found)[needs].mean())


def test_without_a_baseline_and_with_another_threshold(loans, watched):
    with pytest.raises(ew.InvalidInputError, match=r"explainer\.set_baseline"):
        loans.explainer.monitor(loans.frame)
    with pytest.raises(ew.InvalidInputError, match="threshold is another one"):
        watched[0].with_threshold(0.2).monitor(watched[1])
    with pytest.raises(TypeError, match="unexpected keyword argument 'colour'"):
        watched[0].set_baseline(watched[1], "yes", colour="red")


def _seen(distances):
    ordered = np.sort(distances)
    nothing = np.zeros(0)
    return Observed(len(ordered), 0, len(ordered), 0, ordered, len(ordered), nothing, 0, 0)


def test_the_statistic_is_that_of_scipy_and_alerts_are_rare_without_a_change():
    rng = np.random.default_rng(5)
    n_alerts = 0
    for _ in range(200):
        a, b = rng.gamma(2.0, size=150), rng.gamma(2.0, size=300)
        reading = {each.name: each for each in compared(_seen(a), _seen(b))}["distance"]
        assert reading.change == pytest.approx(ks_2samp(a, b).statistic)
        assert reading.p_value == pytest.approx(ks_2samp(a, b, method="asymp").pvalue)
        n_alerts += reading.alert
    assert n_alerts <= 10


@pytest.mark.parametrize(("change", "alerts"), [(0.04, ()), (0.06, ("infeasible_share",))])
def test_a_change_that_is_certain_but_small_is_no_alert(change, alerts):
    """Of 100,000 rows a change by 4 % is beyond doubt, and less than what is worth an alert."""
    n, same = 100_000, np.linspace(0.0, 1.0, 501)
    before, now = (Observed(n, 0, n, round(share * n), same, n, same, n, 5_000) for share in (0.2, 0.2 + change))
    readings = compared(now, before)
    share = next(each for each in readings if each.name == "infeasible_share")
    assert share.change == pytest.approx(change)
    assert share.adjusted < 1e-9
    assert tuple(each.name for each in readings if each.alert) == alerts
