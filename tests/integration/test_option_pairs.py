"""Options drawn two and three at a time, for every model family, against a list of all rows."""

from __future__ import annotations

import inspect
import os
from collections import Counter

import pytest

import elsewise as ew
from integration import option_table
from integration.option_cases import N_ROWS, Drawn, check, check_case, check_many_certificates
from integration.option_models import FAMILIES, TABLES

N_CASES, N_SLOW_CASES = 200, 4_000  # of N_ROWS rows each
CALLABLES = {
    "EXPLAINER": ew.Explainer,
    "EXPLAIN": ew.Explainer.explain,
    "RULES": ew.Constraints,
}


@pytest.mark.parametrize("name", CALLABLES)
def test_every_option_is_in_the_table(name):
    parameters = set(inspect.signature(CALLABLES[name]).parameters) - option_table.DATA
    assert set(getattr(option_table, name)) == parameters


@pytest.mark.parametrize("distance", [ew.Manhattan, ew.Scaled])
def test_every_option_of_a_distance_is_in_the_table(distance):
    given = [setting for setting in option_table.EXPLAINER["distance"] if isinstance(setting, distance)]
    for name, parameter in inspect.signature(distance).parameters.items():
        assert any(getattr(setting, name) != parameter.default for setting in given), name


def check_cases(seeds) -> Counter[str]:
    """Check cases; fail with one line for each that is wrong."""
    found, wrong = Counter(), []
    for seed in seeds:
        try:
            found.update(check_case(seed))
        except AssertionError as error:
            wrong.append(str(error).splitlines()[0])
    assert not wrong, "\n".join([f"{len(wrong)} wrong cases:", *wrong])
    return found


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("place", range(len(FAMILIES)), ids=list(FAMILIES))
def test_answers_are_the_nearest_of_all_rows(place):
    found = check_cases(range(place, N_CASES, len(FAMILIES)))
    assert found["optimal"] + found["feasible"] + found["infeasible"] > N_ROWS


# A mean of sigmoids over categories: a further answer was not found in minutes.
ANY_SIZE = (("rules", "min_change", "any"), ("explain", "n_counterfactuals", 3), ("explainer", "density", None))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", TABLES)
def test_cases_that_were_wrong(name):
    check(Drawn(465, "calibrated", name, ANY_SIZE))


# A far bound with coarse multipliers, and a kept distance with large ones.
CERTIFICATES_THAT_WERE_REFUSED = (20_079, 20_262)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seed", CERTIFICATES_THAT_WERE_REFUSED)
def test_certificates_that_were_refused(seed):
    assert check_many_certificates(seed)["certified"] > 0


@pytest.mark.slow
@pytest.mark.skipif("ELSEWISE_ALL_PAIRS" not in os.environ, reason="ten thousand certificates: set ELSEWISE_ALL_PAIRS")
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("first", range(20_000, 20_800, 100))
def test_no_honest_certificate_is_refused(first):
    found = Counter()
    for seed in range(first, first + 100):
        found.update(check_many_certificates(seed))
    assert found["certified"] >= 1_000


@pytest.mark.slow
@pytest.mark.skipif("ELSEWISE_ALL_PAIRS" not in os.environ, reason="twenty thousand rows: set ELSEWISE_ALL_PAIRS")
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("place", range(len(FAMILIES)), ids=list(FAMILIES))
def test_answers_are_the_nearest_of_all_rows_at_length(place):
    check_cases(range(N_CASES + place, N_CASES + N_SLOW_CASES, len(FAMILIES)))
