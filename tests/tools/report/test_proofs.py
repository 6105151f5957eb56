"""Proofs in reports: checked as the report is written, and there as a file."""

from __future__ import annotations

import base64
import gzip
import re

import pytest
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression

import elsewise as ew
import elsewise_check
from elsewise.proofs import Proof
from elsewise.tools.files.certificates import is_checked
from elsewise.tools.report import html_report


@pytest.fixture(scope="module")
def explained():
    X, y = load_iris(return_X_y=True)
    explainer = ew.Explainer(LogisticRegression(max_iter=1000).fit(X, y)).fit(X, y)
    return explainer, explainer.explain(X[:2], 1, certificate=True)


def test_the_report_holds_the_proof(explained):
    explainer, answers = explained
    page = html_report(explainer, answers)
    assert page.count("Proof checked by an independent program, SHA-256 ") == 2
    files = re.findall(r'download="([0-9a-f]{64})\.jsonl\.gz" href="data:application/gzip;base64,([^"]+)"', page)
    assert [name for name, _ in files] == [one.proof.sha256 for one in answers]
    for (_, data), one in zip(files, answers):
        text = gzip.decompress(base64.b64decode(data)).decode()
        assert text == one.proof.text
        assert elsewise_check.check_lines(text.splitlines()).status == "optimal"


def test_reports_without_proofs_say_nothing_of_them(explained):
    explainer, answers = explained
    page = html_report(explainer, explainer.explain(answers.x, 1))
    assert "independent program" not in page


def test_a_proof_that_is_refused(explained):
    _, answers = explained
    proof = answers[0].proof
    assert is_checked(proof)
    assert not is_checked(Proof.of(proof.lines[:-1]))
