"""A release says the same of itself everywhere; wheel and source distribution install in a clean environment."""

from __future__ import annotations

import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

import elsewise

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
yaml = pytest.importorskip("yaml")
SCRIPT = """
import numpy as np
import elsewise as ew
from sklearn.ensemble import RandomForestClassifier
rng = np.random.default_rng(0)
X = rng.normal(size=(80, 3))
y = (X.sum(axis=1) > 0).astype(int)
model = RandomForestClassifier(5, max_depth=3, random_state=0).fit(X, y)
answer = ew.Explainer(model).fit(X, y).explain(X[model.predict(X) == 0][:1], 1)
assert answer.statuses.tolist() == ["optimal"], answer.statuses
print(ew.__version__)
"""


def recipe():
    return yaml.safe_load((ROOT / "packaging/conda/recipe.yaml").read_text())


def citation():
    return yaml.safe_load((ROOT / "CITATION.cff").read_text())


def names_and_bounds(requirements):
    pairs = (re.fullmatch(r"([\w-]+)(?:\[[\w,]*\])? ?>=([\w.]+)", one) for one in requirements)
    return {found[1]: found[2] for found in pairs if found is not None}


def test_versions_agree():
    version = PROJECT["version"]
    assert elsewise.__version__ == version
    assert f"version: '{version}'" in (ROOT / "meson.build").read_text()
    assert recipe()["context"]["version"] == version
    assert citation()["version"] == version
    assert citation()["license"] == PROJECT["license"] == recipe()["about"]["license"]


def test_the_conda_recipe_matches():
    about = recipe()
    scripts = dict(one.split(" = ") for one in about["build"]["python"]["entry_points"])
    assert scripts == PROJECT["scripts"]
    assert names_and_bounds(about["requirements"]["run"]) == names_and_bounds(PROJECT["dependencies"])


def test_the_oldest_versions_are_those_of_the_project():
    every = [*PROJECT["dependencies"], *(one for extra in PROJECT["optional-dependencies"].values() for one in extra)]
    bounds = names_and_bounds(every)
    oldest = re.findall(r"^([\w-]+)==([\d.]+)\.\*$", (ROOT / ".ci/oldest.txt").read_text(), re.MULTILINE)
    assert len(oldest) > 10
    assert {name: bounds[name] for name, _ in oldest} == dict(oldest)
    assert set(names_and_bounds(PROJECT["dependencies"])) <= set(dict(oldest))


def test_workflows_are_read_and_their_paths_exist():
    for path in (ROOT / ".github/workflows").glob("*.yml"):
        jobs = yaml.safe_load(path.read_text())["jobs"]
        for job in jobs.values():
            for one in job.get("strategy", {}).get("matrix", {}).get("include", []):
                assert all((ROOT / folder).exists() for folder in one.get("tests", "").split()), (path.name, one)


def test_every_library_whose_tests_are_skipped_has_a_job_that_runs_them():
    jobs = yaml.safe_load((ROOT / ".github/workflows/versions.yml").read_text())["jobs"]
    folders = {one["library"]: one["tests"].split() for one in jobs["libraries"]["strategy"]["matrix"]["include"]}
    for library, where in folders.items():
        asked = re.compile(rf'importorskip\("(py)?{library}[".]')
        files = [path.relative_to(ROOT) for path in (ROOT / "tests").rglob("*.py") if asked.search(path.read_text())]
        assert files, library
        assert [path for path in files if not any(path.is_relative_to(folder) for folder in where)] == [], library


@pytest.mark.slow
def test_wheel_and_source_install_in_a_clean_environment(tmp_path):
    pytest.importorskip("mesonpy")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
    build = "import sys, mesonpy; print(mesonpy.build_sdist(sys.argv[1]))"
    name = run([sys.executable, "-c", build, str(tmp_path)], cwd=ROOT).splitlines()[-1]
    with tarfile.open(tmp_path / name) as archive:
        archive.extractall(tmp_path, filter="data")
    folder = tmp_path / name.removesuffix(".tar.gz")
    run([*pip, "wheel", "--no-deps", "--no-build-isolation", "-w", str(tmp_path), str(folder)])
    wheel = next(tmp_path.glob("*.whl"))
    inside = zipfile.ZipFile(wheel).namelist()
    assert sum("_kernel." in one or "_whole." in one or "_search." in one for one in inside) >= 3
    assert "elsewise/py.typed" in inside
    if sys.platform == "linux":
        pytest.importorskip("auditwheel")
        run([sys.executable, "-m", "auditwheel", "repair", "-w", str(tmp_path / "repaired"), str(wheel)])
        wheel = next((tmp_path / "repaired").glob("*.whl"))
        assert "manylinux_2_" in wheel.name  # any Linux of the last years takes it, without a compiler
    run([sys.executable, "-m", "venv", str(tmp_path / "clean")])
    python = tmp_path / "clean" / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", str(wheel)])
    assert run([python, "-c", SCRIPT], cwd=tmp_path).strip() == PROJECT["version"]
    assert run([python.with_name("elsewise"), "--version"], cwd=tmp_path).split()[-1] == PROJECT["version"]


def run(command, **options):
    done = subprocess.run([str(one) for one in command], capture_output=True, text=True, check=False, **options)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return done.stdout
