"""The projector knows arrays alone: of elsewise it imports its errors and the array aliases, nothing else."""

import ast
from pathlib import Path

import pytest

from elsewise import projection

FOLDER = Path(projection.__file__).parent
FROM_ELSEWISE = {"errors", "arrays"}


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.py")), ids=lambda path: path.name)
def test_imports(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            assert not any(name.name.split(".")[0] == "elsewise" for name in node.names)
        if isinstance(node, ast.ImportFrom) and node.level != 1:
            inside = node.level == 2 or (node.module or "").split(".")[0] == "elsewise"
            assert not inside or node.module in FROM_ELSEWISE, f"{path.name} imports {node.module}"


def test_there_is_something_to_look_at():
    assert {"cells.py", "certificate.py", "distance.py", "solve.py"} <= {path.name for path in FOLDER.glob("*.py")}
