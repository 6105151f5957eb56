"""Formulas as MathML, written while the site is built: they show in any browser, from a disk and without a script."""

import re
from typing import Any

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx
from sphinx.util import logging

_log = logging.getLogger(__name__)
# Names of functions stand apart from what is beside them; browsers leave that to the author.
_NAMED = re.compile(r"<mi>(log|det|exp)</mi>")
_APART = r'<mrow><mspace width="0.17em"/><mi>\1</mi><mspace width="0.17em"/></mrow>'


def _mathml(node: nodes.Element, as_block: bool) -> str:
    try:
        return _NAMED.sub(_APART, str(tex2mathml(node.astext(), as_block=as_block)))
    except MathError as error:
        _log.warning("formula %r: %s", node.astext(), error, location=node)
        return f"<code>{node.astext()}</code>"


def _inline(writer: Any, node: nodes.math) -> None:
    writer.body.append(_mathml(node, as_block=False))
    raise nodes.SkipNode


def _display(writer: Any, node: nodes.math_block) -> None:
    writer.body.append(f'<div class="formula">{_mathml(node, as_block=True)}</div>')
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the renderer under the name ``mathml``."""
    app.add_html_math_renderer("mathml", (_inline, None), (_display, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
