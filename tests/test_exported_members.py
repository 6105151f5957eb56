"""What the package exports: sorted, complete, documented."""

import importlib
import inspect
import pkgutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

import pytest

import elsewise

PACKAGES = ["elsewise"] + [
    f"elsewise.{module.name}"
    for module in pkgutil.iter_modules(elsewise.__path__)
    if module.ispkg and module.name != "tools"
]


@pytest.mark.parametrize("name", PACKAGES)
def test_exports_are_sorted_and_exist(name):
    package = importlib.import_module(name)
    assert package.__all__ == sorted(package.__all__)
    assert len(set(package.__all__)) == len(package.__all__)
    for member in package.__all__:
        assert hasattr(package, member), f"{name}.{member} is announced but missing"


@pytest.mark.parametrize("name", PACKAGES)
def test_nothing_public_is_left_out(name):
    """Every class or function of ours in the namespace is announced; modules are only if the package says so."""
    package = importlib.import_module(name)
    public = {
        member
        for member, value in vars(package).items()
        if not member.startswith("_")
        and not isinstance(value, ModuleType)
        and getattr(value, "__module__", "").startswith("elsewise")
    }
    assert public <= set(package.__all__)


def test_everything_exported_is_documented():
    for name in elsewise.__all__:
        value = getattr(elsewise, name)
        assert inspect.getdoc(value), f"elsewise.{name} has no docstring"


def test_every_error_is_exported():
    errors = {
        name
        for name, value in vars(elsewise.errors).items()
        if isinstance(value, type) and issubclass(value, Exception)
    }
    assert errors <= set(elsewise.__all__)


def test_modules_import_on_their_own():
    """Each package without the others, then its modules: a package's own imports come before those of its modules."""
    names = [module.name for module in pkgutil.walk_packages(elsewise.__path__, "elsewise.")]
    names = sorted((n for n in names if not n.endswith("__main__")), key=lambda name: name.rpartition("."))
    files = {path for path in Path(elsewise.__path__[0]).rglob("*.py") if path.name != "__main__.py"}
    assert {Path(find_spec(name).origin) for name in ["elsewise", *names]} >= files
    code = """
import importlib, sys
import elsewise
first, package = set(sys.modules), None
for name in sys.argv[1:]:
    is_next = name.rpartition(".")[0] != package or name.count(".") == 1
    for known in set(sys.modules) - first if is_next else ():
        if known.startswith("elsewise."):
            del sys.modules[known]
    package = name.rpartition(".")[0]
    print(importlib.import_module(name).__name__)
"""
    done = subprocess.run([sys.executable, "-c", code, *names], capture_output=True, text=True, check=False)
    assert done.stdout.split() == names, done.stderr
    assert done.stderr == ""
