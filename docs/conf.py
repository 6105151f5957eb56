"""Sphinx: ``sphinx-build -W --keep-going -b html docs build/docs`` builds the site, without warnings and offline."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import sphinx.ext.autosummary
from docutils.nodes import literal_block

import elsewise

# Characters of the longest line of a result that is not wrapped.
MOST_IN_LINE = 110

project = "elsewise"
author = "The elsewise developers"
version = release = elsewise.__version__

extensions = [
    "mathml",  # beside this file
    "myst_parser",
    "numpydoc",
    "recorded_explorer",  # beside this file
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.viewcode",
    "sphinx_copybutton",
]
# Parts of pages, written by commands into reproduction.md.
exclude_patterns = ["reproduction/*.md", "reproduction/published/*.md"]

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3

# Docstrings write names in single backticks.
default_role = "py:obj"
autodoc_member_order = "bysource"
autodoc_typehints = "none"  # docstrings give types and shapes
autosummary_generate = False
sphinx.ext.autosummary.WELL_KNOWN_ABBREVIATIONS += ("Eq.",)  # which ends no sentence
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False

html_math_renderer = "mathml"
html_theme = "furo"
html_title = "elsewise"
html_logo = html_favicon = "../src/elsewise/tools/app/static/icon.svg"
html_static_path = ["_static"]
html_css_files = ["elsewise.css"]
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False
html_theme_options = {"navigation_with_keys": True}
copybutton_prompt_text = r"\$ |>>> |\.\.\. "
copybutton_prompt_is_regexp = True


def _skip(app, what, name, obj, skip, options):
    # scikit-learn gives every estimator set_fit_request and the like, with references to its own site
    return True if name.startswith("set_") and name.endswith("_request") else None


def _mark_tables(app, doctree):
    """Mark results that are aligned in columns: they scroll on a phone, others wrap."""
    for block in doctree.findall(literal_block):
        lines = block.astext().splitlines()
        are_columns = sum("  " in line.strip() for line in lines) > 1
        if block.get("language") == "text" and are_columns and max(map(len, lines)) <= MOST_IN_LINE:
            block["classes"].append("aligned")


def setup(app):
    """Leave out what is not ours, and mark results that are tables."""
    app.connect("autodoc-skip-member", _skip)
    app.connect("doctree-read", _mark_tables)
