"""Formulas as MathML, which browsers show by themselves: nothing is loaded from elsewhere, no LaTeX is needed."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.application import Sphinx
from sphinx.util.math import get_node_equation_number


def inline(writer: Any, node: nodes.math) -> None:
    writer.body.append(convert(node.astext()))
    raise nodes.SkipNode


def block(writer: Any, node: nodes.math_block) -> None:
    """A long formula scrolls on a phone; its number stays beside it."""
    number = f"({get_node_equation_number(writer, node)})" if node["number"] else ""
    anchor = f' id="{node["ids"][0]}"' if node["ids"] else ""
    formula = f'<div style="flex: 1; overflow-x: auto">{convert(node.astext(), display="block")}</div>'
    beside = f'<span style="padding-left: 1em">{number}</span>'
    writer.body.append(
        f'<div class="math"{anchor} style="display: flex; align-items: center">{formula}{beside}</div>\n'
    )
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_html_math_renderer("mathml", (inline, None), (block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
