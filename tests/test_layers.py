"""The house: folders know only those below them, and nobody reaches into another object."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

import elsewise

SOURCE = Path(elsewise.__file__).parent
# From the ground up. Each may import from those before it, and from itself. `tools` is a layer per sub-package.
LAYERS = [
    "errors", "arrays", "reasons", "lvq", "projection", "search", "density", "models", "table",
    "text", "distances", "pipeline", "rules", "fitted", "proofs", "answers", "questions", "tools.files",
    "tools.letters", "tools.audit", "tools.batch", "explainer", "theory", "tools.plot", "exported", "tools.report",
    "tools.reproduce", "tools.app", "tools.mcp", "mlflow", "tools.cli", "__main__",
]  # fmt: skip
# Members of scikit-learn's objects that have no public name: what a fitted model is, is written nowhere else.
OF_OTHER_LIBRARIES = {
    "_average_path_length_per_tree",
    "_base_loss",
    "_baseline_prediction",
    "_decision_path_lengths",
    "_fit_X",
    "_label_binarizer",
    "_predictors",
    "_preprocessor",
    "_scaler",
    "_y",
}


def modules() -> list[Path]:
    return sorted(path for path in SOURCE.rglob("*.py") if "kernel" not in path.parts)


def layer_of(parts: Sequence[str]) -> str:
    return ".".join(parts[:2]) if parts[0] == "tools" else parts[0]


def layer(path: Path) -> str:
    return layer_of(path.relative_to(SOURCE).with_suffix("").parts)


def runtime_nodes(tree: ast.AST) -> Iterator[ast.AST]:
    """All nodes but those that only a type checker sees."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            continue
        yield node
        yield from runtime_nodes(node)


def imported(path: Path) -> Iterator[tuple[int, str, list[str]]]:
    """Line, layer and names of every import from this library."""
    package = list(path.relative_to(SOURCE).parts[:-1])
    for node in runtime_nodes(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = package[: len(package) - (node.level - 1)] + ([*node.module.split(".")] if node.module else [])
            names = [alias.name for alias in node.names]
            if base:
                yield from ((node.lineno, layer_of([*base, name]), [name]) for name in names)
            else:  # from .. import name
                for name in names:
                    yield node.lineno, name, [name]


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(SOURCE)))
def test_a_folder_imports_only_from_below(path):
    own = layer(path)
    if own in ("__init__", "tools.__init__"):
        return
    for line, other, names in imported(path):
        if names == ["__version__"]:
            continue
        assert LAYERS.index(other) <= LAYERS.index(own), f"{path.name}:{line} imports from {other}"


def test_every_module_has_a_layer():
    assert {layer(path) for path in modules()} - {"__init__", "tools.__init__"} == set(LAYERS)


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(SOURCE)))
def test_nobody_touches_another_objects_private_members(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Attribute) and node.attr.startswith("_") and not node.attr.startswith("__"):
            own = isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")
            assert own or node.attr in OF_OTHER_LIBRARIES, f"{path.name}:{node.lineno} .{node.attr}"
    for line, _, names in imported(path):
        private = [name for name in names if name.startswith("_") and name not in ("__version__", "project_batch")]
        assert not private, f"{path.name}:{line} imports {private}"


def test_array_names_are_defined_once():
    for path in modules():
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.Assign) and path.name != "arrays.py":
                names = {target.id for target in node.targets if isinstance(target, ast.Name)}
                assert not names & {"FloatArray", "IntArray", "BoolArray", "AnyArray"}, path


def test_no_two_classes_have_the_same_name():
    seen: dict[str, Path] = {}
    for path in modules():
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.ClassDef):
                assert node.name not in seen, f"{node.name} is in {seen[node.name]} and in {path}"
                seen[node.name] = path


def test_packages_have_a_structure():
    for folder in {path.parent for path in modules()}:
        n_modules = sum(path.parent == folder and path.name != "__init__.py" for path in modules())
        assert n_modules <= 16, f"{folder.relative_to(SOURCE)} has {n_modules} modules"
