"""The examples run, and the code in the documents does what they say."""

import io
import re
import runpy
from contextlib import redirect_stdout
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
NUMBER = re.compile(r"[-+]?\d+\.?\d*(?:e[-+]?\d+)?")


def _blocks(path, language):
    return re.findall(rf"```{language}\n(.*?)```", path.read_text(encoding="utf-8"), flags=re.DOTALL)


def _printed(code):
    out = io.StringIO()
    with redirect_stdout(out):
        exec(compile(code, "<document>", "exec"), {"__name__": "__main__"})
    return out.getvalue()


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example_runs(path, tmp_path, monkeypatch, capsys):
    pytest.importorskip("pandas")
    pytest.importorskip("matplotlib")
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(path), run_name="__main__")
    assert capsys.readouterr().out.strip()


def test_there_are_examples():
    assert len(EXAMPLES) >= 4


def test_readme_example_prints_what_the_readme_says():
    pytest.importorskip("pandas")
    (code,) = _blocks(ROOT / "README.md", "python")
    (expected,) = _blocks(ROOT / "README.md", "text")
    printed = _printed(code)
    # Words and layout to the letter; numbers to the digits that every machine gives.
    assert re.sub(r" +", " ", NUMBER.sub("#", printed)) == re.sub(r" +", " ", NUMBER.sub("#", expected))
    theirs, ours = ([float(number) for number in NUMBER.findall(text)] for text in (expected, printed))
    assert ours == pytest.approx(theirs, rel=1e-3)
    assert "(proven)" in printed


def test_a_model_family_is_added_as_described():
    polyhedra, any_shape = _blocks(ROOT / "docs" / "adding-a-model-family.md", "python")
    printed = _printed(polyhedra)
    assert printed.startswith('The model predicts "denied". It would predict "granted" with: ')
    assert "income" not in printed  # the rows have no names
    of_any_shape = _printed(polyhedra + any_shape).removeprefix(printed)
    assert of_any_shape.startswith('The model predicts "stops". It would predict "works" with: ')
    assert "No smaller change exists" in of_any_shape


def test_links_between_documents_lead_somewhere():
    for path in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "docs" / "adding-a-model-family.md"]:
        for link in re.findall(r"\]\(([^)#]+)\)", path.read_text(encoding="utf-8")):
            if "://" not in link:
                assert (path.parent / link).exists(), f"{path.name} links to {link}, which is not there"
