"""The kernels compile without a warning, in ISO C, by each compiler that is here."""

import shutil
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parent / "kernel_warnings"


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_kernels_compile_without_a_warning(compiler):
    if shutil.which(compiler) is None:
        pytest.skip(f"{compiler} is not installed")
    done = subprocess.run(["bash", SCRIPT, compiler], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
