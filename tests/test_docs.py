"""The documentation: every example runs and prints what is shown, every command parses, every public name is there."""

from __future__ import annotations

import doctest
import importlib
import importlib.util
import inspect
import json
import pkgutil
import re
import subprocess
import sys
from html import unescape
from itertools import pairwise
from pathlib import Path
from types import ModuleType

import pytest

import elsewise
from answers_in_range import watched
from elsewise.tools.cli.main import parser

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
_spec = importlib.util.spec_from_file_location("documentation_pages", DOCS / "pages.py")
pages = importlib.util.module_from_spec(_spec)
sys.modules[_spec.name] = pages
_spec.loader.exec_module(pages)
credit_table = importlib.import_module("credit_table")  # beside pages.py, which makes it known

PAGES = pages.pages()
TEXTS = {path: path.read_text(encoding="utf-8") for path in PAGES}
WITH_PYTHON = [path for path in PAGES if any(block.is_run for block in pages.blocks(TEXTS[path]))]
MODULES = sorted(
    module.name for module in pkgutil.walk_packages(elsewise.__path__, "elsewise.") if "__main__" not in module.name
)
# Packages without a page: what they hold is seen on the command line and in the browser.
NOT_IN_REFERENCE = {"elsewise.tools"}

# Stems of words that people search for, and the page that answers them.
SEARCHED = {
    "divers": "howto/changes-that-mean-something",
    "immut": "howto/rules",
    "xgboost": "howto/forests",
    "robust": "howto/answers-that-last",
    "fair": "howto/audit",
    "onnx": "howto/models",
}
# Pages that show what answers are like without ranges.
LEAVE_THE_RANGE = {"howto/images.md"}
# Size of a picture in the gallery: the page opens at once on a slow line, and a clone stays small.
MOST_BYTES = 60_000


def name_of(path):
    return path.relative_to(DOCS).as_posix()


@pytest.mark.parametrize("path", WITH_PYTHON, ids=name_of)
def test_page_runs_and_prints_what_it_shows(path, tmp_path, monkeypatch):
    for name in ("pandas", "matplotlib", *("fastapi", "httpx") * ("httpx" in TEXTS[path])):
        pytest.importorskip(name)
    monkeypatch.setenv("MPLBACKEND", "agg")
    try:
        with watched() as outside:
            results = pages.run(path, tmp_path)
    finally:
        importlib.import_module("matplotlib.pyplot").close("all")
    assert bool(outside) == (name_of(path) in LEAVE_THE_RANGE), outside
    is_made_up = "fetch_openml" in TEXTS[path] and credit_table.file() is None
    for block, printed in results:
        shown = pages.shown(TEXTS[path], block)
        place = f"{name_of(path)}, line {block.line}"
        if is_made_up:  # the page shows what the real table gives
            assert bool(printed.strip()) == (shown is not None), f"{place} does not print as on the real table"
            trouble = r"\w*(Error|Warning): "
            assert re.findall(trouble, printed) == re.findall(trouble, shown.text if shown else ""), (
                f"{place}: {printed}"
            )
        elif shown is None:
            assert not printed.strip(), f"{place} prints what the page does not show:\n{printed}"
        else:
            assert (wrong := pages.differences(shown.text, printed)) is None, f"{place}: {wrong}"
    for picture in tmp_path.glob("*.png"):
        kept = DOCS / "images" / picture.name
        assert kept.exists(), f"{name_of(path)} draws {picture.name}: run docs/pages.py"
        if not is_made_up:
            wrong = pages.differences(pages.drawn_text(kept), pages.drawn_text(picture))
            assert wrong is None, f"{picture.name}: {wrong}"


@pytest.mark.parametrize("path", PAGES, ids=name_of)
def test_commands_parse(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for arguments in pages.commands(TEXTS[path]):
        for option, word in pairwise(arguments):  # files have to be there to be read
            if re.fullmatch(r"[\w-]+\.\w+", word) and option != "--out":
                Path(word).touch()
        assert parser().parse_args(arguments).run


def test_stand_in_has_the_columns_of_the_real_table():
    pytest.importorskip("pandas")
    made_up, labels = credit_table.made_up()
    assert made_up.shape == (credit_table.N_MADE_UP, 20)
    assert (made_up.dtypes.astype(str) == "category").sum() == 13
    assert (made_up.dtypes.astype(str) == "int64").sum() == 7
    assert 0.2 < (labels == "bad").mean() < 0.5
    path = credit_table.file()
    if path is None:
        pytest.skip("the real table is not here: ELSEWISE_DATA names the folder of german_credit.csv")
    real, outcomes = credit_table.read(path)
    assert made_up.dtypes.equals(real.dtypes)
    assert labels.dtype == outcomes.dtype
    counts = real["purpose"].value_counts()
    assert (len(real), counts["radio/tv"], counts["new car"], counts["vacation"]) == (1000, 280, 234, 0)
    assert (outcomes == "bad").sum() == 300


def test_the_tutorial_shows_the_real_table():
    assert "(1000, 20) {'good': 700, 'bad': 300}" in TEXTS[DOCS / "tutorial.md"]


def test_gallery_shows_every_picture_above_its_code():
    text = TEXTS[DOCS / "pictures.md"]
    for verb in elsewise.plot.__all__:
        section = next(part for part in text.split("\n## ") if part.startswith(f"{verb}: "))
        picture = re.search(r"!\[[^]]+\]\((images/[\w-]+\.png)\)", section)
        assert picture is not None, verb
        assert (DOCS / picture[1]).stat().st_size < MOST_BYTES, verb
        assert f"ew.plot.{verb}(" in section[picture.end() :], verb


def test_every_picture_is_made_by_a_command_and_holds_its_text():
    pytest.importorskip("PIL")
    made = set(re.findall(r"[\w-]+\.png", (DOCS / "screenshots.py").read_text(encoding="utf-8")))
    for text in TEXTS.values():
        made |= set(re.findall(r"savefig\(\"([\w-]+\.png)\"", text))
    kept = {picture.name for picture in (DOCS / "images").iterdir()}
    assert kept <= made, kept - made
    for name in kept:
        assert pages.drawn_text(DOCS / "images" / name).strip() or "digits" in name, name


def test_screenshots_show_what_the_pages_say(tmp_path):
    pytest.importorskip("playwright.sync_api")
    for name in ("fastapi", "httpx", "uvicorn", "matplotlib"):
        pytest.importorskip(name)
    screenshots = importlib.import_module("screenshots")
    if not Path(screenshots.CHROMIUM).exists():
        pytest.skip("no Chromium: CHROMIUM names it")
    screenshots.take(tmp_path)
    for picture in tmp_path.glob("*.png"):
        kept = pages.drawn_text(DOCS / "images" / picture.name)
        assert (wrong := pages.differences(kept, pages.drawn_text(picture))) is None, f"{picture.name}: {wrong}"


def test_most_pages_have_examples():
    assert len(WITH_PYTHON) >= 9
    assert sum(len(pages.commands(text)) for text in TEXTS.values()) >= 5


def test_what_is_not_run_says_why():
    for path, text in TEXTS.items():
        for block in pages.blocks(text):
            if block.language == "python" and not block.is_run:
                reason = block.text.splitlines()[0].removeprefix(pages.NOT_RUN)
                assert len(reason.split()) > 3, f"{name_of(path)}, line {block.line}"


@pytest.mark.parametrize(("first", "most"), [("rng = np.random.default_rng(7)", 2), ("patients = pd.DataFrame(", 99)])
def test_pages_with_the_same_table_have_the_same(first, most):
    tables = [block.text for text in TEXTS.values() for block in pages.blocks(text) if first in block.text]
    assert len(set(tables)) == 1
    assert len(tables) <= most  # made-up loans say less than real rows


def test_links_lead_somewhere():
    for path, text in TEXTS.items():
        prose = re.sub(r"```.*?```|`[^`]*`", "", text, flags=re.DOTALL)
        for link in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", prose):
            if "://" not in link:
                assert (path.parent / link).exists(), f"{name_of(path)} links to {link}, which is not there"


def test_paths_of_the_explorer_exist(loans):
    pytest.importorskip("fastapi")
    from elsewise.tools.app import create_app

    app = create_app(loans.explainer)
    named = set(re.findall(r"`(?:GET |POST )?(/api/[\w.-]+)`", TEXTS[DOCS / "explorer.md"]))
    assert len(named) > 5
    assert named <= set(app.openapi()["paths"]) | {"/api/reference", app.openapi_url}


def test_differences_are_seen():
    same = "distance 2.5 (gap 1.0e-09)\n  a  1 -> 2"
    assert pages.differences(same, "distance 2.5001 (gap 3e-10)\n a 1 ->  2") is None
    assert "expected 2.5, received 2.6" in pages.differences(same, same.replace("2.5", "2.6"))
    assert "expected" in pages.differences(same, same.replace("a ", "b "))
    assert "gap of 0.01" in pages.differences(same, same.replace("1.0e-09", "1e-2"))


def _reference():
    """Objects that the reference documents: by name, or all that a package exports."""
    documented = set()
    for path in (DOCS / "api").glob("*.rst"):
        text = path.read_text(encoding="utf-8")
        for name in re.findall(r"^\.\. auto(?:class|function|data):: (\S+)$", text, flags=re.MULTILINE):
            module, _, member = name.rpartition(".")
            documented.add(id(getattr(importlib.import_module(module), member)))
        for module, body in re.findall(r"^\.\. automodule:: (\S+)\n((?:   :.*\n)*)", text, flags=re.MULTILINE):
            assert ":members:" in body
            left_out = re.findall(r"[\w]+", next(iter(re.findall(r":exclude-members: (.*)", body)), ""))
            package = importlib.import_module(module)
            names = getattr(package, "__all__", [name for name in vars(package) if not name.startswith("_")])
            documented |= {id(getattr(package, name)) for name in names if name not in left_out}
    return documented


def test_every_public_name_is_in_the_reference():
    documented = _reference()
    packages = {f"elsewise.{module.name}" for module in pkgutil.iter_modules(elsewise.__path__) if module.ispkg}
    for name in sorted({"elsewise", "elsewise.tools.plot"} | packages - NOT_IN_REFERENCE):
        module = importlib.import_module(name)
        for member in module.__all__:
            value = getattr(module, member)
            if isinstance(value, ModuleType) or not (inspect.isclass(value) or inspect.isfunction(value)):
                continue
            assert id(value) in documented, f"{name}.{member} is public, but not in docs/api"


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings(name):
    try:
        module = importlib.import_module(name)
    except elsewise.MissingDependencyError as error:
        pytest.skip(str(error))
    outcome = doctest.testmod(module, optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    assert outcome.failed == 0


def _formulas_have_glyphs(site):
    fonts = pytest.importorskip("fontTools.ttLib")
    pytest.importorskip("brotli")
    known = fonts.TTFont(DOCS / "_static" / "stix-two-math.woff2").getBestCmap()
    for page in site.rglob("*.html"):
        for formula in re.findall(r"<math.*?</math>", page.read_text(encoding="utf-8"), flags=re.DOTALL):
            missing = {c for c in unescape(re.sub(r"<[^>]+>", "", formula)) if not c.isspace()} - set(map(chr, known))
            assert not missing, (page.name, missing)


def test_site_builds_without_warnings(tmp_path):
    for name in ("sphinx", "myst_parser", "numpydoc", "furo", "sphinx_copybutton"):
        pytest.importorskip(name, reason="the site needs the extra docs: pip install 'elsewise[docs]'")
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html", "-D", "recorded_rows=1"]
    command += [str(DOCS), str(tmp_path)]
    built = subprocess.run(command, capture_output=True, text=True, timeout=900, check=False)
    assert built.returncode == 0, built.stderr
    page = (tmp_path / "method.html").read_text(encoding="utf-8")
    assert "<math" in page
    assert "https://cdn" not in page  # it opens without a network
    index = (tmp_path / "searchindex.js").read_text(encoding="utf-8")
    documents = json.loads(re.search(r'"?docnames"?:(\[.*?\])', index)[1])
    for stem, expected in SEARCHED.items():
        places = ",".join(re.findall(rf'[{{,]"?{stem}"?:(\[[\d,]*\]|\d+)', index))
        assert expected in {documents[int(number)] for number in re.findall(r"\d+", places)}, stem
    _formulas_have_glyphs(tmp_path)
    _the_explorer_has_its_answers(tmp_path / "explorer-demo")


def _the_explorer_has_its_answers(folder):
    """The explorer with recorded answers: nothing comes from a server, and every answer on the page is proven."""
    recorded = json.loads((folder / "recorded.json").read_text(encoding="utf-8"))
    explained = {key: answer for key, answer in recorded["answers"].items() if key.startswith("/api/explain|")}
    assert len(explained) == len(recorded["rows"]) * len(recorded["about"]["classes"]) * 4 * 5
    assert {answer["status"] for answer in explained.values()} <= {"optimal", "infeasible"}
    page = (folder / "index.html").read_text(encoding="utf-8")
    assert "Recorded answers" in page
    assert "/static/" not in page
    asked = {name for path in folder.glob("*.js") for name in re.findall(r'"/api/([a-z-]+)', path.read_text("utf-8"))}
    assert {"about", "explain", "frontier", "map", "plan", "why-not"} <= asked
    for kind in ("frontier", "plan", "map"):
        assert any(key.startswith(f"/api/{kind}|") for key in recorded["answers"])


def test_the_table_of_readers_is_that_of_the_registry():
    import readers

    page = readers.PAGE.read_text(encoding="utf-8")
    assert readers.written(page) == readers.table(), "python docs/readers.py writes the table anew"
    assert readers.MADE_BY.keys() <= {kind.__name__ for kind in readers.registry.families}


@pytest.mark.parametrize(
    "name", ["field_treecf", "field_ocean", "field_ocean_alone", "field_nice", "field_lice", "lasting"]
)
def test_the_comparison_is_written_from_what_is_kept(name):
    kept = json.loads((DOCS.parent / "benchmarks" / "results" / f"{name}.json").read_text(encoding="utf-8"))
    page = (DOCS / "comparison.md").read_text(encoding="utf-8")
    (rows,) = kept["tables"].values()
    for row in rows:
        shown = ["" if v is None else f"{v:.4g}" if isinstance(v, float) else str(v) for v in row.values()]
        assert f"| {' | '.join(shown)} |" in page
    assert kept["notes"][0] in page
