"""The documentation: every example runs and prints what is shown, every command parses, every public name is there."""

import importlib
import importlib.util
import re
import sys
import warnings
from pathlib import Path

import pytest

import elsewise

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
_spec = importlib.util.spec_from_file_location("documentation_pages", DOCS / "pages.py")
pages = importlib.util.module_from_spec(_spec)
sys.modules[_spec.name] = pages
_spec.loader.exec_module(pages)

PAGES = pages.pages()
