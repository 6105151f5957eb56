"""Certificates on the command line: written beside the answers, checked with the audit trail."""

from __future__ import annotations

import gzip
import json

import pytest

import elsewise_check
from elsewise.tools.cli import main

pytest.importorskip("pandas")


@pytest.fixture(scope="module")
def folder(loans, tmp_path_factory):
    """A trail with certificates."""
    folder = tmp_path_factory.mktemp("certificates")
    loans.explainer.save(folder / "explainer.ew")
    loans.frame.iloc[::20].to_csv(folder / "rows.csv", index=False)
    asked = ["--target", "yes", "--json-lines", "--quiet", "--certificates", str(folder / "proofs")]
    code = main(["explain", "--explainer", str(folder / "explainer.ew"), "--data", str(folder / "rows.csv"),
                 "--out", str(folder / "answers.jsonl"), *asked])  # fmt: skip
    assert code == 0
    return folder


def verify(folder, proofs, capsys):
    """Check the trail; return the places of answers whose proofs do not hold."""
    code = main(["verify", str(folder / "answers.jsonl"), "--explainer", str(folder / "explainer.ew"), "--json",
                 "--quiet", "--search", "0", "--proofs", str(proofs)])  # fmt: skip
    found = json.loads(capsys.readouterr().out)
    assert code == (0 if found["holds"] else 1)
    return {check["promise"]: check for check in found["checks"]}


def test_a_trail_tells_the_hash_of_every_certificate(folder, capsys):
    records = [json.loads(line) for line in (folder / "answers.jsonl").read_text().splitlines()]
    hashes = {record["proof"]["sha256"] for record in records}
    assert {path.name for path in (folder / "proofs").iterdir()} == {f"{each}.jsonl.gz" for each in hashes}
    assert all(elsewise_check.main([str(path)]) == 0 for path in (folder / "proofs").iterdir())
    capsys.readouterr()
    checks = verify(folder, folder / "proofs", capsys)
    proof = next(check for promise, check in checks.items() if "independent program" in promise)
    assert proof["checked"] == len(records)
    assert proof["failed_lines"] == []


def test_certificates_that_were_changed_or_are_gone_are_found(folder, tmp_path, capsys):
    records = [json.loads(line) for line in (folder / "answers.jsonl").read_text().splitlines()]
    for path in (folder / "proofs").iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    first, second = (tmp_path / f"{record['proof']['sha256']}.jsonl.gz" for record in records[:2])
    first.unlink()
    lines = gzip.decompress(second.read_bytes()).decode().splitlines()
    header = json.loads(lines[0])
    header["claim"]["lower_bound"] *= 0.5
    second.write_bytes(gzip.compress("\n".join([json.dumps(header), *lines[1:]]).encode()))
    checks = verify(folder, tmp_path, capsys)
    failed = [check["failed_lines"] for check in checks.values() if check["failed_lines"]]
    assert failed == [[1, 2]]
